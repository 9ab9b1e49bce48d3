"""What the rules of single systems read, beside what all rules do."""

from fbftl.papers.fedfeat.backbones import backbone


def backbones_of(wildcards):
    """Return which of the paper's backbones each network of a task is, by its name."""
    networks = STUDY.task(wildcards.task)["networks"]
    return {name: backbone(network) for name, network in networks.items()}


def training_value(wildcards, key):
    """Return a training value of a task."""
    return STUDY.task(wildcards.task)["training"][key]


def attacked_features(wildcards):
    """Return the jobs whose sent features are attacked: no noise, then the ends of each kind's ε.

    Features that are clipped under noise as printed are another question.
    """
    settings = STUDY.settings[wildcards.task]["feature_noise"].values()
    kinds = {}
    for setting in sorted(settings, key=lambda axes: -(axes.epsilon or 0)):
        if setting.mechanism in ("none", "gaussian") or setting.feature_clip is None:
            kinds.setdefault(setting.mechanism, []).append(setting.name)
    names = [
        name
        for of_kind in kinds.values()
        for name in dict.fromkeys((of_kind[0], of_kind[-1]))
    ]
    clean = kinds.get("none", [])
    ordered = [*clean, *(name for name in names if name not in clean)]
    return [STUDY.job(wildcards.task, name) for name in ordered]


def files_of_fedfeat(wildcards):
    """Return what FedFeat+ is trained from, by input name."""
    read = ("features", "manifest", "clients", "weights", "source")
    files = files_to_train(wildcards.task, None)
    return {name: files[name] for name in read}


def studies_with_uploads():
    """Return, by task, the study of each on which uploads are compared, made or finished here."""
    return {
        task: study
        for task, experiments in finished().items()
        if "uploads" in experiments
        for study in [STUDY if task in STUDY.tasks else project_study()]
        if "uploads" in study.settings.get(task, {})
    }


def tidy_tables_of_uploads(wildcards):
    """Return the tidy table of the uploads on every task that has one."""
    return [
        f"results/{task}/experiments/uploads.csv" for task in studies_with_uploads()
    ]


def axes_of_uploads(wildcards):
    """Return the axes in which uploads of any task deviate, with their defaults."""
    axes = {}
    for task, study in studies_with_uploads().items():
        axes |= study.axes_of(task, "uploads", read=UPLOADED)
    return axes


def setups_with_uploads(wildcards):
    """Return the setup of each of these tasks."""
    return {
        task: setup_of(study.task(task))
        for task, study in studies_with_uploads().items()
    }


def grounds_with_tables():
    """Return, by task, the table of what frameworks send there, of those made or finished here."""
    by_task = {}
    for task, experiments in finished_of_paper("survey").items():
        for experiment in ("frameworks", "ground"):
            path = f"results/{task}/tables/{experiment}.csv"
            if experiment in experiments and there_beside(task, experiment, path):
                by_task[task] = path
    return by_task


def tables_of_grounds(wildcards):
    """Return these tables."""
    return list(grounds_with_tables().values())


def grounds(wildcards):
    """Return the tasks that they are of, in their order."""
    return list(grounds_with_tables())


def own_samples_per_client(wildcards):
    """Return the samples per client of the task's own clients."""
    return STUDY.task(wildcards.task)["clients"]["samples_per_client"]


def plain_upload(wildcards):
    """Return the job of FbFTL itself, whose samples an attack partitions anew."""
    return STUDY.job(wildcards.task, "fbftl")


def noisiest_even_descent(wildcards):
    """Return the job of even noise with the fewest rows, then steps, for its steps' influence."""
    settings = STUDY.settings[wildcards.task]["budget"].values()
    even = [
        setting
        for setting in settings
        if (setting.mechanism, setting.schedule, setting.descent_momentum)
        == ("dp_gd", "uniform", 0)
    ]
    noisiest = min(
        even,
        key=lambda setting: (setting.fraction, setting.descent_steps, setting.name),
    )
    return STUDY.job_of(wildcards.task, noisiest)


def decays_of_budget(wildcards):
    """Return the decays of the exponential schedules that are compared, ascending."""
    settings = STUDY.settings[wildcards.task]["budget"].values()
    return sorted({setting.decay for setting in settings if setting.schedule == "exp"})


def attacked_trust(wildcards):
    """Return the jobs under three models of trust whose stated epsilon is held against attacks.

    Where features are noised, labels are too, with as much epsilon; of noised statistics one head
    is attacked.
    """
    task = wildcards.task
    return [
        STUDY.job(task, name)
        for name, setting in STUDY.settings[task]["uploads_privacy"].items()
        if setting.method == "private_gd"
        or (setting.message, setting.head) == ("statistics", "lda")
        or setting.epsilon == (setting.label_epsilon or 0)
    ]


def attacked_heads(wildcards):
    """Return the jobs whose messages and heads are attacked: solved, plain and open."""
    task = wildcards.task
    plain = {"method", "message", "head", "projection"}
    return [
        STUDY.job(task, name)
        for name, setting in STUDY.settings[task]["uploads"].items()
        if setting.method == "one_shot"
        and setting.head != "mlp"
        and set(setting.deviations()) <= plain
    ]


def centre_of(settings):
    """Return the setting around which purchases are varied.

    Proximity alone is run there only, at several purchases, of which the middle one is taken.
    """
    apart = [
        setting for setting in settings.values() if setting.purchase_rule == "proximity"
    ]
    return sorted(apart, key=lambda setting: setting.purchase)[len(apart) // 2]


def runs_of_choices(wildcards):
    """Return a run file of each rule of purchase, at the centre of what the study varies."""
    settings = STUDY.settings[wildcards.task]["ecos"]
    centre = centre_of(settings)
    rules = ("ecos", "proximity", "kcenter", "random", "ideal")
    names = [simplified(centre.with_axes(purchase_rule=rule)).name for rule in rules]
    run = [name for name in names if name in settings]
    return run_paths(wildcards.task, run, "json")


def attacked_counts(wildcards):
    """Return the jobs whose counts are attacked: without noise, then under each level of it."""
    settings = STUDY.settings[wildcards.task]["ecos"]
    centre = centre_of(settings)
    alike = [
        (setting.sigma or 0, name)
        for name, setting in settings.items()
        if setting.with_axes(mechanism="none", sigma=None)
        == centre.with_axes(purchase_rule="ecos", mechanism="none", sigma=None)
    ]
    return [STUDY.job(wildcards.task, name) for _, name in sorted(alike)]
