"""What claims of paper fbftl rest on: its equations at its sizes, entropies of labels, a measure.

The formulas need no runs. Packets are those of Figs. 6 and 7: one batch of each scheme in blocks of
one FbFTL batch.
"""

from collections.abc import Callable, Iterable, Mapping
from itertools import pairwise, product
from math import floor, log10

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from fbftl.findings.published import SCALES, Verdict, formula_verdict
from fbftl.findings.shown import method_label
from fbftl.ground.floats import FLOAT_BITS
from fbftl.messages.channel import blocks_per_packet, expected_payload, packet_loss_rate
from fbftl.models.cost.architectures import FLAN_T5_SMALL, vgg16
from fbftl.models.cost.layers import Network
from fbftl.models.cost.payload import (
    compression_rate,
    compression_rate_with_positions,
    numbers_per_batch,
)
from fbftl.papers.fbftl.readings import (
    AS_PRINTED,
    AS_TABULATED,
    CORRECTED,
    CUT_SHORT,
    TO_ACCURACY,
    image_readings,
)
from fbftl.papers.fbftl.setup import federation
from fbftl.papers.formulas import Decision, FormulaCase
from fbftl.papers.measures import NOTHING, ClaimMeasure, Measured, accuracy
from fbftl.papers.quantities import Runs
from fbftl.papers.record import PaperRecord
from fbftl.privacy.label_privacy import batch_entropy, queried_entropy, uniform


def _cells(record: PaperRecord, quantity: str, *others: str) -> Mapping[str, int]:
    """Return a row of Table III by the equations, by column; other readings take their place."""
    readings = image_readings(record)
    return {
        of.method: of.value
        for reading in (AS_PRINTED, *others)
        for of in readings
        if (of.quantity, of.reading) == (quantity, reading)
    }


def _label(column: str) -> str:
    """Return how tables write a column of Table III."""
    is_short = column.endswith(CUT_SHORT)
    return method_label(column.removesuffix(CUT_SHORT)) + (TO_ACCURACY if is_short else "")


def _shown(ratios: Mapping[str, float]) -> str:
    numbers = {name: f"{of:,.0f}" if of >= 1000 else f"{of:.4g}" for name, of in ratios.items()}
    return "; ".join(f"{name} {number}" for name, number in numbers.items()) + " times"


def _orders(ratio: float) -> int:
    """Return the whole orders of magnitude of a ratio."""
    return floor(log10(ratio))


def _printed_ratios(table: pd.DataFrame, quantity: str) -> dict[tuple[int, str], float]:
    """Return a table's printed totals over FbFTL's, by trained encoders and method."""
    of_quantity = table[table["quantity"] == quantity]
    bits = {
        (int(row.trained_encoders), str(row.method)): float(row.printed) * SCALES[row.unit]
        for row in of_quantity.itertuples()
    }
    return {
        (encoders, method): total / bits[encoders, "fbftl"]
        for (encoders, method), total in bits.items()
        if method != "fbftl"
    }


COUNTS: Mapping[str, Callable[[int, int, float], float]] = {
    "without positions": lambda width, q, keep: compression_rate(q, keep),
    "with positions": compression_rate_with_positions,
}
"""Compression rate of a message, as the paper counts it and with the positions of what is kept."""


def _least_share(table: pd.DataFrame, method: str, accuracy: float) -> float:
    """Return the least r of Table V without quantisation that keeps an accuracy."""
    rows = table[(table["method"] == method) & (table["bits"] == table["bits"].max())]
    return float(rows["keep"][rows["printed"].astype(float) >= accuracy].min())


READINGS = {
    "total_uplink": AS_TABULATED,
    "numbers_per_batch": AS_TABULATED,
    "total_downlink": CORRECTED,
    "client_multiplications": CORRECTED,
}
"""Which reading of a row of Table III takes the place of the printed equations (audit rows A5, A6,
A9, A22)."""

LEAST_ACCURACY = 82.0
"""Accuracy in percent that sparsified uploads of Table V are to keep."""


def totals(case: FormulaCase) -> Decision:
    """Decide by a total of Table III at its printed digits."""
    name, table = case.part.values["column"], case.record.published["table3"]
    row = table[(table["quantity"] == case.a) & (table["method"] == name)].iloc[0]
    bits = _cells(case.record, case.a)[name]
    verdict = formula_verdict(bits, row["printed"], row["unit"])
    shown = f"{_label(name)} {bits:.4g} bits, printed {row['printed']} {row['unit']}"
    return Decision("Eqs. (2) to (4) and (6)", shown, verdict == Verdict.REPRODUCED)


def ratio_of_table3(case: FormulaCase) -> Decision:
    """Decide by the ratio of two cells of a row of Table III, each by its equation."""
    (quantity, column), (_, base) = (side.split(": ") for side in (case.a, case.b))
    cells = _cells(case.record, quantity, READINGS[quantity])
    ratio = cells[column] / cells[base]
    named = quantity.replace("_", " ")
    return Decision(f"{named} over FbFTL's", _shown({_label(column): ratio}), case.exceeds(ratio))


def compressed_uplink(case: FormulaCase) -> Decision:
    """Decide by the uplink at the least q and r of Table V over FbFTL's without compression."""
    name, table = case.part.values["column"], case.record.published["table5"]
    cells = _cells(case.record, "total_uplink")
    numbers = _cells(case.record, "numbers_per_batch")[name]
    count = f"{case.part.values['positions']} positions"
    rate = COUNTS[count]
    rate_of_last = rate(numbers, int(table["bits"].min()), float(table["keep"].min()))
    ratio = cells[name] / rate_of_last / cells["fbftl"]
    shown = _shown({f"{_label(name)}, {count}": ratio})
    return Decision("compressed total uplink over FbFTL's", shown, ratio > 1)


def sparsified_uplink(case: FormulaCase) -> Decision:
    """Decide by a method's uplink over FbFTL's, each at the least r that keeps the accuracy.

    One count of positions suffices, as the paper says of neither which it means.
    """
    table, cells = case.record.published["table5"], _cells(case.record, "total_uplink")
    widths, q = _cells(case.record, "numbers_per_batch"), int(table["bits"].max())

    def sent(name: str, rate: Callable[[int, int, float], float]) -> float:
        return cells[name] / rate(widths[name], q, _least_share(table, name, LEAST_ACCURACY))

    name = case.part.values["column"]
    ratios = {count: sent(name, rate) / sent("fbftl", rate) for count, rate in COUNTS.items()}
    holds = any(map(case.exceeds, ratios.values()))
    count = f"{case.part.values['positions']} positions"
    shown = _shown({f"{_label(name)}, {count}": ratios[count]})
    return Decision("sparsified total uplink over FbFTL's", shown, holds)


def packets_lost(case: FormulaCase) -> Decision:
    """Decide by Eq. (18) where FbFTL, whose packets are of one block, loses as many as printed."""
    rate = float(case.margin)
    lost = float(packet_loss_rate(rate, packet_blocks(vgg16())[case.a]))
    shown = f"{_label(case.a)} {lost:.5f}"
    return Decision(f"Eq. (18) at a block loss rate of {rate:g}", shown, 1 - lost < rate)


def ratio_of_packets_lost(case: FormulaCase) -> Decision:
    """Decide by Eq. (18), with repeats of a lost block for the first side alone."""
    blocks, rate = packet_blocks(vgg16()), float(case.part.values["blr"])
    again = int(case.part.values.get("repeats", 0))
    lost = packet_loss_rate(rate, blocks[case.a], again)
    ratio = float(lost) / float(packet_loss_rate(rate, blocks[case.b]))
    named = f"Eq. (18), packets lost over {_label(case.b)}'s"
    return Decision(named, _shown({_label(case.a): ratio}), ratio > 1)


def dialogue_orders(case: FormulaCase) -> Decision | None:
    """Decide by whole orders of Table IV's ratios, with every token's vector, beside Table III's.

    None for the uplink where no real dialogues are at hand, so that nothing says how many tokens
    they have: audit row A8 counts what a batch holds then. Vectors are sent up alone.
    """
    published, vectors, counted = case.record.published, 1.0, "over FbFTL's"
    if case.a == "total_uplink":
        per_batch = case.record.audit.get("A8", {}).get("computed", "").partition(";")[0]
        if not per_batch or "per token" in per_batch:
            return None
        dialogues = federation(case.record, "samsum").samples_per_client
        vectors = float(per_batch.replace(",", "")) / dialogues / FLAN_T5_SMALL.d_model
        counted = "over FbFTL's, a vector a token"
    of_images = _printed_ratios(published["table3"].assign(trained_encoders=0), case.a)
    ratios = {
        f"{_label(method)}, {encoders} encoders": (ratio / vectors, of_images[0, method])
        for (encoders, method), ratio in _printed_ratios(published["table4"], case.a).items()
    }
    return Decision(
        f"Table IV {counted}",
        _shown({name: ratio for name, (ratio, _) in ratios.items()}),
        all(_orders(ratio) >= _orders(least) for ratio, least in ratios.values()),
    )


NEXT_TO_NOTHING = 0.1
"""Share of the first leakage that the last one is at most, where it is to vanish."""


def _leaked(record: PaperRecord, size: int, clients: int) -> float:
    """Return the bits that shuffled batches of all clients tell about one batch's labels."""
    classes = int(record.number("setup", task="cifar10", quantity="classes"))
    labels = uniform(classes)
    return batch_entropy(labels, size) - queried_entropy(labels, size, clients).mean


def _by_size(record: PaperRecord, sizes: Iterable[int]) -> dict[int, float]:
    samples = federation(record, "cifar10").samples
    return {size: _leaked(record, size, samples // size) for size in sizes}


def _bits(leaked: Mapping[int, float], name: str) -> str:
    return "; ".join(f"{value:.3f} at {name} = {at:,}" for at, value in leaked.items()) + " bits"


def leakage_by_clients(case: FormulaCase) -> Decision:
    """Decide whether a batch of four samples leaks ever less, and at last a tenth of the first."""
    leaked = {int(count): _leaked(case.record, 4, int(count)) for count in case.part.along}
    values = list(leaked.values())
    falls = all(fewer > more for fewer, more in pairwise(values))
    holds = falls and values[-1] < NEXT_TO_NOTHING * values[0]
    return Decision("leakage at K = 4", _bits(leaked, "U"), holds)


def leakage_by_batch(case: FormulaCase) -> Decision:
    """Decide whether ever larger batches of one number of samples leak ever more."""
    leaked = _by_size(case.record, map(int, case.part.along))
    holds = all(less < more for less, more in pairwise(leaked.values()))
    return Decision("leakage at one number of samples", _bits(leaked, "K"), holds)


PACKETS = ("fbftl", "ftl_c", "ftl_f", "fl")
"""The four packets that Fig. 6 compares; FL and FTL_f are of one size."""


def packet_blocks(network: Network) -> dict[str, int]:
    """Return n_b of each scheme, the blocks of one packet; a part of a block takes a whole one."""
    bits = {method: FLOAT_BITS * numbers_per_batch(network, method) for method in PACKETS}
    return {method: int(blocks_per_packet(bits[method], bits["fbftl"])) for method in PACKETS}


def loss_curves(
    blocks: Mapping[str, int], rates: NDArray[np.float64], retransmissions: Iterable[int] = (0,)
) -> pd.DataFrame:
    """Return Eq. (18) with at most n_r retransmissions of every block.

    Columns: method, blocks, retransmissions, blr, plr.
    """
    curves = [
        {"method": method, "blocks": count, "retransmissions": again}
        | {"blr": rates, "plr": packet_loss_rate(rates, count, again)}
        for again, (method, count) in product(retransmissions, blocks.items())
    ]
    return pd.concat(map(pd.DataFrame, curves), ignore_index=True)


def payload_curves(rates: NDArray[np.float64], retransmissions: Iterable[int]) -> pd.DataFrame:
    """Return Eq. (19) for a payload of one: columns retransmissions, blr, payload."""
    curves = [
        {"retransmissions": count, "blr": rates, "payload": expected_payload(1.0, rates, count)}
        for count in retransmissions
    ]
    return pd.concat(map(pd.DataFrame, curves), ignore_index=True)


SHARES_SENT = (0.1, 0.01, 0.001)
"""Those of Table V beside all, r."""

KEPT = 82 / 86.51
"""Share of the clean accuracy that the paper's 82 % are."""


def least_keep(runs: Runs, setting: str) -> pd.Series:
    """Return the least share r at which a setting keeps `KEPT` of its accuracy, by seed.

    It is 1 where no share that was run keeps it; nothing where none was run.
    """
    whole = accuracy(runs, setting)
    kept = {keep: accuracy(runs, f"{setting}+keep={keep:g}") / whole for keep in SHARES_SENT}
    ratios = pd.DataFrame(kept).dropna()
    if ratios.empty:
        return NOTHING
    return ratios.apply(lambda of: min(of.index[of >= KEPT], default=1.0), axis="columns")


MEASURES: Mapping[str, Measured] = {"least_keep": ClaimMeasure(least_keep)}
