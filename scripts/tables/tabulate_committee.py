"""Tabulate what sums by a committee cost client and members, beside closed forms of lattices.

What is measured is a client's bytes; members' bytes are those of one sum of all that are asked.
"""

from typing import Any

import pandas as pd
from fbftl.cost.secure_sums import by_rounding, replicated
from fbftl.findings.columns import EPSILON, SEED_COUNTS, accuracy
from fbftl.findings.runs import read_tidy
from fbftl.findings.seeds import mean_and_spread
from fbftl.findings.tables import Column, prefixed, tabulate, write_table
from fbftl.findings.uploads import READ, by_upload

COLUMNS = [
    Column("name", "Upload"),
    Column("committee_members", "Members", format="{:.0f}"),
    Column("committee_threshold", "Needed", format="{:.0f}"),
    EPSILON,
    Column("clients", "Clients", format="{:,.0f}"),
    Column("numbers", "Numbers per client", format="{:,.0f}"),
    Column("ring_bits", "Bits of a number", format="{:.0f}"),
    Column("measured", "Client, measured", "bytes", prefixed),
    Column("client", "Client, replicated seeds", "bytes", prefixed),
    Column("client_by_rounding", "Client, by LWR (not built)", "bytes", prefixed),
    Column("answers", "Members' answers, replicated seeds", "bytes", prefixed),
    Column("answers_by_rounding", "Members' answers, by LWR (not built)", "bytes", prefixed),
    *accuracy(),
    *SEED_COUNTS,
]

KEYS = ["setting", *READ, "committee_members", "committee_threshold"]

MEASURED = {
    "upload_batches": "clients",
    "numbers_per_batch": "numbers",
    "ring_bits": "ring_bits",
    "uplink_bits": "uplink_bits",
}


ON_PAGE = (
    "name",
    "committee_members",
    "committee_threshold",
    "clients",
    "numbers",
    "measured",
    "client",
    "accuracy",
)
"""Columns that the page shows; the csv has all."""


def main(runs: str, csv: str, axes: dict[str, Any]) -> None:
    """Write the table; the other formats go beside the csv.

    Args:
        runs: tidy table of the experiment.
        csv: path of the csv.
        axes: those of uploads, with their defaults.
    """
    write_table(csv, tabulated(read_tidy(runs, axes)), COLUMNS, ON_PAGE)


def tabulated(runs: pd.DataFrame) -> pd.DataFrame:
    """Return a row for each setting of a tidy table that sums by a committee.

    Rows are ordered by the committee's size, those without noise first.
    """
    summed = runs[runs["aggregation"] == "committee"]
    measured = summed.groupby("setting", sort=True)[list(MEASURED)].mean()
    rows = mean_and_spread(summed, KEYS).merge(
        measured.rename(columns=MEASURED).reset_index(), on="setting"
    )
    epsilon = pd.to_numeric(summed.groupby("setting")["epsilon"].first())
    rows = rows.assign(epsilon=rows["setting"].map(epsilon)).sort_values(
        ["committee_members", "committee_threshold", "epsilon"], na_position="first"
    )
    rows = pd.concat(
        [of_upload.assign(name=upload.label) for upload, of_upload in by_upload(rows)],
        ignore_index=True,
    )
    costs = [_costs(row) for row in rows.to_dict("records")]
    return rows.assign(measured=rows["uplink_bits"] / 8 / rows["clients"]).join(pd.DataFrame(costs))


def _costs(row: dict[str, Any]) -> dict[str, int]:
    """Return the closed forms of one row."""
    numbers, bits, clients = (round(row[name]) for name in ("numbers", "ring_bits", "clients"))
    committee = int(row["committee_members"]), int(row["committee_threshold"])
    seeds = replicated(numbers, bits, *committee)
    lattice = by_rounding(numbers, bits, clients, *committee)
    return {
        "client": seeds.client,
        "client_by_rounding": lattice.client,
        "answers": seeds.answers,
        "answers_by_rounding": lattice.answers,
    }


if __name__ == "__main__":
    tabulate(snakemake, main)
