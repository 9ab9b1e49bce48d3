"""Flower's environment lies over the workflow's: what both have is of one version."""

from pathlib import Path

COMPUTES_WITH = ("numpy", "cryptography", "packaging", "pyyaml")
"""Packages of both that the library imports."""


def pins(path: Path) -> dict[str, str]:
    lines = (line.split("==") for line in path.read_text().splitlines() if "==" in line)
    return {name.lower(): version for name, version in lines}


def test_packages_of_both_environments_have_one_version(root):
    deployed, locked = (pins(root / "envs" / name) for name in ("deploy.txt", "requirements.lock"))
    locked |= pins(root / "envs" / "requirements.txt")
    versions = {name: deployed[name] for name in COMPUTES_WITH}
    assert versions == {name: locked[name] for name in COMPUTES_WITH}


def test_the_app_asks_for_the_pinned_flower(root):
    app = (root / "deploy" / "pyproject.toml").read_text()
    assert f'"flwr=={pins(root / "envs" / "deploy.txt")["flwr"]}"' in app
