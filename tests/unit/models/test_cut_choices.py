"""The list of cuts says of every layer how wide an upload each pooling gives."""

from fbftl.models.cut_choices import cut_choices
from fbftl.models.forward import POOLINGS

VGG = {"from": "vgg", "image": [8, 8, 1], "channels": [[4], [6]], "fc": [5], "classes": 3}
SOURCE = {
    "architecture": VGG | {"dropout": 0.5},
    "preprocessing": {"size": None, "mean": [0.5], "std": [0.5]},
}


def test_a_map_can_be_averaged_or_flattened_and_rows_are_as_wide_under_any_pooling() -> None:
    unset = {"size": None, "mean": None, "std": None}
    choices = cut_choices(SOURCE, unset, (8, 8, 1)).set_index("layer")
    widths = choices[list(POOLINGS)].fillna(0)
    assert choices.loc[["pool1", "relu_fc1"], "output"].tolist() == ["4 x 4 x 4", "5"]
    assert widths.loc["pool1"].tolist() == [0, 4, 64, 0]
    assert widths.loc["relu_fc1"].tolist() == [5, 5, 5, 5]
