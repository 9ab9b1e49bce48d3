"""A deployed run is the study's: the same models and ledger, from messages that really crossed."""

import socket
import threading
from pathlib import Path

import pyarrow.compute as pc
import pytest
import train_setting
from fbftl.exchange.arrivals import Request
from fbftl.findings.run_file import read_run
from fbftl.ground.errors import UserError
from fbftl.ground.files import read_json
from fbftl.ground.room import RAM
from fbftl.messages.ledger import read_ledger
from fbftl.study.methods import axes_by_method
from fbftl_deploy import by_update, dealer
from fbftl_deploy.client import answer
from fbftl_deploy.federation import Ports
from fbftl_deploy.relay import bound
from train_setting import Outputs
from unit.deploy.in_process import params_of, planned, run
from unit.tasks.toy_task import make_task

COLUMNS = ["direction", "part", "round", "client", "payload_bits", "bits", "packets", "lost"]
SUMMED = {"message": "statistics", "head": "lda", "aggregation": "masked"}
NOISED = {"mechanism": "gaussian", "sigma": 0.5, "label_epsilon": 2.0}
SETTINGS = {
    "uploads": ("fbftl", {}),
    "noised uploads": ("fbftl", NOISED),
    "coarse uploads over a lossy link": ("fbftl", {"bits": 4, "plr": 0.3}),
    "class means": ("one_shot", {"message": "means", "head": "fedcof"}),
    "statistics": ("one_shot", {"message": "statistics", "head": "lda"}),
    "masked statistics": ("one_shot", SUMMED),
    "rounds with feedback": ("ftl_c", {"bits": 8}),
    "local epochs": ("fedavg", {}),
}


@pytest.fixture(scope="module")
def files(tmp_path_factory: pytest.TempPathFactory) -> dict[str, str]:
    return make_task(tmp_path_factory.mktemp("task"))


def training_of(method: str) -> dict[str, int | str]:
    return {"selection": "last"} | ({"rounds": 2} if method == "fedavg" else {})


def studied(files: dict[str, str], folder: Path, method: str, axes: dict) -> Outputs:
    """Run a setting as a study does."""
    outputs = Outputs(*(str(folder / name) for name in ("run.json", "run.parquet", "meta.json")))
    params = params_of(method, axes, **training_of(method))
    train_setting.main(files, "", [outputs], [params], axes_by_method(), "cpu", RAM, 1)
    return outputs


@pytest.mark.parametrize("setting", SETTINGS)
def test_models_bytes_and_ledger_are_the_studys(files, tmp_path, setting):
    method, axes = SETTINGS[setting]
    study = studied(files, tmp_path, method, axes)
    port = 0
    if axes == SUMMED:
        with bound() as free:
            port = free.getsockname()[1]
    plans = planned(files, params_of(method, axes, **training_of(method)), tmp_path, port)
    if plans.dealer is not None:
        threading.Thread(target=dealer.serve, args=(plans.dealer,), daemon=True).start()
    served, exchange, sent = run(plans)
    assert served.models == read_json(study.meta, "meta")["models"]["0"]
    assert served.accuracy == read_run(study.run)["repetitions"][0]["test_accuracy"]
    assert exchange.refused == []
    served.ledger.write(tmp_path / "ledger.parquet")
    ledgers = [read_ledger(path, COLUMNS) for path in (tmp_path / "ledger.parquet", study.ledger)]
    assert ledgers[0].equals(ledgers[1])
    up = ledgers[1].filter(pc.equal(ledgers[1]["direction"].cast("string"), "up"))
    assert 8 * sum(sent) == sum(up["bits"].to_pylist())


def test_plain_rounds_are_the_studys_engine_that_adds_updates(files, tmp_path):
    study = studied(files, tmp_path, "ftl_c", {})
    plans = planned(files, params_of("ftl_c", {}, **training_of("ftl_c")), tmp_path)
    served, *_ = run(plans)
    compared = by_update.measured(plans.server)
    assert compared["summed"] == served.models
    assert compared["one_pass"] == read_json(study.meta, "meta")["models"]["0"]
    assert 0 < compared["largest_difference"] <= 1e-6 * compared["largest_weight"]


def test_noise_of_a_deployment_is_drawn_anew_and_an_upload_once(files, tmp_path):
    params = params_of("fbftl", NOISED)
    drawn = planned(files, params, tmp_path, repeat=False).clients[0]
    request = Request("run", 1, "uploads")
    memory: dict = {}
    first = answer(drawn, request, memory)
    assert answer(drawn, request, memory) == first
    assert answer(drawn, request, {}) != first
    repeated = planned(files, params, tmp_path).clients[0]
    assert answer(repeated, request, {}) == answer(repeated, request, {})


def test_images_through_the_extractor_give_nearly_the_stores_features(files, tmp_path):
    from fbftl_deploy.client import samples_of

    stored = planned(files, params_of("fbftl", {}), tmp_path).clients[0]
    extracted = planned(files, params_of("fbftl", {}), tmp_path, source="images").clients[0]
    (values, labels, sample), (others, *ids) = samples_of(stored), samples_of(extracted)
    assert others == pytest.approx(values, rel=1e-4)
    assert (labels == ids[0]).all()
    assert (sample == ids[1]).all()


def test_ports_are_planned_and_a_port_in_use_is_one_sentence():

    with socket.create_server(("127.0.0.1", 0)) as taken:
        first = taken.getsockname()[1] - 1
        ports = Ports.planned(first, [3, 5])
        assert ports.nodes == {3: first + 3, 5: first + 5}
        with pytest.raises(UserError, match=f"port {first + 1} of 127.0.0.1 is in use"):
            ports.require_free()
