"""Take the results of a finished study into `docs/results/`, and fill numbers into the pages.

    PYTHONPATH=scripts python scripts/tools/renew_results.py digits cifar10-imagenet papers/fbftl

For maintainers; no rule runs it. Tables go as CSV and Markdown, figures as SVG, numbers as JSON,
the runs of a task seed by seed. Every call then judges all claims by the runs that are kept, and
fills the pages; without a name it does no more.
"""

import argparse
import shutil
from collections import Counter
from collections.abc import Mapping, Sequence
from functools import cache
from importlib.metadata import version
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from fbftl.findings import kept
from fbftl.findings.claim_pages import KeptRows, fill_claims
from fbftl.findings.kept import KEPT, distinct
from fbftl.findings.numbers import fill, of_tables, ratios
from fbftl.findings.story import fill_alternatives
from fbftl.findings.tables import WHOLE, ResultTable
from fbftl.ground import provenance
from fbftl.ground.artefacts import Store
from fbftl.ground.errors import UserError, ending_with_sentence
from fbftl.ground.files import csv_rows, read_json, replacing, write_json, write_text
from fbftl.papers.claim_tables import CLAIMS, PARTS, claims_table, findings_of, parts_table
from fbftl.papers.quantities import Runs, keep_runs, kept_files, runs_by_task
from fbftl.plan.opened import store_of
from fbftl.plan.results import MEASURED
from fbftl.study.full_studies import read_every_full
from fbftl.study.systems import read_systems

COVERAGE = Path("published", "coverage.csv")

AUDIT = Path("papers", "audit.csv")
"""Of all papers, below results/ and below the kept ones."""

PAGES = (
    "README.md",
    "docs/gallery.md",
    "docs/what-to-upload.md",
    "docs/results/**/*.md",
    "docs/papers/*.md",
)
"""Pages whose numbers, and whose tables of coverage, are filled in."""

PACKAGES = ("torch", "numpy", "scikit-learn", "snakemake")


def main(names: Sequence[str], root: Path = Path()) -> None:
    """Renew results, then every page.

    Args:
        names: tasks, and `papers/<paper>`, whose study is finished in `results/`.
        root: the project's folder.

    Raises:
        UserError: if there are no such results, or a page names a number that there is not.
    """
    stamp = made_by()  # before anything is written, which would make the tree another
    for name in names:
        renew(root, name, stamp)
    for paper in kept_papers(root):
        renew_claims(root, paper)
    for page in pages(root):
        text = page.read_text(encoding="utf-8")
        if (now := filled(root, page)) != text:
            write_text(page, now)


def filled(root: Path, page: Path) -> str:
    """Return a page with its committed numbers, tables of coverage and alternative texts."""
    name = str(page.relative_to(root))
    text = fill(page.read_text(encoding="utf-8"), committed_numbers(root), name)
    text = fill_claims(text, kept_rows(root), csv_rows(root / COVERAGE), name)
    return fill_alternatives(text, page.parent)


def renew(root: Path, name: str, by: dict[str, Any]) -> None:
    """Replace what is committed of a task or a paper; its page stays.

    Args:
        root: the project's folder.
        name: task, or `papers/<paper>`.
        by: commit and environment that made it.
    """
    notes, files = by | finished(root, name), kept.files_of(root, name)
    for below in ("tables", "figures"):
        shutil.rmtree(root / KEPT / name / below, ignore_errors=True)
    take_over(files)
    if name.startswith(kept.PAPERS):
        take_over({root / "results" / AUDIT: root / KEPT / AUDIT})
    else:
        keep_runs(runs_there(root / "results" / name)[name], root / KEPT / name)
        recipes = kept.recipes_of(notes["runs"], store_below(root))
        write_json(root / KEPT / name / "recipes.json", recipes)
    write_json(root / KEPT / name / "made.json", notes)


def store_below(root: Path) -> Store:
    """Return the store of the project's folder, or of the environment."""
    return Store(root / store_of({"store": None}).root)


def runs_there(folder: Path) -> dict[str, Runs]:
    """Return what was run on a finished task, and what was measured beside, by its name."""
    tables = sorted((folder / "experiments").glob("*.csv"))
    series = [path for path in tables if path.name.endswith(".series.csv")]
    experiments = [path for path in tables if path not in series]
    measured = [folder / "tables" / f"{name}.csv" for name in sorted(set(MEASURED.values()))]
    uplink = folder / "tables" / "uplink.csv"
    beside = [path for path in measured if path.is_file()]
    return runs_by_task(experiments, [uplink] * uplink.is_file(), series, beside)


def kept_papers(root: Path) -> list[str]:
    """Return the papers with kept results, in the order of their pages."""
    papers = dict.fromkeys(row["paper"] for row in csv_rows(root / "published" / "papers.csv"))
    return [paper for paper in papers if (root / KEPT / kept.PAPERS / paper).is_dir()]


def renew_claims(root: Path, paper: str) -> None:
    """Write what a paper's claims come to by the runs that are kept."""
    registries, place = root / "published" / "claims", root / KEPT / kept.PAPERS / paper
    files: dict[str, Any] = {
        of_runs: () for of_runs in ("experiments", "series", "uplinks", "beside")
    }
    files |= {
        "registry": registries / f"{paper}.csv",
        "tasks": registries / "tasks.csv",
        "kept": [root / path for path in kept_files(root, KEPT)],
        "printed": sorted((root / "published" / paper).glob("*.csv")),
        "audit": root / KEPT / AUDIT,
    }
    findings = findings_of(paper, {}, files)
    with TemporaryDirectory() as folder:
        made = {"claims": (claims_table, CLAIMS), "claim_parts": (parts_table, PARTS)}
        for name, (tabulate, columns) in made.items():
            written = Path(folder, f"{name}.csv")
            ResultTable(tabulate(findings), columns).write(written)
            pages = (written, *[written.with_suffix(".md")] * (name in WHOLE))
            take_over({page: place / "tables" / page.name for page in pages})


@cache
def kept_rows(root: Path) -> dict[str, KeptRows]:
    """Return the rows of all papers' kept tables from which their pages are filled; read once."""
    audit = csv_rows(root / KEPT / AUDIT)
    by_paper = {}
    for paper in kept_papers(root):
        tables = root / KEPT / kept.PAPERS / paper / "tables"
        printed = [
            row | {"table": path.stem}
            for path in sorted(tables.glob("*.csv"))
            if path.stem not in ("claims", "claim_parts")
            for row in csv_rows(path)
            if "verdict" in row
        ]
        of_paper = [row for row in audit if row["paper"] == paper]
        by_paper[paper] = KeptRows(csv_rows(tables / "claims.csv"), printed, of_paper)
    return by_paper


def take_over(files: Mapping[Path, Path]) -> None:
    """Copy files to their places."""
    for path, place in files.items():
        with replacing(place) as temporary:
            shutil.copyfile(path, temporary)


def finished(root: Path, name: str) -> dict[str, Any]:
    """Return of a finished task or paper on what processor and at what commits it was computed.

    Beside them the keys of its runs.

    Raises:
        UserError: if it is not finished, or was not computed exactly.
    """
    results = root / "results"
    if not any((results / name / made).exists() for made in ("tables", "numbers.json")):
        raise UserError(f"results/{name} has no tables and no numbers; run its study first")
    tasks = kept.tasks_of(results, name, [*read_systems(root), *read_every_full(root)])
    runs, store = kept.runs_of(results, tasks), store_below(root)
    keys = [key for of_task in runs.values() for each in of_task.values() for key in each["keys"]]
    noted = [store.json("runs", key)["made"] for key in keys]
    arithmetic = distinct(each["arithmetic"] for each in noted)
    if inexact := [each for each in arithmetic if not each["exact"]]:
        raise UserError(
            f"results/{name} was not computed exactly, because "
            f"{inexact[0]['not_exact_because']}; run its study with --config exact=true"
        )
    notes = {"arithmetic": arithmetic, "runs": runs}
    made_at = ", ".join(sorted({each["commit"] for each in noted if each.get("commit")}))
    return notes | ({"commit": made_at} if made_at else {})


def made_by() -> dict[str, Any]:
    """Return the environment of what is being taken over, and the commit if no run has it."""
    return {"commit": provenance.commit(), "versions": {name: version(name) for name in PACKAGES}}


@cache
def committed_numbers(root: Path) -> dict[str, float]:
    """Return every committed number by its name; read once."""
    files = sorted((root / KEPT).glob("*/numbers.json"))
    of_tasks = {k: v for file in files for k, v in read_json(file, "numbers").items()}
    tables = sorted((root / KEPT / kept.PAPERS).glob("*/tables/methods.csv"))
    of_formulas = {k: v for t in tables for k, v in ratios(t.parents[1].name, csv_rows(t)).items()}
    verdicts = Counter(row["verdict"] for kept in kept_rows(root).values() for row in kept.claims)
    verdicts["all"] = verdicts.total()
    of_claims = {f"papers/claims/{verdict}": count for verdict, count in verdicts.items()}
    return of_tasks | of_formulas | of_tables(root / KEPT) | of_claims


def pages(root: Path) -> list[Path]:
    """Return the pages whose numbers are filled in; committed tables are not among them."""
    candidates = sorted({page for pattern in PAGES for page in root.glob(pattern)})
    return [page for page in candidates if page.parent.name != "tables"]


if __name__ == "__main__":
    parser = argparse.ArgumentParser(allow_abbrev=False)
    parser.add_argument("names", nargs="*")
    with ending_with_sentence():
        main(parser.parse_args().names)
