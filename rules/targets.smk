"""What a study makes: every file that the target `all` names."""

RESULTS = {name: paths(results) for name, results in OF_EXPERIMENT.items()}
"""What is made of each experiment, below a task's results; others of a paper's system end in their
tidy table, which tables of its paper read, and all others in a sweep."""

PAPER_RESULTS = {paper: paths(results) for paper, results in OF_PAPER.items()}
"""What is made of each paper's sentences and own numbers, below results/papers."""

TASK_RESULTS = ["numbers"]
"""What is made of all experiments together, below the results of a task."""


def results_of(task, experiment):
    """Return what is made of an experiment on a task, below the task's results."""
    several = len(STUDY.with_repeats([task])) > 1
    further = of_several_sources(experiment) if several else []
    return [*of_one_source(task, experiment), *further]


def of_several_sources(experiment):
    """Return what is made of an experiment under all source networks of a task."""
    return [path.format(experiment=experiment) for path in paths(SOURCES)]


def of_one_source(task, experiment):
    """Return what is made of an experiment under the task's first source network."""
    if experiment in RESULTS:
        return RESULTS[experiment]
    if any(experiment in system.experiments for system in [*SYSTEMS, *OF_SIZE]):
        return []
    along = longest(list(STUDY.settings[task][experiment].values()))
    figures = [] if along is None else [f"figures/sweep_{experiment}"]
    return [f"tables/sweep_{experiment}", *figures]


def in_formats(folder, results):
    """Return the files of results below a folder, in every format of their kind."""
    return [
        f"{folder}/{result}.{suffix}"
        for result in results
        for suffix in FORMATS[result.split("/")[0]]
    ]


def results_of_papers():
    """Return by paper what this call makes of its sentences and own numbers.

    All of it where `papers` names the paper, and in the default study whole. A study of fewer
    experiments ends in what its sentences say of them; experiments of one's own are of no paper.
    A paper without a list in results/ has no registry, and nothing is made of it.
    """
    default = read_yaml(Path(BASE, "config.yaml"))
    whole = set(default["study"]["experiments"]) <= set(STUDY.paper)
    if STUDY.config["papers"] is not None or whole:
        return {paper: PAPER_RESULTS.get(paper, []) for paper in STUDY.papers}
    published = set(default["experiments"]).union(
        *(system.experiments for system in [*SYSTEMS, *OF_SIZE])
    )
    papers = {paper for name, paper in STUDY.paper.items() if name in published}
    listed = papers & PAPER_RESULTS.keys()
    return {paper: OF_SENTENCES for paper in STUDY.papers if paper in listed}


def all_clients_and_sources():
    """Return the files that every run of the study rests on."""
    return [
        f"results/{task}/{name}"
        for task in STUDY.tasks
        for name in ("clients.h5", "source.safetensors", "source.json")
    ] + [*further_sources(), *all_manifests()]


def further_sources():
    """Return the source networks of all repeats, whose clients are their task's."""
    return [
        f"results/{task}/{name}"
        for task in STUDY.with_repeats(STUDY.tasks)
        if source_seeds.is_repeat(task)
        for name in ("source.safetensors", "source.json")
    ]


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
    """Return the tables and figures of the whole study."""
    files = [f"results/papers/audit.{suffix}" for suffix in FORMATS["tables"]]
    files.append("results/index.html")
    for paper, results in results_of_papers().items():
        files += in_formats(f"results/papers/{paper}", results)
    for task in STUDY.tasks:
        for experiment in STUDY.experiments(task):
            results = results_of(task, experiment) or [f"experiments/{experiment}"]
            files += in_formats(f"results/{task}", results)
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
        results = [
            (f"{task}/{result}", now)
            for task, experiments in finished_of_paper(paper).items()
            for experiment in experiments
            if task not in STUDY.tasks or experiment in STUDY.settings[task]
            for result, now in shown_of(task, experiment)
        ]
        results += [
            (f"papers/{paper}/{result}", result in of_call)
            for result in PAPER_RESULTS.get(paper, [])
        ]
        named = [
            (f"results/{result}.{suffixes[result.split('/')[-2]]}", now)
            for result, now in dict.fromkeys(results)
        ]
        if paths := [path for path, now in named if now or os.path.exists(path)]:
            shown[paper] = paths
    return shown


def results_shown(wildcards):
    """Return them, for the page of all papers."""
    return shown_by_paper()


def texts_shown(wildcards):
    """Return title and caption of each of them, by path."""
    return {path: text_of(path) for path in all_shown(wildcards)}


def data_sets_shown():
    """Return name, data set and number of seeds of each task that is made or lies finished here."""
    described = []
    for task in finished():
        study = STUDY if task in STUDY.tasks else project_study()
        if task in study.tasks:
            block = study.task(task)
            data, seeds = setup_of(block)["task"], len(block["seeds"])
            described.append({"name": task, "data": data, "seeds": seeds})
    return described


def shown_of(task, experiment):
    """Yield what is made of an experiment and what may lie there, and whether this call makes it."""
    now = experiment in STUDY.settings.get(task, {})
    made = results_of(task, experiment) if now else []
    for result in made or RESULTS.get(experiment, []):
        yield result, now
    for result in of_several_sources(experiment):
        if result not in made:
            yield result, False


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
    """Return the tidy tables of the whole study."""
    return [
        f"results/{task}/experiments/{experiment}.{suffix}"
        for task, experiments in STUDY.settings.items()
        for experiment in experiments
        for suffix in FORMATS["experiments"]
    ]
