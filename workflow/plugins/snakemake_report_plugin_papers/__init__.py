"""The report of `./run report`: a page per paper, in one file that works offline.

    PYTHONPATH=workflow/plugins snakemake --reporter papers --report-papers-path results/report.html

Found by its name (https://github.com/snakemake/snakemake-interface-report-plugins). It shows
results with the captions that Snakemake has rendered, and no list of rules with their code.
"""

from dataclasses import dataclass, field
from pathlib import Path

from snakemake_interface_report_plugins.reporter import ReporterBase
from snakemake_interface_report_plugins.settings import ReportSettingsBase


@dataclass
class ReportSettings(ReportSettingsBase):
    """The plugin's options."""

    path: str = field(default="report.html", metadata={"help": "The file."})


class Reporter(ReporterBase):
    """Writes the page."""

    def render(self) -> None:
        """Write it; by now the workflow has put the library on Python's path."""
        from fbftl.findings.report_page import ShownResult, report_page
        from fbftl.ground.files import write_text

        shown = [
            ShownResult(
                path=Path(record.path),
                paper=paper.name,
                chapter=chapter.name,
                title=record.labels["result"],
                of=record.labels["of"],
                seeds=record.labels["seeds"],
                caption=record.caption,
            )
            for paper, chapters in self.results.items()
            for chapter, records in chapters.items()
            for record in records
        ]
        described = self.workflow_description or ""
        write_text(self.settings.path, report_page(shown, described))
