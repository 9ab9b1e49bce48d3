"""Findings about paper eppfl."""

from collections.abc import Mapping
from decimal import Decimal
from fractions import Fraction

import pandas as pd

from fbftl.cost.split import printed_uplink_bytes
from fbftl.findings.published import by_quantity, lookup
from fbftl.papers.audit import AuditRow, finding
from fbftl.papers.eppfl.published import SplitSetting, setup_of


def rows(published: Mapping[str, pd.DataFrame]) -> list[AuditRow]:
    """Return the paper's findings.

    Args:
        published: `printed`, accuracies and differences; `setup`; `statements`, what the text says
            in numbers; `script`, what the public code does.
    """
    setup = setup_of(published["setup"], published["script"])
    printed, script = published["printed"], by_quantity(published["script"])
    stated = by_quantity(published["statements"])
    accuracy = accuracies(printed)

    def against(id: str, quantity: str, computed: Decimal | int) -> AuditRow:
        """Return what the text states beside what follows from the setting or the public code."""
        number = int(stated[quantity])
        return finding(id, [number], [computed], "{:,}", printed="{:,}")

    return [
        _differences("A1", printed, [("DPFL10", "Vanilla2")]),
        _differences(
            "A2", printed, [("DPFL1", "DPFL5"), ("EPPFL", "DPFL5"), ("EPPFL", "Vanilla2")]
        ),
        against("A3", "gradients_of_a_batch", setup.batch),
        _uplink(stated["uplink_over_fedavg"], setup),
        against("A5", "numbers_in_a_mask", setup.client_parameters),
        against("A6", "clients_unmasked_by_one", setup.clients),
        finding("A7", [accuracy["DPFL1"], accuracy["EPPFL"]], []),
        against("A8", "largest_gradients_kept", script["largest_gradients_kept"]),
        against("A9", "noisy_when_dropped", script["noisy_when_dropped"]),
        against("A10", "parameters", setup.parameters),
        against("A17", "epsilon_of_an_upload", setup.cut.width),
    ]


def accuracies(printed: pd.DataFrame) -> dict[str, Decimal]:
    """Return the printed accuracies by setting, and DPFL5's, which follows from a difference."""
    shown = printed[printed["quantity"] == "accuracy"]
    by_setting = dict(zip(shown["setting"], map(Decimal, shown["printed"]), strict=True))
    below = lookup(printed, setting="DPFL5 below DPFL10", quantity="difference")
    return by_setting | {"DPFL5": by_setting["DPFL10"] - below}


def _differences(id: str, printed: pd.DataFrame, pairs: list[tuple[str, str]]) -> AuditRow:
    """Return differences in points as they are printed, and as the printed accuracies give them."""
    accuracy = accuracies(printed)
    published = [
        lookup(printed, setting=f"{less} below {more}", quantity="difference")
        for less, more in pairs
    ]
    computed = [Fraction(accuracy[more] - accuracy[less]) for less, more in pairs]
    return finding(id, published, computed, "{:.2f}")


def _uplink(printed: Decimal, setup: SplitSetting) -> AuditRow:
    """Return what a client sends over what FedAvg sends, without selection and with it."""
    shares = (1.0, setup.share)
    ratios = [
        printed_uplink_bytes(setup.samples, setup.epochs, share, setup.cut.width)
        / (4 * setup.parameters)
        for share in shares
    ]
    named = " and ".join(f"{share:g}" for share in shares)
    return finding("A4", [printed] * 2, ratios, "{:.2f}", shares=named, weights=setup.parameters)
