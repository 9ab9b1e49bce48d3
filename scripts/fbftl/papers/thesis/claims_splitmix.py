"""What sentences about Split-Mix (paper thesis, ch. 4) compare.

Unless it is said otherwise, clients' budgets follow their domains, and Split-Mix's bases begin with
rescaled values, without which the thesis does not have them. A task has one network and one number
of local epochs, whatever they are.
"""

from collections.abc import Mapping
from itertools import pairwise, product
from typing import Any

import pandas as pd

from fbftl.papers.quantities import NOTHING, ByPart, BySeed, Compared, Runs, Sides
from fbftl.papers.thesis.work_of_widths import SHETEROFL, SPLITMIX, trained_by_client

WIDTHS = (0.125, 0.25, 0.5, 1)
BASE = {"width": 0.125}
PLAIN = {"rescaled_init": False}
DOMAINS = (1, 2, 3, 4)
"""Places of the domains in a task's list."""

PRINTED_LAWS = ("rich", "steps", "uniform", "lognormal")
RELEASED_LAWS = ("ln0.5_0.4", "8-2-1-1")
POOREST_FIRST = {"budget_order": "poorest_first"}
FEW = (5, 10)
"""Clients of 20 that take part in a round."""

IID = {"partition": "iid"}

SMALL_BASES = ("digits-network", "cifar10-small")
"""What tasks begin with where one base of eight has about the printed share of the whole network's
parameters: 1.8 and 2.0 %, all eight 14.7 and 16, where the thesis prints 1.8 and 12.7. The dense
network of the other tasks has 4 and 33 %."""

DIGITS, PHOTOGRAPHS = "digits", "cifar10"
"""Data as Table 4.1 calls them. Tasks of photographs begin with the latter; all others' samples are
digits."""

HALF_DATA, RELEASED_RATES = "digits-half", "digits-released"
"""What tasks begin with whose clients have half as many samples, and that train at the rates of the
public sweep. Its 0.01 of bases is for clients of far more samples and is shown, not judged by."""

EVERYWHERE = ("network", "local_epochs")
"""Axes of which all runs of a task have one value."""

HARDEST, STEPS = 0.05, 19
"""Accuracies to which rounds are counted: so many steps of this size."""


def same_everywhere(runs: Runs) -> dict[str, Any]:
    """Return network and local epochs of a task, each where one value is named in its settings."""
    named = {axis: {s[axis] for s in runs.settings if axis in s} for axis in EVERYWHERE}
    return {axis: values.pop() for axis, values in named.items() if len(values) == 1}


def shared(runs: Runs, method: str, **axes: Any) -> dict[str, Any]:
    """Return a setting of networks that share weights; bases begin rescaled unless it is said."""
    values_of_bases = {"rescaled_init": True} if method == "splitmix" else {}
    setting = {"method": method} | same_everywhere(runs) | BASE | values_of_bases | axes
    return {axis: v for axis, v in setting.items() if (axis, v) != ("rescaled_init", False)}


def at(runs: Runs, method: str, width: float, **axes: Any) -> BySeed:
    """Return a method's accuracy in percent at a width; a diverged seed has 0."""
    return 100 * runs.measured(f"accuracy_x{width:g}", **shared(runs, method, **axes))


def fedavg(runs: Runs, width: float, **axes: Any) -> dict[str, Any]:
    """Return the setting of FedAvg with a network of one width."""
    narrower = {} if width == 1 else {"width": width}
    return {"method": "fedavg"} | same_everywhere(runs) | narrower | axes


def best(runs: Runs, method: str) -> BySeed:
    """Return the accuracy at the width that is best in the mean over seeds."""
    by_width = [at(runs, method, width) for width in WIDTHS]
    run = [accuracy for accuracy in by_width if not accuracy.values.empty]
    return max(run, key=lambda accuracy: accuracy.values.mean()) if run else NOTHING


def rounds_to(*curves: pd.DataFrame) -> list[BySeed]:
    """Return by seed the rounds in which each curve first reaches one accuracy.

    It is the highest of 5 %, 10 %, ... 95 % that all curves reach under every seed; where they
    reach none, nothing is compared.

    Args:
        curves: accuracies, a row for each seed and a column for each round from 1.
    """
    if any(curve.empty for curve in curves):
        return [NOTHING for _ in curves]
    reached = min(curve.max(axis=1).min() for curve in curves)
    targets = [HARDEST * step for step in range(1, STEPS + 1) if HARDEST * step <= reached]
    if not targets:
        return [NOTHING for _ in curves]
    return [BySeed((curve >= targets[-1]).idxmax(axis=1).astype(float)) for curve in curves]


def _sooner(first: Mapping[str, Any] | float, second: Mapping[str, Any] | float) -> Compared:
    """Return what compares the rounds of two settings, each of FedAvg's width or of a method."""

    def curve(runs: Runs, of: Mapping[str, Any] | float) -> pd.DataFrame:
        setting = shared(runs, **of) if isinstance(of, Mapping) else fedavg(runs, of)
        return runs.lists("test_accuracy", **setting)

    def sides(runs: Runs) -> Sides:
        one, other = rounds_to(curve(runs, first), curve(runs, second))
        return one, other

    return sides


def _ahead(width: float, **axes: Any) -> Compared:
    """Return what compares SHeteroFL with Split-Mix at one width."""
    return lambda r: (at(r, "sheterofl", width, **axes), at(r, "splitmix", width, **axes))


def _at_printed_rates(compared: Compared) -> Compared:
    """Return what compares the same wherever rates are not those of the public sweep."""

    def sides(runs: Runs) -> Sides:
        released = runs.task.startswith(RELEASED_RATES)
        return (NOTHING, NOTHING) if released else compared(runs)

    return sides


def _to_heterofl(width: float, **axes: Any) -> Compared:
    """Return what compares HeteroFL with Split-Mix at one width."""
    return lambda r: (at(r, "heterofl", width, **axes), at(r, "splitmix", width, **axes))


def _to_fedavg(width: float, at_width: float = 1, **axes: Any) -> Compared:
    """Return what compares FedAvg of one width with Split-Mix at a width."""
    return lambda r: (r.accuracy(**fedavg(r, width, **axes)), at(r, "splitmix", at_width, **axes))


def _mixed(narrow: float, wide: float, **axes: Any) -> Compared:
    return lambda r: (at(r, "splitmix", narrow, **axes), at(r, "splitmix", wide, **axes))


def _rescaled(width: float) -> Compared:
    return lambda runs: (at(runs, "splitmix", width, **PLAIN), at(runs, "splitmix", width))


def _layers_rescaled(width: float) -> Compared:
    """Return what compares rescaled bases with those whose layers' outputs are rescaled too."""
    return lambda runs: (
        at(runs, "splitmix", width),
        at(runs, "splitmix", width, rescaled_layers=True),
    )


def _plain_behind(runs: Runs) -> Sides:
    """Return the accuracy of Split-Mix that begins plainly, and of SHeteroFL, at full width."""
    return at(runs, "splitmix", 1, **PLAIN), at(runs, "sheterofl", 1)


def _rescaled_ahead(runs: Runs) -> Sides:
    """Return accuracies of SHeteroFL and of rescaled bases at full width, where plain ones ran."""
    plain, _ = _plain_behind(runs)
    return (NOTHING, NOTHING) if plain.values.empty else _ahead(1)(runs)


def _wider(narrow: float, wide: float) -> Compared:
    return lambda r: (r.accuracy(**fedavg(r, narrow)), r.accuracy(**fedavg(r, wide)))


def _sent(runs: Runs) -> Sides:
    """Return the bits that clients of Split-Mix send, and those of SHeteroFL."""
    splitmix, sheterofl = (
        runs.measured("uplink_bits", **shared(runs, method)) for method in ("splitmix", "sheterofl")
    )
    return splitmix, sheterofl


def _multiplied(data: str) -> Compared:
    """Return what compares multiplications of training by closed form, the same in every seed.

    Args:
        data: `DIGITS` or `PHOTOGRAPHS`, whose network in the thesis is counted; nothing is compared
            on tasks of the other.
    """

    def sides(runs: Runs) -> Sides:
        if runs.task.startswith(PHOTOGRAPHS) != (data == PHOTOGRAPHS):
            return NOTHING, NOTHING
        accuracy = at(runs, "splitmix", 1)
        splitmix, sheterofl = (
            accuracy.constant(trained_by_client(data, method)) for method in (SPLITMIX, SHETEROFL)
        )
        return splitmix, sheterofl

    return sides


def by_domain(runs: Runs, method: str, width: float) -> pd.DataFrame:
    """Return accuracies in percent at a width, a row for each seed, a column for each domain.

    Of a task with one domain there are none.
    """
    if method == "fedavg":
        accuracies = runs.lists("domain_accuracy", **fedavg(runs, width))
    else:
        accuracies = runs.lists(f"domain_accuracy_x{width:g}", **shared(runs, method))
    return 100 * accuracies if len(accuracies.columns) > 1 else pd.DataFrame()


def _over_domains(compared: Compared) -> Compared:
    """Return what compares the same where clients have several domains, and nothing elsewhere."""

    def sides(runs: Runs) -> Sides:
        several = not by_domain(runs, "splitmix", 1).empty
        return compared(runs) if several else (NOTHING, NOTHING)

    return sides


def _with_a_small_base(compared: Compared) -> Compared:
    """Return what compares the same where a base has the printed share of the whole network."""
    return lambda runs: compared(runs) if runs.task.startswith(SMALL_BASES) else (NOTHING, NOTHING)


def _in_domain(domain: int, width: float) -> Compared:
    """Return what compares losses to FedAvg of the same width, the same number for both."""

    def accuracy(runs: Runs, method: str) -> BySeed:
        accuracies = by_domain(runs, method, width)
        return BySeed(accuracies[domain]) if domain in accuracies else NOTHING

    return lambda runs: (accuracy(runs, "sheterofl"), accuracy(runs, "splitmix"))


def _spread(runs: Runs) -> Sides:
    """Return how accuracies of clients at full width differ: one for as many of each domain."""
    splitmix, sheterofl = (
        BySeed(by_domain(runs, method, 1).std(axis=1, ddof=0))
        for method in ("splitmix", "sheterofl")
    )
    return splitmix, sheterofl


def _steadier(runs: Runs) -> Sides:
    """Return how losses to FedAvg of full width differ over domains."""
    whole = by_domain(runs, "fedavg", 1)
    splitmix, sheterofl = (
        BySeed((whole - by_domain(runs, method, 1)).dropna(how="all").std(axis=1, ddof=0))
        for method in ("splitmix", "sheterofl")
    )
    return splitmix, sheterofl


def _of_data(compared: Compared, half: bool) -> Compared:
    """Return what compares on tasks whose clients have all of their samples, or half of them."""

    def sides(runs: Runs) -> Sides:
        return compared(runs) if runs.task.startswith(HALF_DATA) == half else (NOTHING, NOTHING)

    return sides


def _iid(method: str, width: float, half: bool) -> Compared:
    """Return what compares Split-Mix with another method at one width on iid clients."""
    other = (
        (lambda r: r.accuracy(**fedavg(r, width, **IID)))
        if method == "fedavg"
        else (lambda r: at(r, method, width, **IID))
    )
    return _of_data(lambda r: (at(r, "splitmix", width, **IID), other(r)), half)


STEPS_OF_WIDTH = [(f"{wide:g}", narrow, wide) for narrow, wide in pairwise(WIDTHS)]
AMOUNTS = {"half": True, "all": False}
"""Of data, and whether it is half."""

SENTENCES: Mapping[str, ByPart] = {
    "c4-01": {f"{width:g}": _ahead(width) for width in WIDTHS},
    "c4-02": {
        **{
            f"{budgets}_{width:g}": _at_printed_rates(_ahead(width, budgets=budgets, **order))
            for laws, order in ((PRINTED_LAWS, {}), (RELEASED_LAWS, POOREST_FIRST))
            for budgets, width in product(laws, (0.5, 1))
        },
        # Under this law the thesis has HeteroFL in SHeteroFL's place.
        **{
            f"lognormal_heterofl_{width:g}": _to_heterofl(width, budgets="lognormal")
            for width in (0.5, 1)
        },
    },
    "c4-03": {
        "quarter": lambda r: (at(r, "sheterofl", 1), at(r, "sheterofl", 0.25)),
        "fedavg": lambda r: (at(r, "sheterofl", 1), r.accuracy(**fedavg(r, 1))),
    },
    "c4-04": {
        **{f"{wide:g}": _wider(narrow, wide) for narrow, wide in pairwise(WIDTHS)},
        **{f"rounds_{wide:g}": _sooner(wide, narrow) for narrow, wide in pairwise(WIDTHS)},
    },
    "c4-05": {
        "sheterofl": _sooner({"method": "splitmix"}, {"method": "sheterofl"}),
        "fedavg": _sooner({"method": "splitmix"}, 0.125),
    },
    "c4-06": {
        "one_base": _with_a_small_base(lambda r: (best(r, "sheterofl"), at(r, "splitmix", 0.125)))
    },
    # Said of the digits, whose domains differ; where classes do, it is said not to be so.
    "c4-07": {"fedavg": _with_a_small_base(_over_domains(_to_fedavg(1)))},
    "c4-08": {"fedavg": _to_fedavg(0.125)},
    "c4-09": {
        "bits": _sent,
        "accuracy": _ahead(1),
        "multiplications": _multiplied(DIGITS),
        "multiplications_photographs": _multiplied(PHOTOGRAPHS),
    },
    "c4-10": {"mean": _over_domains(_ahead(1)), "spread": _spread},
    "c4-11": {
        **{
            f"domain_{domain}_{width:g}": _in_domain(domain, width)
            for domain, width in product(DOMAINS, WIDTHS)
        },
        "spread": _steadier,
    },
    "c4-13": {
        **{name: _mixed(narrow, wide) for name, narrow, wide in STEPS_OF_WIDTH},
        **{
            f"iid_{amount}_{name}": _of_data(_mixed(narrow, wide, **IID), half)
            for amount, half in AMOUNTS.items()
            for name, narrow, wide in STEPS_OF_WIDTH
        },
    },
    "c4-14": {
        "sheterofl": lambda r: _iid("sheterofl", 1, half=True)(r)[::-1],
        "fedavg": lambda r: _iid("fedavg", 1, half=True)(r)[::-1],
    },
    "c4-15": {
        f"{method}_{amount}": _iid(method, 0.125, half)
        for method in ("fedavg", "sheterofl")
        for amount, half in AMOUNTS.items()
    },
    "c4-16": {f"{width:g}": _rescaled(width) for width in WIDTHS},
    "c4-17": {"rescaled": _rescaled_ahead, "plain": _plain_behind},
    "c4-20": {
        f"{clients}_{width:g}": _ahead(width, clients_per_round=clients)
        for clients, width in product(FEW, (0.5, 1))
    },
}

HYPOTHESES: ByPart = {
    "splitmix_gain": _mixed(0.125, 1),
    "splitmix_spread": lambda r: _ahead(1, budget_order="spread")(r)[::-1],
    **{f"splitmix_layers_{width:g}": _layers_rescaled(width) for width in WIDTHS},
}
