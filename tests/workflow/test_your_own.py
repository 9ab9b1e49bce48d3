"""docs/your-own.md: its studies and commands, taken from the page itself, run on tiny data."""

import io
import json
import re
import shlex
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import h5py
import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
import torch
import yaml
from fbftl.data.clients import ClientFile
from fbftl.features.store.manifest import read_manifest
from fbftl.features.store.opening import open_store
from fbftl.ground.files import sha256
from fbftl.ground.torchvision_ops import import_torchvision
from fbftl.models.backbones import build_backbone
from PIL import Image
from project import Project, environment

PAGE = (Path(__file__).parents[2] / "docs" / "your-own.md").read_text(encoding="utf-8")
STUDIES = {
    text.splitlines()[0].removeprefix("# "): text
    for text in re.findall(r"^```yaml\n(.*?)^```", PAGE, re.MULTILINE | re.DOTALL)
}
"""The page's studies by the file name in their first line."""

COMMANDS = re.findall(r"^```sh\n(.*?)\n```", PAGE, re.MULTILINE | re.DOTALL)
CLASSES = 3


def images(count: int, side: int) -> Iterator[tuple[int, np.ndarray]]:
    """Yield classes in turn with bright images, each class brightest in a channel of its own."""
    stream = np.random.default_rng(0)
    for number in range(count):
        pixels = stream.integers(0, 128, (side, side, 3), dtype=np.uint8)
        pixels[..., number % CLASSES] += 100
        yield number % CLASSES, pixels


def call(project: Project, command: str, *arguments: str) -> subprocess.CompletedProcess[str]:
    """Run one of the page's commands in a project, with arguments after it."""
    assert command in COMMANDS
    program, *rest = shlex.split(command)
    before = [sys.executable] if program == "python" else [sys.executable, "-m", program]
    return subprocess.run(
        [*before, *rest, *arguments],
        cwd=project.folder,
        env=environment(),
        capture_output=True,
        text=True,
    )


def succeed(project: Project, command: str, *arguments: str) -> None:
    """Run one of the page's commands, which must end well."""
    done = call(project, command, *arguments)
    assert done.returncode == 0, done.stdout + done.stderr


def run(project: Project, task: str, **changes: Any) -> None:
    """Run a study of the page, cut down to seconds, to its table."""
    (project.folder / f"{task}.yaml").write_text(STUDIES[f"{task}.yaml"], encoding="utf-8")
    small = {
        "seeds": [0],
        "tasks": {task: {"training": {"epochs": 2}, **changes}},
        "experiments": {"scarcity": {"grids": [{"plr": [0.0, 0.5]}]}},
    }
    (project.folder / "small.yaml").write_text(yaml.safe_dump(small), encoding="utf-8")
    wanted = f"results/{task}/tables/scarcity.csv"
    succeed(
        project, f"snakemake --cores 2 --configfile {task}.yaml", "small.yaml", "--", wanted
    )  # fmt: skip
    assert len(pd.read_csv(project.folder / wanted)) == 2


def stored(project: Project, task: str) -> dict[str, Any]:
    """Return what the manifest of a task's features says of the store."""
    return dict(read_manifest(project.results / task / "features.json").store)


def width(project: Project, task: str) -> int:
    """Return the width of a task's uploads."""
    return stored(project, task)["width"]


def test_the_page_has_a_command_for_each_study() -> None:
    assert STUDIES.keys() == {
        "flowers.yaml",
        "writers.yaml",
        "birds.yaml",
        "painters.yaml",
        "networks.yaml",
        "letters.yaml",
        "income.yaml",
        "vectors.yaml",
    }
    assert {f"snakemake --cores 2 --configfile {study}" for study in STUDIES} < set(COMMANDS)


def test_networks_of_ones_own_are_planned_for_each_method(fresh: Project) -> None:
    (fresh.folder / "networks.yaml").write_text(STUDIES["networks.yaml"], encoding="utf-8")
    done = call(fresh, "snakemake --cores 2 --configfile networks.yaml", "-n")
    assert done.returncode == 0, done.stderr
    assert "12 runs are missing" in done.stderr  # two methods, two networks, three seeds


def test_each_source_network_is_planned_with_all_settings(fresh: Project) -> None:
    (fresh.folder / "letters.yaml").write_text(STUDIES["letters.yaml"], encoding="utf-8")
    done = call(fresh, "snakemake --cores 2 --configfile letters.yaml", "-n")
    assert done.returncode == 0, done.stderr
    for task in ("letters", "letters/source_seeds/1", "letters/source_seeds/2"):
        assert f"Prepare the source model of {task}\n" in done.stdout
    assert "results/letters/tables/sources_scarcity.csv" in done.stdout
    assert "source_seeds/3" not in done.stdout


def test_an_image_folder_and_a_torchvision_backbone(fresh: Project) -> None:
    names = ("daisy", "rose", "tulip")
    for number, (label, pixels) in enumerate(images(60, 40)):
        folder = fresh.folder / "data" / "flowers" / names[label]
        folder.mkdir(parents=True, exist_ok=True)
        Image.fromarray(pixels[: 30 + number % 10]).save(folder / f"{number}.png")
    run(fresh, "flowers", data={"size": 32}, source={"weights": "random"})
    assert width(fresh, "flowers") == 512
    assert stored(fresh, "flowers")["counts"] == {"train": 48, "test": 12}
    succeed(fresh, "snakemake --cores 2 layers --configfile flowers.yaml", "small.yaml")
    layers = pd.read_csv(fresh.results / "flowers" / "layers.csv", index_col="layer")
    assert layers.loc["layer4.1", ["output", "avg"]].tolist() == ["512 x 1 x 1", 512]
    assert "layer4.1.conv2" not in layers.index


def test_a_federated_file_and_a_timm_backbone_from_a_converted_pickle(fresh: Project) -> None:
    for name in ("data", "models"):
        (fresh.folder / name).mkdir()
    with h5py.File(fresh.folder / "data" / "writers.h5", "w") as file:
        for number in range(12):
            labels, colours = zip(*images(6 + number % 3, 28), strict=True)
            file[f"examples/writer{number}/pixels"] = np.stack(colours).mean(-1) / 255
            file[f"examples/writer{number}/label"] = np.array(labels)
    model = build_backbone("timm", "mobilenetv3_small_050", {"num_classes": 26})
    torch.save(model.state_dict(), fresh.folder / "models" / "letters.pth")
    [convert] = [command for command in COMMANDS if command.startswith("python")]
    succeed(fresh, convert)
    run(fresh, "writers")
    counts = stored(fresh, "writers")["counts"]
    assert counts == {"train": 67, "test": 17}
    with h5py.File(fresh.results / "writers" / "clients.h5") as file:
        assert set(file["train/examples"]) == {f"writer{number}" for number in range(12)}
    assert width(fresh, "writers") == 192
    source = json.loads((fresh.results / "writers" / "source.json").read_text(encoding="utf-8"))
    weights = fresh.folder / "models" / "letters.safetensors"
    assert source["origin"]["sha256"] == sha256(weights)


def test_a_parquet_file_and_a_transformers_backbone(fresh: Project) -> None:
    import_torchvision()
    from transformers import ViTConfig, ViTModel

    small = {"hidden_size": 16, "num_attention_heads": 2, "intermediate_size": 32}
    config = ViTConfig(image_size=64, num_hidden_layers=4, **small)
    ViTModel(config).save_pretrained(fresh.folder / "models" / "vit")
    encoded, labels = [], []
    for label, pixels in images(60, 48):
        with io.BytesIO() as file:
            Image.fromarray(pixels).save(file, "PNG")
            encoded.append({"bytes": file.getvalue(), "path": None})
        labels.append(label)
    (fresh.folder / "data").mkdir()
    table = pa.table({"image": encoded, "label": labels})
    pq.write_table(table, fresh.folder / "data" / "birds.parquet")
    run(fresh, "birds")
    assert width(fresh, "birds") == 16


def test_features_of_ones_own(fresh: Project, monkeypatch: pytest.MonkeyPatch) -> None:
    (fresh.folder / "data").mkdir()
    monkeypatch.chdir(fresh.folder)
    [block] = re.findall(r"^```python\n(import numpy as np\n.*?)^```", PAGE, re.M | re.S)
    classes = np.arange(60) % CLASSES
    exec(block, {"vectors": np.eye(8)[classes] + np.arange(60)[:, None] / 99, "classes": classes})
    run(fresh, "vectors")
    assert width(fresh, "vectors") == 8
    assert stored(fresh, "vectors")["counts"] == {"train": 48, "test": 12}


def test_a_table(fresh: Project) -> None:
    draws = np.random.default_rng(0)
    age, sex = draws.integers(18, 80, 120), draws.choice(["Female", "Male"], 120)
    colour, income = draws.choice(["blue", "green"], 120), np.where(age > 50, "+", "-")
    rows = zip(age, sex, colour, income, strict=True)
    lines = ["age,sex,colour,income", *(",".join(map(str, row)) for row in rows)]
    (fresh.folder / "data").mkdir()
    (fresh.folder / "data" / "income.csv").write_text("\n".join(lines) + "\n", encoding="utf-8")
    (fresh.folder / "income.yaml").write_text(STUDIES["income.yaml"], encoding="utf-8")
    small = {"seeds": [0], "tasks": {"income": {"training": {"epochs": 3, "rounds": 3}}}}
    (fresh.folder / "small.yaml").write_text(yaml.safe_dump(small), encoding="utf-8")
    wanted = "results/income/tables/sweep_income.csv"
    succeed(fresh, "snakemake --cores 2 --configfile income.yaml", "small.yaml", "--", wanted)
    runs = pd.read_csv(fresh.results / "income" / "experiments" / "income.csv")
    assert set(runs["method"]) == {"ftl_c", "fbftl", "fedavg"}
    sweep = pd.read_csv(fresh.results / "income" / "tables" / "sweep_income.csv")
    means = runs.groupby("method")["test_accuracy"].mean()
    assert dict(zip(sweep["method"], sweep["test_accuracy"], strict=True)) == pytest.approx(
        means.to_dict()
    )
    assert width(fresh, "income") == 3
    with ClientFile(fresh.results / "income" / "clients.h5") as file:
        assert set(file.groups("train")) == {0, 1}
        of_training = np.bincount(file.column("train", "label")).argmax()
        majority = np.mean(file.column("test", "label") == of_training)
    assert sweep["majority"].tolist() == pytest.approx([majority] * 3)


def test_clients_in_domains_are_dealt_anew_with_every_seed(fresh: Project) -> None:
    small = {"network": {"channels": [[4], [4]], "fc": [16]}, "samples": 256, "epochs": 1}
    run(fresh, "painters", data={"limit": {"train": 160, "test": 40}}, source=small)
    with ClientFile(fresh.results / "painters" / "clients.h5") as file:
        domain, groups = file.domains("train"), file.groups("test")
        np.testing.assert_array_equal(groups, file.domains("test") // 2)
    features = open_store(fresh.results / "painters" / "features.json").read("train")
    np.testing.assert_array_equal(features.domain, domain)
    once = {"tasks": {"painters": {"clients": {"draw": "once"}}}}
    (fresh.folder / "once.yaml").write_text(yaml.safe_dump(once), encoding="utf-8")
    planned = call(
        fresh, "snakemake --cores 2 --configfile painters.yaml", "small.yaml", "once.yaml",
        "--dry-run", "--quiet", "rules", "--", "results/painters/tables/scarcity.csv",
    ).stdout  # fmt: skip
    assert "train" in planned
    assert not any(rule in planned for rule in ("clients ", "source ", "extract_painters "))


def test_the_notebook_reads_a_finished_study(
    finished: Project, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Its cells are run one after the other, as a reader runs them."""
    monkeypatch.setenv("MPLBACKEND", "agg")
    monkeypatch.chdir(finished.folder)
    notebook = json.loads((Path(__file__).parents[2] / "docs" / "explore.ipynb").read_text())
    cells = [cell["source"] for cell in notebook["cells"] if cell["cell_type"] == "code"]
    read: dict[str, Any] = {}
    for cell in cells:
        exec("".join(cell), read)
    assert read["run"]["recipe"]
    assert read["features"]["features"].shape[0] > 0
    assert {"fbftl"} <= set(read["runs"]["method"])
