"""Take the results of a finished study into `docs/results/`, and fill numbers into the pages.

    PYTHONPATH=scripts python scripts/tools/renew_results.py digits cifar10-imagenet papers/fbftl

For maintainers; no rule runs it. Tables go as CSV and Markdown, figures as SVG, numbers as JSON.
Every call reads the kept tables of sentences anew by `published/`, then fills the pages; without a
name it does no more. Of a paper whose systems are studied
one after the other,

    PYTHONPATH=scripts python scripts/tools/renew_results.py papers/thesis --systems budget fade

takes over what was found of some, and leaves what is kept of the others. Of a system whose full
study is several files, each run in a folder of its own,

    PYTHONPATH=scripts python scripts/tools/renew_results.py papers/fbftl --tasks digits-full

takes over what was found on some tasks, and leaves what is kept of others.
"""

import argparse
import shutil
import sys
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from importlib.metadata import version
from pathlib import Path
from typing import Any

from fbftl.findings import kept
from fbftl.findings.coverage import fill_tables, read_items
from fbftl.findings.formula_numbers import ratios
from fbftl.findings.front import rows
from fbftl.findings.kept import KEPT
from fbftl.findings.kept_systems import MERGED, merge_notes, merge_table, renewed
from fbftl.findings.origins import commits, distinct, notes_on_runs
from fbftl.findings.prose import fill
from fbftl.findings.story import fill_alternatives
from fbftl.ground import provenance
from fbftl.ground.artefacts import Store
from fbftl.ground.errors import UserError
from fbftl.ground.files import read_json, replacing, write_json, write_text
from fbftl.papers.kept_registry import read_anew
from fbftl.papers.kept_tasks import (
    merge_notes_of_tasks,
    merge_rows,
    merge_sentences,
    without_comparison,
)
from fbftl.plan.opened import store_of
from fbftl.study.full_studies import read_every_full
from fbftl.study.systems import read_systems

COVERAGE = Path("published", "coverage.csv")

PAGES = (
    "README.md",
    "docs/layout.md",
    "docs/what-to-upload.md",
    "docs/results/**/*.md",
    "docs/papers/*.md",
)
"""Pages whose numbers, and whose tables of coverage, are filled in."""

TABLES = tuple(Path("tables", f"{table}.csv") for table in MERGED)
"""Tables in which rows of several studies stand together: sentences, then comparisons."""

SUFFIXES = (".csv", ".md")
"""Forms in which a table is kept."""

PACKAGES = ("torch", "numpy", "scikit-learn", "snakemake")


def main(
    names: Sequence[str],
    systems: Sequence[str] = (),
    tasks: Sequence[str] = (),
    root: Path = Path(),
) -> None:
    """Renew results, then every page.

    Args:
        names: tasks, and `papers/<paper>`, whose study is finished in `results/`.
        systems: of one paper, which alone are renewed of it; all if none.
        tasks: of one paper, which alone are renewed of it, instead of systems; all if none.
        root: the project's folder.

    Raises:
        UserError: if there are no such results, or a page names a number that there is not.
    """
    stamp = made_by()  # before anything is written, which would make the tree another
    for name in names:
        if tasks:
            renew_tasks(root, name, tasks, stamp)
        elif systems:
            renew_systems(root, name, systems, stamp)
        else:
            renew(root, name, stamp)
    for folder in sorted((root / KEPT / kept.PAPERS).glob("*/")):
        read_anew(folder / "tables", root / "published", folder.name)
    for page in pages(root):
        text = page.read_text(encoding="utf-8")
        if (now := filled(root, page)) != text:
            write_text(page, now)


def filled(root: Path, page: Path) -> str:
    """Return a page with its committed numbers, tables of coverage and alternative texts."""
    name = str(page.relative_to(root))
    text = fill(page.read_text(encoding="utf-8"), committed_numbers(root), name)
    text = fill_tables(text, read_items(root / COVERAGE), name)
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
    write_json(root / KEPT / name / "made.json", notes)


def renew_systems(root: Path, name: str, systems: Sequence[str], by: dict[str, Any]) -> None:
    """Replace what is committed of some systems of a paper; what is of its others stays.

    Args:
        root: the project's folder.
        name: `papers/<paper>`, which is kept already.
        systems: their names.
        by: commit and environment that made them.

    Raises:
        UserError: if the paper has no such system, or its study is not finished.
    """
    folder, registry = kept_before(root, name), root / "published" / name.removeprefix(kept.PAPERS)
    sentences = rows(registry / "sentences.csv")
    of = renewed(sentences, [*read_systems(root), *read_every_full(root)], systems)
    files, notes = beside_others(root, name), by | finished(root, name)
    with replaced(folder, files, listed_places(root, name)) as (before, now):
        for csv in TABLES:
            merge_table(now / csv, before / csv, [row["id"] for row in sentences], of)
        notes_before = read_json(before / "made.json", "notes on kept results")
        write_json(now / "made.json", merge_notes(notes, notes_before, of))


def renew_tasks(root: Path, name: str, tasks: Sequence[str], by: dict[str, Any]) -> None:
    """Replace what is committed of a paper on some tasks; what is of its other tasks stays.

    Tables of which no row is of a task are those that are kept; figures are taken over where they
    were made.

    Args:
        root: the project's folder.
        name: `papers/<paper>`, which is kept already.
        tasks: their names.
        by: commit and environment that made them.

    Raises:
        UserError: if nothing of the paper was run on a task, its study is not finished, or what is
            kept was reckoned with another number of tested sentences.
    """
    folder, notes = kept_before(root, name), by | finished(root, name)
    if unknown := [task for task in tasks if task not in notes["runs"]]:
        raise UserError(
            f"results/ has no finished runs of {name.removeprefix(kept.PAPERS)} on {unknown[0]}; "
            f"give some of {', '.join(notes['runs'])}"
        )
    merged = {root / "results" / name / csv.with_suffix(s) for csv in TABLES for s in SUFFIXES}
    files = {
        path: place
        for path, place in beside_others(root, name).items()
        if path in merged or path.suffix == ".svg"
    }
    with replaced(folder, files, listed_places(root, name)) as (before, now):
        sentences, *comparisons = TABLES
        for csv in comparisons:
            merge_rows(now / csv, before / csv, tasks)
        merge_sentences(now / sentences, before / sentences, tasks, now / "tables/parts.csv")
        for task in without_comparison([now / csv for csv in TABLES], tasks):
            print(f"{name}: nothing is compared on {task}; does a claim look for it?")
        notes_before = read_json(before / "made.json", "notes on kept results")
        write_json(now / "made.json", merge_notes_of_tasks(notes, notes_before, tasks))


@contextmanager
def replaced(
    folder: Path, files: Mapping[Path, Path], listed: Sequence[Path]
) -> Iterator[tuple[Path, Path]]:
    """Yield a folder as it was and as it will be, which takes its place unless something fails.

    Args:
        folder: of what is kept of a paper.
        files: what is taken over into it, with the place of each.
        listed: places of the figures that may stay in it.
    """
    with tempfile.TemporaryDirectory() as temporary:
        before, now = (
            Path(shutil.copytree(folder, Path(temporary, name))) for name in ("before", "now")
        )
        take_over({path: now / place.relative_to(folder) for path, place in files.items()})
        for figure in {*folder.glob("figures/*.svg")} - {*listed}:
            (now / figure.relative_to(folder)).unlink()
        yield before, now
        shutil.rmtree(folder)
        shutil.copytree(now, folder)


def listed_places(root: Path, name: str) -> list[Path]:
    """Return where the figures are kept that `docs/results/figures.csv` lists of a paper."""
    listed = kept.listed_figures(root).get(name, ())
    return [kept.place_of(root, name, figure) for figure in listed]


def kept_before(root: Path, name: str) -> Path:
    """Return the folder of what is kept of a paper.

    Raises:
        UserError: if nothing is, so that there is nothing to stay.
    """
    folder = root / KEPT / name
    if not name.startswith(kept.PAPERS) or not (folder / "made.json").is_file():
        raise UserError(
            f"{KEPT}/{name} is no paper of which something is kept; renew it without --systems and "
            "--tasks"
        )
    return folder


def beside_others(root: Path, name: str) -> dict[Path, Path]:
    """Return what is taken over of a finished paper of which a part was run.

    Listed figures stay as they are kept where the study did not make them.

    Raises:
        UserError: if a table that is merged was not made.
    """
    staying = [place for place in listed_places(root, name) if place.is_file()]
    files = kept.files_of(root, name, staying)
    if missing := [csv for csv in TABLES if root / "results" / name / csv not in files]:
        raise UserError(f"results/{name}/{missing[0]} is not there; finish the study first")
    return files


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
    runs, store = kept.runs_of(results, tasks), Store(root / store_of({"store": None}).root)
    keys = [key for of_task in runs.values() for each in of_task.values() for key in each["keys"]]
    noted = notes_on_runs(keys, store)
    arithmetic = distinct(each["arithmetic"] for each in noted)
    if inexact := [each for each in arithmetic if not each["exact"]]:
        raise UserError(
            f"results/{name} was not computed exactly, because "
            f"{inexact[0]['not_exact_because']}; run its study with --config exact=true"
        )
    notes = {"arithmetic": arithmetic, "runs": runs}
    made_at = ", ".join(sorted(commits(noted)))
    return notes | ({"commit": made_at} if made_at else {})


def made_by() -> dict[str, Any]:
    """Return the environment of what is being taken over, and the commit if no run has it."""
    return {
        "commit": provenance.commit(),
        "versions": {name: version(name) for name in PACKAGES},
    }


def committed_numbers(root: Path) -> dict[str, float]:
    """Return every committed number by its name."""
    files = sorted((root / KEPT).glob("*/numbers.json"))
    of_tasks = {k: v for file in files for k, v in read_json(file, "numbers").items()}
    tables = sorted((root / KEPT / kept.PAPERS).glob("*/tables/methods.csv"))
    of_formulas = {k: v for t in tables for k, v in ratios(t.parents[1].name, rows(t)).items()}
    return of_tasks | of_formulas


def pages(root: Path) -> list[Path]:
    """Return the pages whose numbers are filled in; committed tables are not among them."""
    candidates = sorted({page for pattern in PAGES for page in root.glob(pattern)})
    return [page for page in candidates if page.parent.name != "tables"]


def called(words: Sequence[str]) -> None:
    """Renew what the words of the command line say."""
    parser = argparse.ArgumentParser(allow_abbrev=False)
    parser.add_argument("names", nargs="*")
    parser.add_argument("--systems", metavar="SYSTEM", nargs="+", default=())
    parser.add_argument("--tasks", metavar="TASK", nargs="+", default=())
    options = parser.parse_args(words)
    if options.systems and options.tasks:
        raise UserError("--systems and --tasks are two ways to renew a part; give one of them")
    main(options.names, options.systems, options.tasks)


if __name__ == "__main__":
    try:
        called(sys.argv[1:])
    except UserError as error:
        sys.exit(str(error))
