"""Tables and figures as data: what an entry of the lists in results/ says, and its vocabulary.

One list for each paper; make.smk makes a rule of every entry. A result that a rule written out makes
beside something else is in the list by its path alone.
"""

from dataclasses import dataclass, field

CHAPTERS = {
    "cost": "1 What does it cost?",
    "loss": "2 What does loss do?",
    "compression": "3 What does compression do?",
    "privacy": "4 What leaks?",
    "audit": "5 What disagrees with the papers?",
    "sweep": "6 What do experiments of your own show?",
    "sources": "7 What does another source network change?",
}
"""The chapters of each paper in the report."""

FORMATS = {
    "tables": ["csv", "md", "tex", "html"],
    "figures": ["svg", "pdf", "png", "csv"],
    "numbers": ["json", "tex"],
    "experiments": ["csv", "series.csv"],
}
"""What each kind of result is written as."""


@dataclass(frozen=True)
class Result:
    """A table or figure and the rule that makes it.

    name: of the rule, `tabulate_` or `plot_` before what is shown.
    chapter, title: where the report shows it, and under which words.
    inputs, params: what its script reads, by name; the digest of its code is a param besides.
    files: inputs without a name.
    stem: of its files, where the rule is not called after them.
    script: without suffix, where rules share one.
    """

    name: str
    chapter: str
    title: str
    inputs: dict = field(default_factory=dict)
    params: dict = field(default_factory=dict)
    files: list = field(default_factory=list)
    stem: str | None = None
    script: str | None = None

    @property
    def kind(self):
        """The folder of its files and of its script."""
        return "tables" if self.name.startswith("tabulate_") else "figures"

    @property
    def path(self):
        """Its files below the results of a task or paper, without suffix."""
        return f"{self.kind}/{self.stem or self.name.partition('_')[2]}"

    @property
    def source(self):
        """Its script below the folder of scripts."""
        return f"{self.kind}/{self.script or self.name}.py"

    def outputs(self, folder):
        """Return its files below a folder, by format."""
        of_kind = {"tables": table, "figures": figure}[self.kind]
        return of_kind(f"{folder}/{self.path}", self.chapter, self.title)

    def all_params(self, folder):
        """Return what its script is handed beside files: what stands around a table among it."""
        stem = f"{folder}/{self.path}"
        page = {"page_text": page_of(stem, self.title)} if self.kind == "tables" else {}
        return self.params | page | {"code": code(self.source)}

    def message(self, of):
        """Return what its job does to the results of a task or paper, in words."""
        verb = "Tabulate" if self.kind == "tables" else "Plot"
        name = self.path.partition("/")[2]
        text = f"{verb} {name} of {of}: {self.title}"
        return text.replace("{experiment}", "{wildcards.experiment}")


OF_EXPERIMENT = {}
"""Results of each experiment on a task, in the order in which the page of all papers shows them."""

OF_PAPER = {}
"""Results of each paper's sentences and own numbers."""

OF_SENTENCES = ["tables/sentences", "tables/hypotheses", "tables/parts"]
"""What is made of the sentences of every paper, and of the hypotheses beside them."""


def entries(results):
    """Return the results of a list that rules are made of."""
    return [result for result in results if isinstance(result, Result)]


def paths(results):
    """Return the files of a list's results, without suffix, below their task or paper."""
    return [result.path if isinstance(result, Result) else result for result in results]


def table(stem, chapter, title):
    """Return a table's files by format; the report shows it in a chapter."""
    files = {suffix: f"{stem}.{suffix}" for suffix in FORMATS["tables"]}
    return files | {"html": reported(files["html"], "table", chapter, title)}


def figure(stem, chapter, title):
    """Return a figure's files by format, its numbers among them; shown as a table is."""
    files = {suffix: f"{stem}.{suffix}" for suffix in FORMATS["figures"]}
    return files | {"svg": reported(files["svg"], "figure", chapter, title)}


def reported(path, kind, chapter, title):
    """Return an output of a task, of a paper or of all papers that the report shows.

    Its caption has its name, without a wildcard; a paper may have a caption of its own.
    """
    of = owner_of(path)
    TITLES[Path(path).with_suffix("").as_posix()] = title
    return report(
        path,
        caption=caption_of(path),
        category=partial(paper_shown, path=path),
        subcategory=CHAPTERS[chapter],
        labels=partial(labels_shown, title=title, kind=kind, of=of),
    )


def tidy(experiment):
    """Return the input `runs`, an experiment's tidy table."""
    return {"runs": f"results/{{task}}/experiments/{experiment}.csv"}


def series(experiment):
    """Return the input `series`, an experiment's learning curves."""
    return {"series": f"results/{{task}}/experiments/{experiment}.series.csv"}


def guarantees(experiment):
    """Return the input `guarantees`, what an experiment's runs guarantee."""
    return {"guarantees": f"results/{{task}}/guarantees/{experiment}.csv"}


def ledgers(experiment):
    """Return the input `ledgers` of an experiment, in the runs' order."""
    return {"ledgers": partial(run_files, experiment=experiment, suffix="parquet")}


def runs_and_ledgers(experiment):
    """Return the inputs `runs`, here an experiment's run files, and `ledgers`."""
    runs = partial(run_files, experiment=experiment, suffix="json")
    return {"runs": runs} | ledgers(experiment)


CLIENTS = {"clients": ancient("results/{task}/clients.h5")}
"""Input for what a table says of the clients' samples, or of the test set's."""

CLIENTS_DIGEST = ["results/{task}/clients.h5.sha256"]
"""What stands for that file: equal content leaves tables alone."""


def networks(experiment):
    """Return the input `networks`, descriptions in the order of the runs that train them."""
    return {"networks": partial(networks_of_runs, experiment=experiment)}


def table_of(name):
    """Return the input `table`, a table of the task, whose rows a figure shows."""
    return {"table": f"results/{{task}}/tables/{name}.csv"}


def findings(*attacks):
    """Return the input `findings`, what each of several attacks found."""
    return {
        "findings": [f"results/{{task}}/attacks/{attack}.csv" for attack in attacks]
    }


def printed(**files):
    """Return inputs from the published record, by name."""
    return {name: of_project(f"published/{path}") for name, path in files.items()}


def shown(experiment):
    """Return the param `methods`: those that an experiment compares, with labels and marks."""
    return {"methods": partial(methods_of, experiment=experiment)}


def axes(experiment, *read):
    """Return the param `axes`: those in which runs deviate, and those that the script reads."""
    return {"axes": partial(axes_of, experiment=experiment, read=list(read))}


SETUPS = printed(setups="setups.csv")
"""Inputs to say whether a paper's numbers compare with the task's."""

SETUP = {"setup": setup_of_task}
"""Params for the same."""


include: "results/fbftl.smk"
include: "results/rivals.smk"
include: "results/thesis.smk"
include: "results/survey.smk"
include: "results/eppfl.smk"
include: "results/fedfeat.smk"


SWEEP = [
    Result(
        "tabulate_sweep",
        "sweep",
        "{experiment}",
        CLIENTS | tidy("{experiment}"),
        {
            "varying": axes_of_sweep,
            "axes": axes_of_experiment,
            "methods": methods_of_sweep,
        },
        files=CLIENTS_DIGEST,
        stem="sweep_{experiment}",
    ),
    Result(
        "plot_sweep",
        "sweep",
        "{experiment}",
        table_of("sweep_{experiment}"),
        {
            "along": along_of_sweep,
            "varying": axes_of_sweep,
            "methods": methods_of_sweep,
        },
        stem="sweep_{experiment}",
    ),
]
"""What any experiment of one's own gets: a table over its axes and a line plot."""

UNDER_SOURCES = {"runs": tidy_tables_of_sources}, {
    "varying": axes_of_sweep,
    "axes": axes_of_experiment,
    "methods": methods_of_sweep,
}
"""Inputs and params of what shows an experiment under several source networks."""

SOURCES = [
    Result(
        "tabulate_sources",
        "sources",
        "{experiment}",
        CLIENTS | UNDER_SOURCES[0],
        UNDER_SOURCES[1],
        files=CLIENTS_DIGEST,
        stem="sources_{experiment}",
    ),
    Result(
        "plot_sources",
        "sources",
        "{experiment}",
        *UNDER_SOURCES,
        stem="sources_{experiment}",
    ),
]
"""What any experiment gets where its task has several source networks: both parts of the spread."""
