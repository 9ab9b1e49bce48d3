"""Paper fedfeat: its backbones counted, its audit's values."""

from pathlib import Path

import pytest
from fbftl.findings.published import read
from fbftl.models.chain import chain_of
from fbftl.models.networks import random_split
from fbftl.papers.fedfeat.audit import rows
from fbftl.papers.fedfeat.backbones import (
    DATASETS,
    TABLE_I,
    backbone,
    round_weight,
)


@pytest.fixture(scope="module")
def audit(root: Path):
    files = (root / "published/fedfeat").glob("*.csv")
    audit_rows = rows({path.stem: read(path) for path in files})
    return {row.id: row for row in audit_rows}


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
    assert (weight.weights, weight.features) == (weights, features)
    assert weight.share == pytest.approx(share, abs=0.005)


@pytest.mark.parametrize("kind", TABLE_I)
def test_what_is_counted_is_what_is_built(kind):
    image, classes = DATASETS["mnist"]
    front, rest = random_split(chain_of(TABLE_I[kind], image, classes), TABLE_I[kind]["cut"], 0)
    built = sum(weights.numel() for half in (front, rest) for weights in half.parameters())
    assert built == round_weight(kind, "mnist", 1).weights


def test_a_backbone_is_table_i_only_with_its_widths():
    assert {backbone(network) for network in TABLE_I.values()} == {"table1"}
    assert backbone(TABLE_I["cnn"] | {"fc": [128]}) == "narrower"


@pytest.mark.parametrize(
    ("row", "computed", "verdict"),
    [
        ("A2", "0.0052; 0.0008; 0.0028; 0.0008", "differs"),
        ("A4", "67.87; 53.88; 64.82; 49.95", "reproduced"),
        ("A6", "2; 2", "differs"),
        ("A7", "3.92; 9.47; 9.02; 7.62; 12.34; 12.40; 12.40", "differs"),
        ("A12", "1.63; 25.8", "differs"),
        ("A16", "0.1; 0.02", "differs"),
    ],
)
def test_values(audit, row, computed, verdict):
    assert audit[row].computed == computed
    assert audit[row].verdict == verdict
