"""Readers against the cases of `conformance`: the project's, Zarr's own, xarray and zarrita."""

import json
import os
import shutil
import subprocess
from pathlib import Path

import numpy as np
import pytest
import zarr
from fbftl.features.publication.conform import require_right
from fbftl.features.publication.place import open_published
from fbftl.ground.errors import UserError
from fbftl.ground.places import read_file
from fbftl.study.elsewhere import MANIFEST, parse_manifest
from unit.features import conformance

SEEDS = conformance.CASES if os.environ.get("FBFTL_WHOLE") else 2 * len(conformance.WRONG)
"""Two cases of each fault, or all (see CONTRIBUTING.md)."""


def project_reads(folder: Path, kept: Path) -> None:
    """Read all that was published, as a task that opens it does."""
    try:
        manifest = parse_manifest(read_file(str(folder), MANIFEST), str(folder))
    except FileNotFoundError as error:
        raise UserError("there is no manifest") from error
    require_right(open_published(str(folder), manifest, kept), manifest["about"])


def zarr_reads(folder: Path) -> dict[str, np.ndarray]:
    """Read every array that the root names, with zarr alone."""
    group = zarr.open_group(str(folder), mode="r")
    return {name: group[name][...] for name in group.attrs["arrays"]}


def test_right_ones_are_read_and_wrong_ones_refused(tmp_path: Path) -> None:
    for seed in range(SEEDS):
        right, wrong = tmp_path / f"right{seed}" / "case", tmp_path / f"wrong{seed}" / "case"
        conformance.make(right, seed)
        project_reads(right, tmp_path / f"{seed}" / "features.json")
        what, _ = conformance.spoil(wrong, seed)
        with pytest.raises(UserError) as refused:
            project_reads(wrong, tmp_path / f"{seed}" / "features.json")
        assert "\n" not in str(refused.value), what
        shutil.rmtree(right)
        shutil.rmtree(wrong.parent)


def test_zarr_alone_reads_the_same_and_notices_what_is_its_own(tmp_path: Path) -> None:
    for seed in range(SEEDS // 2):
        right, wrong = tmp_path / f"right{seed}", tmp_path / f"wrong{seed}" / "case"
        conformance.make(right, seed)
        arrays = conformance.arrays_of(seed)
        read = zarr_reads(right)
        assert read.keys() == arrays.keys()
        assert all(np.array_equal(read[name], arrays[name]) for name in arrays)
        _, layer = conformance.spoil(wrong, seed)
        if layer == "zarr":
            with pytest.raises((ValueError, KeyError, RuntimeError, TypeError)):
                zarr_reads(wrong)


def test_xarray_reads_a_split(tmp_path: Path) -> None:
    xarray = pytest.importorskip("xarray")
    for seed in range(6):
        folder = tmp_path / str(seed)
        conformance.make(folder, seed)
        with xarray.open_zarr(str(folder), group="train", consolidated=False) as read:
            for name, values in conformance.arrays_of(seed).items():
                if name.startswith("train/"):
                    assert np.array_equal(read[name.removeprefix("train/")], values), name


SCRIPT = """
import * as zarrita from "zarrita";
import { FileSystemStore } from "@zarrita/storage";
const root = zarrita.root(new FileSystemStore(process.argv[2]));
const array = await zarrita.open(root.resolve("train/sample"), { kind: "array" });
const read = await zarrita.get(array);
console.log(JSON.stringify(Array.from(read.data, Number)));
"""


def test_zarrita_reads_a_column(tmp_path: Path) -> None:
    node = shutil.which("node")
    modules = Path(os.environ.get("FBFTL_NODE_MODULES", "node_modules")).resolve()
    if node is None or not (modules / "zarrita").is_dir():
        pytest.skip("zarrita is not installed: npm install zarrita @zarrita/storage, and name its "
                    "folder in FBFTL_NODE_MODULES")  # fmt: skip
    (tmp_path / "node_modules").symlink_to(modules)
    script = tmp_path / "read.mjs"
    script.write_text(SCRIPT)
    conformance.make(tmp_path / "case", 0)
    done = subprocess.run([node, script, tmp_path / "case"], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    assert json.loads(done.stdout) == conformance.arrays_of(0)["train/sample"].tolist()


def test_every_fault_has_cases() -> None:
    assert len(conformance.WRONG) < conformance.CASES
    assert {layer for _, layer in conformance.WRONG.values()} == {"zarr", "format"}
