"""A deployed run is the study's: the same models and ledger, from messages that really crossed."""

from pathlib import Path
from typing import Any

import pyarrow.compute as pc
import pytest
from fbftl.exchange.arrivals import Request
from fbftl.messages.ledger import read_ledger
from fbftl.methods.fbftl.deployed import answer
from unit.deploy.in_process import params_of, planned, run
from unit.training.tasks.training import outcome_of

COLUMNS = ["direction", "part", "round", "client", "payload_bits", "bits", "packets", "lost"]
NOISED = {"mechanism": "gaussian", "sigma": 0.5, "label_epsilon": 2.0}
SETTINGS = {
    "uploads": ("fbftl", {}),
    "noised uploads": ("fbftl", NOISED),
    "coarse uploads over a lossy link": ("fbftl", {"bits": 4, "plr": 0.3}),
    "statistics": ("one_shot", {"message": "statistics", "head": "lda"}),
    "rounds with feedback": ("ftl_c", {"bits": 8}),
    "local epochs": ("fedavg", {}),
}


def training_of(method: str) -> dict[str, int | str]:
    return {"selection": "last"} | ({"rounds": 2} if method == "fedavg" else {})


def studied(
    files: dict[str, str], folder: Path, method: str, axes: dict
) -> tuple[dict[str, Any], Path]:
    """Run a setting as a study does; return what its seed found, and its ledger."""
    outcome = outcome_of(files, params_of(method, axes, **training_of(method)))
    outcome.ledger.write(folder / "run.parquet")
    return outcome.repetitions[0], folder / "run.parquet"


@pytest.mark.parametrize("setting", SETTINGS)
def test_models_bytes_and_ledger_are_the_studys(files, tmp_path, setting):
    method, axes = SETTINGS[setting]
    found, ledger = studied(files, tmp_path, method, axes)
    served, exchange, sent = run(planned(files, params_of(method, axes, **training_of(method))))
    assert served.models == found["models"]
    assert served.accuracy == found["test_accuracy"]
    assert exchange.refused == []
    served.ledger.write(tmp_path / "ledger.parquet")
    ledgers = [read_ledger(path, COLUMNS) for path in (tmp_path / "ledger.parquet", ledger)]
    assert ledgers[0].equals(ledgers[1])
    up = ledgers[1].filter(pc.equal(ledgers[1]["direction"].cast("string"), "up"))
    assert 8 * sum(sent) == sum(up["bits"].to_pylist())


def test_plain_rounds_add_updates_in_another_order_and_send_the_ledgers_bytes(files, tmp_path):
    found, ledger = studied(files, tmp_path, "ftl_c", {})
    served, _, sent = run(planned(files, params_of("ftl_c", {}, **training_of("ftl_c"))))
    assert served.accuracy == pytest.approx(found["test_accuracy"], abs=0.04)
    ledger = read_ledger(ledger, COLUMNS)
    up = ledger.filter(pc.equal(ledger["direction"].cast("string"), "up"))
    assert 8 * sum(sent) == sum(up["bits"].to_pylist())


def test_noise_of_a_deployment_is_drawn_anew_and_that_of_a_repetition_is_the_studys(files):
    params = params_of("fbftl", NOISED)
    drawn, repeated = (planned(files, params, repeat).clients[0] for repeat in (False, True))
    request = Request([drawn.client])
    assert answer(drawn, request, {}) != answer(drawn, request, {})
    assert answer(repeated, request, {}) == answer(repeated, request, {})
