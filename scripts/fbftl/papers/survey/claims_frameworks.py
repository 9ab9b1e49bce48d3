"""Claims about the survey's frameworks and its simulation of one.

Those of the paper itself stand beside the settings in which they may fail: starts of their own,
early votes, alignment, few samples, clients of two labels.
"""

from typing import Any

from fbftl.findings.comparison import Claimed, within
from fbftl.findings.runs import settings_in
from fbftl.papers.claims import NOTHING, BySeed, Claim, Runs, Sides

FEDERATION = "Sec. 4, Table 1"
VOTE = "Sec. 4.1.2, Fig. 13"
HEALTH = "Sec. 4.1.4, Fig. 15"
DISTILLED = "Sec. 4.1.5, Fig. 16"
LABELS = "Sec. 4.1.6, Fig. 17"

ONE = {"clients": 1}
OWN = {"start": "own"}


def percent(found: BySeed, factor: float = 100.0) -> BySeed:
    """Return a quantity times a factor."""
    return BySeed(factor * found.values, found.diverged)


def as_picked(runs: Runs, side: dict[str, Any], *axes: str) -> dict[str, Any]:
    """Return a setting with what a study has on some axes, whose values a rule picks for it."""
    for setting in settings_in(runs.table).values():
        if side == {axis: own for axis, own in setting.items() if axis not in axes}:
            return setting
    return side


def constant(found: BySeed, value: float) -> BySeed:
    """Return one value for every seed of a quantity."""
    return BySeed(0 * found.values + value)


# --- federation against one network -----------------------------------------------------------


def _federated(runs: Runs, column: str, **axes: Any) -> BySeed:
    side = {"method": "fedavg", "network": "example"}
    for drawn in runs.shared("drawn", side):
        return runs.measured(column, **side, drawn=drawn, **axes)
    return NOTHING


def _against_one(runs: Runs, **axes: Any) -> Sides:
    return tuple(percent(_federated(runs, "test_accuracy", **own)) for own in (ONE, axes))


FEDERATED = (
    Claim(
        "From a common start, a federation ends more accurate than one of its clients alone",
        FEDERATION,
        _against_one,
    ),
    Claim(
        "From starts of their own, a federation ends more accurate than one client alone",
        FEDERATION,
        lambda r: _against_one(r, **OWN),
    ),
    Claim(
        "From starts of their own, round 1 lies 15 points below that of a common start",
        FEDERATION,
        lambda r: (
            percent(_federated(r, "first_accuracy", **OWN)),
            percent(_federated(r, "first_accuracy")),
        ),
        Claimed(low=15),
    ),
    Claim(
        "A federation's accuracy falls after fewer rounds than one client's",
        FEDERATION,
        lambda r: (_federated(r, "reversals"), _federated(r, "reversals", **ONE)),
        unit="rounds",
    ),
)

# --- FedVote ----------------------------------------------------------------------------------


def _vote(turn: int = 10, most: int = 50, **axes: Any) -> dict[str, Any]:
    vote = {"sources": "all", "selection_round": turn}
    return {"method": "fedvote", "network": "mlp", "most_samples": most} | vote | axes


NO_VOTE = {"method": "fedvote", "network": "mlp", "most_samples": 50}


def _for_fitting(runs: Runs, setting: dict[str, Any]) -> BySeed:
    return percent(runs.measured("votes_for_fitting", **setting))


def _majority(runs: Runs) -> Sides:
    share = _for_fitting(runs, _vote())
    return constant(share, 50), share


VOTED = (
    Claim(
        "In round 10 more than half of the clients vote for the source model that fits",
        VOTE,
        _majority,
        Claimed(share=0.8),
    ),
    Claim(
        "With the vote, 90 % is reached in half of the rounds that it takes without",
        VOTE,
        lambda r: (
            r.measured("rounds_to_target", **_vote()),
            r.measured("rounds_to_target", **NO_VOTE),
        ),
        Claimed(low=2),
        ratio=True,
    ),
    Claim(
        "With the vote, training ends more accurate than without",
        VOTE,
        lambda r: (r.accuracy(**NO_VOTE), r.accuracy(**_vote())),
    ),
    Claim(
        "An unrelated source model that wins leaves the accuracy as it is, to a point",
        VOTE,
        lambda r: (r.accuracy(**NO_VOTE), r.accuracy(**_vote(sources="unrelated"))),
        within(1.0),
    ),
    Claim(
        "In round 3 fewer clients vote for the model that fits than in round 10",
        VOTE,
        lambda r: (_for_fitting(r, _vote(3)), _for_fitting(r, _vote(10))),
    ),
    Claim(
        "At 20 samples per client, fewer vote for the model that fits by the biased similarity",
        VOTE,
        lambda r: (
            _for_fitting(r, _vote(most=20, similarity="biased")),
            _for_fitting(r, _vote(most=20)),
        ),
    ),
)

# --- FedHealth --------------------------------------------------------------------------------


GLOBAL = {"method": "fedhealth", "network": "cnn", "public_data": "target"}


def _adapted(**axes: Any) -> dict[str, Any]:
    return GLOBAL | {"adaptation": 5} | axes


def _gained(runs: Runs, **axes: Any) -> Sides:
    setting = _adapted(**axes)
    return percent(runs.measured("accuracy_before", **setting)), runs.accuracy(**setting)


ADAPTED = (
    Claim(
        "Adaptation to shifted clients gains 5 points over the global model",
        HEALTH,
        # The model without adaptation is run on shifted clients only.
        lambda r: (r.accuracy(**GLOBAL), r.accuracy(**_adapted())),
        Claimed(low=5),
    ),
    Claim(
        "With 30 samples per client, adaptation gains 5 points too",
        HEALTH,
        lambda r: _gained(r, most_samples=30),
        Claimed(low=5),
    ),
    Claim(
        "Alignment (eta 1) changes the accuracy of adaptation by less than a point",
        HEALTH,
        lambda r: (r.accuracy(**_adapted()), r.accuracy(**_adapted(alignment=1.0))),
        within(1.0),
    ),
)

# --- FedMD, FD and FAug -----------------------------------------------------------------------


def _with_alone(runs: Runs, **setting: Any) -> Sides:
    return percent(runs.measured("accuracy_alone", **setting)), runs.accuracy(**setting)


def _fedmd(runs: Runs, **axes: Any) -> dict[str, Any]:
    setting = {"method": "fedmd", "local_epochs": 5} | axes
    return as_picked(runs, setting, "transfer_epochs", "digest_rate")


FD = {"method": "fd", "network": "mlp_64"}
SHARDS = {"partition": "shards"}


def _of_gap(runs: Runs, **axes: Any) -> Sides:
    """Return half of what two labels each cost, and what a remedy gains back."""
    alone, iid = runs.accuracy(**FD, **SHARDS), runs.accuracy(**FD)
    return percent(iid - alone, 0.5), runs.accuracy(**FD, **SHARDS, **axes) - alone


DISTILLING = (
    Claim(
        "FedMD with 30 own samples and open letters gains 3 points over training alone",
        DISTILLED,
        lambda r: _with_alone(r, **_fedmd(r, most_samples=30)),
        Claimed(low=3),
    ),
    Claim(
        "FedMD with 10 own samples and open letters gains 3 points over training alone",
        DISTILLED,
        lambda r: _with_alone(r, **_fedmd(r, most_samples=10)),
        Claimed(low=3),
    ),
    Claim(
        "FedMD sends fewer bits up than FedAvg",
        DISTILLED,
        lambda r: (
            r.measured("uplink_bits", **_fedmd(r)),
            r.measured("uplink_bits", method="fedavg", network="mlp"),
        ),
        Claimed(low=1),
        ratio=True,
    ),
    Claim(
        "FD (gamma 1) gains a point over training alone, labels spread alike",
        LABELS,
        lambda r: _with_alone(r, **FD, distillation=1.0),
        Claimed(low=1),
    ),
    Claim(
        "FD (gamma 1) gains a point over training alone, two labels each",
        LABELS,
        lambda r: _with_alone(r, **FD, **SHARDS, distillation=1.0),
        Claimed(low=1),
    ),
    Claim(
        "FAug closes half of the gap that two labels each leave",
        LABELS,
        lambda r: _of_gap(r, seed_samples=10),
    ),
    Claim(
        "FD (gamma 1) closes half of that gap without FAug",
        LABELS,
        lambda r: _of_gap(r, distillation=1.0),
    ),
)

# --- Secure FTL -------------------------------------------------------------------------------
FTL = {"method": "secure_ftl"}

SECURE = (
    Claim(
        "Secure FTL in shares is as accurate as in the open",
        "Sec. 4.1.3, Fig. 14",
        lambda r: (r.accuracy(**FTL), r.accuracy(**FTL, protection="beaver")),
        within(0.01),
    ),
    Claim(
        "Secure FTL with 50 common samples classifies better than the more frequent class",
        "Sec. 4.1.3, Fig. 14",
        lambda r: _with_alone(r, **FTL),
    ),
)

CLAIMS = (*FEDERATED, *VOTED, *ADAPTED, *DISTILLING, *SECURE)
