"""What run files say was received, held against the ledgers of every method that sends."""

from dataclasses import replace
from pathlib import Path
from typing import Any

import pandas as pd
import pytest
import torch
from fbftl.study import methods
from fbftl.study.yaml_files import read_yaml
from fbftl.tasks.task import Inputs
from unit.methods.framework_toys import make_inputs
from unit.random_settings import NEEDED, Answer, answered
from unit.tasks.toy_vectors import make_vectors

SENDING = [one.name for one in methods.RECORDS if one.sends != "nothing"]
PER_CLIENT = 31
"""Rows of each of the four clients of the digits."""

COMMON = 50
"""Samples that both parties of Secure FTL have."""

OWN_MODELS = ("fd", "fedmd")
"""Methods whose clients train models of their own on all their rows, whatever arrives."""

LOSSY = [name for name in SENDING if methods.record(name).knows("plr")]

pytestmark = [
    pytest.mark.filterwarnings("ignore::RuntimeWarning"),
    pytest.mark.filterwarnings("ignore::UserWarning"),
]


@pytest.fixture(scope="module")
def schema(root: Path) -> dict[str, Any]:
    return read_yaml(root / "rules/schemas/config.schema.yaml")


@pytest.fixture(scope="module")
def files(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Inputs]:
    digits = make_inputs(tmp_path_factory.mktemp("digits"))
    made = make_vectors(tmp_path_factory.mktemp("people"))
    paths = {name: Path(path) for name, path in made.items()}
    return {
        "digits": replace(digits, public=digits.features, public_manifest=digits.manifest),
        "people": Inputs(device=torch.device("cpu"), **paths),
    }


@pytest.mark.parametrize("plr", [0.5, 0.9999])
@pytest.mark.parametrize("method", LOSSY)
def test_received_is_what_arrived(method: str, plr: float, schema: dict, files: dict) -> None:
    answer = answered({"method": method, "plr": plr, **NEEDED.get(method, {})}, schema, files)
    arrived = require_received(answer)
    assert plr < 0.9 or not len(arrived)  # so that the rate above shows what nothing counts as


@pytest.mark.parametrize("method", [name for name in SENDING if name not in LOSSY])
def test_received_where_nothing_is_lost(method: str, schema: dict, files: dict) -> None:
    more = {"uploaders": 2} if method == "ecos" else {}
    require_received(answered({"method": method} | NEEDED.get(method, {}) | more, schema, files))


def require_received(answer: Answer) -> pd.DataFrame:
    """Hold a run's counts against its ledger; return its rows of clients' messages that arrived."""
    assert not answer.refused, answer.sentence
    rows = answer.outcome.ledger.table().to_pandas()
    (found,) = answer.outcome.repetitions
    method, received, seen = answer.axes["method"], found["received"], found["seen"]
    arrived = rows[(rows["sender"] == "client") & (rows["lost"] == False)]  # noqa: E712
    heard = arrived["client"].nunique()
    if method == "fade":  # users of two sizes
        assert (received == found["offered"]) == (heard == found["clients"])
        assert 0 < received <= found["offered"]
    elif rows["sample"].notna().any():
        assert received == arrived["sample"].notna().sum()
    elif method == "secure_ftl":
        assert received == (COMMON if heard else 0)
    else:
        assert received == PER_CLIENT * heard
    assert seen <= received or method in (*OWN_MODELS, "ecos")
    assert method not in OWN_MODELS or seen == found["offered"]
    return arrived
