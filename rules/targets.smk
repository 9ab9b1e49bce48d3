"""What a study makes: every file that the target `all` names, and the report's chapters."""

QUESTIONS = {
    "cost": "1 What does it cost?",
    "loss": "2 What does loss do?",
    "compression": "3 What does compression do?",
    "privacy": "4 What leaks?",
    "audit": "5 What disagrees with the papers?",
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
    "outsourcing": [
        "tables/outsourcing",
        "figures/outsourcing",
        "figures/purchases",
        "tables/count_attacks",
    ],
    "outsourcing_uploads": [
        "tables/outsourcing_uploads",
        "figures/outsourcing_uploads",
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
    "retraining": ["tables/retraining", "figures/retraining"],
    "feature_noise": [
        "tables/feature_noise",
        "figures/feature_noise",
        "tables/feature_attacks",
    ],
    "retraining_cost": ["tables/retraining_cost", "figures/retraining_cost"],
    "dpsgd": ["tables/dpsgd", "figures/dpsgd"],
}
"""What is made of each experiment, below a task's results; others end in their tidy table."""

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

    Its caption has its name; a paper may have a caption of its own.
    """
    *folders, name = Path(path).with_suffix("").parts
    *_, of = (folder for folder in folders if folder not in ("tables", "figures"))
    own = Path(workflow.basedir, "rules", "captions", of, f"{name}.rst")
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


def all_spines():
    """Return the files that every run of the study rests on."""
    return [
        f"results/{task}/{name}"
        for task in STUDY.tasks
        for name in ("clients.h5", "source.safetensors", "source.json")
    ] + all_manifests()


def all_runs():
    """Return the run files of the whole study, with their ledgers."""
    return sorted(
        {
            f"results/{task}/runs/{name}.{suffix}"
            for task, experiments in STUDY.settings.items()
            for settings in experiments.values()
            for name in settings
            for suffix in ("json", "parquet")
        }
    )


def all_results():
    """Return the tables and figures of the whole study."""
    files = [f"results/papers/audit.{suffix}" for suffix in FORMATS["tables"]]
    for paper in STUDY.papers:
        files += in_formats(f"results/papers/{paper}", PAPER_RESULTS.get(paper, []))
    for task, experiments in STUDY.settings.items():
        for experiment in experiments:
            made = RESULTS.get(experiment, [f"experiments/{experiment}"])
            files += in_formats(f"results/{task}", made)
    for task in STUDY.tasks:
        files += in_formats(f"results/{task}", TASK_RESULTS)
        if STUDY.together(task):
            files.append(f"results/{task}/guarantees/together.csv")
    return files
