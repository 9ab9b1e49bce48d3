"""docs/your-own.md, a study on features from elsewhere: from publishing to the figure."""

import json
import re
import shlex
import subprocess
import sys
from pathlib import Path

import yaml
from fbftl.findings.run_file import read_run
from fbftl.ground.files import read_json
from project import Project, environment

PAGE = (Path(__file__).parents[2] / "docs" / "your-own.md").read_text(encoding="utf-8")
(SECTION,) = re.findall(
    r"^## A study on features from elsewhere\n(.*?)(?=^## |\Z)", PAGE, re.M | re.S
)
(STUDY,) = re.findall(r"^```yaml\n# elsewhere.yaml\n(.*?)^```", SECTION, re.M | re.S)
(COMMAND,) = re.findall(r"^\./run (publish .*)$", SECTION, re.M)


def publish(project: Project, *arguments: str) -> subprocess.CompletedProcess[str]:
    """Publish as the page does, of the toy study."""
    verb, *words = shlex.split(COMMAND)
    tool = [sys.executable, f"scripts/tools/{verb}_features.py", *words, *arguments]
    return subprocess.run(
        [*tool, "--configfile", "tests/workflow/toy.yaml"],
        cwd=project.folder,
        env=environment() | {"PYTHONPATH": "scripts"},
        capture_output=True,
        text=True,
    )


def test_a_task_on_published_features_ends_as_the_one_that_they_come_from(
    finished: Project,
) -> None:
    done = publish(finished)
    assert done.returncode == 0, done.stderr
    assert "inversion: not measured" in done.stdout
    assert "the licence of the backbone is not known" in done.stderr
    again = publish(finished)
    assert again.returncode == 1
    assert "shared/digits exists" in again.stderr
    published = read_json(finished.folder / "shared" / "digits" / "manifest.json", "manifest")
    assert f"digest: {published['digest']}" in done.stdout
    text = (finished.folder / "results" / "digits" / "runs" / "fbftl.json").read_text()
    assert str(finished.folder) not in json.dumps(published) + text
    # What trains is the toy study's; what it trains on is not.
    toy = yaml.safe_load((finished.folder / "tests/workflow/toy.yaml").read_text())
    config = yaml.safe_load((finished.folder / "config.yaml").read_text())
    study = yaml.safe_load(STUDY.replace("0" * 64, published["digest"]))
    task = study["tasks"]["elsewhere"]
    training = config["tasks"]["digits"]["training"] | toy["tasks"]["digits"]["training"]
    task |= {"head": toy["tasks"]["digits"]["head"], "training": training}
    study["papers"] = None
    planned = finished.planned(study=study)
    assert planned["open_features"] == 1
    assert not [rule for rule in planned if re.match("extract|source|clients", rule)]
    finished.finish("results/elsewhere/figures/scarcity.svg", study=study)
    for run in (finished.results / "digits" / "runs").glob("*.parquet"):
        opened = finished.results / "elsewhere" / "runs" / run.name
        assert opened.read_bytes() == run.read_bytes()
        mine, theirs = (read_run(path.with_suffix(".json")) for path in (opened, run))
        assert mine["repetitions"] == theirs["repetitions"]
    grids = {"scarcity": {"grids": [{"method": ["fbftl", "fl"]}]}}
    refused = finished.call("-n", study=study | {"experiments": grids})
    assert "its data are published features and fl needs images" in refused.stdout + refused.stderr
    attacked = study | {"study": {"tasks": ["elsewhere"], "experiments": ["uploads_privacy"]}}
    refused = finished.call("-n", study=attacked)
    assert refused.returncode == 1
    assert refused.stderr.count("config: ") + refused.stdout.count("config: ") == 1
    task["data"]["digest"] = "1" * 64
    refused = finished.call("-n", study=study)
    assert refused.returncode == 1
    assert "get those that were meant" in refused.stdout + refused.stderr
