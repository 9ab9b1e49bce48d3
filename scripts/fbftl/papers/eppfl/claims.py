"""The claims of paper eppfl."""

from itertools import pairwise
from typing import Any

from fbftl.findings.comparison import Claimed, within
from fbftl.findings.printed import NEAR
from fbftl.papers.claims import BySeed, Claim, Runs

FIG2 = "Sec. 3.1, Fig. 2"
FIG4 = "Sec. 3.2, Fig. 4"
FIG5 = "Sec. 3.3, Fig. 5"

PLAIN = {"method": "eppfl", "network": "cnn", "local_epochs": 2}
NOISY = PLAIN | {"mechanism": "laplace", "sensitivity": "channel_maximum"}
HALVED = PLAIN | {"keep_activations": 0.5, "keep_gradients": 0.5}
LARGE = PLAIN | {"keep_gradients": 0.5}
SMALL = LARGE | {"kept_gradients": "small"}
LATER = {"client_part": "relu2_1"}

INFERENCES = {"clean": "test_accuracy", "protected": "protected_accuracy"}


def _percent(runs: Runs, column: str, axes: dict[str, Any]) -> BySeed:
    found = runs.measured(column, **axes)
    return BySeed(100 * found.values, found.diverged)


def _fewer_rounds(few: int, many: int) -> Claim:
    return Claim(
        f"{many} local epochs reach 90 % in fewer rounds than {few}",
        FIG2,
        lambda r: (
            r.measured("rounds_to_90", **PLAIN | {"local_epochs": many}),
            r.measured("rounds_to_90", **PLAIN | {"local_epochs": few}),
        ),
        unit="rounds",
    )


def _no_lower(less: int, more: int, inference: str) -> Claim:
    return Claim(
        f"Under {inference} inference ε = {more} is no less accurate than ε = {less}, to a point",
        FIG4,
        lambda r: (
            _percent(r, INFERENCES[inference], NOISY | {"epsilon": float(less)}),
            _percent(r, INFERENCES[inference], NOISY | {"epsilon": float(more)}),
        ),
        Claimed(low=-NEAR),
    )


EPOCHS = (
    *(_fewer_rounds(few, many) for few, many in ((2, 5), (5, 10))),
    Claim(
        "Ten local epochs end less accurate than two, by a point at least",
        FIG2,
        lambda r: (
            r.accuracy(**PLAIN | {"local_epochs": 10}),
            r.accuracy(**PLAIN),
        ),
        Claimed(low=1.0, seeds=5),
    ),
)

NOISE = tuple(
    _no_lower(less, more, inference)
    for inference in INFERENCES
    for less, more in pairwise((1, 3, 5, 10))
)

SELECTION = (
    Claim(
        "Half of the activations and gradients are half of their bits",
        FIG5,
        lambda r: (r.measured("value_bits", **HALVED), r.measured("value_bits", **PLAIN)),
        Claimed(low=2 * (1 - 1e-6), high=2 * (1 + 1e-6)),
        ratio=True,
    ),
    Claim(
        "Half of them costs three points at least under protected inference",
        FIG5,
        lambda r: (
            _percent(r, "protected_accuracy", HALVED),
            _percent(r, "protected_accuracy", PLAIN),
        ),
        Claimed(low=3.0),
    ),
    Claim(
        "The larger half of the gradients has at least twice the smaller half's squared norm",
        "Sec. 2.3",
        lambda r: (r.measured("kept_norm", **SMALL), r.measured("kept_norm", **LARGE)),
        Claimed(low=2.0),
        ratio=True,
    ),
    Claim(
        "At the paper's cut it makes no difference which half of the gradients is kept, to a point",
        "Sec. 2.3",
        lambda r: (r.accuracy(**SMALL), r.accuracy(**LARGE)),
        within(NEAR),
    ),
    Claim(
        "At a later cut keeping the larger half of the gradients is more accurate",
        "Sec. 2.3",
        lambda r: (r.accuracy(**SMALL | LATER), r.accuracy(**LARGE | LATER)),
    ),
)

CLAIMS = (*EPOCHS, *NOISE, *SELECTION)
