"""docs/your-own.md: its studies and commands, taken from the page itself, run on tiny data."""

import contextlib
import io
import json
import re
import shlex
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
from fbftl.features.store.reader import open_store
from fbftl.ground.files import sha256
from fbftl.ground.torchvision_ops import import_torchvision
from fbftl.models.backbones import build_backbone
from PIL import Image
from project import Project

PAGE = (Path(__file__).parents[2] / "docs" / "your-own.md").read_text(encoding="utf-8")
STUDIES = {
    text.splitlines()[0].removeprefix("# "): text
    for text in re.findall(r"^```yaml\n(.*?)^```", PAGE, re.MULTILINE | re.DOTALL)
}
"""The page's studies by the file name in their first line."""

COMMANDS = re.findall(r"^```sh\n(.*?)\n```", PAGE, re.MULTILINE | re.DOTALL)
CLASSES = 3

SCARCITY = ("vectors", "flowers", "writers", "birds", "painters")
"""Tasks of the page whose experiment is `scarcity`; that of `income` has its name."""

EPOCHS = {"training": {"epochs": 2}}
TINY = {"network": {"channels": [[4], [4]], "fc": [16]}, "samples": 256, "epochs": 1}
SMALL = {
    "seeds": [0],
    "study": {"tasks": [*SCARCITY, "income"], "experiments": ["scarcity", "income"]},
    "tasks": {
        "flowers": EPOCHS | {"data": {"size": 32}, "source": {"weights": "random"}},
        "writers": EPOCHS,
        "birds": EPOCHS,
        "vectors": EPOCHS,
        "painters": EPOCHS | {"data": {"limit": {"train": 160, "test": 40}}, "source": TINY},
        "income": {"training": {"epochs": 3, "rounds": 3}},
    },
    "experiments": {
        "scarcity": {"tasks": list(SCARCITY), "grids": [{"plr": [0.0, 0.5]}]},
        "income": {"tasks": ["income"]},
    },
}
"""Laid over all studies of the page that are run, which are then one call of seconds."""

TABLES = {task: f"results/{task}/tables/scarcity.csv" for task in SCARCITY} | {
    "income": "results/income/tables/sweep_income.csv"
}


def images(count: int, side: int) -> Iterator[tuple[int, np.ndarray]]:
    """Yield classes in turn with bright images, each class brightest in a channel of its own."""
    stream = np.random.default_rng(0)
    for number in range(count):
        pixels = stream.integers(0, 128, (side, side, 3), dtype=np.uint8)
        pixels[..., number % CLASSES] += 100
        yield number % CLASSES, pixels


def make_flowers(folder: Path) -> None:
    """Images of a folder for each class, as wide as they please."""
    names = ("daisy", "rose", "tulip")
    for number, (label, pixels) in enumerate(images(60, 40)):
        of_class = folder / "data" / "flowers" / names[label]
        of_class.mkdir(parents=True, exist_ok=True)
        Image.fromarray(pixels[: 30 + number % 10]).save(of_class / f"{number}.png")


def make_writers(folder: Path) -> None:
    """A federated file, and a pickle of weights that the page's command converts."""
    with h5py.File(folder / "data" / "writers.h5", "w") as file:
        for number in range(12):
            labels, colours = zip(*images(6 + number % 3, 28), strict=True)
            file[f"examples/writer{number}/pixels"] = np.stack(colours).mean(-1) / 255
            file[f"examples/writer{number}/label"] = np.array(labels)
    model = build_backbone("timm", "mobilenetv3_small_050", {"num_classes": 26})
    torch.save(model.state_dict(), folder / "models" / "letters.pth")
    [convert] = [command for command in COMMANDS if command.startswith("python")]
    succeed(folder, convert)


def make_birds(folder: Path) -> None:
    """Encoded images in a Parquet file, and a small transformer."""
    import_torchvision()
    from transformers import ViTConfig, ViTModel

    small = {"hidden_size": 16, "num_attention_heads": 2, "intermediate_size": 32}
    config = ViTConfig(image_size=64, num_hidden_layers=4, **small)
    ViTModel(config).save_pretrained(folder / "models" / "vit")
    encoded, labels = [], []
    for label, pixels in images(60, 48):
        with io.BytesIO() as file:
            Image.fromarray(pixels).save(file, "PNG")
            encoded.append({"bytes": file.getvalue(), "path": None})
        labels.append(label)
    table = pa.table({"image": encoded, "label": labels})
    pq.write_table(table, folder / "data" / "birds.parquet")


def make_vectors(folder: Path) -> None:
    """Two arrays, saved by the page's lines."""
    [block] = re.findall(r"^```python\n(import numpy as np\n.*?)^```", PAGE, re.M | re.S)
    classes = np.arange(60) % CLASSES
    given = {"vectors": np.eye(8)[classes] + np.arange(60)[:, None] / 99, "classes": classes}
    with contextlib.chdir(folder):
        exec(block, given)


def make_income(folder: Path) -> None:
    """A table of people."""
    draws = np.random.default_rng(0)
    age, sex = draws.integers(18, 80, 120), draws.choice(["Female", "Male"], 120)
    colour, income = draws.choice(["blue", "green"], 120), np.where(age > 50, "+", "-")
    rows = zip(age, sex, colour, income, strict=True)
    lines = ["age,sex,colour,income", *(",".join(map(str, row)) for row in rows)]
    (folder / "data" / "income.csv").write_text("\n".join(lines) + "\n", encoding="utf-8")


def succeed(folder: Path, command: str, *arguments: str) -> None:
    """Run one of the page's commands in a project, with arguments after it; it must end well.

    What `./run study` does is done by Snakemake itself, in this environment.
    """
    assert command in COMMANDS
    program, *rest = shlex.split(command.replace("./run study", "snakemake --cores 2"))
    before = [] if program == "python" else ["-m", program]
    done = Project(folder).python(*before, *rest, *arguments)
    assert done.returncode == 0, done.stdout + done.stderr


def write_studies(folder: Path) -> None:
    """Write all studies of the page, and what makes them small."""
    for name, text in STUDIES.items():
        (folder / name).write_text(text, encoding="utf-8")
    (folder / "small.yaml").write_text(yaml.safe_dump(SMALL), encoding="utf-8")


@pytest.fixture(scope="module")
def made(template: Project, tmp_path_factory: pytest.TempPathFactory) -> Project:
    """A copy in which one call has run six studies of the page; for reading only."""
    project = template.copy(tmp_path_factory.mktemp("made") / "project")
    write_studies(project.folder)
    for name in ("data", "models"):
        (project.folder / name).mkdir()
    for make_data in (make_flowers, make_writers, make_birds, make_vectors, make_income):
        make_data(project.folder)
    first, *more = (f"{task}.yaml" for task in TABLES)
    succeed(
        project.folder, f"./run study --configfile {first}", *more, "small.yaml", "--",
        *TABLES.values(),
    )  # fmt: skip
    return project


def stored(project: Project, task: str) -> dict[str, Any]:
    """Return what the manifest of a task's features says of the store."""
    return dict(read_manifest(project.results / task / "features.json").store)


def test_the_studies_of_the_page_are_those_that_are_run():
    assert STUDIES.keys() == {f"{task}.yaml" for task in (*TABLES, "networks", "letters")}


def test_networks_of_ones_own_are_planned_for_each_method(fresh):
    write_studies(fresh.folder)
    # Two methods, two networks, three seeds.
    assert fresh.left(files=[str(fresh.folder / "networks.yaml")]).runs == 12


@pytest.mark.parametrize(
    ("task", "width"),
    [("flowers", 512), ("writers", 192), ("birds", 16), ("vectors", 8), ("income", 3)],
)
def test_a_task_has_a_table_and_uploads_of_the_width_that_the_page_tells(made, task, width):
    assert len(pd.read_csv(made.folder / TABLES[task])) == (3 if task == "income" else 2)
    assert stored(made, task)["width"] == width


def test_a_federated_file_and_a_timm_backbone_from_a_converted_pickle(made):
    assert stored(made, "writers")["counts"] == {"train": 67, "test": 17}
    with ClientFile(made.results / "writers" / "clients.h5") as file:
        assert set(file.client_ids("train")) == {f"writer{number}" for number in range(12)}
    source = json.loads((made.results / "writers" / "source.json").read_text(encoding="utf-8"))
    weights = made.folder / "models" / "letters.safetensors"
    assert source["origin"]["sha256"] == sha256(weights)


def test_a_table(made):
    runs = pd.read_csv(made.results / "income" / "experiments" / "income.csv")
    assert set(runs["method"]) == {"ftl_c", "fbftl", "fedavg"}
    with ClientFile(made.results / "income" / "clients.h5") as file:
        assert set(file.groups("train")) == {0, 1}


def test_clients_in_domains_are_dealt_anew_with_every_seed(made):
    with ClientFile(made.results / "painters" / "clients.h5") as file:
        domain, groups = file.domains("train"), file.groups("test")
        np.testing.assert_array_equal(groups, file.domains("test") // 2)
    features = open_store(made.results / "painters" / "features.json").read("train")
    np.testing.assert_array_equal(features.domain, domain)
    files = [str(made.folder / f"{name}.yaml") for name in (*TABLES, "small")]
    jobs = made.left({"tasks": {"painters": {"clients": {"draw": "once"}}}}, files).jobs
    assert jobs["train"] > 0
    assert not {"clients", "source", "extract"} & jobs.keys()


def test_the_notebook_reads_a_finished_study(finished, monkeypatch):
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
