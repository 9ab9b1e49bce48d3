"""What decides whether a job runs again: digests of code by kind of task, and of the user's files."""

@cache
def code(script, *modules):
    """Return the digest of a script and the library modules it imports: a param of its rule.

    One param instead of an input per module keeps the plan of ten thousand jobs short.
    """
    folder = of_project("scripts")
    return digest(sources(script, folder, *modules), folder)


def code_of_training(task, setting):
    """Return the code of the training script, of a setting's method and of the kind of task."""
    method, kind = STUDY.setting(task, setting).method, STUDY.task(task)["kind"]
    return code("stages/train_setting.py", *modules_of_method(method, kind))


def code_of_method(wildcards):
    """Return the code of the training script, of the method and kind of task of a job."""
    return code_of_training(wildcards.task, wildcards.setting)


def code_of_sentences(wildcards):
    """Return the code of the sentences' script, of what a paper's compare and what decides them."""
    paper = f"fbftl.papers.{wildcards.paper}"
    return code("tables/tabulate_sentences.py", f"{paper}.claims", f"{paper}.formulas")


def code_of_parts(wildcards):
    """Return the code of the script of their parts and of what they compare."""
    return code("tables/tabulate_parts.py", f"fbftl.papers.{wildcards.paper}.claims")


def code_of_hypotheses(wildcards):
    """Return the code of the hypotheses' script and of what they compare."""
    return code(
        "tables/tabulate_hypotheses.py", f"fbftl.papers.{wildcards.paper}.claims"
    )


def code_of_choice(wildcards):
    """Return the code that chooses head and epochs, with that of the methods that it trains."""
    names = ["fbftl", *STUDY.clean_methods(wildcards.task)]
    kind = STUDY.task(wildcards.task)["kind"]
    there = {m for name in names for m in modules_of_method(name, kind)}
    return code("stages/choose_head.py", *sorted(there))


MODULES = {
    "images": {
        "clients": "fbftl.data.images",
        "source": "fbftl.training.pretrain",
    },
    "dialogues": {
        "clients": "fbftl.data.dialogues.partition",
        "source": "fbftl.training.pretrain_t5",
    },
}
"""By kind of task, the module that each stage before training imports by name."""


def module_of(task, stage):
    """Return the module of a stage for a task's kind."""
    return MODULES[STUDY.task(task)["kind"]][stage]


def module_of_clients(wildcards):
    """Return the module that partitions a task's data over clients."""
    return module_of(wildcards.task, "clients")


def module_of_source(wildcards):
    """Return the module that makes a task's source model."""
    return module_of(wildcards.task, "source")


def code_of_clients(wildcards):
    """Return the code of the partition script and of the task's kind of data."""
    task = STUDY.task(wildcards.task)
    kind = [datasets.module(task["data"])] if task["kind"] == "images" else []
    return code("stages/partition_clients.py", module_of_clients(wildcards), *kind)


def code_of_source(wildcards):
    """Return the code of the source's script and of its task's kind of data."""
    modules = source_check.modules(STUDY.task(wildcards.task)["source"])
    return code("stages/prepare_source.py", module_of_source(wildcards), *modules)


def trains_on_public_split(task):
    """Tell whether a task's source model is trained on samples of its own data set."""
    return STUDY.task(task)["kind"] == "dialogues"


def public_data_of_source(wildcards):
    """Return the task's data block where its source model is trained on samples of it."""
    on_public_split = trains_on_public_split(wildcards.task)
    return STUDY.task(wildcards.task)["data"] if on_public_split else {}


def contents_of_public_split(wildcards):
    """Return the digests of the files of these samples."""
    return contents_of_data(wildcards) if trains_on_public_split(wildcards.task) else []


def contents(files):
    """Return the digests of files that the configuration names: a param of what reads them.

    As inputs they would count as changed whenever they are touched, and a folder hardly ever.
    """
    return [DIGESTS(path) for path in files]


def contents_of_data(wildcards):
    """Return the digests of the data files that a task names."""
    task = STUDY.task(wildcards.task)
    kind = dialogues if task["kind"] == "dialogues" else datasets
    return contents(kind.files(task["data"], STUDY.config["data_folder"]))


def contents_of_source(wildcards):
    """Return the digests of the files that a task's source names."""
    source = STUDY.task(wildcards.task)["source"]
    return contents(source_check.files(source, STUDY.config["data_folder"]))


def contents_of_public(wildcards):
    """Return the digests of the files that a task's public samples come from."""
    folder = STUDY.config["data_folder"]
    data = data_of_public(wildcards.task)
    return contents(file for block in data for file in datasets.files(block, folder))


def data_of_public(task):
    """Return the data blocks that a task's public samples come from, letters left out."""
    block = STUDY.task(task)
    blocks = public_data(block["source"], block["public"])
    return [data for data in blocks if data is not None]


def code_of_public(wildcards):
    """Return the code of the script that chooses public samples and of their kinds of data."""
    task = wildcards.task
    kinds = {datasets.module(data) for data in data_of_public(task)}
    return code("stages/choose_public.py", "fbftl.data.letters", *sorted(kinds))


def contents_of_open(wildcards):
    """Return the digests of the files that a task's open data come from."""
    target = STUDY.task(wildcards.task)["open_data"]["target"]
    files = (
        [] if target is None else datasets.files(target, STUDY.config["data_folder"])
    )
    return contents(files)


def code_of_open(wildcards):
    """Return the code of the script that prepares open data and of their kind of data."""
    target = STUDY.task(wildcards.task)["open_data"]["target"]
    kind = [] if target is None else [datasets.module(target)]
    return code("stages/prepare_open.py", "fbftl.data.letters", *kind)
