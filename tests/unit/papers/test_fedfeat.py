"""Paper fedfeat: its backbones counted, its audit's values."""

import pytest
from fbftl.models.chain import chain_of
from fbftl.models.networks import random_split
from fbftl.papers.fedfeat.backbones import DATASETS, TABLE_I, backbone, round_weight


@pytest.mark.parametrize("kind", TABLE_I)
def test_what_is_counted_is_what_is_built(kind):
    image, classes = DATASETS["mnist"]
    front, rest = random_split(chain_of(TABLE_I[kind], image, classes), TABLE_I[kind]["cut"], 0)
    built = sum(weights.numel() for half in (front, rest) for weights in half.parameters())
    assert built == round_weight(kind, "mnist", 1)["weights"]


def test_a_backbone_is_table_i_only_with_its_widths():
    assert {backbone(network) for network in TABLE_I.values()} == {"table1"}
    assert backbone(TABLE_I["cnn"] | {"fc": [128]}) == "narrower"
