"""Keys: each value of a configuration changes those of what it decides, and no other."""

import copy
import os
import subprocess
import sys
from collections.abc import Iterator, Mapping
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest
from fbftl.ground.artefacts import canonical, key_of
from fbftl.ground.errors import UserError
from fbftl.plan.products import Products
from fbftl.plan.recipes import Facts
from fbftl.study.config import resolve
from fbftl.study.yaml_files import read_yaml

ROOT = Path(__file__).parents[3]

STUDY: dict[str, Any] = {
    "study": {"tasks": ["digits"], "experiments": ["asked"]},
    "experiments": {
        "asked": {
            "grids": [
                {"method": ["fbftl"], "plr": [0.0, 0.5]},
                {"method": ["fedavg"], "network": ["cnn"]},
                {"method": ["ftl_c"], "mechanism": ["dp_fedavg"], "epsilon": [8]},
            ]
        }
    },
}
"""Laid over the project's own task of digits."""

STAGES = {"clients", "source", "features", "public", "public_features", "network", "open_data"}
FBFTL, LOSSY, FEDAVG, PRIVATE = (
    "fbftl", "fbftl+plr=0.5", "fedavg+network=cnn", "ftl_c+mechanism=dp_fedavg+epsilon=8.0",
)  # fmt: skip
RUNS = {FBFTL, LOSSY, FEDAVG, PRIVATE}
OF_CLIENTS = STAGES - {"source"} | RUNS
OF_SOURCE = STAGES - {"clients", "open_data"} | RUNS


def facts(**other: Any) -> Facts:
    """Return facts in which digests are what they are of."""
    arithmetic = {"torch": "2.13.0"} | other
    return Facts(lambda *names: " ".join(names), lambda path: f"of {path}", arithmetic)


def products_of(
    changes: Mapping[str, Any] = {}, known: Facts | None = None, top: Mapping[str, Any] = {}
) -> Products:
    """Return the products of the study, with values of its task changed by their paths."""
    config = copy.deepcopy(read_yaml(ROOT / "config.yaml"))
    config |= {"study": STUDY["study"], "experiments": STUDY["experiments"], **top}
    cnn = {"kind": "cnn", "channels": [[4]], "fc": [4], "kernel": 3, "cut": "pool1"}
    config["tasks"]["digits"].setdefault("networks", {})["cnn"] = cnn
    for path, value in changes.items():
        *above, last = path.split(".")
        node = config["tasks"]["digits"]
        for name in above:
            node = node.setdefault(name, {})
        node[last] = value
    return Products(resolve(config), known or facts())


def keys_of(products: Products) -> dict[str, str]:
    """Return the key of every stage of the task and of the first seed of every setting."""
    task = products.task("digits")
    made = {name: getattr(task, name) for name in STAGES}
    keys = {name: (each() if callable(each) else each).key for name, each in made.items()}
    keys |= {name: of_seeds[0] for name, of_seeds in products.keys["digits"].items()}
    return dict(sorted(keys.items()))


CHANGES: list[tuple[dict[str, Any], set[str]]] = [
    ({"data.limit": {"train": 100, "test": 50}}, OF_CLIENTS),
    ({"clients.partition": "dirichlet", "clients.alpha": 0.5}, OF_CLIENTS),
    ({"features.further_cuts": ["fc1"]}, set()),
    ({"networks.cnn.kernel": 5}, {FEDAVG}),
    ({"seeds": [0, 1, 2, 3]}, set()),
]
"""What takes more than another value in the place of one."""


@pytest.mark.parametrize(("changes", "expected"), CHANGES, ids=[str(c) for c, _ in CHANGES])
def test_a_value_changes_the_keys_of_what_it_decides(changes, expected):
    before, after = keys_of(products_of()), keys_of(products_of(changes))
    assert {name for name in before if before[name] != after[name]} == expected


EXTRACTED = {"features", "public_features"} | RUNS

OF_KEYS: list[tuple[str, set[str]]] = [
    ("data clients", OF_CLIENTS),
    ("source", OF_SOURCE),
    ("features", EXTRACTED | {"network"}),
    ("features.dtype features.batch", EXTRACTED),
    ("features.chunk_mib training.server_learning_rate training.server_batch", set()),
    ("head", {"network"} | RUNS),
    ("open_data", {"open_data"}),
    ("public", {"public", "public_features"}),
    ("training", RUNS - {PRIVATE}),
    ("training.batch training.momentum training.weight_decay", RUNS),
    ("training.dropout training.batch_norm training.rounds training.local_batch", {FEDAVG}),
    ("training.optimiser training.decay networks.cnn", {FEDAVG}),
    ("privacy.delta privacy.update_clip privacy.training", {PRIVATE}),
]
"""What the values below keys of the task decide, the longest key first; all others nothing."""

DECIDES = {key: decided for keys, decided in OF_KEYS for key in keys.split()}


def leaves(block: Any, path: str = "") -> Iterator[tuple[str, Any]]:
    """Yield every value of a block by its path."""
    if isinstance(block, dict) and block:
        for name, value in block.items():
            yield from leaves(value, f"{path}.{name}" if path else str(name))
    else:
        yield path, block


def others(value: Any) -> list[Any]:
    """Return values that may stand in the place of one."""
    match value:
        case bool():
            return [not value]
        case int():
            return [value + 1, max(value - 1, 0)]
        case float():
            return [0.5 * value + 0.01, value + 0.1]
        case list():
            return [[*value, *(value[:1] or [3])]]
        case str():
            return ["last", "on", "batch", "adam", "shards", "avg", "float16", "fc1"]
    return [1, 0.5]


def test_each_value_of_the_task_in_turn_changes_what_it_decides():
    """Values of which none that comes to mind may take the place are left out."""
    first = products_of()
    before, changed = keys_of(first), 0
    for path, value in leaves(first.study.task("digits")):
        for other in (other for other in others(value) if other != value):
            with suppress(UserError):
                after = keys_of(products_of({path: other}))
                keys = [".".join(path.split(".")[:n]) for n in range(path.count(".") + 1, 0, -1)]
                expected = next((DECIDES[key] for key in keys if key in DECIDES), set())
                assert {name for name in before if before[name] != after[name]} == expected, path
                changed += 1
                break
    assert changed > 70


@pytest.mark.parametrize(
    ("script", "expected"),
    [
        ("stages/partition_clients.py", OF_CLIENTS),
        ("fbftl.training.pretrain", OF_SOURCE - {"public"}),
        ("fbftl/methods/by_name.py", RUNS),
        ("fbftl.methods.fedavg.run", {FEDAVG}),
        ("fbftl.features.images", {"features", "public_features"} | RUNS),
        ("stages/plot_uplink.py", set()),
    ],
)
def test_code_changes_the_keys_of_what_it_makes(script, expected):
    changed = Facts(
        lambda *names: f"{names} {script in names}", lambda path: f"of {path}", facts().arithmetic
    )
    same = Facts(lambda *names: f"{names} False", changed.content, changed.arithmetic)
    before, after = (keys_of(products_of(known=known)) for known in (same, changed))
    assert {name for name in before if before[name] != after[name]} == expected


def test_everything_has_the_packages_and_the_kind_of_arithmetic():
    before = keys_of(products_of())
    after = keys_of(products_of(known=facts(pinned=True)))
    assert all(before[name] != after[name] for name in before)


def test_no_key_has_the_name_of_its_task():
    copied = {"copied": read_yaml(ROOT / "config.yaml")["tasks"]["digits"]}
    config = read_yaml(ROOT / "config.yaml")
    tasks = config["tasks"] | copied
    study = {"tasks": ["digits", "copied"], "experiments": ["scarcity"]}
    products = Products(resolve(config | {"tasks": tasks, "study": study}), facts())
    assert products.keys["digits"] == products.keys["copied"]


def test_a_run_is_of_one_seed_and_its_recipe_has_its_key():
    products = products_of()
    of_setting = products.setting("digits", products.study.setting("digits", FBFTL))
    keys = of_setting.keys([0, 1, 2])
    assert len(set(keys)) == 3
    assert keys == [key_of(canonical(of_setting.run(seed))) for seed in (0, 1, 2)]


def test_numbers_read_alike_whether_written_whole_or_not():
    whole, fraction = (
        keys_of(products_of(top={"experiments": {"asked": {"grids": [grid]}}}))
        for grid in ({"method": ["fbftl"], "epsilon": [8], "mechanism": ["gaussian"]},
                     {"method": ["fbftl"], "epsilon": [8.0], "mechanism": ["gaussian"]})
    )  # fmt: skip
    assert whole == fraction


def test_keys_are_the_same_in_every_process():
    code = (
        "import sys; sys.path[:0] = ['tests', 'scripts'];"
        "from unit.plan.test_recipes import keys_of, products_of; print(keys_of(products_of()))"
    )
    done = subprocess.run(
        [sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True,
        env=os.environ | {"PYTHONHASHSEED": "17"},
    )  # fmt: skip
    assert done.stdout.strip() == repr(keys_of(products_of())), done.stderr
