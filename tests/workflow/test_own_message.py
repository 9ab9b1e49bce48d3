"""An upload of one's own, as docs/extending.md prints it: a file, a grid, a row, a line."""

import re
from pathlib import Path

import pandas as pd
import pytest
from fbftl.ground.errors import UserError

PAGE = (Path(__file__).parents[2] / "docs/extending.md").read_text(encoding="utf-8")
SECTION = PAGE.partition("## An upload\n")[2].partition("\n## ")[0]
((PATH, PRINTED),) = re.findall(
    r"^`([^`\n]+/\w+\.py)`:\n\n```python\n(.*?)^```", SECTION, re.M | re.S
)

FRONT = {"method": ["one_shot"], "head": ["lda"], "samples_per_client": [8], "bits": [32, 8]}


MADE = ("results/digits/tables/front.csv", "results/digits/figures/upload_front.svg")


def study(*messages: str) -> dict:
    grids = [FRONT | {"message": [message]} for message in messages]
    return {
        "study": {"tasks": ["digits"], "experiments": ["front"]},
        "experiments": {"front": {"tasks": ["digits"], "grids": grids}},
    }


def test_the_pages_message_is_one_file_and_trains_alone(finished):
    assert len(PRINTED.splitlines()) <= 60
    with pytest.raises(UserError, match="sketch"):
        finished.left(study("sketch"))
    means = finished.left(study("means"))
    (finished.folder / PATH).write_text(PRINTED, encoding="utf-8")
    assert finished.left(study("means")) == means
    whole = study("means", "sketch")
    finished.finish(*MADE, study=whole)
    table = pd.read_csv(finished.results / "digits/tables/front.csv")
    rows = table[table["message"] == "sketch"]
    assert rows["kilobytes"].lt(table.loc[table["message"] == "means", "kilobytes"].min()).any()
    assert rows["revealed"].eq("each client's class means in fewer dimensions").all()
    figure = finished.results / "digits/figures/upload_front.svg"
    assert "sketch" in figure.read_text("utf-8")

    finished.append(PATH, "\n\nCHANGED = 1\n")
    assert finished.planned(study=whole)["train"] > 0
    assert finished.left(study("means")).runs == 0
