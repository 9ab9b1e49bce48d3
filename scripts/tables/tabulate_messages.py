"""Tabulate what each framework sends in a round and what that tells, on each ground it was run on.

The survey's Table 2 has an order of growth for each message. A ground has its networks, classes and
open samples, so that messages have lengths there and these an order, from the least.
"""

from collections.abc import Sequence

import pandas as pd
from fbftl.findings.columns import accuracy
from fbftl.findings.tables import Column, ResultTable, prefixed
from fbftl.findings.wording import AS_TASK
from fbftl.ground.csv_tables import read_table
from fbftl.ground.errors import UserError

COLUMNS = [
    Column("label", "Framework", page=True),
    Column("variant", "Setting"),
    Column("ground", "Ground", page=True),
    Column("message", "Message, printed", page=True),
    Column("up_in_round", "Up per client in a round", "bit", prefixed, page=True),
    Column("position", "From the least", format="{:.0f}", page=True),
    Column("rounds", "Rounds", format="{:.0f}"),
    *accuracy(format="{:.2%}"),
    Column("tells", "What is sent tells", width="4cm", page=True),
    Column("attack", "Attack", page=True),
    Column("adversary", "Adversary", width="3cm"),
    Column("attained", "Attained", format="{:.3f}", page=True),
    Column("blind", "Blind guess", format="{:.3f}"),
    Column("mechanism", "Mechanism, printed", width="3cm"),
]


def main(frameworks: Sequence[str], grounds: Sequence[str]) -> ResultTable:
    """Return the table.

    Args:
        frameworks: table of the frameworks on each task.
        grounds: name of each of these tasks.

    Raises:
        UserError: if a task's table is of an earlier version.
    """
    by_ground = [
        in_order(_table_of(path)).assign(ground=ground)
        for path, ground in zip(frameworks, grounds, strict=True)
    ]
    return ResultTable(pd.concat(by_ground, ignore_index=True), COLUMNS)


def _table_of(path: str) -> pd.DataFrame:
    """Return a task's table; it may lie finished from a call before this one."""
    table = read_table(path)
    if missing := {column.name for column in COLUMNS} - {"ground", "position"} - {*table.columns}:
        raise UserError(
            f"{path} lacks {', '.join(sorted(missing))}, as tables of an earlier version do: "
            "make it anew, or move its task's folder away"
        )
    return table


def in_order(table: pd.DataFrame) -> pd.DataFrame:
    """Return the rows of Table 2's frameworks on the task's own clients, from the least message."""
    rows = table[table["message"].notna() & (table["partition"] == AS_TASK)]
    rows = rows.sort_values("up_in_round", kind="stable")
    return rows.assign(position=rows["up_in_round"].rank(method="min"))
