"""What decides sentences of paper thesis that need no runs: bounds, schedules, layers, counts."""

from collections.abc import Callable, Mapping
from fractions import Fraction
from itertools import pairwise
from math import log

from fbftl.cost.layers import parameters
from fbftl.cost.widths import digits_cnn
from fbftl.findings.published import by_quantity
from fbftl.papers.exact import FormulaCase, Function
from fbftl.papers.formulas import Decides, Decision, PaperRecord, audited
from fbftl.papers.registry import Sentence
from fbftl.papers.thesis.claims_ecos import scored
from fbftl.papers.thesis.claims_fade import adapted
from fbftl.papers.thesis.work_of_widths import trained_by_client
from fbftl.privacy.accounting import loose_zcdp_rho
from fbftl.privacy.schedules import best_steps, dynamic_bound, named, spent, uniform_bound

KAPPA = 100
"""Condition number at which the bounds are evaluated."""

SAMPLES = (10_000, 100_000, 1_000_000)
"""N at which they are, alpha being KAPPA / N²."""

MOST_STEPS = 4000
"""Among which the best number of steps is looked for."""

NEAR = 0.1
"""Share up to which growth from one N to the next counts as the same."""

STEPS, DECAY = 100, 3.0
"""Where the schedules' cost is evaluated."""

SAME_WEIGHT = 1e-5
"""Up to which two weights in single precision are the same after some steps."""

Bound = Callable[[int, float, float], float]


def _at_best(bound: Bound, samples: int) -> tuple[int, float, float]:
    """Return the best number of steps, the bound there, and alpha."""
    alpha, gamma = KAPPA / samples**2, 1 - 1 / KAPPA
    steps = best_steps(bound, alpha, gamma, MOST_STEPS)
    return steps, bound(steps, alpha, gamma), alpha


def _steady(values: list[float]) -> bool:
    """Tell whether values at N that grow tenfold grow by the same, as a logarithm does."""
    first, *others = (later - earlier for earlier, later in pairwise(values))
    return first > 0 and all(abs(other / first - 1) <= NEAR for other in others)


def _shown(values: list[float], form: str = "{:.2f}") -> str:
    pairs = zip(values, SAMPLES, strict=True)
    return "; ".join(f"{form.format(value)} at N = {samples:,}" for value, samples in pairs)


def _ratio_of_bounds(sentence: Sentence, record: PaperRecord) -> Decision:
    """Decide by the bound of even noise over that of the dynamic schedule."""
    ratios = [_at_best(uniform_bound, n)[1] / _at_best(dynamic_bound, n)[1] for n in SAMPLES]
    return Decision("bound of Theorem 3 over Theorem 4's", _shown(ratios), _steady(ratios))


def _order_of_bound(sentence: Sentence, record: PaperRecord) -> Decision:
    """Decide by the dynamic schedule's bound over alpha."""
    bounds = [bound / alpha for _, bound, alpha in (_at_best(dynamic_bound, n) for n in SAMPLES)]
    holds = all(abs(more / fewer - 1) <= NEAR for fewer, more in pairwise(bounds))
    return Decision("bound of Theorem 4 over α", _shown(bounds, "{:,.0f}"), holds)


def _order_of_steps(sentence: Sentence, record: PaperRecord) -> Decision:
    """Decide by the best number of steps over N."""
    steps = [float(_at_best(dynamic_bound, n)[0]) for n in SAMPLES]
    return Decision("best number of steps by Theorem 4", _shown(steps, "{:,.0f}"), _steady(steps))


def _budgets(sentence: Sentence, record: PaperRecord) -> Decision:
    """Decide by R of zCDP beside that of the moments accountant.

    With the sign that Lemma 4 prints (audit row A1) R would be the greater; the chapter's own R is
    that of the right sign.
    """
    printed = by_quantity(record.published["ch2"])
    epsilon, delta = float(printed["epsilon"]), float(printed["delta"])
    by_zcdp, by_moments = 2 * loose_zcdp_rho(epsilon, delta), epsilon**2 / log(1 / delta)
    shown = f"{by_zcdp:.4f} against {by_moments:.4f}"
    quantity = "R by zCDP as the chapter spends it, not as Lemma 4 prints it, against ε²/ln(1/δ)"
    return Decision(quantity, shown, by_zcdp > by_moments)


def _spent(sentence: Sentence, record: PaperRecord) -> Decision:
    """Decide by what each schedule costs of one budget."""
    budget = float(by_quantity(record.published["ch2"])["budget"])
    costs = {
        name: spent(named(name, budget, STEPS, DECAY)) for name in ("uniform", "exp", "dynamic")
    }
    shown = "; ".join(f"{name} {cost / 2:.4f}" for name, cost in costs.items())
    holds = all(cost <= budget * (1 + 1e-9) for cost in costs.values())
    return Decision(f"ρ of {STEPS} steps, R/2 being {budget / 2:.4f}", shown, holds)


def _as_central(sentence: Sentence, record: PaperRecord) -> Decision:
    """Decide by the weights of both after equal steps."""
    # It trains, and nothing else here needs torch.
    from fbftl.papers.thesis.central import ROUNDS, largest_difference

    apart = largest_difference()
    quantity = f"largest difference of a weight after {ROUNDS} rounds of one step each"
    return Decision(quantity, f"{apart:.1e}", apart <= SAME_WEIGHT)


KILO = 1000
"""Bytes of a KB."""

PAIR = 2
"""Users of the adaptation, one of the labelled domain and one of the other."""


def _messages(sentence: Sentence, record: PaperRecord) -> Decision | None:
    """Decide by uploads of a round, a broadcast being as long as each, against source times target.

    All users take part in it, one of each domain.
    """
    for runs in record.runs:
        up, down = (
            runs.measured(column, **adapted("plain")).values
            for column in ("uplink_bits", "downlink_bits")
        )
        if len(up):
            per_round = up / down
            shown = f"{per_round.mean():g} of {PAIR} users"
            return Decision("uploads in a round", shown, bool((per_round == PAIR).all()))
    return None


def _trained(sentence: Sentence, record: PaperRecord) -> Decision:
    """Decide by the share of weights in the slice that a quarter's budget allows."""
    stated = by_quantity(record.published["ch4"])
    widths = [stated[f"budget_of_quarter_{quarter}"] for quarter in (1, 2, 3, 4)]
    whole = parameters(digits_cnn(Fraction(1)))
    shares = [parameters(digits_cnn(Fraction(width))) / whole for width in widths]
    shown = "; ".join(f"{share:.1%}" for share in shares)
    holds = all(share < 1 for share in shares[1:])
    return Decision("weights in SHeteroFL's slices, by quarter", shown, holds)


def _scores(sentence: Sentence, record: PaperRecord) -> Decision | None:
    """Decide by the bits of 25, 50 and 100 scores."""
    for runs in record.runs:
        counted = [
            runs.measured("uplink_bits", **scored(centroids, None)).values
            for centroids in (25, 50, 100)
        ]
        if all(len(bits) for bits in counted):
            few, some, many = counted
            shown = "; ".join(f"{bits.mean():,.0f}" for bits in counted)
            holds = bool(((many - some) == 2 * (some - few)).all())
            return Decision("bits up at R = 25, 50, 100", shown, holds)
    return None


def _bytes_of_scores(sentence: Sentence, record: PaperRecord) -> Decision:
    """Decide by the bytes of all scores, each as long as a number of the centroids' printed ones.

    Numbers have whole bytes.
    """
    stated = by_quantity(record.published["ch5"])
    scores, features, upload, download = (
        float(stated[name]) for name in ("centroids", "features", "upload", "download")
    )
    of_number = round(KILO * download / (scores * features))
    shown = f"{scores * of_number:g} beside {upload:g} bytes, at {of_number} for a number"
    return Decision(
        f"bytes of {scores:g} scores, if a number is as long as in {download:g} KB of centroids",
        shown,
        scores * of_number == upload,
    )


FORMULAS: Mapping[str, Decides] = {
    "c2-06": _ratio_of_bounds,
    "c2-07": _order_of_bound,
    "c2-11": _budgets,
    "c2-12": audited("A6"),
    "c2-13": _spent,
    "c2-14": _order_of_steps,
    "c3-07": _as_central,
    "c3-08": audited("A31"),
    "c3-20": _messages,
    "c4-12": _trained,
    "c4-26": audited("A20", "A21"),
    "c5-20": audited("A12"),
    "c5-21": _bytes_of_scores,
    "c5-22": _scores,
    "c5-24": audited("A13"),
}


def ratio_of_bounds(case: FormulaCase) -> Decision:
    """Decide whether the bound of even noise over the dynamic one's grows as ln N."""
    sizes = list(map(int, case.part.along))
    ratios = [_at_best(uniform_bound, n)[1] / _at_best(dynamic_bound, n)[1] for n in sizes]
    pairs = zip(ratios, sizes, strict=True)
    shown = "; ".join(f"{ratio:.2f} at N = {samples:,}" for ratio, samples in pairs)
    return Decision("bound of Theorem 3 over Theorem 4's", shown, _steady(ratios))


def as_central(case: FormulaCase) -> Decision:
    """Decide by the weights of FADE and of pooled training after equal steps."""
    # It trains, and nothing else here needs torch.
    from fbftl.papers.thesis.central import ROUNDS, largest_difference

    apart = largest_difference()
    quantity = f"largest difference of a weight after {ROUNDS} rounds of one step each"
    return Decision(quantity, f"{apart:.1e}", apart <= SAME_WEIGHT)


def group_not_sent(case: FormulaCase) -> Decision:
    """Decide by the kinds of message that the ledger knows: none of them is a group."""
    from fbftl.messages.ledger import PARTS

    shown = ", ".join(sorted(PARTS))
    return Decision("what messages may hold", shown, not {"group", "groups"} & PARTS)


def trained_by_clients(case: FormulaCase) -> Decision:
    """Decide by multiplications of a gradient step, mean over budgets, of two methods."""
    counted = {
        method: trained_by_client(data, method)
        for method, data in (side.split(": ") for side in (case.a, case.b))
    }
    more, fewer = counted.values()
    shown = "; ".join(f"{name} {count:,.0f}" for name, count in counted.items())
    return Decision("multiplications of an image's way forward", shown, more > fewer)


FUNCTIONS: Mapping[str, Function] = {
    "ratio_of_bounds": ratio_of_bounds,
    "as_central": as_central,
    "group_not_sent": group_not_sent,
    "trained_by_client": trained_by_clients,
}
