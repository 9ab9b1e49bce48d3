"""What a study makes: every file that the target `all` names, and the report's chapters."""

QUESTIONS = {
    "cost": "1 What does it cost?",
    "loss": "2 What does loss do?",
    "compression": "3 What does compression do?",
    "privacy": "4 What leaks?",
    "audit": "5 What disagrees with the papers?",
    "sweep": "6 What do experiments of your own show?",
}
"""The report's chapters."""

RESULTS = {
    "methods": ["tables/methods", "figures/methods"],
    "language": ["tables/language"],
    "language_scarcity": ["figures/language_scarcity"],
    "scarcity": ["tables/scarcity", "figures/scarcity"],
    "compression": [
        "tables/compression",
        "figures/compression",
        "figures/rate_distortion",
    ],
    "packet_loss": ["tables/packet_loss", "figures/packet_loss"],
    "audit": ["tables/effects"],
    "privacy": [
        "tables/privacy",
        "figures/privacy",
        "tables/attacks",
        "figures/inversion",
        "tables/label_leakage",
    ],
    "noise": ["tables/noise", "figures/noise"],
    "robust": ["figures/robust"],
    "width_heads": ["tables/width_heads"],
    "widths": ["tables/widths", "figures/widths", "figures/domains"],
    "uploads": ["tables/uploads", "figures/uploads"],
    "uploads_clients": ["figures/uploads_clients", "figures/crossover"],
    "uploads_skew": ["figures/uploads_skew"],
    "uploads_loss": ["figures/uploads_loss"],
    "uploads_privacy": [
        "tables/trust",
        "figures/trust",
        "figures/means",
        "tables/upload_attacks",
    ],
    "budget": ["tables/budget", "figures/budget", "figures/influence"],
    "ecos": [
        "tables/ecos",
        "figures/ecos",
        "figures/purchases",
        "tables/count_attacks",
    ],
    "ecos_uploads": [
        "tables/ecos_uploads",
        "figures/ecos_uploads",
    ],
    "fairness": ["tables/fairness", "figures/fairness"],
    "fairness_strong": ["tables/fairness_strong"],
    "group_leakage": ["tables/group_leakage"],
    "domain_adaptation": ["tables/domain_adaptation", "figures/domain_adaptation"],
    "frameworks": [
        "tables/frameworks",
        "figures/frameworks",
        "figures/gains",
        "tables/framework_attacks",
    ],
    "federation": ["figures/federation"],
    "federation_mnist": ["figures/federation"],
    "votes": ["figures/votes"],
    "eppfl": [
        "tables/eppfl",
        "figures/eppfl_privacy",
        "figures/eppfl_uplink",
        "tables/eppfl_attacks",
    ],
    "eppfl_epochs": ["figures/eppfl_epochs"],
    "eppfl_paper": ["tables/eppfl_paper"],
    "eppfl_round": ["tables/eppfl_round"],
    "retraining": ["tables/retraining", "figures/retraining"],
    "feature_noise": [
        "tables/feature_noise",
        "figures/feature_noise",
        "tables/feature_attacks",
    ],
    "retraining_cost": ["tables/retraining_cost", "figures/retraining_cost"],
    "dpsgd": ["tables/dpsgd", "figures/dpsgd"],
}
"""What is made of each experiment, below a task's results; others of a paper's system end in their
tidy table, which its claims and tables read, and all others in a sweep."""


def results_of(task, experiment):
    """Return what is made of an experiment on a task, below the task's results."""
    if experiment in RESULTS:
        return RESULTS[experiment]
    if any(experiment in system.experiments for system in SYSTEMS):
        return []
    along = longest(list(STUDY.settings[task][experiment].values()))
    drawn = [] if along is None else [f"figures/sweep_{experiment}"]
    return [f"tables/sweep_{experiment}", *drawn]


TASK_RESULTS = ["numbers"]
"""What is made of all experiments together, below the results of a task."""

PAPER_RESULTS = {
    "fbftl": [
        "tables/claims",
        "tables/methods",
        "tables/language",
        "figures/packet_loss",
        "figures/retransmission",
        "figures/label_privacy",
        "tables/label_privacy",
    ],
    "eppfl": ["tables/claims"],
    "fedfeat": ["tables/claims", "tables/cost"],
    "rivals": ["tables/claims", "tables/published"],
    "thesis": [
        "tables/claims",
        "tables/budget_bounds",
        "figures/budget_bounds",
    ],
    "survey": ["tables/claims"],
}
"""What is made of each paper's claims and own numbers, below results/papers."""

FORMATS = {
    "tables": ["csv", "md", "tex", "html"],
    "figures": ["svg", "pdf", "png", "csv"],
    "numbers": ["json", "tex"],
    "experiments": ["csv", "series.csv"],
}
"""What each kind of result is written as."""


def table(stem, question, title):
    """Return a table's files by format; the report shows it under a question."""
    files = {suffix: f"{stem}.{suffix}" for suffix in FORMATS["tables"]}
    return files | {"html": reported(files["html"], "table", question, title)}


def figure(stem, question, title):
    """Return a figure's files by format, its numbers among them; shown as a table is."""
    files = {suffix: f"{stem}.{suffix}" for suffix in FORMATS["figures"]}
    return files | {"svg": reported(files["svg"], "figure", question, title)}


def reported(path, kind, question, title):
    """Return an output of a task, of a paper or of all papers that the report shows.

    Its caption has its name, without a wildcard; a paper may have a caption of its own.
    """
    *folders, name = Path(path).with_suffix("").parts
    name = name.removesuffix("_{experiment}")
    *_, of = (folder for folder in folders if folder not in ("tables", "figures"))
    own = Path(BASE, "rules", "captions", of, f"{name}.rst")
    return report(
        path,
        caption=f"captions/{of}/{name}.rst" if own.exists() else f"captions/{name}.rst",
        category=QUESTIONS[question],
        labels={"result": title, "kind": kind, "of": of},
    )


def in_formats(folder, results):
    """Return the files of results below a folder, in every format of their kind."""
    return [
        f"{folder}/{result}.{suffix}"
        for result in results
        for suffix in FORMATS[result.split("/")[0]]
    ]


def results_of_papers():
    """Return by paper what this call makes of its claims and own numbers.

    All of it where `papers` names the paper, and in the default study whole. A study of fewer
    experiments ends in the claims on them; experiments of one's own are of no paper.
    """
    default = read_yaml(Path(BASE, "config.yaml"))
    whole = set(default["study"]["experiments"]) <= set(STUDY.paper)
    if STUDY.config["papers"] is not None or whole:
        return {paper: PAPER_RESULTS.get(paper, []) for paper in STUDY.papers}
    told = set(default["experiments"]).union(
        *(system.experiments for system in SYSTEMS)
    )
    papers = {paper for name, paper in STUDY.paper.items() if name in told}
    return {paper: ["tables/claims"] for paper in STUDY.papers if paper in papers}


def all_spines():
    """Return the files that every run of the study rests on."""
    if STUDY.shard.joins:
        return []
    return [
        f"results/{task}/{name}"
        for task in STUDY.tasks
        for name in ("clients.h5", "source.safetensors", "source.json")
    ] + all_manifests()


def all_runs():
    """Return the run files of the whole study, with their ledgers."""
    return sorted(
        path
        for task, experiments in STUDY.settings.items()
        for name in {name for settings in experiments.values() for name in settings}
        for path in files_of_run(task, name)
    )


def files_of_run(task, name):
    """Return run file and ledger of a setting."""
    return [f"results/{task}/runs/{name}.{suffix}" for suffix in ("json", "parquet")]


def all_results():
    """Return the tables and figures of the whole study; of a part of it tidy tables alone."""
    if STUDY.shard != WHOLE:
        return all_tidy_tables()
    files = [f"results/papers/audit.{suffix}" for suffix in FORMATS["tables"]]
    files.append("results/index.html")
    for paper, results in results_of_papers().items():
        files += in_formats(f"results/papers/{paper}", results)
    for task, experiments in STUDY.settings.items():
        for experiment in experiments:
            made = results_of(task, experiment) or [f"experiments/{experiment}"]
            files += in_formats(f"results/{task}", made)
    for task in STUDY.tasks:
        files += in_formats(f"results/{task}", TASK_RESULTS)
        if STUDY.together(task):
            files.append(f"results/{task}/guarantees/together.csv")
    return files


@cache
def shown_by_paper():
    """Return the tables and figures of each paper, as html and svg, made by this call or there.

    Those of its experiments come first, in the study's order, so that a paper's first figure is
    of its first experiment that has one.
    """
    suffixes = {"figures": "svg", "tables": "html"}
    shown, of_papers = {}, results_of_papers()
    for paper in dict.fromkeys([*project_study().papers, *STUDY.papers]):
        of_call = of_papers.get(paper, [])
        made = [
            (f"{task}/{result}", experiment in STUDY.settings.get(task, {}))
            for task, experiments in finished_of_paper(paper).items()
            for experiment in experiments
            if task not in STUDY.tasks or experiment in STUDY.settings[task]
            for result in shown_of(task, experiment)
        ]
        made += [
            (f"papers/{paper}/{one}", one in of_call)
            for one in PAPER_RESULTS.get(paper, [])
        ]
        named = [
            (f"results/{one}.{suffixes[one.split('/')[-2]]}", now)
            for one, now in dict.fromkeys(made)
        ]
        if paths := [path for path, now in named if now or os.path.exists(path)]:
            shown[paper] = paths
    return shown


def results_shown(wildcards):
    """Return them, for the page of all papers."""
    return shown_by_paper()


def shown_of(task, experiment):
    """Return what is made of an experiment; of one that this call does not make, what may be."""
    if experiment in STUDY.settings.get(task, {}):
        return results_of(task, experiment)
    return RESULTS.get(experiment, [])


def either_with_experiment():
    """Return the pattern of a task before an experiment that this call makes on it.

    A tidy table that another call made is read as it is.
    """
    pairs = [
        f"{re.escape(task)}(?=/experiments/(?:{either(experiments)})\\.)"
        for task, experiments in STUDY.settings.items()
    ]
    return "|".join(pairs) or "(?!)"


def all_shown(wildcards):
    """Return all of them."""
    return [path for paths in shown_by_paper().values() for path in paths]


def all_tidy_tables():
    """Return the tidy tables that a shard makes, or those that all shards are joined to."""
    return [
        f"{tidy_stem(task, experiment)}.{suffix}"
        for task, experiments in STUDY.settings.items()
        for experiment in experiments
        for suffix in FORMATS["experiments"]
    ]


def tidy_stem(task, experiment):
    """Return where the tidy tables of an experiment go in this call, without suffix."""
    if STUDY.shard == WHOLE:
        return f"results/{task}/experiments/{experiment}"
    if STUDY.shard.joins:
        return f"results/{task}/shards/{experiment}"
    return stem_of_part(task, experiment, STUDY.shard)


def stem_of_part(task, experiment, part):
    """Return where the tidy tables of a shard lie, without suffix: below its plan's digest."""
    plan = plan_of(task, experiment)
    return f"results/{task}/shards/{experiment}/{plan}/{part_name(part)}"


def part_name(part):
    """Return what a shard's files are called."""
    return f"{part.number}-of-{part.of}"


def parts_of(wildcards):
    """Return both tables of every shard of an experiment on a task, by input name."""
    stems = [
        stem_of_part(wildcards.task, wildcards.experiment, part)
        for part in STUDY.shard.parts
    ]
    return {
        "tables": [f"{stem}.csv" for stem in stems],
        "series": [f"{stem}.series.csv" for stem in stems],
    }


def all_parts():
    """Return every shard of the study by the table that it has made."""
    return {
        f"{stem_of_part(task, experiment, part)}.csv": part
        for task, experiments in STUDY.settings.items()
        for experiment in experiments
        for part in STUDY.shard.parts
    }


if STUDY.shard.joins:
    try:
        require_made(all_parts())
    except UserError as error:
        sys.exit(str(error))
