"""Profiles and environments: every rule is provided for, and every pin is the lock's."""

import json
import os
import platform
import re
import shutil
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path

import pytest
import yaml
from packaging.requirements import Requirement

from rules import on_clusters


@pytest.fixture(scope="module")
def rules(root: Path) -> set[str]:
    """Names of the rules whose jobs go to a cluster."""
    return on_clusters(root)


@pytest.fixture(scope="module")
def profile(root: Path) -> dict:
    return yaml.safe_load((root / "profiles/slurm/profile.yaml").read_text())


def test_every_rule_has_resources(rules, profile):
    """Rules of results are made in a loop, and take the defaults."""
    provided = set(profile["set-resources"])
    assert rules - provided == set(), "add these rules to profiles/slurm/profile.yaml"
    assert provided - rules == set(), "these rules are gone: profiles/slurm/profile.yaml"
    assert {entry.split("=")[0] for entry in profile["default-resources"]} == {"mem_mb", "runtime"}


def test_memory_grows_with_every_attempt(profile):
    assert profile["retries"] > 0
    entries = [block["mem_mb"] for block in profile["set-resources"].values()]
    assert all(re.fullmatch(r"\d+ \* attempt", entry) for entry in entries)


def test_both_profiles_agree_on_reruns_and_on_what_starts(root, profile):
    local = yaml.safe_load((root / "profiles/default/profile.yaml").read_text())
    reruns = ("rerun-triggers", "rerun-incomplete", "nolock", "keep-going")
    for key in (*reruns, "scheduler", "scheduler-subsample"):
        assert profile[key] == local[key]


def pins(path: Path) -> dict[str, str]:
    """Return the version that a requirements file pins of each package."""
    lines = [line.split("#")[0].strip() for line in path.read_text().splitlines()]
    versions = {}
    for requirement in map(Requirement, filter(None, lines)):
        (pin,) = requirement.specifier
        assert pin.operator == "==", f"{path.name} does not pin {requirement}"
        versions[requirement.name.lower().replace("_", "-")] = pin.version
    return versions


def test_what_is_asked_for_is_what_the_lock_pins(root):
    required, locked = pins(root / "envs/requirements.txt"), pins(root / "envs/requirements.lock")
    assert required.items() <= locked.items()


def test_a_lone_copy_of_a_conda_environment_tells_the_lock(root):
    """Snakemake copies the file into a folder of its own, where it can refer to no other."""
    (locked,) = (root / "envs").glob("*.lock")
    for path in (root / "envs").glob("*.yaml"):
        environment = yaml.safe_load(path.read_text())
        (pip,) = (entry["pip"] for entry in environment["dependencies"] if isinstance(entry, dict))
        everywhere, _, _ = locked.read_text().partition("#")
        assert pip == everywhere.split(), (
            "copy the lines of envs/requirements.lock above its remark"
        )
        assert environment["channels"][-1] == "nodefaults"


def installed(environment: Mapping[str, str], *arguments: str | Path) -> None:
    """Call pip for what the public index has; skip where that cannot be reached."""
    command = [sys.executable, "-m", "pip", "--isolated", "install", "--quiet", "--retries=0"]
    done = subprocess.run(
        [*command, "--index-url", "https://pypi.org/simple", *arguments],
        env=environment,
        capture_output=True,
        text=True,
    )
    if done.returncode != 0 and re.search("connection|timed out|retries", done.stderr):
        pytest.skip("the public index cannot be reached")
    assert done.returncode == 0, done.stderr


@pytest.mark.skipif(
    platform.machine() != "x86_64" or sys.platform != "linux", reason="no such build"
)
@pytest.mark.skipif(
    "FBFTL_WHOLE" not in os.environ,
    reason="pip asks the public index for it; FBFTL_WHOLE=1 asks for that",
)
def test_the_public_indexs_torch_is_pinned_whole(root, tmp_path):
    """What an ordinary Linux machine gets with torch; setuptools comes with the environment."""
    report, newer = tmp_path / "report.json", tmp_path / "pip"
    options = "--dry-run --ignore-installed --only-binary=:all: --use-feature=fast-deps"
    torch = f"torch=={pins(root / 'envs/requirements.txt')['torch']}"
    locked = ["--constraint", root / "envs/requirements.lock"]
    # Python 3.11's own pip downloads whole wheels, gigabytes of them, even for a dry run.
    installed(os.environ, "--no-deps", "--no-compile", "--target", newer, "pip==26.3")
    environment = os.environ | {"PYTHONPATH": str(newer)}
    installed(environment, *options.split(), torch, "--report", report, *locked)
    brought = {
        package["metadata"]["name"].lower().replace("_", "-"): package["metadata"]["version"]
        for package in json.loads(report.read_text())["install"]
    }
    assert len([name for name in brought if name.startswith("nvidia-")]) > 10
    del brought["setuptools"]
    assert brought.items() <= pins(root / "envs/requirements.lock").items()


def test_no_requirement_names_an_index(root):
    files = [*(root / "envs").glob("*.txt"), *(root / "envs").glob("*.lock")]
    lines = [line for path in files for line in path.read_text().splitlines()]
    assert len(lines) > 200
    assert not [line for line in lines if re.match(r"\s*(-|--)(i|f|index|extra|find)", line)]


def test_the_image_has_the_environment_of_the_lock(root):
    """No image is built here; its file must say what `./run` and conda's environment say."""
    text = (root / "envs" / "Dockerfile").read_text().replace("\\\n", "")
    lines = [line.split() for line in text.splitlines() if line and line[0] != "#"]
    (base,), (copied,), (installed,) = (
        [line[1:] for line in lines if line[0] == word] for word in ("FROM", "COPY", "RUN")
    )
    assert len(lines) == 3
    *files, folder = copied
    assert all((root / "envs" / name).is_file() for name in files)
    options = dict(zip(installed[-4::2], installed[-3::2], strict=True))
    assert options == {
        "--requirement": f"{folder}requirements.txt",
        "--constraint": f"{folder}requirements.lock",
    }
    (environment,) = (root / "envs").glob("*.yaml")
    python, *_ = yaml.safe_load(environment.read_text())["dependencies"]
    assert base[0].startswith(f"{python.replace('=', ':')}-")


def test_the_plugin_of_every_profile_is_pinned(root):
    pinned = pins(root / "envs/requirements.txt") | pins(root / "envs/cluster.txt")
    for name in ("slurm", "cluster"):
        profile = yaml.safe_load((root / "profiles" / name / "profile.yaml").read_text())
        assert f"snakemake-executor-plugin-{profile['executor']}" in pinned


def run(root: Path, folder: Path, *words: str) -> subprocess.CompletedProcess[str]:
    """Call `./run` in a copy whose snakemake repeats and notes the words that it is called with."""
    shutil.copy(root / "run", folder)
    for name in ("scripts", "workflow", "profiles"):
        (folder / name).symlink_to(root / name)
    (folder / "envs").mkdir()
    installed = [root / "envs" / name for name in ("requirements.txt", "requirements.lock")]
    for path in installed:
        shutil.copy(path, folder / "envs")
    programs = folder / ".venv" / "bin"
    programs.mkdir(parents=True)
    content = b"".join(path.read_bytes() for path in installed)
    (folder / ".venv" / "installed.lock").write_bytes(content)
    for name, line in {
        "snakemake": "echo $@ | tee -a calls",
        "python": f'exec {sys.executable} "$@"',
    }.items():
        (programs / name).write_text(f"#!/bin/sh\n{line}\n")
        (programs / name).chmod(0o755)
    return subprocess.run(["sh", "run", *words], cwd=folder, capture_output=True, text=True)


@pytest.mark.parametrize("verb", ["study", "report", "papers"])
def test_a_profile_given_to_run_decides_about_cores(root, tmp_path, verb):
    """`./run` puts no option before what a profile says; the default profile takes all cores."""
    options = ["--workflow-profile", "profiles/slurm"]
    run(root, tmp_path, verb, *options, "--verbose")
    calls = (tmp_path / "calls").read_text().splitlines()
    (call,) = calls
    assert call.split()[-2:] == options
    assert "cores" not in call
    local = yaml.safe_load((root / "profiles/default/profile.yaml").read_text())
    assert local["cores"] == "all"


PAGE = "--report results/report.html --report-after-run"


@pytest.mark.parametrize(
    ("words", "handed"),
    [
        ((), "--config papers=all"),
        (("eppfl",), "--config papers=eppfl"),
        (("eppfl", "--cores", "2"), "--config papers=eppfl --cores 2"),
    ],
)
def test_run_hands_over_papers_and_options(root, tmp_path, words, handed):
    assert run(root, tmp_path, "papers", *words, "--verbose").returncode == 0
    (call,) = (tmp_path / "calls").read_text(encoding="utf-8").splitlines()
    assert call == f"{PAGE} {handed}"


def test_run_lets_no_second_config_hide_the_papers(root, tmp_path):
    done = run(root, tmp_path, "papers", "eppfl", "--config", "device=cpu")
    assert done.returncode == 2
    assert "--configfile" in done.stderr


@pytest.mark.parametrize(
    ("verb", "text"),
    [("study", "[]"), ("report", "a: [1"), ("papers", "tasks: &t {digits: *t}"), ("study", None)],
)
def test_run_says_what_is_wrong_with_a_configfile_before_snakemake_reads_it(
    root, tmp_path, verb, text
):
    (tmp_path / "good.yaml").write_text("seeds: [1]\n")
    if text is not None:
        (tmp_path / "bad.yaml").write_text(text)
    done = run(root, tmp_path, verb, "--configfile", "good.yaml", "bad.yaml", "--cores", "2")
    assert done.returncode != 0
    assert done.stdout == ""
    assert len(done.stderr.splitlines()) == 1
    assert "bad.yaml" in done.stderr
