"""Findings about paper eppfl."""

from collections.abc import Callable
from decimal import Decimal
from fractions import Fraction

from fbftl.models.cost.payload import printed_uplink_bytes
from fbftl.papers.audit import AuditFinding, finding
from fbftl.papers.eppfl.claims import setup_of
from fbftl.papers.record import PaperRecord

Find = Callable[[PaperRecord], AuditFinding]


def accuracies(record: PaperRecord) -> dict[str, Decimal]:
    """Return the printed accuracies by setting, and DPFL5's, which follows from a difference."""
    printed = record.published["printed"]
    shown = printed[printed["quantity"] == "accuracy"]
    by_setting = dict(zip(shown["setting"], map(Decimal, shown["printed"]), strict=True))
    below = record.number("printed", setting="DPFL5 below DPFL10", quantity="difference")
    return by_setting | {"DPFL5": by_setting["DPFL10"] - below}


def _differences(*pairs: tuple[str, str]) -> Find:
    """Return what finds differences in points, printed and by the printed accuracies."""

    def find(record: PaperRecord) -> AuditFinding:
        accuracy = accuracies(record)
        published = [
            record.number("printed", setting=f"{less} below {more}", quantity="difference")
            for less, more in pairs
        ]
        computed = [Fraction(accuracy[more] - accuracy[less]) for less, more in pairs]
        return finding(published, computed, "{:.2f}")

    return find


def _against(quantity: str, computed: Callable[[PaperRecord], Decimal | int]) -> Find:
    """Return what finds a number of the text beside what follows from setting or public code."""

    def find(record: PaperRecord) -> AuditFinding:
        number = int(record.number("statements", quantity=quantity))
        return finding([number], [computed(record)], "{:,}", printed="{:,}")

    return find


def _in_code(quantity: str) -> Find:
    """Return what finds a number of the text beside the public code's."""
    return _against(quantity, lambda record: record.number("script", quantity=quantity))


a1 = _differences(("DPFL10", "Vanilla2"))
a2 = _differences(("DPFL1", "DPFL5"), ("EPPFL", "DPFL5"), ("EPPFL", "Vanilla2"))
a3 = _against("gradients_of_a_batch", lambda record: setup_of(record).batch)


def a4(record: PaperRecord) -> AuditFinding:
    """What a client sends over what FedAvg sends, without selection and with it."""
    printed, setup = record.number("statements", quantity="uplink_over_fedavg"), setup_of(record)
    shares = (1.0, setup.share)
    ratios = [
        printed_uplink_bytes(setup.samples, setup.epochs, share, setup.cut.width)
        / (4 * setup.parameters)
        for share in shares
    ]
    named = " and ".join(f"{share:g}" for share in shares)
    return finding([printed] * 2, ratios, "{:.2f}", shares=named, weights=setup.parameters)


a5 = _against("numbers_in_a_mask", lambda record: setup_of(record).client_parameters)
a6 = _against("clients_unmasked_by_one", lambda record: setup_of(record).clients)


def a7(record: PaperRecord) -> AuditFinding:
    """Accuracies of protected inference, beside which none is known."""
    accuracy = accuracies(record)
    return finding([accuracy["DPFL1"], accuracy["EPPFL"]], [])


a8 = _in_code("largest_gradients_kept")
a9 = _in_code("noisy_when_dropped")
a10 = _against("parameters", lambda record: setup_of(record).parameters)
a17 = _against("epsilon_of_an_upload", lambda record: setup_of(record).cut.width)
