"""Make the front page of all results: what each paper claims, what came out, one picture each."""

from collections.abc import Mapping, Sequence
from pathlib import Path

from fbftl.findings.front import Shown, front_page, rows
from fbftl.ground.files import write_text
from fbftl.ground.logs import run_job


def main(papers: str, audit: str, results: Mapping[str, Sequence[str]], page: str) -> None:
    """Write the page.

    Args:
        papers: table of what the papers are called and say.
        audit: csv of the audit of all papers.
        results: tables and figures that the study makes of each paper, as html and svg.
        page: path of the page.
    """
    verdicts, shown = rows(audit), []
    for row in rows(papers):
        made = results.get(row["paper"], ())
        claims = next((path for path in made if path.endswith("/claims.html")), None)
        shown.append(
            Shown(
                **row,
                claims=rows(Path(claims).with_suffix(".csv")) if claims else [],
                audit=[one["verdict"] for one in verdicts if one["paper"] == row["paper"]],
                results=made,
            )
        )
    of_audit = str(Path(audit).with_suffix(".html"))
    write_text(page, front_page(shown, of_audit, str(Path(page).parent)))


if __name__ == "__main__":
    run_job(
        snakemake,
        lambda job: main(job.input.papers, job.input.audit, job.params.results, job.output.page),
    )
