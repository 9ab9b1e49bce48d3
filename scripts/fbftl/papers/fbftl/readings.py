"""Readings of Tables III and IV of paper fbftl: one way to compute one of their cells by formula.

Table III is of VGG-16 on CIFAR-10, Table IV of FLAN-T5-small on SAMSum.

A cell has one reading *as printed*, by the equation in the text; where the equation is at fault one
that is *corrected*; and where neither gives the printed number but another count does, one *as
tabulated*. The audit rows in `docs/papers/fbftl.md` argue each difference.
"""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from decimal import Decimal
from fractions import Fraction

import pandas as pd

from fbftl.findings.published import SCALES, Verdict, at_printed_precision, formula_verdict
from fbftl.findings.shown import ShownMethod
from fbftl.findings.tables import VERDICT, Column
from fbftl.ground.floats import FLOAT_BITS
from fbftl.models.cost import compute, payload
from fbftl.models.cost.architectures import FLAN_T5_SMALL, t5, vgg16
from fbftl.models.cost.layers import Network, parameters, products
from fbftl.models.cost.payload import Federation
from fbftl.papers.fbftl.setup import epochs, federation
from fbftl.papers.record import PaperRecord

AS_PRINTED = "as printed"
CORRECTED = "corrected"
AS_TABULATED = "as tabulated"
TOKEN_IDS = "token ids"

CUT_SHORT = "_low"
"""Ends the name of a run that stops where FTL_c's accuracy is reached, as Table III writes it."""

TO_ACCURACY = ", up to FTL_c's accuracy"
"""What such a run's label ends with."""

EQUATIONS = {
    "fl": ("Eq. (2)", "Eq. (10)", "Eq. (14)"),
    "sfl": ("as Eq. (2)", "as Eq. (10)", "as Eq. (14)"),
    "ftl_f": ("Eq. (3)", "Eq. (11)", "Eq. (15)"),
    "ftl_c": ("Eq. (4)", "Eq. (12)", "Eq. (16)"),
    "fbftl": ("Eq. (6)", "Eq. (13)", "Eq. (17)"),
}
"""Equations of uplink, downlink and client computation; the text has none of SFL's own."""


@dataclass(frozen=True)
class Reading:
    """One way to compute one cell of a table.

    method: column of the table; `fl_low` and `ftl_f_low` are runs of `fl` and `ftl_f` cut short.
    basis: the equation, or the count in words.
    value: exact, in batches, numbers, bits or multiplications.
    audit: audit row that argues a difference.
    """

    method: str
    quantity: str
    reading: str
    basis: str
    value: int
    audit: str = ""


def uploads(
    method: str, reading: str, basis: str, batches: int, numbers: int, audit: str = ""
) -> Iterator[Reading]:
    """Yield the three cells that follow from the numbers in a batch."""
    per_batch = FLOAT_BITS * numbers
    total = payload.uplink_bits(batches, numbers)
    yield Reading(method, "numbers_per_batch", reading, basis, numbers, audit)
    yield Reading(method, "uplink_per_batch", reading, f"d × ({basis})", per_batch, audit)
    equation = EQUATIONS[method.removesuffix(CUT_SHORT)][0]
    yield Reading(method, "total_uplink", reading, f"{equation}: {basis}", total, audit)


BY_ROUNDS = ("fl", "sfl", "fl_low", "ftl_f", "ftl_f_low", "ftl_c")
"""Columns of methods that train by rounds; `_low` stops where FTL_c's accuracy is reached."""


def image_readings(record: PaperRecord) -> list[Reading]:
    """Return the readings of Table III: VGG-16, cut as there, at the epochs to convergence."""
    network, clients = vgg16(), federation(record, "cifar10")
    counts = {name: epochs(record, "table3", clients.clients, method=name) for name in BY_ROUNDS}
    readings: list[Reading] = []
    for row in BY_ROUNDS:
        of_row = _sfl if row == "sfl" else _gradient
        readings += of_row(row, network, clients, counts[row])
    return [*readings, *_fbftl(network, clients, counts["ftl_c"])]


def table3(record: PaperRecord, method: str, quantity: str, reading: str = AS_PRINTED) -> int:
    """Return the exact value of a cell of Table III by one reading."""
    key = method, quantity, reading
    return next(
        of.value for of in image_readings(record) if (of.method, of.quantity, of.reading) == key
    )


def _gradient(row: str, network: Network, clients: Federation, count: int) -> Iterator[Reading]:
    """Yield the cells of one gradient scheme."""
    method = row.removesuffix(CUT_SHORT)
    _, downlink, computation = EQUATIONS[method]
    batches = clients.upload_batches(count)
    rounds = clients.rounds(count)
    scope = "Σ T, m ≥ m_c" if method == "ftl_c" else "Σ T"
    yield Reading(row, "upload_batches", AS_PRINTED, f"I U C: {count} epochs × U", batches)
    numbers = payload.numbers_per_batch(network, method)
    yield from uploads(row, AS_PRINTED, scope, batches, numbers)
    broadcast = payload.downlink_bits(network, method, rounds)
    audit = {"ftl_f": "A5", "ftl_c": "A22"}.get(row, "")
    yield Reading(row, "total_downlink", AS_PRINTED, downlink, broadcast, audit)
    if method == "ftl_c":
        whole = payload.broadcast_bits(parameters(network.layers), rounds)
        yield Reading(row, "total_downlink", AS_TABULATED, "Σ T every round", whole, "A22")
    printed = compute.client_multiplications_in_text(network, method, clients, batches)
    yield Reading(row, "client_multiplications", AS_PRINTED, computation, printed, "A9")
    corrected = compute.client_multiplications(network, method, clients, batches)
    basis = f"{computation} with every sample of a client"
    yield Reading(row, "client_multiplications", CORRECTED, basis, corrected, "A9")


def _sfl(row: str, network: Network, clients: Federation, count: int) -> Iterator[Reading]:
    """Yield the cells of split federated learning, for which the text has one formula."""
    batches = clients.upload_batches(count)
    rounds = clients.rounds(count)
    samples = clients.samples_per_client
    yield Reading(row, "upload_batches", AS_PRINTED, f"I U C: {count} epochs × U", batches)
    numbers = payload.sfl_numbers_per_batch_in_text(network, samples)
    yield from uploads(row, AS_PRINTED, "K_u N⁻ + Σ T, m ≥ m_c", batches, numbers, "A6")
    numbers = payload.sfl_numbers_per_batch(network, samples)
    yield from uploads(row, CORRECTED, "Σ T, m < m_c, + K_u N⁻", batches, numbers, "A6")
    numbers = payload.sfl_numbers_per_batch_in_table(network)
    yield from uploads(row, AS_TABULATED, "Σ T, m < m_c, + N⁻", batches, numbers, "A6")
    downlink = payload.sfl_downlink_bits(network, samples, rounds, batches)
    basis = "d I (Σ T, m < m_c, + U C K_u N⁻)"
    yield Reading(row, "total_downlink", CORRECTED, basis, downlink, "A6")
    tabulated = payload.broadcast_bits(numbers, rounds)
    basis = "d I (Σ T, m < m_c, + N⁻)"
    yield Reading(row, "total_downlink", AS_TABULATED, basis, tabulated, "A6")
    own_part = compute.client_multiplications(network, row, clients, batches)
    basis = "Eq. (14) over m < m_c with every sample of a client"
    yield Reading(row, "client_multiplications", CORRECTED, basis, own_part, "A9")
    whole = compute.client_multiplications(network, "fl", clients, batches)
    basis = "as FL: all layers at the clients"
    yield Reading(row, "client_multiplications", AS_TABULATED, basis, whole, "A9")


def _fbftl(network: Network, clients: Federation, server_epochs: int) -> Iterator[Reading]:
    """Yield the cells of FbFTL, whose batch is one sample."""
    batches = clients.samples
    yield Reading("fbftl", "upload_batches", AS_PRINTED, "Σ K_u", batches)
    numbers = payload.numbers_per_batch(network, "fbftl")
    yield from uploads("fbftl", AS_PRINTED, "N⁻", batches, numbers)
    _, downlink, computation = EQUATIONS["fbftl"]
    broadcast = payload.downlink_bits(network, "fbftl", rounds=1)
    yield Reading("fbftl", "total_downlink", AS_PRINTED, downlink, broadcast)
    printed = compute.client_multiplications_in_text(network, "fbftl", clients, batches)
    yield Reading("fbftl", "client_multiplications", AS_PRINTED, computation, printed, "A9")
    corrected = compute.client_multiplications(network, "fbftl", clients, batches)
    basis = "Eq. (17) with Σ K_u for U"
    yield Reading("fbftl", "client_multiplications", CORRECTED, basis, corrected, "A23")
    whole = batches * products(network.layers)
    basis = "Σ K_u × forward pass of all layers, biases not counted"
    yield Reading("fbftl", "client_multiplications", AS_TABULATED, basis, whole, "A23")
    server = compute.server_multiplications(network, batches, server_epochs)
    basis = f"2 × {server_epochs} epochs × Σ K_u Σ X, m ≥ m_c"
    yield Reading("fbftl", "server_multiplications", AS_PRINTED, basis, server)


TRAINED = {8: ("ftl_f", "ftl_c"), 4: ("ftl_c",), 2: ("ftl_c",)}
"""Methods that train by rounds, by the number of trained encoders."""


def language_readings(record: PaperRecord, trained_encoders: int) -> list[Reading]:
    """Return the readings of Table IV for one number of trained encoders, of `TRAINED`."""
    clients = federation(record, "samsum")
    printed = t5(FLAN_T5_SMALL, trained_encoders, embedding_copies=3)
    distinct = t5(FLAN_T5_SMALL, trained_encoders)
    readings: list[Reading] = []
    for method in TRAINED[trained_encoders]:
        key = {"method": method, "trained_encoders": trained_encoders}
        count = epochs(record, "table4", clients.clients, **key)
        readings += _gradient_language(method, printed, distinct, clients, count)
    return [*readings, *_fbftl_language(printed, distinct, clients, record.mean_tokens)]


def _gradient_language(
    method: str, printed: Network, distinct: Network, clients: Federation, count: int
) -> Iterator[Reading]:
    """Yield the cells of one gradient scheme of Table IV."""
    batches = clients.upload_batches(count)
    rounds = clients.rounds(count)
    _, downlink, _ = EQUATIONS[method]
    yield Reading(method, "upload_batches", AS_PRINTED, f"I U C: {count} epochs × U", batches)
    thrice = "embedding counted three times"
    if method == "ftl_f":
        numbers = parameters(printed.layers)
        yield from uploads(method, AS_PRINTED, f"Σ T, {thrice}", batches, numbers, "A8")
        numbers = parameters(distinct.layers)
        yield from uploads(method, CORRECTED, "Σ T, distinct", batches, numbers, "A8")
        whole = payload.broadcast_bits(parameters(printed.layers), rounds)
        yield Reading(method, "total_downlink", AS_PRINTED, f"{downlink}, {thrice}", whole, "A22")
        broadcast = payload.broadcast_bits(parameters(distinct.layers), rounds)
        yield Reading(method, "total_downlink", CORRECTED, f"{downlink}, distinct", broadcast, "A8")
        yield _rounded_broadcast(method, printed, rounds)
        return
    numbers = parameters(distinct.head)
    yield from uploads(method, AS_PRINTED, "Σ T, m ≥ m_c", batches, numbers)
    broadcast = payload.broadcast_bits(numbers, rounds)
    yield Reading(method, "total_downlink", AS_PRINTED, downlink, broadcast, "A22")
    yield _rounded_broadcast(method, printed, rounds)


def _rounded_broadcast(method: str, printed: Network, rounds: Fraction) -> Reading:
    """Return the downlink that Table IV prints: d Σ T, rounded to 0.1 Gb, every round."""
    gigabits = Fraction(FLOAT_BITS * parameters(printed.layers), 10**9)
    broadcast = round(round(gigabits, 1) * 10**9 * rounds)
    basis = "d Σ T rounded to 0.1 Gb, every round"
    return Reading(method, "total_downlink", AS_TABULATED, basis, broadcast, "A22")


def _fbftl_language(
    printed: Network, distinct: Network, clients: Federation, mean_tokens: Fraction | None
) -> Iterator[Reading]:
    """Yield the cells of FbFTL in Table IV, whose batch is one client's K_u dialogues."""
    batches = clients.clients
    dialogues = clients.samples_per_client
    width = printed.feature_width
    yield Reading("fbftl", "upload_batches", AS_PRINTED, "U", batches)
    basis = "K_u vectors, one per dialogue"
    yield from uploads("fbftl", AS_PRINTED, basis, batches, dialogues * width, "A8")
    if mean_tokens is not None:
        per_batch = round(dialogues * mean_tokens * width)
        basis = f"one vector per token, at least {float(mean_tokens):.1f} a dialogue"
        yield from uploads("fbftl", CORRECTED, basis, batches, per_batch, "A8")
        tokens = round(clients.samples * mean_tokens)
        ids = payload.label_bits(tokens, FLAN_T5_SMALL.vocab_size)
        yield Reading("fbftl", "total_uplink", TOKEN_IDS, "⌈log2 V⌉ bits per token", ids, "A18")
    basis = "Eq. (13), embedding counted three times"
    broadcast = payload.broadcast_bits(parameters(printed.extractor), 1)
    yield Reading("fbftl", "total_downlink", AS_PRINTED, basis, broadcast, "A8")
    broadcast = payload.broadcast_bits(parameters(distinct.extractor), 1)
    yield Reading("fbftl", "total_downlink", CORRECTED, "Eq. (13), distinct", broadcast, "A8")


def against_published(
    published: pd.DataFrame, readings: Sequence[Reading], **keys: object
) -> pd.DataFrame:
    """Return a row per reading beside the published cell; cells without a formula are not run.

    Args:
        published: columns `method`, `quantity`, `printed`, `unit` and those of `keys`.
        readings: readings of the cells under `keys`.
        keys: further columns that tell the cells apart, e.g. ``trained_encoders=8``.
    """
    cells = published
    for column, value in keys.items():
        cells = cells[cells[column] == value]
    rows: list[dict[str, object]] = []
    for cell in cells.itertuples():
        matching = [r for r in readings if (r.method, r.quantity) == (cell.method, cell.quantity)]
        shared = {
            "quantity": cell.quantity,
            "method": cell.method,
            **keys,
            "published": cell.printed,
            "unit": cell.unit,
        }
        beside = [_beside_printed(reading, cell.printed, cell.unit) for reading in matching]
        rows += [shared | of for of in beside or [{"verdict": str(Verdict.NOT_RUN)}]]
    frame = pd.DataFrame(rows, dtype=object)
    columns = ["formula", "in_unit", "exact", "reading", "basis", "verdict", "note", "audit"]
    return frame.reindex(columns=[*("quantity", "method"), *keys, "published", "unit", *columns])


def _beside_printed(reading: Reading, printed: str, unit: str) -> dict[str, object]:
    """Return the columns of one reading."""
    rounded = at_printed_precision(reading.value, printed, unit)
    verdict = formula_verdict(reading.value, printed, unit)
    cut = verdict is Verdict.REPRODUCED and Decimal(rounded) != Decimal(printed)
    if reading.reading == TOKEN_IDS:
        verdict, cut = Verdict.NOT_COMPARABLE, False
    return {
        "formula": rounded,
        "in_unit": float(Fraction(reading.value, SCALES[unit])) if unit in SCALES else None,
        "exact": reading.value,
        "reading": reading.reading,
        "basis": reading.basis,
        "verdict": str(verdict),
        "note": "printed cut, not rounded" if cut else "",
        "audit": reading.audit,
    }


def columns(methods: Iterable[ShownMethod], *keys: Column) -> tuple[Column, ...]:
    """Return how Markdown and LaTeX print these rows; `exact` is in bits where the unit is of bits.

    Args:
        methods: those of the table's columns.
        keys: further columns that tell the cells apart.
    """
    labels = {method.name: method.label for method in methods}
    labels |= {f"{name}{CUT_SHORT}": f"{label}{TO_ACCURACY}" for name, label in labels.items()}
    return (
        Column("quantity", "Quantity", format=lambda name: name.replace("_", " "), page=True),
        Column("method", "Method", format=labels.__getitem__, page=True),
        *keys,
        Column("published", "Published", page=True),
        Column("formula", "Formula", page=True),
        Column("unit", "Unit", page=True),
        Column("in_unit", "More digits", format="{:.4g}"),
        Column("exact", "Exact", format="{:,}"),
        Column("reading", "Reading", page=True),
        Column("basis", "Basis", width="5cm"),
        VERDICT,
        Column("note", "Note", page=True),
        Column("audit", "Audit"),
    )
