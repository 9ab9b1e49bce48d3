"""Tables of what adversaries get: attacks of every kind, and membership attacks one by one.

Each function returns one.
"""

from dataclasses import replace

import pandas as pd
from fbftl.findings import tables as shared
from fbftl.findings.runs import read_tidy
from fbftl.findings.shown import METHOD_NAME
from fbftl.findings.steps import Paths
from fbftl.findings.tables import Column, ResultTable, read_table
from fbftl.findings.upload_kinds import written
from fbftl.findings.uploads import Upload
from fbftl.findings.wording import mechanism_words

# --- attacks --------------------------------------------------------------------------------------


def adversary_words(adversary: str) -> str:
    """Return how readers see an adversary, who may attack the head of an upload."""
    upload, _, attack = adversary.partition(": ")
    return f"{upload_words(upload)}: {attack}" if attack else written(adversary)


def upload_words(upload: str) -> str:
    """Return how readers see a message and a head, behind which bits and elements may be."""
    message, head, *shorter = upload.split(", ")
    return ", ".join([Upload(message, head).label, *shorter])


def three_decimals(value: float | str) -> str:
    """Return a value with three decimals; decibels have been written already."""
    return value if isinstance(value, str) else f"{value:.3f}"


ATTACKS_COLUMNS = [
    Column("attack", "Attack", page=True),
    METHOD_NAME,
    Column("adversary", "Adversary", format=adversary_words, page=True),
    Column("samples_per_client", "K", "samples", "{:.0f}"),
    Column("mechanism", "Noise", format=mechanism_words, page=True),
    Column("unit", "Protected"),
    shared.EPSILON,
    Column("measure", "Measure", page=True),
    Column("value", "Attained", format=three_decimals, page=True),
    Column("spread", "±", format=three_decimals),
    Column("blind", "Blind guess", format=three_decimals, page=True),
    Column("repetitions", "Repetitions"),
]


LEADING = ("SSIM", "AUC", "share of labels", "share of features told")
"""The measure that readers see first of an attack with several."""


def attacks(findings: Paths) -> ResultTable:
    """Tabulate what an adversary gets against epsilon: inversion, membership, label recovery.

    Readers see one measure of each attack first.
    """
    table = pd.concat([read_table(path) for path in findings], ignore_index=True)
    places, _ = pd.factorize(table["attack"])
    # Attack by attack, no noise first, then from loose to strict epsilon.
    rank = table.assign(noise=-table["epsilon"].fillna(float("inf")), place=places)
    keys = ["place", "measure", "adversary", "samples_per_client", "noise"]
    table = table.loc[rank.sort_values(keys, kind="stable").index]
    leads = table["measure"].isin(LEADING)
    follows = ~leads & leads.groupby(table["attack"]).transform("any")
    page = in_decibels(pd.concat([table[~follows], table[follows]]))
    return ResultTable(table, ATTACKS_COLUMNS, page)


def upload_attacks(findings: Paths) -> ResultTable:
    """Tabulate the same of uploads: no method, which the adversaries name with what they see."""
    found = attacks(findings)
    columns = [each for each in found.columns if each is not METHOD_NAME]
    return replace(found, frame=found.frame.drop(columns=METHOD_NAME.name), columns=columns)


def in_decibels(rows: pd.DataFrame) -> pd.DataFrame:
    """Return rows as a page has them: decibels with one decimal."""
    numbers = ["value", "spread", "blind"]
    written = rows[numbers].astype(object)
    written[rows["measure"].str.endswith("(dB)")] = rows[numbers].map("{:.1f}".format, "ignore")
    return rows.assign(**written)


# --- membership -----------------------------------------------------------------------------------

SHARE = "{:.2%}"


HEAD = Column("head", "Upload", format=upload_words, page=True)
"""Of heads of uploads, none of which has noise."""

NOISE = (Column("mechanism", "Noise", format=mechanism_words, page=True), shared.EPSILON)

MEMBERSHIP_COLUMNS = [
    Column("attack", "Attack", page=True),
    Column("offset", "RMIA's a", format="{:.1f}"),
    Column("tuning_auc", "AUC on tuning targets", format="{:.3f}"),
    *shared.with_spread("auc", "AUC", format="{:.3f}", page=True),
]

RATES = {"0.01": "1%", "0.001": "0.1%"}
"""Rates of false positives for which thresholds are chosen, as columns name them; in percent."""

COUNTS = [
    Column("proven", "A client's ε is at least", format="{:.2f}", page=True),
    Column("targets", "Targets", format="{:.0f}"),
    Column("shadows", "Shadows", format="{:.0f}"),
    Column("quoted", "Quoted", format=lambda quoted: "yes" if quoted else "", page=True),
]


def membership(attempts: str) -> ResultTable:
    """Tabulate membership attacks: a row per setting and attack, and which of them is quoted.

    The AUC on tuning targets, on which an attack is chosen, stands beside what it attains on the
    others. A threshold for a rate of false positives is chosen on shadows; the table has the rate
    that it attains on the targets. Clients take part whole, so that what the attack proves bounds
    the ε of a client's samples together, which is not below that of one of them.

    Args:
        attempts: what every attack attains, setting by setting.
    """
    table = read_tidy(attempts)
    setting = [HEAD] if HEAD.name in table else NOISE
    quoted = table.sort_values("quoted", ascending=False, kind="stable")
    return ResultTable(table, [*setting, *MEMBERSHIP_COLUMNS, *of_rates(table), *COUNTS], quoted)


def of_rates(table: pd.DataFrame) -> list[Column]:
    """Return the columns of both rates under the thresholds that some attack has."""
    return [
        column
        for rate, percent in RATES.items()
        if f"hits_{rate}" in table
        for name, heading, form in (
            (f"hits_{rate}", f"True positives at {percent} false ones", shared.PERCENT),
            (f"alarms_{rate}", "False positives attained", SHARE),
        )
        for column in shared.with_spread(name, heading, format=form, page=percent == "1%")
    ]
