"""What decides sentences of paper eppfl that need no runs: counts, an identity, audit rows."""

from collections.abc import Mapping

from fbftl.findings.comparison import Measured
from fbftl.papers.eppfl.claims import HALVES, VANILLA2
from fbftl.papers.formulas import Decides, Decision, PaperRecord, audited, identical
from fbftl.papers.registry import Sentence, numbers_in

NEAR = 1e-6
"""Share by which a count of a half may be off, since an odd number of values has none."""


def _half(sentence: Sentence, record: PaperRecord) -> Decision | None:
    """Decide by the bits of all values over those of half of them."""
    times = numbers_in(sentence.margin)[0]
    for runs in record.runs:
        whole, half = (
            runs.measured("value_bits", **setting) for setting in (VANILLA2, VANILLA2 | HALVES)
        )
        ratios = (whole / half).values
        if len(ratios):
            holds = bool((abs(ratios / times - 1) <= NEAR).all())
            mean = Measured.of(list(ratios)).mean
            return Decision("bits of all values over half of them", f"{mean:.6f} times", holds)
    return None


FORMULAS: Mapping[str, Decides] = {
    "eppfl-13": _half,
    "eppfl-19": audited("A3"),
    "eppfl-20": audited("A4"),
    "eppfl-25": identical("test_accuracy", VANILLA2, VANILLA2 | {"method": "fedavg"}),
}
