"""Hypotheses about one-shot uploads: what is said of FbFTL's rivals, and of FbFTL beside them.

Margins stood before the first run. Where a claim is about the best head of a message, that is the
one with the best mean.
"""

from collections.abc import Mapping
from typing import Any

from fbftl.findings.comparison import Claimed, within
from fbftl.findings.runs import settings_in
from fbftl.papers.claims import NOTHING, BySeed, Claim, Runs, Sides

PLAIN = {"method": "fbftl"}
MEANS = PLAIN | {"message": "means"}
STATISTICS = PLAIN | {"message": "statistics"}

BAND = 2.0
"""Points within which a message counts as good as features."""

NUMBERS = "numbers_per_batch"


def _best(runs: Runs, **axes: Any) -> BySeed:
    """Return the accuracy of the head that is best on average, all else as asked."""
    found = [
        runs.accuracy(**setting)
        for setting in settings_in(runs.table).values()
        if {axis: value for axis, value in setting.items() if axis != "head"} == axes
    ]
    found = [own for own in found if len(own.values)]
    return max(found, key=lambda own: float(own.values.mean()), default=NOTHING)


def _bits(runs: Runs, setting: Mapping[str, Any]) -> BySeed:
    return runs.measured("uplink_payload_bits", **setting)


def _message(message: str) -> Claim:
    def sides(runs: Runs) -> Sides:
        own = PLAIN | {"message": message}
        if message == "projected":
            sizes = {s["projection"] for s in settings_in(runs.table).values() if "projection" in s}
            own |= {"projection": max(sizes, default=None)}
        return runs.accuracy(**PLAIN), _best(runs, **own)

    return Claim(
        f"R2: the best head on {message} is as accurate as FbFTL, to two points",
        "docs/what-to-upload.md",
        sides,
        within(BAND),
    )


def _order(worse: dict[str, Any], better: dict[str, Any], words: str, source: str) -> Claim:
    return Claim(
        f"R3: {words}",
        source,
        lambda r: (r.accuracy(**PLAIN | worse), r.accuracy(**PLAIN | better)),
    )


def _edge(runs: Runs) -> tuple[float, list[int]] | None:
    """Return the K at which features and statistics cost the same, and the K at hand."""
    heads = [s for s in settings_in(runs.table).values() if s == STATISTICS | {"head": "lda"}]
    batch, clients = (runs.measured(name, **PLAIN).values for name in (NUMBERS, "upload_batches"))
    offered = runs.measured("offered", **PLAIN).values
    sizes = runs.shared("samples_per_client", PLAIN, STATISTICS | {"head": "lda"})
    if not heads or batch.empty or not sizes:
        return None
    width = float((batch * clients / offered).iloc[0])
    whole = float(runs.measured(NUMBERS, **heads[0]).values.iloc[0])
    return whole / width, [int(size) for size in sizes]


def _below(runs: Runs) -> Sides:
    """Return numbers per client of features, then of statistics, at the greatest K below."""
    edge = _edge(runs)
    sizes = [] if edge is None else [size for size in edge[1] if size < edge[0]]
    if not sizes:
        return NOTHING, NOTHING
    at = {"samples_per_client": max(sizes)}
    head = STATISTICS | {"head": "lda"}
    return runs.measured(NUMBERS, **PLAIN | at), runs.measured(NUMBERS, **head | at)


def _above(runs: Runs) -> Sides:
    """Return numbers per client of statistics, then of features, at the least K above."""
    edge = _edge(runs)
    sizes = [] if edge is None else [size for size in edge[1] if size > edge[0]]
    if not sizes:
        return NOTHING, NOTHING
    at = {"samples_per_client": min(sizes)}
    head = STATISTICS | {"head": "lda"}
    return runs.measured(NUMBERS, **head | at), runs.measured(NUMBERS, **PLAIN | at)


def _noised(runs: Runs, masked: bool, strict: bool) -> Sides:
    """Return the accuracy of noised features, then of noised statistics, at one epsilon."""
    trust = {"aggregation": "masked"} if masked else {}
    noise = {"mechanism": "gaussian"}
    own = STATISTICS | trust | noise
    shared = runs.shared("epsilon", PLAIN | noise, own | {"head": "lda"})
    if not shared:
        return NOTHING, NOTHING
    at = noise | {"epsilon": shared[0 if strict else -1]}
    return runs.accuracy(**PLAIN | at), _best(runs, **STATISTICS | trust | at)


def _private(strict: bool) -> tuple[Claim, Claim]:
    where = "strictest" if strict else "loosest"
    return (
        Claim(
            f"R5: at the {where} local epsilon noised features are more accurate than the best "
            "head on statistics that every client noises",
            "docs/what-to-upload.md",
            lambda r: _noised(r, masked=False, strict=strict)[::-1],
        ),
        Claim(
            f"R5: at the {where} epsilon the best head on statistics noised on their secure sum is "
            "more accurate than features that every client noises",
            "docs/what-to-upload.md",
            lambda r: _noised(r, masked=True, strict=strict),
        ),
    )


CLAIMS = (
    Claim(
        "R1: class means and counts cost less uplink than FbFTL's features",
        "docs/what-to-upload.md",
        lambda r: (_bits(r, MEANS | {"head": "fedncm"}), _bits(r, PLAIN)),
        Claimed(low=1),
        ratio=True,
    ),
    Claim(
        "FbFTL needs fewer uplink bits than every one-shot rival, not only than gradients",
        "paper fbftl, abstract",
        lambda r: (_bits(r, PLAIN), _bits(r, MEANS | {"head": "fedncm"})),
        Claimed(low=1),
        ratio=True,
    ),
    *(_message(name) for name in ("means", "statistics", "projected", "mixtures")),
    _order(
        {"message": "means", "head": "fedncm"},
        {"message": "means", "head": "fedcof"},
        "on class means FedCOF is more accurate than FedNCM",
        "arXiv:2412.14326",
    ),
    _order(
        {"message": "statistics", "head": "afl"},
        {"message": "statistics", "head": "lda"},
        "on statistics GH-LDA is more accurate than AFL",
        "arXiv:2602.01186",
    ),
    _order(
        {"message": "statistics", "head": "fedcgs"},
        {"message": "statistics", "head": "lda"},
        "on statistics GH-LDA is more accurate than FedCGS",
        "arXiv:2602.01186",
    ),
    Claim(
        "R4: at the greatest K below (d + 1) / 2 + N that was run, features cost less uplink than "
        "statistics",
        "docs/what-to-upload.md",
        _below,
        Claimed(low=1),
        ratio=True,
    ),
    Claim(
        "R4: at the least K above it that was run, statistics cost less uplink than features",
        "docs/what-to-upload.md",
        _above,
        Claimed(low=1),
        ratio=True,
    ),
    *_private(strict=True),
    *_private(strict=False),
)
