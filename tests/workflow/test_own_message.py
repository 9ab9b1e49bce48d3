"""An upload of one's own, as docs/extending.md prints it: a file, a grid, a row, a line."""

import re
from pathlib import Path

import pandas as pd
from project import Project

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


def test_the_pages_message_is_one_file_and_trains_alone(finished: Project) -> None:
    assert len(PRINTED.splitlines()) <= 60
    assert "sketch" in finished.call("--dry-run", study=study("sketch")).stderr
    finished.finish("runs", study=study("means"))
    before = finished.stored()
    (finished.folder / PATH).write_text(PRINTED, encoding="utf-8")
    whole = study("means", "sketch")
    finished.finish(*MADE, study=whole)
    keys = {name.partition(".")[0] for name in finished.stored() - before}
    added = {name for (name, _), key in finished.runs().items() if key in keys}
    assert len(added) == 2
    assert all("message=sketch" in name for name in added)
    table = pd.read_csv(finished.results / "digits/tables/front.csv")
    rows = table[table["message"] == "sketch"]
    assert rows["kilobytes"].lt(table.loc[table["message"] == "means", "kilobytes"].min()).any()
    assert rows["revealed"].eq("each client's class means in fewer dimensions").all()
    figure = finished.results / "digits/figures/upload_front.svg"
    assert "sketch" in figure.read_text("utf-8")

    finished.append(PATH, "\n\nCHANGED = 1\n")
    assert 1 <= finished.planned(study=whole)["train"] <= 4
    assert finished.planned(study=study("means"))["train"] == 0
