"""What the rules of single systems read, beside what all rules do."""


def backbones_of(wildcards):
    """Return which of the paper's backbones each network of a task is, by its name."""
    networks = STUDY.task(wildcards.task)["networks"]
    return {name: backbone(network) for name, network in networks.items()}


def training_value(wildcards, key):
    """Return a training value of a task."""
    return STUDY.task(wildcards.task)["training"][key]


def delta_of_task(wildcards):
    """Return the delta of a task's guarantees."""
    return STUDY.task(wildcards.task)["privacy"]["delta"]


def told_attacked(wildcards):
    """Return the jobs whose sent features are attacked: no noise, then the ends of each kind's ε.

    Features that are clipped under noise as printed are another question.
    """
    settings = STUDY.settings[wildcards.task]["feature_noise"].values()
    kinds = {}
    for setting in sorted(settings, key=lambda one: -(one.epsilon or 0)):
        if setting.mechanism in ("none", "gaussian") or setting.feature_clip is None:
            kinds.setdefault(setting.mechanism, []).append(setting.name)
    names = [
        name for own in kinds.values() for name in dict.fromkeys((own[0], own[-1]))
    ]
    clean = kinds.get("none", [])
    ordered = [*clean, *(name for name in names if name not in clean)]
    return [STUDY.job(wildcards.task, name) for name in ordered]


def files_told(wildcards):
    """Return what FedFeat+ is trained from, by input name."""
    read = ("features", "manifest", "clients", "weights", "source")
    files = files_to_train(wildcards.task, None)
    return {name: files[name] for name in read}


def tasks_with_uploads():
    """Return the tasks on which uploads are compared."""
    return [task for task in STUDY.tasks if "uploads" in STUDY.experiments(task)]


def tidy_tables_of_uploads(wildcards):
    """Return the tidy table of the uploads on every task that has one."""
    return [f"results/{task}/experiments/uploads.csv" for task in tasks_with_uploads()]


def axes_of_uploads(wildcards):
    """Return the axes in which uploads of any task deviate, with their defaults."""
    axes = {}
    for task in tasks_with_uploads():
        axes |= STUDY.axes_of(task, "uploads", read=UPLOADED)
    return axes


def setups_with_uploads(wildcards):
    """Return the setup of each of these tasks."""
    return {task: setup_of(STUDY.task(task)) for task in tasks_with_uploads()}


def own_samples_per_client(wildcards):
    """Return the samples per client of the task's own clients."""
    return STUDY.task(wildcards.task)["clients"]["samples_per_client"]


def plain_upload(wildcards):
    """Return the job of FbFTL itself, whose clients an attack deals anew."""
    return STUDY.job(wildcards.task, "fbftl")


def noisiest_even_descent(wildcards):
    """Return the job of even noise with the fewest rows, then steps, for its steps' influence."""
    settings = STUDY.settings[wildcards.task]["budget"].values()
    even = [
        own
        for own in settings
        if (own.mechanism, own.schedule, own.momentum) == ("dp_gd", "uniform", 0)
    ]
    noisiest = min(even, key=lambda own: (own.fraction, own.steps, own.name))
    return STUDY.job_of(wildcards.task, noisiest)


def decays_of_budget(wildcards):
    """Return the decays of the exponential schedules that are compared, ascending."""
    settings = STUDY.settings[wildcards.task]["budget"].values()
    return sorted({own.decay for own in settings if own.schedule == "exp"})


def attacked_trust(wildcards):
    """Return the jobs under three models of trust whose stated epsilon is held against LiRA.

    Who noises features noises labels as well, with as much epsilon; who noises statistics has one
    head of them.
    """
    task = wildcards.task
    return [
        STUDY.job(task, name)
        for name, own in STUDY.settings[task]["uploads_privacy"].items()
        if own.method == "private_gd"
        or (own.message, own.head) == ("statistics", "lda")
        or own.epsilon == (own.label_epsilon or 0)
    ]


def attacked_heads(wildcards):
    """Return the jobs whose messages and heads are attacked: solved, plain and open."""
    task = wildcards.task
    own = {"method", "message", "head", "projection"}
    return [
        STUDY.job(task, name)
        for name, setting in STUDY.settings[task]["uploads"].items()
        if set(setting.deviations()) <= own and setting.head != "mlp"
    ]


def centre_of(settings):
    """Return the setting around which purchases are varied.

    Proximity alone is run there only, at several purchases, of which the middle one is taken.
    """
    apart = [one for one in settings.values() if one.choice == "proximity"]
    return sorted(apart, key=lambda one: one.purchase)[len(apart) // 2]


def runs_of_choices(wildcards):
    """Return a run file of each choice of public rows, at the centre of what the study varies."""
    settings = STUDY.settings[wildcards.task]["ecos"]
    centre = centre_of(settings)
    choices = ("ecos", "proximity", "kcenter", "random", "ideal")
    names = [simplified(replace(centre, choice=choice)).name for choice in choices]
    made = [name for name in names if name in settings]
    return run_paths(wildcards.task, made, "json")


def attacked_counts(wildcards):
    """Return the jobs whose counts are attacked: without noise, then under each level of it."""
    settings = STUDY.settings[wildcards.task]["ecos"]
    centre = centre_of(settings)
    alike = [
        (one.sigma or 0, name)
        for name, one in settings.items()
        if replace(one, mechanism="none", sigma=None)
        == replace(centre, choice="ecos", mechanism="none", sigma=None)
    ]
    return [STUDY.job(wildcards.task, name) for _, name in sorted(alike)]
