"""Tables of training by rounds: how many times FbFTL's uplink it takes to be as accurate.

Each function returns one.
"""

from collections.abc import Iterable, Iterator
from math import exp, nan
from typing import Any

import numpy as np
import pandas as pd
from fbftl.findings import tables as shared
from fbftl.findings.exchanged import ENDS, PLAIN, Exchanged, names, points_at, read_all, sent_until
from fbftl.findings.shown import shown
from fbftl.findings.steps import Axes, Methods, Paths
from fbftl.findings.tables import Column, ResultTable, prefixed, ratio
from fbftl.ground.errors import UserError
from fbftl.ground.floats import FLOAT_BITS
from fbftl.papers.claim_rule import Effect

OF_END = ("reached", "rounds", "times", "low", "high", "at_least", "downlink")
"""What is told of each end of the count."""


def _to_end(end: str, words: str) -> Iterator[Column]:
    yield Column(f"{end}_reached", f"Seeds {words}", format="{:.0f}")
    yield Column(f"{end}_rounds", f"Rounds until {words}", format="{:.1f}")
    yield Column(f"{end}_times", f"Uplink over FbFTL's, all seeds {words}", "", ratio, page=True)
    yield Column(f"{end}_low", "95% interval, from", format=ratio, page=end == "equal")
    yield Column(f"{end}_high", "95% interval, to", format=ratio, page=end == "equal")
    yield Column(f"{end}_at_least", f"At least, until {words}", "", ratio, page=end == "equal")
    yield Column(f"{end}_downlink", f"Downlink until {words}", "bits", prefixed)


ROUNDS_COLUMNS = [
    Column("name", "Setting", page=True),
    Column("clients_per_round", "Clients per round", format="{:g}"),
    *shared.accuracy(),
    *shared.SEED_COUNTS,
    Column("bits_per_client", "Uplink per client, all rounds", "bits", prefixed, page=True),
    *_to_end("equal", "as accurate"),
    *_to_end("near", "within a point"),
    Column("validation_times", "That on validation", format=ratio),
    Column("picked", "Picked on validation"),
]


def rounds(runs: Paths, ledgers: Paths, axes: Axes, methods: Methods) -> ResultTable:
    """Tabulate uplink over FbFTL's of the same seed until a setting is as accurate, or within 1 %.

    A ratio is the geometric mean over seeds with its interval at 95 %, and is told where every seed
    gets there; *at least* takes all that the others send. Rates and rounds are to be picked by
    validation on a seed that does not count: of the settings with one start and one kind of upload,
    whichever takes the fewest bits.

    Args:
        runs: run files of an experiment.
        ledgers: theirs, in the same order.
        axes: those of training by rounds, with their defaults.
        methods: the methods shown, with their labels.

    Raises:
        UserError: if FbFTL's plain uploads are not among the settings.
    """
    read = read_all(runs, ledgers, axes)
    plain = [run for run in read if run.method == PLAIN and not run.setting.deviating]
    if not plain:
        raise UserError("rounds are compared with FbFTL: give a grid with method: [fbftl] alone")
    labels = {name: method.label for name, method in shown(methods).items()}
    rows = [
        {"name": name} | row_of(run, plain[0], axes)
        for name, run in zip(names(read, labels, ["clients_per_round"]), read, strict=True)
    ]
    table = pd.DataFrame(rows)
    kinds = ["method", "start", "compressed"]
    fewest = table.groupby(kinds, dropna=False)["validation_times"].transform("min")
    picked = table["validation_times"].eq(fewest) & table["validation_times"].notna()
    return ResultTable(table.assign(picked=np.where(picked, "yes", "no")), ROUNDS_COLUMNS)


def row_of(run: Exchanged, fbftl: Exchanged, axes: Iterable[str]) -> dict[str, Any]:
    """Return what the table says of a setting."""
    values = run.setting.values
    clients = np.array([repetition["clients"] for repetition in run.repetitions])
    sent = run.until("up", "bits", [run.points] * len(run.seeds)) / clients
    return {
        "method": run.method,
        **{axis: values[axis] for axis in axes},
        "clients_per_round": run.training["clients_per_round"],
        "compressed": values["bits"] != FLOAT_BITS or values["keep"] != 1,
        **run.summary(run.accuracies),
        "bits_per_client": float(sent.mean()),
        **{key: value for end in ENDS for key, value in _until(run, fbftl, end).items()},
        "validation_times": _until(run, fbftl, "near", "validation")["near_times"],
    }


def _until(run: Exchanged, fbftl: Exchanged, end: str, of: str = "test") -> dict[str, Any]:
    """Return seeds that get to an end, and what all need until there: rounds, ratio, downlink."""
    points = points_at(run, fbftl, ENDS[end], of)
    reached = [point for point in points if point is not None]
    ratios = sent_until(run, "up", points) / fbftl.until("up", "bits", fbftl.selected)
    effect = Effect.of(np.log(ratios).tolist())
    columns: dict[str, float] = {"reached": len(reached), "at_least": exp(effect.mean)}
    if len(reached) == len(points):
        columns |= {"times": exp(effect.mean), "rounds": float(np.mean(reached))}
        columns["downlink"] = float(sent_until(run, "down", points).mean())
        if len(points) > 1:
            columns["low"], columns["high"] = map(exp, effect.interval())
    return {f"{end}_{name}": columns.get(name, nan) for name in OF_END}
