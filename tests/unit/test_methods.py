"""FbFTL and FTL_c end to end on a toy store: what arrives, what is recorded, what repeats."""

from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pytest
import torch
from fbftl.extract import extract
from fbftl.job import Job, from_params
from fbftl.link import plain_upload_bits
from fbftl.methods import Inputs, Outcome, method
from fbftl.store import Provenance, Target

COUNTS = {"train": 240, "test": 60}
CLASSES, WIDTH, PER_CLIENT = 3, 12, 8


@dataclass
class Batch:
    arrays: dict
    client: np.ndarray
    sample: np.ndarray


class Blobs:
    """Three blobs of features, eight samples to a client."""

    def count(self, split: str) -> int:
        return COUNTS[split]

    def batches(self, split: str, size: int, start: int = 0):
        for first in range(start, COUNTS[split], size):
            rows = np.arange(first, min(first + size, COUNTS[split]))
            shift = 10_000 if split == "test" else 0
            label = rows % CLASSES
            noise = [np.random.default_rng(shift + row).normal(size=WIDTH) for row in rows]
            centre = np.eye(CLASSES, WIDTH)[label] * 3
            arrays = {"x": (centre + np.array(noise)).astype(np.float32), "label": label}
            yield Batch(arrays, (rows // PER_CLIENT).astype(np.int32), rows.astype(np.int64))


@pytest.fixture(scope="module")
def inputs(tmp_path_factory: pytest.TempPathFactory) -> Inputs:
    folder = tmp_path_factory.mktemp("store")
    provenance = Provenance(source="0" * 64, cut="x", preprocessing={}, data="1" * 64)
    target = Target(folder / "features.zarr", provenance)
    extract(Blobs(), lambda arrays: {"x": arrays["x"]}, [target], batch=64)
    return Inputs(manifest=Path(folder / "features.json"), device=torch.device("cpu"))


def job(setting: dict, **training) -> Job:
    return from_params(
        {
            "task": "toy",
            "setting": setting,
            "seeds": [0, 1],
            "head": [8],
            "clients": {"partition": "iid", "samples_per_client": 8, "clients": None, "seed": 0},
            "training": {
                "epochs": 4,
                "batch": 32,
                "clients_per_round": 4,
                "learning_rate": 0.1,
                "momentum": 0.9,
                "weight_decay": 0.0005,
                "validation": 0.1,
                "selection": "validation",
            }
            | training,
            "privacy": {"delta": 1e-6, "feature_clip": {"norm": 3.0}, "update_clip": 1.0},
        }
    )


def run(inputs: Inputs, setting: dict, **training) -> Outcome:
    asked = job(setting, **training)
    return method(asked.setting.method)(asked, inputs)


@pytest.mark.parametrize("setting", [{}, {"method": "ftl_c"}])
def test_both_learn_the_blobs_and_repeat_exactly(inputs: Inputs, setting: dict) -> None:
    first, second = run(inputs, setting), run(inputs, setting)
    assert min(r["test_accuracy"] for r in first.repetitions) > 0.8
    assert first.repetitions == second.repetitions
    assert first.ledger.table().equals(second.ledger.table())


def test_a_lost_upload_is_lost_for_good(inputs: Inputs) -> None:
    outcome = run(inputs, {"plr": 0.6})
    for repetition in outcome.repetitions:
        assert repetition["seen"] <= repetition["received"] < repetition["offered"] == 240
    rows = outcome.ledger.table().to_pandas().query("direction == 'up'")
    lost = rows.groupby("seed")["lost"].sum().tolist()
    assert lost == [240 - r["received"] for r in outcome.repetitions]


def test_the_public_scripts_reshuffling_sees_what_was_lost(inputs: Inputs) -> None:
    persistent = run(inputs, {"plr": 0.6}).repetitions[0]
    reshuffled = run(inputs, {"plr": 0.6, "loss": "reshuffled"}).repetitions[0]
    assert reshuffled["seen"] > persistent["received"]


def test_uploads_are_entered_with_their_encoded_length(inputs: Inputs) -> None:
    rows = run(inputs, {}).ledger.table().to_pandas().query("direction == 'up'")
    assert len(rows) == 2 * 240
    assert (rows["payload_bits"] == 32 * WIDTH).all()
    assert (rows["bits"] == plain_upload_bits(WIDTH, CLASSES)).all()
    assert (rows["packets"] == 1).all()
    assert rows.query("seed == 0")["sha256"].nunique() == 240


def test_whole_clients_drop_out_with_the_fraction(inputs: Inputs) -> None:
    rows = run(inputs, {"fraction": 0.2}).ledger.table().to_pandas().query("direction == 'up'")
    per_client = rows.query("seed == 0").groupby("client").size()
    assert len(per_client) == round(0.2 * 30)
    assert (per_client == PER_CLIENT).all()


def test_stronger_noise_says_so_and_costs_accuracy(inputs: Inputs) -> None:
    def outcome(epsilon: float) -> tuple[float, dict]:
        found = run(inputs, {"mechanism": "gaussian", "epsilon": epsilon}).repetitions
        return np.mean([r["test_accuracy"] for r in found]), found[0]["privacy"][0]

    (weak, weak_record), (strong, strong_record) = outcome(1000.0), outcome(0.5)
    assert weak > strong
    assert strong_record["epsilon"] == pytest.approx(0.5)
    assert strong_record["sigma"] > weak_record["sigma"]
    assert strong_record["unit"] == "sample"


def test_nothing_received_leaves_an_untrained_head(inputs: Inputs) -> None:
    outcome = run(inputs, {"fraction": 0.04, "plr": 0.99})
    empty = [r for r in outcome.repetitions if r["received"] == 0]
    assert empty
    assert all(r["seen"] == 0 and not r["diverged"] for r in empty)
