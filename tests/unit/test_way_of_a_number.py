"""The way of one number is as `docs/architecture.md` tells it: its functions call each other so."""

import ast
import re
import sys
from pathlib import Path
from types import FrameType
from typing import Any

from fbftl.findings.joined import joined
from fbftl.findings.runs import tidy
from fbftl.findings.seeds import mean_and_spread
from fbftl.findings.steps import load
from fbftl.ground.artefacts import Store
from fbftl.ground.room import RAM
from fbftl.plan.recipes import SettingRecipe
from fbftl.study.methods import axes_by_method
from unit.methods.method_toys import job_params, toy_inputs

ROOT = Path(__file__).parents[2]
ROW = re.compile(r"^\| `(scripts/[\w/]+\.py)` \| `(\w+)` \|", re.MULTILINE)


def page_steps() -> list[tuple[str, str]]:
    """Return file and function of every step on the page."""
    page = (ROOT / "docs" / "architecture.md").read_text(encoding="utf-8")
    return ROW.findall(page.partition("## Tracing one number")[2].partition("\n## ")[0])


def test_every_function_on_the_way_is_there() -> None:
    for file, function in page_steps():
        tree = ast.parse((ROOT / file).read_text(encoding="utf-8"))
        names = {node.name for node in ast.walk(tree) if isinstance(node, ast.FunctionDef)}
        assert function in names, file


def test_the_way_of_a_number_is_the_one_that_is_told(tmp_path: Path) -> None:
    """From the keys of a setting to its mean accuracy; what is before and behind are stages."""
    steps = page_steps()
    first = next(place for place, (_, function) in enumerate(steps) if function == "keys")
    way = steps[first : steps.index(("scripts/fbftl/findings/seeds.py", "mean_and_spread")) + 1]
    batch, called = load("stages/train_batch.py"), []
    by_place = {(str(ROOT / file), function): (file, function) for file, function in way}

    def listen(frame: FrameType, event: str, _: Any) -> None:
        step = by_place.get((frame.f_code.co_filename, frame.f_code.co_name))
        if event == "call" and step and step not in called:
            called.append(step)

    inputs = toy_inputs(tmp_path)
    job = job_params({"plr": 0.5})
    del job["task"], job["seeds"]
    files = {"manifest": str(inputs.manifest), "network": str(inputs.network)}
    around = batch.Surroundings(Store(tmp_path), axes_by_method(), inputs.device, RAM)
    sys.setprofile(listen)
    try:
        keys = SettingRecipe({"job": job}).keys([0, 1])
        setting = {"job": job, "recipe": {}, "keys": keys}
        unit = {"settings": [setting], "seeds": [0, 1], "task": "toy", "files": files}
        assert list(batch.made(unit, around)) == []
        runs = tidy([joined([around.store.json("runs", key) for key in keys], "toy")], {"plr": 0})
        (row,) = mean_and_spread(runs, ["method", "plr"]).to_dict("records")
    finally:
        sys.setprofile(None)
    assert row["plr"] == 0.5
    assert row["accuracy"] > 0.5
    assert called == way
