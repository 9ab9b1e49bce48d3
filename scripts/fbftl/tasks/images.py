"""The whole target network, for the methods that run it at the clients: extractor and head."""

import json
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import torch
from torch import nn

from fbftl.data.clients import ClientFile
from fbftl.data.participation import Holdings
from fbftl.data.preprocess import Preprocessing, preprocess
from fbftl.features.store.manifest import read_manifest
from fbftl.models.chain import chain_of
from fbftl.models.cut.extractor import split
from fbftl.models.forward import Pool
from fbftl.models.heads import head_module
from fbftl.models.networks import random_halves
from fbftl.models.source.manifest import build, load_source
from fbftl.study.job import Job
from fbftl.tasks.task import Federation, Inputs, LabelledInputs


@dataclass(frozen=True)
class Target:
    """What the target network is made of: the source model up to the cut, and a head.

    Both parts are fresh modules at every call, in eval mode, on the training device.
    """

    inputs: Inputs
    source: dict[str, Any]
    """The source model's manifest."""
    cut: str
    pool: str
    example: torch.Tensor
    """A preprocessed batch, for tracing."""
    width: int
    """Width of the cut layer's features."""
    classes: int

    def transferred(self) -> nn.Module:
        """Return the extractor with the source model's weights."""
        return self._extractor(load_source(self.inputs.weights, self.source))

    def random(self, job: Job, seed: int) -> tuple[nn.Module, nn.Module]:
        """Return a network with random weights, up to its cut and after it.

        It is the one that the job names, else the source's architecture and the head. All of its
        weights are random, unlike the public script's (A11).
        """
        if job.network is None:
            front = self._extractor(build(self.source["architecture"], seed).eval())
            return front, self.head(job, seed)
        _, depth, height, width = self.example.shape
        chain = chain_of(job.network, (height, width, depth), self.classes)
        front, rest = random_halves(chain, job.network["cut"], seed)
        return front.to(self.inputs.device), rest.to(self.inputs.device)

    def head(self, job: Job, seed: int) -> nn.Sequential:
        """Return the head that every method starts from under this seed."""
        return head_module([self.width, *job.head, self.classes], seed).to(self.inputs.device)

    def _extractor(self, model: nn.Module) -> nn.Module:
        front, _ = split(model, self.cut, self.example)
        return nn.Sequential(front, Pool(self.pool)).to(self.inputs.device)


def read(inputs: Inputs) -> tuple[Federation, Target]:
    """Return what the clients hold, preprocessed, and the network they train."""
    cache = read_manifest(inputs.manifest).store
    source = json.loads(Path(inputs.source).read_text(encoding="utf-8"))
    preprocessing = Preprocessing.of(cache["preprocessing"])
    with ClientFile(inputs.clients) as file:
        samples, test = (_samples(file, part, preprocessing, inputs) for part in ("train", "test"))
        client = file.examples("train").owners(0, file.count("train"))
        held = Holdings(client, file.column("train", "label"), file.domains("train"))
    federation = Federation(
        samples=samples,
        held=held,
        test=test,
        feature_width=cache["width"],
        provenance={"source": source["sha256"], "features": cache["digest"]},
    )
    target = Target(
        inputs=inputs,
        source=source,
        cut=cache["cut"],
        pool=cache["preprocessing"]["pool"],
        example=samples.inputs[:2].cpu(),
        width=federation.feature_width,
        classes=federation.classes,
    )
    return federation, target


def _samples(
    file: ClientFile, part: str, preprocessing: Preprocessing, inputs: Inputs
) -> LabelledInputs:
    batch = file.rows(part, 0, file.count(part))
    pixels = np.ascontiguousarray(batch.arrays["pixels"])
    return LabelledInputs(
        preprocess(torch.from_numpy(pixels), preprocessing).to(inputs.device),
        torch.from_numpy(batch.arrays["label"].astype(np.int64)).to(inputs.device),
    )
