"""Samples with a class, mostly images, and what the network is made of that clients train on them.

Apart from their features, so that no change in a network trains anew what reads features alone.
"""

from dataclasses import dataclass

import numpy as np
import torch

from fbftl.data.clients import ClientFile
from fbftl.data.participation import Partition
from fbftl.data.preprocess import Preprocessing
from fbftl.features.store.manifest import read_manifest
from fbftl.ground.errors import required
from fbftl.ground.files import read_json
from fbftl.study.job import Job
from fbftl.training.pictures import Pictures
from fbftl.training.samples import LabelledSamples
from fbftl.training.tasks.images import ClientImages
from fbftl.training.tasks.target_network import TargetNetwork
from fbftl.training.tasks.task import Inputs


@dataclass(frozen=True, eq=False)
class ClientImageSamples(ClientImages):
    """Samples and what the network that clients train is made of: see `tasks.task.ClientSamples`.

    samples: what the clients hold.
    target: what the network is made of.
    preprocessing: of every image.
    tested: (n_test,) client whose own each test sample is, -1 for nobody's.
    """

    samples: LabelledSamples
    target: TargetNetwork
    preprocessing: Preprocessing
    tested: np.ndarray

    def tests(self, owners: np.ndarray) -> list[LabelledSamples]:
        """Return the test samples of clients: each one's own, or all where they are nobody's."""
        rows_of = [np.flatnonzero(self.tested == owner) for owner in owners]
        return [self.test.at(rows) if len(rows) else self.test for rows in rows_of]


def client_samples(job: Job, inputs: Inputs) -> ClientImageSamples:
    """Return what the clients hold, and the network that they train."""
    cache = read_manifest(inputs.manifest).store
    source = read_json(required(inputs.source), "source model's manifest")
    preprocessing = Preprocessing.of(cache["preprocessing"])
    with ClientFile(required(inputs.clients)) as file:
        samples, test = (_samples(file, part, preprocessing, inputs) for part in ("train", "test"))
        client = file.owners("train")
        partition = Partition(client, file.numbers("train", "label"), file.domains("train"))
        numbers = {name: number for number, name in enumerate(file.client_ids("train"))}
        owners = np.array([numbers.get(name, -1) for name in file.client_ids("test")])
        tested = owners[file.owners("test")]
    target = TargetNetwork(
        inputs=inputs,
        source=source,
        cut=cache["cut"],
        pool=cache["preprocessing"]["pool"],
        example=samples.at(np.arange(2)).inputs.cpu(),
        width=cache["width"],
        classes=int(max(samples.labels.max(), test.labels.max())) + 1,
    )
    return ClientImageSamples(
        partition=partition,
        test=test,
        width=target.width,
        classes=target.classes,
        provenance={"source": source["sha256"], "features": cache["digest"]},
        samples=samples,
        target=target,
        preprocessing=preprocessing,
        tested=tested,
    )


def _samples(
    file: ClientFile, split: str, preprocessing: Preprocessing, inputs: Inputs
) -> Pictures:
    def pixels(part: slice) -> np.ndarray:
        return np.ascontiguousarray(file.rows(split, part.start, part.stop).arrays["pixels"])

    first = pixels(slice(0, 1))
    shape = (file.count(split), *first.shape[1:])
    labels = torch.from_numpy(file.numbers(split, "label").astype(np.int64)).to(inputs.device)
    pixels_ = inputs.room.rows(shape, pixels, first.dtype)
    return Pictures(pixels_, labels, preprocessing, file.domains(split))
