"""What one party of a deployed setting holds of a task: a client its own rows, the server the test.

A study holds all clients at once. Here a process reads its own part and no other; that a server
knows who has which row, and nobody else's labels, is what `partition_without_labels` says.
"""

import numpy as np
import torch

from fbftl.data.clients import ClientFile
from fbftl.data.participation import Partition
from fbftl.data.preprocess import Preprocessing
from fbftl.features.store.manifest import read_manifest
from fbftl.features.store.opening import open_store
from fbftl.ground.errors import required
from fbftl.ground.files import read_json
from fbftl.messages.vectors import Vectors
from fbftl.tasks.images import ClientImageFeatures, ClientImageSamples, labelled
from fbftl.tasks.target_network import TargetNetwork
from fbftl.tasks.task import Inputs
from fbftl.training.pictures import Pictures
from fbftl.training.samples import LabelledInputs


def partition_without_labels(client: np.ndarray) -> Partition:
    """Return who holds which row (n,), of labels that are not told."""
    return Partition(client, np.zeros(len(client), dtype=np.int64))


def features_at_server(inputs: Inputs, client: np.ndarray, classes: int) -> ClientImageFeatures:
    """Return the test split's features, and none of the clients'.

    Args:
        inputs: with the manifest of the feature store.
        client: (n,) client of each training row.
        classes: number of classes N.
    """
    store = open_store(inputs.manifest)
    test = store.read("test", room=inputs.room)
    public = None
    if inputs.public_manifest is not None:
        public = open_store(inputs.public_manifest).read("train").values
    nothing = np.zeros(0, dtype=np.int64)
    return ClientImageFeatures(
        partition=partition_without_labels(client),
        test=labelled(test.values, test.labels, inputs),
        width=store.width,
        classes=classes,
        provenance={"features": store.digest},
        payload=Vectors(np.zeros((0, store.width), dtype=np.float32), nothing, nothing, classes),
        rows=nothing,
        public=public,
        inputs=inputs,
    )


def features_at_client(
    inputs: Inputs, values: np.ndarray, labels: np.ndarray, classes: int
) -> ClientImageFeatures:
    """Return a client's own features (n, d) with their labels (n,), numbered from 0."""
    rows = np.arange(len(labels))
    return ClientImageFeatures(
        partition=Partition(np.zeros(len(labels), dtype=np.int64), labels),
        test=_nothing(values[:0], inputs),
        width=values.shape[1],
        classes=classes,
        provenance={},
        payload=Vectors(values, labels, rows, classes),
        rows=rows,
        public=None,
        inputs=inputs,
    )


def samples_at_server(inputs: Inputs, client: np.ndarray, classes: int) -> ClientImageSamples:
    """Return the test split's images, and none of the clients'.

    Args:
        inputs: with the client file, and the manifests of feature store and source model.
        client: (n,) client of each training row.
        classes: number of classes N.
    """
    test = images_of(inputs, "test", None)
    nobody = test.pixels[:0]
    labels = test.labels[:0]
    samples = Pictures(nobody, labels, test.preprocessing)
    return _samples(inputs, client, samples, test, classes)


def samples_at_client(inputs: Inputs, rows: np.ndarray, classes: int) -> ClientImageSamples:
    """Return a client's own images, those at some rows (n,) of the task, numbered from 0."""
    samples = images_of(inputs, "train", rows)
    return _samples(inputs, np.zeros(len(rows), dtype=np.int64), samples, samples, classes)


def images_of(inputs: Inputs, split: str, rows: np.ndarray | None) -> Pictures:
    """Return images of a split at some rows, or all of them."""
    preprocessing = Preprocessing.of(read_manifest(inputs.manifest).store["preprocessing"])
    with ClientFile(required(inputs.clients)) as file:
        chosen = np.arange(file.count(split)) if rows is None else rows
        parts = [file.rows(split, row, row + 1).arrays for row in chosen.tolist()]
    pixels = np.concatenate([np.asarray(part["pixels"]) for part in parts])
    labels = np.concatenate([np.asarray(part["label"]) for part in parts]).astype(np.int64)
    return Pictures(pixels, torch.from_numpy(labels).to(inputs.device), preprocessing)


def _samples(
    inputs: Inputs, client: np.ndarray, samples: Pictures, test: Pictures, classes: int
) -> ClientImageSamples:
    cache = read_manifest(inputs.manifest).store
    source = read_json(required(inputs.source), "source model's manifest")
    target = TargetNetwork(
        inputs=inputs,
        source=source,
        cut=cache["cut"],
        pool=cache["preprocessing"]["pool"],
        example=test.at(np.arange(min(2, len(test.labels)))).inputs.cpu(),
        width=cache["width"],
        classes=classes,
    )
    return ClientImageSamples(
        partition=partition_without_labels(client),
        test=test,
        width=target.width,
        classes=classes,
        provenance={"source": source["sha256"], "features": cache["digest"]},
        samples=samples,
        target=target,
        preprocessing=samples.preprocessing,
        tested=np.full(len(test.labels), -1),
    )


def _nothing(values: np.ndarray, inputs: Inputs) -> LabelledInputs:
    return labelled(values, np.zeros(0, dtype=np.int64), inputs)
