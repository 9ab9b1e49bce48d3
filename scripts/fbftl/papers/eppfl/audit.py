"""Findings about paper eppfl."""

from collections.abc import Mapping, Sequence
from decimal import Decimal
from fractions import Fraction

import pandas as pd

from fbftl.cost.split import printed_uplink_bytes
from fbftl.findings.published import lookup
from fbftl.papers.audit import AuditRow, judged
from fbftl.papers.eppfl.published import SplitSetting, setup_of

Tables = Mapping[str, pd.DataFrame]


def rows(published: Tables) -> list[AuditRow]:
    """Return the paper's rows.

    Args:
        published: `printed`, accuracies and differences; `setup`; `statements`, what the text says
            in numbers; `script`, what the public code does.
    """
    setup = setup_of(published["setup"], published["script"])
    printed, stated = published["printed"], published["statements"]
    return [
        a1(printed),
        a2(printed),
        a3(stated, setup),
        a4(stated, setup),
        a5(stated, setup),
        a6(stated, setup),
        a7(printed),
        *a8_to_a9(stated, published["script"]),
        a10(stated, setup),
        a17(stated, setup),
    ]


def accuracies(printed: pd.DataFrame) -> dict[str, Decimal]:
    """Return the printed accuracies by setting, and DPFL5's, which follows from a difference."""
    shown = printed[printed["quantity"] == "accuracy"]
    found = dict(zip(shown["setting"], map(Decimal, shown["printed"]), strict=True))
    below = lookup(printed, setting="DPFL5 below DPFL10", quantity="difference")
    return found | {"DPFL5": found["DPFL10"] - below}


def difference(printed: pd.DataFrame, less: str, more: str) -> tuple[Decimal, Fraction]:
    """Return a difference in points as it is printed, and as the printed accuracies give it."""
    accuracy = accuracies(printed)
    told = lookup(printed, setting=f"{less} below {more}", quantity="difference")
    return told, Fraction(accuracy[more] - accuracy[less])


def _differences(
    id: str, where: str, printed: pd.DataFrame, pairs: Sequence[tuple[str, str]], explanation: str
) -> AuditRow:
    told, computed = zip(*(difference(printed, *pair) for pair in pairs), strict=True)
    return AuditRow(
        id,
        where,
        "; ".join(map(str, told)),
        "; ".join(f"{float(value):.2f}" for value in computed),
        "points",
        judged(told, computed),
        explanation,
    )


def a1(printed: pd.DataFrame) -> AuditRow:
    """DPFL10 below Vanilla2."""
    return _differences(
        "A1",
        "Sec. 3.2, DPFL10 below Vanilla2",
        printed,
        [("DPFL10", "Vanilla2")],
        "75.92 less 72.53 is 3.39; the printed difference follows from no two printed accuracies.",
    )


def a2(printed: pd.DataFrame) -> AuditRow:
    """The other differences."""
    return _differences(
        "A2",
        "Sec. 3.2 and 3.3, other differences",
        printed,
        [("DPFL1", "DPFL5"), ("EPPFL", "DPFL5"), ("EPPFL", "Vanilla2")],
        "All three follow from the printed accuracies, DPFL5's being 69.38 %.",
    )


def a3(stated: pd.DataFrame, setup: SplitSetting) -> AuditRow:
    """Gradients of a batch."""
    told = lookup(stated, quantity="gradients_of_a_batch")
    return AuditRow(
        "A3",
        "Sec. 2.3, bytes received",
        str(told),
        str(setup.batch),
        "gradients of a map for each mini-batch",
        judged([told], [setup.batch]),
        "The loss has a gradient at every sample's activations; the formula for what is received "
        "counts one per mini-batch where that for what is sent counts one per sample.",
    )


def a4(stated: pd.DataFrame, setup: SplitSetting) -> AuditRow:
    """More bytes than FedAvg."""
    told = lookup(stated, quantity="uplink_over_fedavg")
    fedavg = 4 * setup.parameters
    shares = (1.0, setup.share)
    ratios = [
        printed_uplink_bytes(setup.samples, setup.epochs, share, setup.cut.width) / fedavg
        for share in shares
    ]
    return AuditRow(
        "A4",
        f"Sec. 2.3 and 3.3, shares {' and '.join(f'{share:g}' for share in shares)}",
        "; ".join([str(told)] * len(ratios)),
        "; ".join(f"{float(ratio):.2f}" for ratio in ratios),
        "times FedAvg's uplink per client and round",
        judged([told] * len(ratios), ratios),
        f"By its own formula a client sends more activations than the {setup.parameters:,} weights "
        "that FedAvg sends: offloading saves computation, not communication.",
    )


def a5(stated: pd.DataFrame, setup: SplitSetting) -> AuditRow:
    """One number for all weights."""
    told = lookup(stated, quantity="numbers_in_a_mask")
    return AuditRow(
        "A5",
        "Eq. (8)",
        str(told),
        f"{setup.client_parameters:,}",
        "random numbers that hide the clients' weights",
        judged([told], [setup.client_parameters]),
        "One number added to every weight leaves their differences as they are: all but the mean "
        "shows.",
    )


def a6(stated: pd.DataFrame, setup: SplitSetting) -> AuditRow:
    """Every client holds the seed."""
    told = lookup(stated, quantity="clients_unmasked_by_one")
    return AuditRow(
        "A6",
        "Sec. 2.5, seed",
        str(told),
        str(setup.clients),
        "clients whose weights the aggregator reads with one client's help",
        judged([told], [setup.clients]),
        "Seed and function give every client the masks of all others; here each shares a key of "
        "its own with the dealer.",
    )


def a7(printed: pd.DataFrame) -> AuditRow:
    """Protected inference."""
    accuracy = accuracies(printed)
    return AuditRow(
        "A7",
        "Figs. 4 and 5, DPFL1 and EPPFL",
        f"{accuracy['DPFL1']}; {accuracy['EPPFL']}",
        "",
        "% accuracy",
        judged([], []),
        "The public code tests with dropping and noise on, which the paper does not say: these are "
        "accuracies of protected inference, and those of clean inference are not known.",
    )


def a8_to_a9(stated: pd.DataFrame, script: pd.DataFrame) -> list[AuditRow]:
    """What the public code keeps, and where it adds noise."""
    told = {
        "A8": (
            "largest_gradients_kept",
            "Sec. 2.3, gradient selection",
            "share kept of the largest gradients",
            "The public code's hook keeps the smallest magnitudes.",
        ),
        "A9": (
            "noisy_when_dropped",
            "Eq. (7) and Sec. 2.3",
            "share of dropped positions that get noise",
            "The public code drops a share of the whole batch and then adds noise everywhere, so "
            "that a dropped activation is sent as noise and nothing is saved.",
        ),
    }
    found = []
    for id, (quantity, where, unit, explanation) in told.items():
        said, does = (lookup(of, quantity=quantity) for of in (stated, script))
        verdict = judged([said], [Fraction(does)])
        found.append(AuditRow(id, where, str(said), str(does), unit, verdict, explanation))
    return found


def a10(stated: pd.DataFrame, setup: SplitSetting) -> AuditRow:
    """Parameters of the public code's network."""
    told = lookup(stated, quantity="parameters")
    return AuditRow(
        "A10",
        "public code, VGG-19 without batch normalisation",
        f"{int(told):,}",
        f"{setup.parameters:,}",
        "parameters",
        judged([told], [setup.parameters]),
        "Sixteen convolutions, four poolings, dense layers from 2,048 to 512, 512 and 10.",
    )


def a17(stated: pd.DataFrame, setup: SplitSetting) -> AuditRow:
    """Laplace noise per coordinate."""
    told = lookup(stated, quantity="epsilon_of_an_upload")
    return AuditRow(
        "A17",
        "Eq. (7), first convolution of VGG-19 at 32 pixels",
        str(told),
        f"{setup.cut.width:,}",
        "times ε in total",
        judged([told], [setup.cut.width]),
        "Laplace noise of scale Δ/ε on each activation is ε-DP for that activation, with δ = 0; "
        "all that is sent together is bounded by their number times ε only.",
    )
