"""Paper fedfeat: its backbones counted, its audit's values."""

import pytest
from fbftl.models.chain import chain_of
from fbftl.models.networks import random_split
from fbftl.papers.fedfeat.backbones import DATASETS, TABLE_I, backbone, round_weight


@pytest.mark.parametrize(
    ("kind", "dataset", "weights", "features", "share"),
    [
        ("cnn", "cifar10", 2_156_490, 2_457_600, 1.14),
        ("cnn", "mnist", 1_663_370, 1_881_600, 1.13),
        ("mlp", "cifar10", 1_841_162, 307_200, 0.17),
    ],
)
def test_a_round_at_the_papers_size(kind, dataset, weights, features, share):
    weight = round_weight(kind, dataset, samples=600)
    assert (weight["weights"], weight["features"]) == (weights, features)
    assert weight["share"] == pytest.approx(share, abs=0.005)


@pytest.mark.parametrize("kind", TABLE_I)
def test_what_is_counted_is_what_is_built(kind):
    image, classes = DATASETS["mnist"]
    front, rest = random_split(chain_of(TABLE_I[kind], image, classes), TABLE_I[kind]["cut"], 0)
    built = sum(weights.numel() for half in (front, rest) for weights in half.parameters())
    assert built == round_weight(kind, "mnist", 1)["weights"]


def test_a_backbone_is_table_i_only_with_its_widths():
    assert {backbone(network) for network in TABLE_I.values()} == {"table1"}
    assert backbone(TABLE_I["cnn"] | {"fc": [128]}) == "narrower"
