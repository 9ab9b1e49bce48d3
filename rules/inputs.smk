"""What rules read: files by wildcards, blocks of the configuration."""


def clients_of(task):
    """Return a task's client file, which its repeats under further source networks share."""
    return f"results/{source_seeds.task_of(task)}/clients.h5"


def clients_here(wildcards):
    """Return that file of a job's task."""
    return clients_of(wildcards.task)


def digest_of_clients(wildcards):
    """Return what stands for that file."""
    return f"{clients_of(wildcards.task)}.sha256"


def caches_of(task):
    """Return where a task's features are, without suffix: at its own cut, then at further ones."""
    further = STUDY.task(task)["features"]["further_cuts"]
    return [
        f"results/{task}/features",
        *(f"results/{task}/features/{cut}" for cut in further),
    ]


def stores_of(task):
    """Return the folders or URLs of a task's feature stores, that of its own cut first."""
    first, *further = [f"{cache}.zarr" for cache in caches_of(task)]
    return [STUDY.task(task)["features"].get("store") or first, *further]


def root_of(task, cut=None):
    """Return the file that says that a task's feature store is there: its root's metadata.

    Snakemake removes the outputs of a job before it runs. Were the store an output, a job that is
    run again would lose it; without its root's metadata the job finds it and finishes it again.
    Where the configuration names a URL, a note of it takes that place.
    """
    remote = cut is None and STUDY.task(task)["features"].get("store")
    path = "features" if cut is None else f"features/{cut}"
    return f"results/{task}/{path}.zarr/{'location.txt' if remote else 'zarr.json'}"


def root_of_task(wildcards):
    """Return that file of the store at a task's own cut."""
    return root_of(wildcards.task)


def roots_of(task):
    """Return that file of each of a task's feature stores, that of its own cut first."""
    further = STUDY.task(task)["features"]["further_cuts"]
    return [root_of(task, cut) for cut in [None, *further]]


def stores_of_public(wildcards):
    """Return the one store of a task's public samples, always here."""
    return [f"results/{wildcards.task}/public.zarr"]


def manifests_of(task):
    """Return the manifests of a task's feature stores, that of its own cut first."""
    return [f"{cache}.json" for cache in caches_of(task)]


def all_manifests():
    """Return the manifests of all feature stores of the study."""
    tasks = STUDY.with_repeats(STUDY.tasks)
    return [manifest for task in tasks for manifest in manifests_of(task)]


def extractions():
    """Return every pass that fills feature stores of the study: its files, stores and values."""
    return [
        extraction
        for task in STUDY.with_repeats(STUDY.tasks)
        for extraction in (extraction_of(task), extraction_of_public(task))
        if extraction is not None
    ]


def extraction_of(task):
    """Return the pass over a task's clients, in builtin types."""
    return {
        "module": module_of(task, "features"),
        "clients": clients_of(task),
        "weights": f"results/{task}/source.safetensors",
        "source": f"results/{task}/source.json",
        "features": STUDY.task(task)["features"],
        "stores": stores_of(task),
        "manifests": manifests_of(task),
    }


def extraction_of_public(task):
    """Return the pass over a task's public samples, or None if no setting asks for them."""
    if STUDY.task(task)["kind"] != "images" or not STUDY.asks_public_features(task):
        return None
    return extraction_of(task) | {
        "clients": f"results/{task}/public.h5",
        "features": STUDY.task(task)["features"] | {"store": None, "further_cuts": []},
        "stores": [f"results/{task}/public.zarr"],
        "manifests": [f"results/{task}/public.json"],
    }


def files_of_extractions():
    """Return what these passes read; none is made again because it was touched."""
    names = ("clients", "weights", "source")
    return sorted(
        {ancient(extraction[name]) for extraction in extractions() for name in names}
    )


def memory_of_made_rules(wildcards, attempt):
    """Return the megabytes of rules made in a loop, whose names no profile can know."""
    return 8000 * attempt


def of_cut(task, cut, name, suffix):
    """Return a file of a task that there is one of for each cut; None is the task's own."""
    path = name if cut is None else f"{name}/{cut}"
    return f"results/{task}/{path}.{suffix}"


def named_network(wildcards):
    """Return a network's block of a task's configuration."""
    return STUDY.task(wildcards.task)["networks"][wildcards.network]


def network_of_widths(wildcards, experiment):
    """Return the block of the network whose widths an experiment compares."""
    settings = STUDY.settings[wildcards.task][experiment].values()
    (name,) = {setting.network for setting in settings}
    return STUDY.task(wildcards.task)["networks"][name]


def size_of_images(wildcards):
    """Return the side of a task's images as they enter a network, None if it is their own."""
    return STUDY.task(wildcards.task)["features"]["size"]


def domains_of(wildcards):
    """Return a task's domains as the configuration lists them."""
    return STUDY.task(wildcards.task)["clients"]["domains"]


def network_of(task, setting):
    """Return the description of the network that a setting trains."""
    axes = STUDY.setting(task, setting)
    if axes.network is None:
        return of_cut(task, axes.cut, "network", "json")
    return f"results/{task}/networks/{axes.network}.json"


def networks_of_runs(wildcards, experiment):
    """Return the network's description of every run of an experiment on a task."""
    names = STUDY.settings[wildcards.task][experiment]
    return [network_of(wildcards.task, name) for name in names]


def features_before_cut(wildcards):
    """Return what a task's features block says of the network's input."""
    features = STUDY.task(wildcards.task)["features"]
    return {key: features[key] for key in ("size", "mean", "std")}


def features_at_own_cut(wildcards):
    """Return what decides a task's network: its input, its cut and the pooling there."""
    features = STUDY.task(wildcards.task)["features"]
    return features_before_cut(wildcards) | {
        key: features[key] for key in ("cut", "pool")
    }


def features_at_further_cut(wildcards):
    """Return what decides a task's network at one of its further cuts."""
    return features_at_own_cut(wildcards) | {"cut": wildcards.cut}


def task_block(wildcards, block):
    """Return one block of a task's configuration."""
    return STUDY.task(wildcards.task)[block]


def clients_block(wildcards):
    """Return what decides a task's client file; one drawn per seed is drawn in the training job."""
    clients = STUDY.task(wildcards.task)["clients"]
    return {key: value for key, value in clients.items() if key != "draw"}


def setup_of_task(wildcards):
    """Return what decides whether a task's results compare with a paper's."""
    return setup_of(STUDY.task(wildcards.task))


def sources_block(wildcards):
    """Return what decides a task's further source models, with their network's block for its name."""
    block = STUDY.task(wildcards.task)
    return block["source_models"] | {
        "network": block["networks"][block["source_models"]["network"]]
    }


def jobs_of_frameworks_choice(wildcards):
    """Return the clean jobs of the frameworks whose lengths and sizes the rule picks."""
    settings = STUDY.settings[wildcards.task]["frameworks"]
    return [
        STUDY.job(wildcards.task, name)
        for name, setting in settings.items()
        if setting.method in ("fedmd", "secure_ftl")
        and (setting.partition, setting.protection) == (None, "plain")
    ]


def jobs_of_similarity(wildcards):
    """Return the jobs whose networks learn two labels each, for indices of similarity."""
    settings = STUDY.settings[wildcards.task]["similarity"]
    return [STUDY.job(wildcards.task, name) for name in settings]


def models_voted_on(wildcards):
    """Return what each of a task's further source models learns from, by name."""
    return STUDY.task(wildcards.task)["source_models"]["models"]


def series_of_federation(wildcards):
    """Return the learning curves of a task's federation against one network."""
    names = ("federation", "federation_mnist")
    experiment = next(name for name in names if name in STUDY.settings[wildcards.task])
    return f"results/{wildcards.task}/experiments/{experiment}.series.csv"


def unseen_data(wildcards):
    """Return a task's data block where its clients see their samples differently."""
    task = STUDY.task(wildcards.task)
    return task["data"] if task["clients"]["domains"] else None


def splits_of_nobody_else(wildcards):
    """Return the task's splits whose images may not be public: the test's where these are sold."""
    return ["train", "test"] if STUDY.buys(wildcards.task) else ["train"]


def features_here(wildcards):
    """Return a task's features block for a further store, which stays below its results."""
    return STUDY.task(wildcards.task)["features"] | {"store": None, "further_cuts": []}


def files_to_train(task, cut):
    """Return all that training can read on a task with features at a cut, by input name.

    Repeats under further source networks share what no source decides: clients, layers, open data.
    """
    shared = source_seeds.task_of(task)
    return {
        # The manifest stands for the store: equal content leaves the runs alone.
        "features": ancient(root_of(task, cut)),
        "manifest": of_cut(task, cut, "features", "json"),
        "network": of_cut(shared, cut, "network", "json"),
        "public": ancient(f"results/{task}/public.zarr/zarr.json"),
        "public_manifest": f"results/{task}/public.json",
        "clients": ancient(clients_of(task)),
        "weights": ancient(f"results/{task}/source.safetensors"),
        "source": f"results/{task}/source.json",
        "open_data": ancient(f"results/{shared}/open.h5"),
        "source_models": ancient(f"results/{shared}/sources.safetensors"),
    }


def inputs_of(task, setting):
    """Return what a setting is trained from, by input name; its method and its task decide."""
    reads = STUDY.reads(task, setting)
    # Whoever reads no features still reads what the task's own store says of its preprocessing.
    cut = STUDY.setting(task, setting).cut if "features" in reads else None
    read = ("features", "manifest", *reads)
    return {k: path for k, path in files_to_train(task, cut).items() if k in read}


def inputs_of_choice(wildcards):
    """Return what head and epochs are chosen from, for both kinds of methods and without noise."""
    files = files_to_train(wildcards.task, None)
    others = ("public", "public_manifest", "open_data", "source_models")
    return {k: path for k, path in files.items() if k not in others}


def job_of_choice(wildcards):
    """Return FbFTL's clean job, longer than will be needed and with the rule's own seeds."""
    choice = STUDY.config["head_choice"]
    job = STUDY.job_of(wildcards.task, Setting())
    longer = job["training"] | {"epochs": choice["epochs"]}
    return job | {"training": longer, "seeds": list(range(choice["seeds"]))}


def other_jobs_of_choice(wildcards):
    """Return the clean jobs of the task's methods that train the network, as long."""
    longest = {"epochs": STUDY.config["head_choice"]["epochs"]}
    jobs = [
        STUDY.job_of(wildcards.task, Setting(method=method))
        for method in STUDY.clean_methods(wildcards.task)
        if methods.record(method).trains_network
    ]
    return [job | {"training": job["training"] | longest} for job in jobs]


def digests_of(task, setting):
    """Return what stands for the large files without a manifest that a setting is trained from."""
    files = files_to_train(task, None)
    large = ("clients", "open_data", "source_models")
    return [f"{files[k]}.sha256" for k in large if k in STUDY.reads(task, setting)]


def digests_of_setting(wildcards):
    """Return what stands for the large files that a job's own setting is trained from."""
    return digests_of(wildcards.task, wildcards.setting)


def inputs_of_setting(wildcards):
    """Return the input files of a job's own setting, by name."""
    return inputs_of(wildcards.task, wildcards.setting)


def run_paths(task, names, suffix):
    """Return one file of every setting named."""
    return [f"results/{task}/runs/{name}.{suffix}" for name in names]


def jobs_of(wildcards, output):
    """Return the one param of a training job, a list as for several settings together.

    Snakemake compares no param that follows from the output. What a run was made from its record
    tells (comparing.smk), whichever settings it shared its process with.
    """
    return jobs_made(wildcards, output, wildcards.task)


def jobs_made(wildcards, output, task):
    """Return the job of each run file that a training job makes."""
    runs = [output.run] if isinstance(output.run, str) else output.run
    return [STUDY.job(task, Path(run).name.removesuffix(".json")) for run in runs]


def run_files(wildcards, experiment, suffix):
    """Return one file of every run of an experiment on a task: json, or parquet for ledgers."""
    return run_paths(wildcards.task, STUDY.settings[wildcards.task][experiment], suffix)


def together_of(wildcards):
    """Return the settings of a task that touch the same rows, by the name of their group."""
    return STUDY.together(wildcards.task)


def runs_together(wildcards):
    """Return the run file of each of them."""
    named = {name for names in together_of(wildcards).values() for name in names}
    return run_paths(wildcards.task, sorted(named), "json")


def delta_of(wildcards):
    """Return the delta of a task's guarantees."""
    return STUDY.task(wildcards.task)["privacy"]["delta"]


def samples_of_clients(wildcards):
    """Return the rows of a client in a task's own partition; 1 where clients are counted instead."""
    return STUDY.task(wildcards.task)["clients"]["samples_per_client"] or 1


def methods_of(wildcards, experiment):
    """Return what a table or figure of an experiment needs of the methods that it shows."""
    return STUDY.methods_of(wildcards.task, experiment)


def axes_of(wildcards, experiment, read=()):
    """Return the axes that a table reads, and those in which a run deviates, with their defaults."""
    return STUDY.axes_of(wildcards.task, experiment, read=read)


def axes_of_experiment(wildcards):
    """Return the axes in which a run of an experiment deviates, with their defaults."""
    return axes_of(wildcards, wildcards.experiment)


def axes_of_grids(wildcards):
    """Return the axes that the grids of an experiment name, with their defaults."""
    grids = STUDY.config["experiments"][wildcards.experiment]["grids"]
    named = {axis for grid in grids for axis in grid} - {"method"}
    return {axis: default for axis, default in DEFAULTS.items() if axis in named}


def runs_of(wildcards):
    """Return the run files of an experiment on a task."""
    return run_files(wildcards, wildcards.experiment, "json")
