"""Samples with a class, mostly images, the network that clients train on them, and open data.

Apart from their features, so that no change in a network trains anew what reads features alone. The
network is built anew at every call, cut where it is asked.
"""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np
import torch
from torch import nn

from fbftl.data.clients import ClientFile
from fbftl.data.participation import Partition
from fbftl.data.preprocess import Preprocessing, preprocess
from fbftl.features.store.manifest import read_manifest
from fbftl.ground.errors import UserError, required
from fbftl.ground.files import read_json
from fbftl.models.chain import chain_of
from fbftl.models.cut import front
from fbftl.models.forward import Pool
from fbftl.models.heads import head_module
from fbftl.models.networks import random_split
from fbftl.models.source.manifest import build, load_source
from fbftl.study.job import Job
from fbftl.training.samples import LabelledInputs, LabelledSamples, Pictures
from fbftl.training.tasks.images import ClientImages
from fbftl.training.tasks.task import ClientSamples, Inputs


@dataclass(frozen=True)
class TargetNetwork:
    """What the target network is made of: the source model up to the cut, and a head.

    Both parts are fresh modules at every call, in eval mode, on the training device.

    source: the source model's manifest.
    example: a preprocessed batch, for tracing.
    width: width of the cut layer's features.
    """

    inputs: Inputs
    source: dict[str, Any]
    cut: str
    pool: str
    example: torch.Tensor
    width: int
    classes: int

    def transferred(self) -> nn.Module:
        """Return the extractor with the source model's weights."""
        return self._extractor(load_source(required(self.inputs.weights), self.source))

    def random(self, job: Job, seed: int) -> tuple[nn.Module, nn.Module]:
        """Return the network that the job names, else the source's architecture and the head.

        All of its weights are random, unlike the public script's (A11).
        """
        named = job.block.get("network")
        if named is None:
            front = self._extractor(build(self.source["architecture"], seed).eval())
            return front, self.head(job, seed)
        return self.named(named, seed)

    def named(
        self, network: Mapping[str, Any], seed: int, *keys: int
    ) -> tuple[nn.Module, nn.Module]:
        """Return a network of the configuration with random weights, up to its cut and after it."""
        _, depth, height, width = self.example.shape
        chain = chain_of(network, (height, width, depth), self.classes)
        front, rest = random_split(chain, network["cut"], seed, *keys)
        return front.to(self.inputs.device), rest.to(self.inputs.device)

    def head(self, job: Job, seed: int) -> nn.Sequential:
        """Return the head that every method starts from under this seed."""
        widths = [self.width, *job.block["head"], self.classes]
        return head_module(widths, seed).to(self.inputs.device)

    def at(self, cut: str | None) -> "TargetNetwork":
        """Return this network cut at another layer; none keeps the task's own."""
        if cut is None:
            return self
        moved = replace(self, cut=cut)
        with torch.no_grad():
            features = moved.transferred()(self.example.to(self.inputs.device))
        return replace(moved, width=features.shape[1])

    def _extractor(self, model: nn.Module) -> nn.Module:
        before = front(model, self.cut, self.example)
        pool = Pool.behind(before, self.pool, self.example)
        return nn.Sequential(before, pool).to(self.inputs.device)


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


def open_samples(client_data: ClientSamples, part: str) -> LabelledInputs:
    """Return a part of a task's open data, as its clients' samples are read."""
    inputs = client_data.target.inputs
    return open_part(required(inputs.open_data), part, client_data.preprocessing, inputs.device)


def open_part(
    path: Path, part: str, preprocessing: Preprocessing, device: torch.device
) -> LabelledInputs:
    """Return one part of a task's open data, preprocessed, on the training device.

    Raises:
        UserError: if the task has no such part.
    """
    with ClientFile(path) as file:
        if part not in file.splits:
            key = {"source": "letters", "target": "target"}[part]
            raise UserError(f"{path} holds no open data of the {part}; give the task's open.{key}")
        batch = file.rows(part, 0, file.count(part))
    pixels = torch.from_numpy(np.ascontiguousarray(batch.arrays["pixels"]))
    labels = torch.from_numpy(np.asarray(batch.arrays["label"], dtype=np.int64))
    return LabelledInputs(preprocess(pixels, preprocessing).to(device), labels.to(device))
