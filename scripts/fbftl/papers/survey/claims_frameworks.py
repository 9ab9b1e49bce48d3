"""What sentences about the survey's frameworks and its simulation of one compare.

Hypotheses of ours are beside them where they may fail: early votes, alignment, few samples,
clients of two labels.
"""

from collections.abc import Mapping
from typing import Any

from fbftl.papers.quantities import (
    NOTHING,
    ByPart,
    BySeed,
    Compared,
    Runs,
    Sides,
    accuracies,
    measures,
)

ONE = {"clients": 1}
OWN = {"initial_weights": "own"}


def as_picked(runs: Runs, side: dict[str, Any], *axes: str) -> dict[str, Any]:
    """Return a setting with what a study has on some axes, whose values a rule picks for it."""
    for setting in runs.settings:
        if side == {axis: value for axis, value in setting.items() if axis not in axes}:
            return setting
    return side


# --- federation against one network -----------------------------------------------------------


def _federated(
    column: str, first: Mapping[str, Any], second: Mapping[str, Any], factor: float = 1
) -> Compared:
    """Return what compares a measure at whatever number of samples clients draw in a round."""
    federation = {"method": "fedavg", "network": "example"}

    def sides(runs: Runs) -> Sides:
        for samples in runs.shared("resampled_per_round", federation):
            base = federation | {"resampled_per_round": samples}
            return measures(column, base | first, base | second, factor)(runs)
        return NOTHING, NOTHING

    return sides


FEDERATED: Mapping[str, ByPart] = {
    "s-01": {
        "common": _federated("test_accuracy", ONE, {}, 100),
        "own": _federated("test_accuracy", ONE, OWN, 100),
    },
    "s-02": {"own": _federated("first_accuracy", OWN, ONE, 100)},
    "s-03": {
        "common": _federated("reversals", {}, ONE),
        "own": _federated("reversals", OWN, ONE),
    },
}

# --- FedVote ----------------------------------------------------------------------------------

NO_VOTE = {"method": "fedvote", "network": "mlp", "most_samples": 50}


def _vote(vote_round: int = 10, most: int = 50, **axes: Any) -> dict[str, Any]:
    return (
        NO_VOTE | {"vote_candidates": "all", "vote_round": vote_round, "most_samples": most} | axes
    )


def _for_fitting(first: dict[str, Any], second: dict[str, Any]) -> Compared:
    return measures("votes_for_fitting", first, second, 100)


def _majority(runs: Runs) -> Sides:
    _, share = _for_fitting(_vote(), _vote())(runs)
    return share.constant(50), share


VOTED: Mapping[str, ByPart] = {
    "s-07": {
        str(vote_round): measures("rounds_to_target", _vote(vote_round), NO_VOTE)
        for vote_round in (3, 5, 10)
    },
    "s-10": {
        "accuracy": accuracies(_vote(vote_candidates="unrelated"), NO_VOTE),
        "rounds": measures("rounds_to_target", NO_VOTE, _vote(vote_candidates="unrelated")),
    },
}

OF_VOTES: ByPart = {
    "majority": _majority,
    "vote_accuracy": accuracies(NO_VOTE, _vote()),
    "round_3": _for_fitting(_vote(3), _vote(10)),
    "biased": _for_fitting(_vote(most=20, cka_estimator="biased"), _vote(most=20)),
}

# --- FedHealth --------------------------------------------------------------------------------

GLOBAL = {"method": "fedhealth", "network": "cnn", "public_data": "target"}
ADAPTED = GLOBAL | {"adaptation_epochs": 5}


def _with(column: str, runs: Runs, setting: Mapping[str, Any]) -> Sides:
    """Return an accuracy that is measured beside the test's, and the test's, in percent."""
    return 100 * runs.measured(column, **setting), runs.accuracy(**setting)


OF_ADAPTATION: ByPart = {
    # The model without adaptation is run on shifted clients only.
    "adapted": accuracies(GLOBAL, ADAPTED),
    "adapted_30": lambda r: _with("accuracy_before", r, ADAPTED | {"most_samples": 30}),
    "alignment": accuracies(ADAPTED, ADAPTED | {"coral_weight": 1.0}),
}

# --- FedMD, FD and FAug -----------------------------------------------------------------------

FD = {"method": "fd", "network": "mlp_64"}
SHARDS = {"partition": "shards"}
DISTILLED = {"distillation_weight": 1.0}


def _alone(runs: Runs, setting: Mapping[str, Any]) -> Sides:
    return _with("accuracy_alone", runs, setting)


def _fedmd(runs: Runs, **axes: Any) -> dict[str, Any]:
    setting = {"method": "fedmd", "local_epochs": 5} | axes
    return as_picked(runs, setting, "transfer_epochs", "digest_rate")


def _gap_closed(runs: Runs, **axes: Any) -> Sides:
    """Return half of what two labels each cost, and what a remedy gains back."""
    alone, iid = runs.accuracy(**FD, **SHARDS), runs.accuracy(**FD)
    return 0.5 * (iid - alone), runs.accuracy(**FD, **SHARDS, **axes) - alone


AUGMENTED = FD | SHARDS | {"seed_samples": 10}

# Clients learn from each other on both sides, or on neither.
DISTILLING: Mapping[str, ByPart] = {
    "s-19": {
        "fd": accuracies(FD | DISTILLED, AUGMENTED | DISTILLED),
        "alone": accuracies(FD, AUGMENTED),
    }
}

RELEASED = {"digest_loss": "absolute", "alignment_samples": 5000}
"""FedMD's published code; its clients step with Adam, which is their task's."""

OF_DISTILLING: ByPart = {
    "fedmd_released": lambda r: _alone(r, _fedmd(r, **RELEASED)),
    "fedmd_30": lambda r: _alone(r, _fedmd(r, most_samples=30)),
    "fedmd_10": lambda r: _alone(r, _fedmd(r, most_samples=10)),
    "fd": lambda r: _alone(r, FD | DISTILLED),
    "fd_shards": lambda r: _alone(r, FD | SHARDS | DISTILLED),
    "fd_gap": lambda r: _gap_closed(r, **DISTILLED),
}

# --- Secure FTL -------------------------------------------------------------------------------

FTL = {"method": "secure_ftl"}

IN_SHARES = FTL | {"protection": "beaver"}


def _nothing_over(column: str) -> Compared:
    """Return what holds a measure in shares against none at all."""

    def sides(runs: Runs) -> Sides:
        found = runs.measured(column, **IN_SHARES)
        return found.constant(0), found

    return sides


OF_SHARES: ByPart = {
    "gradients": _nothing_over("gradient_error"),
    "predictions": _nothing_over("predictions_apart"),
    "common_samples": lambda r: _alone(r, FTL),
}

OF_OVERLAP: Mapping[str, ByPart] = {
    "s-13": {
        "few": lambda r: (
            r.accuracy(**FTL, common_samples=2),
            100 * r.measured("accuracy_alone", **FTL, common_samples=2),
        ),
        "many": lambda r: _alone(r, FTL | {"common_samples": 500}),
    }
}

# --- similarity -------------------------------------------------------------------------------

OF_INDICES: Mapping[str, ByPart] = {
    "s-09": {
        index: lambda r, index=index: (
            r.measured(f"matched_{index}", **NO_VOTE),
            r.measured("matched_cka", **NO_VOTE),
        )
        for index in ("cca", "regression")
    }
}

# --- attacks on what is sent ------------------------------------------------------------------

SPREAD = {"iid": {}, "shards": SHARDS}
"""Clients' labels: alike, or two at each."""

ATTACKED: Mapping[str, Mapping[str, Any]] = {
    "fedavg": {"method": "fedavg", "network": "mlp"},
    "fedvote": {
        "method": "fedvote", "network": "mlp", "vote_candidates": "all", "vote_round": 10,
    },
    "fedhealth": ADAPTED,
    "fedmd": {
        "method": "fedmd", "local_epochs": 5, "transfer_epochs": 40, "digest_rate": 0.3,
    },
    "fd": FD | DISTILLED,
}  # fmt: skip

CHANCE = 0.5
"""Area under the curve of a guess."""

ENCRYPTED = {"fedhealth": "membership_of_average"}
"""By framework that encrypts what clients send, the attack that is left: by a client, on what all
of them get."""


def _found(attack: str, setting: Mapping[str, Any]) -> Compared:
    """Return what compares an attack with its blind guess, which comes second."""
    return lambda r: (r.measured(attack, **setting), r.measured(f"{attack}_blind", **setting))


def _blindly(attack: str, setting: Mapping[str, Any]) -> Compared:
    """Return what compares a blind guess with the attack, which comes second."""
    return lambda r: (r.measured(f"{attack}_blind", **setting), r.measured(attack, **setting))


def _membership(name: str, labels: str) -> dict[str, Any]:
    return {**ATTACKED[name], **SPREAD[labels]}


def _inferred(runs: Runs, name: str, labels: str) -> BySeed:
    """Return how well membership is told by whoever a framework lets see the most."""
    return runs.measured(ENCRYPTED.get(name, "membership"), **_membership(name, labels))


def _above_chance(name: str, labels: str) -> Compared:
    def sides(runs: Runs) -> Sides:
        found = _inferred(runs, name, labels)
        return found.constant(CHANCE), found

    return sides


def _safer(first: str, second: str, labels: str) -> Compared:
    """Return what compares membership under two frameworks."""
    return lambda runs: (_inferred(runs, first, labels), _inferred(runs, second, labels))


def _more_secure(*pairs: tuple[str, str]) -> ByPart:
    """Return what compares membership under the first of each pair with that under the second."""
    return {
        f"{first}_{second}_{labels}": _safer(first, second, labels)
        for first, second in pairs
        for labels in SPREAD
    }


OF_ATTACKS: Mapping[str, ByPart] = {
    "s-12": {"beaver": _found("label_recovery", IN_SHARES)},
    "s-15": {labels: _above_chance("fedhealth", labels) for labels in SPREAD},
    "s-17": {labels: _found("membership", _membership("fedmd", labels)) for labels in SPREAD},
    "s-20": {"seeds": _found("inversion", AUGMENTED)},
    "s-21": {
        "membership": _found("membership", _membership("fd", "iid")),
        "reconstruction": _blindly("reconstruction", _membership("fd", "iid")),
    },
    "s-22": _more_secure(
        *((safe, open_) for safe in ("fedmd", "fd") for open_ in ("fedavg", "fedhealth"))
    ),
    "s-23": _more_secure(
        *((safe, open_) for safe in ("fedhealth", "fedmd", "fd") for open_ in ("fedavg", "fedvote"))
    ),
}

OF_COUNTS: ByPart = {"fd_labels": _found("label_recovery", _membership("fd", "iid"))}
"""What counts of labels tell, which clients of FD send here and not as it is printed."""

SENTENCES: Mapping[str, ByPart] = (
    FEDERATED | VOTED | DISTILLING | OF_OVERLAP | OF_INDICES | OF_ATTACKS
)

HYPOTHESES: ByPart = {
    **OF_VOTES, **OF_ADAPTATION, **OF_DISTILLING, **OF_SHARES, **OF_COUNTS,
}  # fmt: skip
