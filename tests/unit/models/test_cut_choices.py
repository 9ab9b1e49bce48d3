"""The list of cuts says of every layer how wide an upload each pooling gives."""

import pandas as pd
import pytest
from fbftl.models.cut_choices import cut_choices
from fbftl.models.forward import POOLINGS

VGG = {"from": "vgg", "image": [8, 8, 1], "channels": [[4], [6]], "fc": [5], "classes": 3}
SOURCE = {
    "architecture": VGG | {"dropout": 0.5},
    "preprocessing": {"size": None, "mean": [0.5], "std": [0.5]},
}


@pytest.fixture(scope="module")
def choices() -> pd.DataFrame:
    unset = {"size": None, "mean": None, "std": None}
    return cut_choices(SOURCE, unset, (8, 8, 1)).set_index("layer")


def widths(choices: pd.DataFrame, layer: str) -> list[int | None]:
    return [None if pd.isna(width) else width for width in choices.loc[layer, list(POOLINGS)]]


def test_a_map_can_be_averaged_or_flattened(choices: pd.DataFrame) -> None:
    assert choices.loc["pool1", "output"] == "4 x 4 x 4"
    assert widths(choices, "pool1") == [None, 4, 64, None]


def test_rows_are_as_wide_under_any_pooling(choices: pd.DataFrame) -> None:
    assert choices.loc["relu_fc1", "output"] == "5"
    assert widths(choices, "relu_fc1") == [5, 5, 5, 5]
