"""FbFTL and FTL_c end to end on a toy store: what arrives, what is recorded, what repeats."""

import numpy as np
import pytest
from fbftl.tasks.task import Inputs
from unit.methods.method_toys import PER_CLIENT, run, toy_inputs


@pytest.fixture(scope="module")
def inputs(tmp_path_factory: pytest.TempPathFactory) -> Inputs:
    return toy_inputs(tmp_path_factory.mktemp("store"))


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


def test_whole_clients_drop_out_with_the_fraction(inputs: Inputs) -> None:
    rows = run(inputs, {"fraction": 0.2}).ledger.table().to_pandas().query("direction == 'up'")
    per_client = rows.query("seed == 0").groupby("client").size()
    assert len(per_client) == round(0.2 * 30)
    assert (per_client == PER_CLIENT).all()


def test_stronger_noise_says_so_and_costs_accuracy(inputs: Inputs) -> None:
    def outcome(epsilon: float) -> tuple[float, dict]:
        repetitions = run(inputs, {"mechanism": "gaussian", "epsilon": epsilon}).repetitions
        return np.mean([r["test_accuracy"] for r in repetitions]), repetitions[0]["privacy"][0]

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
