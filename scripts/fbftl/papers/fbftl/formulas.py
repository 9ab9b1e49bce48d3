"""What decides sentences of paper 000 (FbFTL) that need no runs: its equations at its sizes."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from math import floor, log10

import numpy as np
import pandas as pd

from fbftl.cost.architectures import FLAN_T5_SMALL, vgg16
from fbftl.cost.payload import compression_rate, compression_rate_with_positions
from fbftl.findings.comparison import Verdict
from fbftl.findings.printed import SCALES, formula_verdict
from fbftl.messages.channel import expected_payload, packet_loss_rate
from fbftl.papers.exact import FormulaCase, Function
from fbftl.papers.fbftl.claims import FBFTL, FTL_C
from fbftl.papers.fbftl.formulas_privacy import FUNCTIONS as FUNCTIONS_OF_PRIVACY
from fbftl.papers.fbftl.formulas_privacy import PRIVACY
from fbftl.papers.fbftl.packets import packet_blocks
from fbftl.papers.fbftl.readings import AS_PRINTED, AS_TABULATED, CORRECTED
from fbftl.papers.fbftl.setup import epochs, federation
from fbftl.papers.fbftl.table3 import image_readings
from fbftl.papers.formulas import (
    Decides,
    Decision,
    PaperRecord,
    audited,
    each,
    identical,
    identical_throughout,
)
from fbftl.papers.registry import Sentence, numbers_in

COLUMNS = ("fl", "sfl", "fl_low", "ftl_f", "ftl_f_low", "ftl_c")
"""The competitors of Table III; `_low` stops where FTL_c's accuracy is reached."""

GRADIENTS = ("fl", "ftl_f", "ftl_c")

CUTS: Sequence[Mapping[str, int]] = ({"cut": 2}, {}, {"cut": 0})
"""Axes of the dialogues' cuts, all of whose clients' batches are the same under both methods."""

RATES = (1e-3, 1e-2, 1e-1)
"""Block loss rates at which Eqs. (18) and (19) are evaluated."""

REPEATS = (1, 2, 3)
"""A few times that a lost block is sent again."""


def _cells(record: PaperRecord, quantity: str, *others: str) -> Mapping[str, int]:
    """Return a row of Table III by the equations, by column; other readings take their place."""
    clients = federation(record.published["setup"], "cifar10")
    table = record.published["table3"]
    counts = {name: epochs(table, clients.clients, method=name) for name in COLUMNS}
    readings = image_readings(vgg16(), clients, counts)
    return {
        of.method: of.value
        for reading in (AS_PRINTED, *others)
        for of in readings
        if (of.quantity, of.reading) == (quantity, reading)
    }


def _shown(ratios: Mapping[str, float]) -> str:
    return "; ".join(f"{name} {ratio:,.4g}" for name, ratio in ratios.items()) + " times"


def _times(quantity: str, columns: Iterable[str], reading: str = AS_TABULATED) -> Decides:
    """Return what decides whether each column is at least so many times FbFTL's cell as printed.

    The text's equation of SFL counts the wrong part of the network, so that its cell is the table's
    (audit row A6).
    """

    def decide(sentence: Sentence, record: PaperRecord) -> Decision:
        cells = _cells(record, quantity, reading)
        ratios = {name: cells[name] / cells["fbftl"] for name in columns}
        least = numbers_in(sentence.margin)[0]
        holds = all(ratio >= least for ratio in ratios.values())
        return Decision(f"{quantity.replace('_', ' ')} over FbFTL's", _shown(ratios), holds)

    return decide


def _totals(sentence: Sentence, record: PaperRecord) -> Decision:
    """Decide by the totals of Table III, each at its printed digits."""
    cells, table = _cells(record, "total_uplink"), record.published["table3"]
    of_totals = table[table["quantity"] == "total_uplink"].set_index("method")
    names = (*GRADIENTS, "fbftl")
    verdicts = {
        formula_verdict(cells[name], of_totals["printed"][name], of_totals["unit"][name])
        for name in names
    }
    shown = "; ".join(f"{name} {cells[name]:.4g}" for name in names)
    return Decision("Eqs. (2) to (4) and (6)", f"{shown} bits", verdicts == {Verdict.REPRODUCED})


def _orders(ratio: float) -> int:
    """Return the whole orders of magnitude of a ratio."""
    return floor(log10(ratio))


def _dialogue_orders(sentence: Sentence, record: PaperRecord) -> Decision | None:
    """Decide by whole orders of Table IV's ratios, with every token's vector, beside Table III's.

    None where no real dialogues are at hand, so that nothing says how many tokens they have: audit
    row A8 counts what a batch holds then.
    """
    per_batch = record.audit.get("A8", {}).get("computed", "").partition(";")[0]
    if not per_batch or "per token" in per_batch:
        return None
    clients, table = federation(record.published["setup"], "samsum"), record.published["table4"]
    tokens = numbers_in(per_batch)[0] / clients.samples_per_client / FLAN_T5_SMALL.d_model
    images = record.published["table3"].assign(trained_encoders=0)
    shown, holds = [], True
    for quantity, vectors in (("total_uplink", tokens), ("total_downlink", 1)):
        of_images = _printed_ratios(images, quantity)
        for (encoders, method), ratio in _printed_ratios(table, quantity).items():
            as_sent, least = ratio / vectors, of_images[0, method]
            holds = holds and _orders(as_sent) >= _orders(least)
            name = f"{method} with {encoders} encoders, {quantity.partition('_')[2]}"
            shown.append(f"{name} {as_sent:,.4g} (images {least:,.4g})")
    return Decision("Table IV over FbFTL's, a vector a token", "; ".join(shown) + " times", holds)


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


def _compressed(sentence: Sentence, record: PaperRecord) -> Decision:
    """Decide by the uplink at the least q and r of Table V, in either count."""
    table, cells = record.published["table5"], _cells(record, "total_uplink")
    q, keep = int(table["bits"].min()), float(table["keep"].min())
    widths = _cells(record, "numbers_per_batch")
    ratios = {
        f"{name} {count}": cells[name] / rate(widths[name], q, keep) / cells["fbftl"]
        for name in GRADIENTS
        for count, rate in COUNTS.items()
    }
    holds = all(ratio > 1 for ratio in ratios.values())
    return Decision("compressed total uplink over FbFTL's", _shown(ratios), holds)


def _least_share(table: pd.DataFrame, method: str, accuracy: float) -> float:
    """Return the least r of Table V without quantisation that keeps an accuracy."""
    rows = table[(table["method"] == method) & (table["bits"] == table["bits"].max())]
    return float(rows["keep"][rows["printed"].astype(float) >= accuracy].min())


def _sparsified(sentence: Sentence, record: PaperRecord) -> Decision:
    """Decide by the uplink at the least r that keeps the accuracy, of FTL_c and FbFTL.

    It holds if it does in either count.
    """
    accuracy, least = numbers_in(sentence.measure)[0], numbers_in(sentence.margin)[0]
    table, cells = record.published["table5"], _cells(record, "total_uplink")
    widths, q = _cells(record, "numbers_per_batch"), int(table["bits"].max())
    ratios = {}
    for count, rate in COUNTS.items():
        ftl_c, fbftl = (
            cells[name] / rate(widths[name], q, _least_share(table, name, accuracy))
            for name in ("ftl_c", "fbftl")
        )
        ratios[count] = ftl_c / fbftl
    holds = any(ratio > least for ratio in ratios.values())
    return Decision("sparsified total uplink of FTL_c over FbFTL's", _shown(ratios), holds)


def _lost(sentence: Sentence, record: PaperRecord) -> Decision:
    """Decide by Eq. (18) where FbFTL loses so many packets, each of one block."""
    rate, blocks = numbers_in(sentence.margin)[0], packet_blocks(vgg16())
    lost = {name: float(packet_loss_rate(rate, blocks[name])) for name in GRADIENTS}
    shown = "; ".join(f"{name} {value:.5f}" for name, value in lost.items())
    holds = all(1 - value < rate for value in lost.values())
    return Decision(f"Eq. (18) at a block loss rate of {rate:g}", shown, holds)


def _lost_at_one_rate(sentence: Sentence, record: PaperRecord) -> Decision:
    """Decide by Eq. (18) at one block loss rate for all, over FbFTL's packets of one block."""
    blocks = packet_blocks(vgg16())
    ratios = {
        f"{name} at {rate:g}": float(
            packet_loss_rate(rate, blocks[name]) / packet_loss_rate(rate, blocks["fbftl"])
        )
        for rate in RATES
        for name in GRADIENTS
    }
    holds = all(ratio > 1 for ratio in ratios.values())
    return Decision("Eq. (18), packets lost over FbFTL's", _shown(ratios), holds)


def _least_of_all(equations: str, *quantities: str) -> Decides:
    """Return what decides whether all columns of Table III have more than FbFTL's, each of all."""
    columns = ("fl", "sfl", "ftl_f", "ftl_c")

    def decide(sentence: Sentence, record: PaperRecord) -> Decision:
        ratios = {
            f"{name}'s {quantity.replace('_', ' ')}": cells[name] / cells["fbftl"]
            for quantity in quantities
            for cells in [_cells(record, quantity, CORRECTED)]
            for name in columns
            if name in cells
        }
        holds = all(ratio > 1 for ratio in ratios.values())
        return Decision(f"{equations} over FbFTL's", _shown(ratios), holds)

    return decide


def _lost_with_repeats(sentence: Sentence, record: PaperRecord) -> Decision:
    """Decide by Eq. (18) with repeats against FbFTL's packets without."""
    blocks = packet_blocks(vgg16())
    ratios = {
        f"{repeats} repeats at {rate:g}": float(
            packet_loss_rate(rate, blocks["ftl_c"], repeats)
            / packet_loss_rate(rate, blocks["fbftl"])
        )
        for repeats in REPEATS
        for rate in RATES
    }
    holds = all(ratio > 1 for ratio in ratios.values())
    return Decision("Eq. (18), FTL_c's loss over FbFTL's", _shown(ratios), holds)


def _same_at(cut: Mapping[str, int]) -> Decides:
    """Return what decides that FTL_c and FbFTL are the same at a cut, on the way and in the end."""
    sides = {**FTL_C, **cut}, {**FBFTL, **cut}
    return each(identical_throughout("validation_loss", *sides), identical("rouge1", *sides))


def _attempts(sentence: Sentence, record: PaperRecord) -> Decision:
    """Decide by Eq. (19) for one block of each framework's packets."""
    attempts = {
        name: expected_payload(count, RATES, max(REPEATS)) / count
        for name, count in packet_blocks(vgg16()).items()
    }
    holds = all(np.allclose(value, attempts["fbftl"], rtol=1e-12) for value in attempts.values())
    shown = "; ".join(f"{value:.4f}" for value in attempts["fbftl"])
    rates = ", ".join(f"{rate:g}" for rate in RATES)
    return Decision(f"Eq. (19) at {rates}, any framework", shown, holds)


FORMULAS: Mapping[str, Decides] = {
    **PRIVACY,
    "fbftl-01": _totals,
    "fbftl-02": _times("total_uplink", GRADIENTS),
    "fbftl-03": _times("total_uplink", COLUMNS),
    "fbftl-05": _times("total_uplink", ("fl",)),
    "fbftl-06": _times("numbers_per_batch", ("fl", "sfl", "ftl_f", "ftl_c")),
    "fbftl-07": _least_of_all("Eqs. (10) to (13)", "total_downlink"),
    "fbftl-08": _least_of_all("Eqs. (10) to (17)", "total_downlink", "client_multiplications"),
    "fbftl-09": _times("client_multiplications", ("fl", "sfl", "ftl_f"), CORRECTED),
    "fbftl-10": each(*map(_same_at, CUTS)),
    "fbftl-12": identical("test_accuracy", {"method": "fl"}, {"method": "sfl"}),
    "fbftl-15": _compressed,
    "fbftl-20": _sparsified,
    "fbftl-23": _lost,
    "fbftl-24": _lost_at_one_rate,
    "fbftl-25": _lost_with_repeats,
    "fbftl-26": _attempts,
    "fbftl-31": _dialogue_orders,
    "fbftl-36": audited("A7"),
    "fbftl-38": audited("A1"),
    "fbftl-39": audited("A1"),
}

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
    shown = f"{bits:.4g} bits, printed {row['printed']} {row['unit']}"
    return Decision("Eqs. (2) to (4) and (6)", shown, verdict == Verdict.REPRODUCED)


def ratio_of_table3(case: FormulaCase) -> Decision:
    """Decide by the ratio of two cells of a row of Table III, each by its equation."""
    (quantity, column), (_, base) = (side.split(": ") for side in (case.a, case.b))
    cells = _cells(case.record, quantity, READINGS[quantity])
    ratio = cells[column] / cells[base]
    named = quantity.replace("_", " ")
    return Decision(f"{named} over FbFTL's", _shown({column: ratio}), case.exceeds(ratio))


def compressed_uplink(case: FormulaCase) -> Decision:
    """Decide by the uplink at the least q and r of Table V over FbFTL's without compression."""
    name, table = case.part.values["column"], case.record.published["table5"]
    cells = _cells(case.record, "total_uplink")
    numbers = _cells(case.record, "numbers_per_batch")[name]
    rate = COUNTS[f"{case.part.values['positions']} positions"]
    rate_of_last = rate(numbers, int(table["bits"].min()), float(table["keep"].min()))
    ratio = cells[name] / rate_of_last / cells["fbftl"]
    return Decision("compressed total uplink over FbFTL's", _shown({name: ratio}), ratio > 1)


def sparsified_uplink(case: FormulaCase) -> Decision:
    """Decide by the uplink of FTL_c over FbFTL's, each at the least r that keeps the accuracy.

    One count of positions suffices, as the paper says of neither which it means.
    """
    table, cells = case.record.published["table5"], _cells(case.record, "total_uplink")
    widths, q = _cells(case.record, "numbers_per_batch"), int(table["bits"].max())

    def sent(name: str, rate: Callable[[int, int, float], float]) -> float:
        return cells[name] / rate(widths[name], q, _least_share(table, name, LEAST_ACCURACY))

    ratios = {count: sent("ftl_c", rate) / sent("fbftl", rate) for count, rate in COUNTS.items()}
    holds = any(map(case.exceeds, ratios.values()))
    shown = _shown({"FTL_c": ratios[f"{case.part.values['positions']} positions"]})
    return Decision("sparsified total uplink over FbFTL's", shown, holds)


def packets_lost(case: FormulaCase) -> Decision:
    """Decide by Eq. (18) where FbFTL, whose packets are of one block, loses as many as printed."""
    rate = float(case.margin)
    lost = float(packet_loss_rate(rate, packet_blocks(vgg16())[case.a]))
    return Decision(
        f"Eq. (18) at a block loss rate of {rate:g}", f"{case.a} {lost:.5f}", 1 - lost < rate
    )


def ratio_of_packets_lost(case: FormulaCase) -> Decision:
    """Decide by Eq. (18), with repeats of a lost block for the first side alone."""
    blocks, rate = packet_blocks(vgg16()), float(case.part.values["blr"])
    again = int(case.part.values.get("repeats", 0))
    lost, lost_of_other = (
        float(packet_loss_rate(rate, blocks[case.a], again)),
        float(packet_loss_rate(rate, blocks[case.b])),
    )
    ratio = lost / lost_of_other
    return Decision(f"Eq. (18), packets lost over {case.b}'s", _shown({case.a: ratio}), ratio > 1)


def dialogue_orders(case: FormulaCase) -> Decision | None:
    """Decide by whole orders of Table IV's ratios, with every token's vector, beside Table III's.

    None where no real dialogues are at hand, so that nothing says how many tokens they have: audit
    row A8 counts what a batch holds then.
    """
    per_batch = case.record.audit.get("A8", {}).get("computed", "").partition(";")[0]
    if not per_batch or "per token" in per_batch:
        return None
    published = case.record.published
    clients = federation(published["setup"], "samsum")
    tokens = numbers_in(per_batch)[0] / clients.samples_per_client / FLAN_T5_SMALL.d_model
    vectors = tokens if case.a == "total_uplink" else 1
    of_images = _printed_ratios(published["table3"].assign(trained_encoders=0), case.a)
    ratios = {
        f"{method}, {encoders} encoders": (ratio / vectors, of_images[0, method])
        for (encoders, method), ratio in _printed_ratios(published["table4"], case.a).items()
    }
    return Decision(
        "Table IV over FbFTL's, a vector a token",
        _shown({name: ratio for name, (ratio, _) in ratios.items()}),
        all(_orders(ratio) >= _orders(least) for ratio, least in ratios.values()),
    )


FUNCTIONS: Mapping[str, Function] = {
    **FUNCTIONS_OF_PRIVACY,
    "totals": totals,
    "ratio_of_table3": ratio_of_table3,
    "compressed_uplink": compressed_uplink,
    "sparsified_uplink": sparsified_uplink,
    "packets_lost": packets_lost,
    "ratio_of_packets_lost": ratio_of_packets_lost,
    "dialogue_orders": dialogue_orders,
}
