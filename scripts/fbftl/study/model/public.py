"""Blocks of samples and source models that are public, or open to everybody who takes part."""

from typing import Annotated, Literal

from pydantic import Field

from fbftl.study.model.block import ConfigBlock, Count, Many, Name, Natural, Positive, Some
from fbftl.study.model.data import DataSet, Domains, Drawn


class PublicSource(ConfigBlock):
    """Public samples of one kind.

    samples: that are taken at most.
    data: a data set; null takes fresh samples of the source task.
    split: of the data set, that they are taken from.
    domains: how they are seen, every sample in each domain; null leaves them as they are.
    """

    samples: Drawn = 10_000
    data: DataSet | None = None
    split: Literal["train", "test"] = "test"
    domains: Domains | None = None


class PublicSamples(ConfigBlock):
    """Public samples, for clip norms, for what adversaries know, and for clouds that sell them.

    None may be a client's sample, and none that a cloud sells a test sample.

    sources: where the samples come from, all of them together.
    """

    sources: Some[PublicSource] = [PublicSource()]


class OpenData(ConfigBlock):
    """Labelled samples that everybody may read, for the frameworks that rest on some.

    letters: rendered letters, of as many kinds as the task has classes.
    target: a data set of the task's own kind, whose training samples no client may hold.
    seed: random seed of the rendered letters.
    """

    letters: Annotated[int, Field(ge=0, le=1_000_000)] = 0
    target: DataSet | None = None
    seed: Natural = 0


class VotedModels(ConfigBlock):
    """Source models that everybody may read, trained on open data; FedVote's vote.

    network: the name in networks of the one that all have.
    models: what each learns from: open samples of the target, letters of its own, the target under
        shuffled labels; a random one learns nothing.
    epochs: passes over what a model learns from.
    batch: samples per step of SGD.
    learning_rate: SGD's, constant.
    seed: random seed of initial values, of order, and of what a model learns from.
    """

    network: str
    models: Annotated[
        dict[Name, Literal["target", "letters", "shuffled", "random"]], Field(min_length=1)
    ]
    epochs: Many = 40
    batch: Count = 16
    learning_rate: Positive = 0.1
    seed: Natural = 0
