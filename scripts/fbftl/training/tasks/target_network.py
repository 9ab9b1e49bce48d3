"""The network that a task with images trains, built anew at every call, cut where it is asked."""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

import torch
from torch import nn

from fbftl.ground.errors import required
from fbftl.models.chain import chain_of
from fbftl.models.cut import front
from fbftl.models.forward import Pool
from fbftl.models.heads import head_module
from fbftl.models.networks import random_split
from fbftl.models.source.manifest import build, load_source
from fbftl.study.job import Job
from fbftl.training.tasks.task import Inputs


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
