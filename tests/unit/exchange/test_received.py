"""What run files say was received, held against the ledgers of every method that sends."""

import pandas as pd
import pytest
from fbftl.study import methods
from unit.random_settings import NEEDED, NO_WARNINGS, Answer, answered

SENDING = [one.name for one in methods.RECORDS if one.sends != "nothing"]
PER_CLIENT = 31
"""Rows of each of the four clients of the digits."""

COMMON = 50
"""Samples that both parties of Secure FTL have."""

OWN_MODELS = ("fd", "fedmd")
"""Methods whose clients train models of their own on all their rows, whatever arrives."""

LOSSY = [name for name in SENDING if methods.record(name).knows("plr")]

pytestmark = NO_WARNINGS


@pytest.mark.parametrize(
    ("method", "plr"),
    [(method, 0.5) for method in LOSSY]
    + [(method, 0.9999) for method in ("fbftl", "fl", "fedavg")],
)
def test_received_is_what_arrived(method: str, plr: float, task_files: dict) -> None:
    answer = answered({"method": method, "plr": plr, **NEEDED.get(method, {})}, task_files)
    arrived = require_received(answer)
    assert plr < 0.9 or not len(arrived)  # so that the rate above shows what nothing counts as


@pytest.mark.parametrize("method", [name for name in SENDING if name not in LOSSY])
def test_received_where_nothing_is_lost(method: str, task_files: dict) -> None:
    more = {"uploaders": 2} if method == "ecos" else {}
    require_received(answered({"method": method} | NEEDED.get(method, {}) | more, task_files))


def require_received(answer: Answer) -> pd.DataFrame:
    """Hold a run's counts against its ledger; return its rows of clients' messages that arrived."""
    assert not answer.refused, answer.sentence
    rows = answer.outcome.ledger.table().to_pandas()
    (repetition,) = answer.outcome.repetitions
    method, received, seen = answer.axes["method"], repetition["received"], repetition["seen"]
    arrived = rows[(rows["sender"] == "client") & (rows["lost"] == False)]  # noqa: E712
    senders = arrived["client"].nunique()
    if method == "fade":  # users of two sizes
        assert (received == repetition["offered"]) == (senders == repetition["clients"])
        assert 0 < received <= repetition["offered"]
    elif rows["sample"].notna().any():
        assert received == arrived["sample"].notna().sum()
    elif method == "secure_ftl":
        assert received == (COMMON if senders else 0)
    else:
        assert received == PER_CLIENT * senders
    assert seen <= received or method in (*OWN_MODELS, "ecos")
    assert method not in OWN_MODELS or seen == repetition["offered"]
    return arrived
