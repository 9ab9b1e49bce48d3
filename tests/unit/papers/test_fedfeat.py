"""Paper fedfeat: its backbones counted, its audit's values."""

from functools import partial

import pandas as pd
import pytest
from fbftl.models.chain import chain_of
from fbftl.models.networks import random_split
from fbftl.papers.fedfeat.backbones import DATASETS, TABLE_I, backbone, round_weight
from fbftl.papers.measures import guessed


@pytest.mark.parametrize("kind", TABLE_I)
def test_what_is_counted_is_what_is_built(kind):
    image, classes = DATASETS["mnist"]
    front, rest = random_split(chain_of(TABLE_I[kind], image, classes), TABLE_I[kind]["cut"], 0)
    built = sum(weights.numel() for half in (front, rest) for weights in half.parameters())
    assert built == round_weight(kind, "mnist", 1)["weights"]


def test_a_backbone_is_table_i_only_with_its_widths():
    assert {backbone(network) for network in TABLE_I.values()} == {"table1"}
    assert backbone(TABLE_I["cnn"] | {"fc": [128]}) == "narrower"


def test_what_the_page_says_of_small_cifar_10_holds_in_kept_runs(root):
    """At chance by the paper's pair, and within a point of FedAvg without noise by the code's."""
    kept = {
        task: pd.read_csv(root / f"docs/results/cifar10-small-{task}-full/runs.csv")
        .query("network == 'cnn'")
        .assign(percent=lambda runs: 100 * runs["test_accuracy"])
        for task in ("fedfeat", "fedfeat-adam")
    }
    papers = kept["fedfeat-adam"]
    at_chance = papers["percent"].map(partial(guessed, classes=10))
    assert at_chance[papers["method"] == "fedfeat"].all()
    assert at_chance[(papers["method"] == "fedavg") & (papers["partition"] == "iid")].mean() == 0.5
    plain = kept["fedfeat"].query("mechanism == 'none'")
    means = plain.groupby(["partition", "method"])["percent"].mean().unstack()
    assert (means["fedfeat"] - means["fedavg"]).abs().max() < 1
