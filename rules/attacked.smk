"""What attacks look at: settings of the privacy experiment and of the systems, loosest first."""


def names_attacked(task, method, mechanism):
    """Return the names of the privacy experiment's settings that attacks look at, loosest first.

    Labels under randomised response and further cuts are other questions.
    """
    settings = STUDY.settings[task]["privacy"]
    chosen = [
        name
        for name, setting in settings.items()
        if setting.method == method
        and setting.mechanism == mechanism
        and setting.label_epsilon is None
        and setting.cut is None
    ]
    return sorted(chosen, key=lambda name: -(settings[name].epsilon or 0))


def attacked_uploads(wildcards):
    """Return the jobs whose uploads are attacked: without noise, then under each epsilon."""
    task = wildcards.task
    names = names_attacked(task, "fbftl", "none") + names_attacked(
        task, "fbftl", "gaussian"
    )
    return [STUDY.job(task, name) for name in names]


def inverted_uploads(wildcards):
    """Return the jobs whose plain uploads are inverted in every seed, each at its cut."""
    settings = STUDY.settings[wildcards.task]
    return [
        STUDY.job(wildcards.task, name)
        for experiment in ("inverted", "rival_inverted")
        for name in settings.get(experiment, ())
    ]


def attacked_splits(wildcards):
    """Return EPPFL's jobs whose servers attack: at the network's own cut, as the paper reads."""
    settings = STUDY.settings[wildcards.task]["eppfl"]
    shown = {"local_epochs": 2, "client_part": None, "kept_gradients": "large"}
    return [
        STUDY.job(wildcards.task, name)
        for name, setting in settings.items()
        if setting.method == "eppfl"
        and setting.selection_reading == "paper"
        and setting.keep_gradients == setting.keep_activations
        and all(getattr(setting, axis) == value for axis, value in shown.items())
    ]


def names_of_frameworks(task):
    """Return the settings whose messages are attacked; features have attacks of their own."""
    settings = STUDY.settings[task]["frameworks"]
    return [
        name
        for name, setting in settings.items()
        if methods.record(setting.method).sends == "local"
    ]


def attacked_frameworks(wildcards):
    """Return the jobs of these settings."""
    task = wildcards.task
    return [STUDY.job(task, name) for name in names_of_frameworks(task)]


def files_of_frameworks(wildcards):
    """Return what they are trained from, by input name."""
    task = wildcards.task
    return files_of_settings(task, names_of_frameworks(task))


def digests_of_frameworks(wildcards):
    """Return what stands for the large files among these."""
    task = wildcards.task
    return digests_of_settings(task, names_of_frameworks(task))


def files_of_attacked(wildcards):
    """Return what the settings that are attacked in every seed are trained from, by input name."""
    task = wildcards.task
    return files_of_settings(task, STUDY.settings[task]["attacked"])


def digests_of_attacked(wildcards):
    """Return what stands for the large files among these."""
    task = wildcards.task
    return digests_of_settings(task, STUDY.settings[task]["attacked"])


def files_of_settings(task, names):
    """Return what any of some settings is trained from, by input name."""
    return {key: path for name in names for key, path in inputs_of(task, name).items()}


def digests_of_settings(task, names):
    """Return what stands for the large files among these."""
    return sorted({digest for name in names for digest in digests_of(task, name)})


def attacked_in(wildcards, experiment):
    """Return the jobs of an experiment, whose messages are attacked in every seed."""
    return [
        STUDY.job(wildcards.task, name)
        for name in STUDY.settings[wildcards.task][experiment]
    ]


def shadows(wildcards):
    """Return how many heads membership attacks train for every setting, targets and shadows."""
    return STUDY.task(wildcards.task)["privacy"]["shadows"]


def attacked_updates(wildcards):
    """Return the jobs whose client updates are attacked."""
    names = names_attacked(wildcards.task, "ftl_c", "dp_fedavg")
    return [STUDY.job(wildcards.task, name) for name in names]


def attacked_update_runs(wildcards):
    """Return the run files of these jobs."""
    names = names_attacked(wildcards.task, "ftl_c", "dp_fedavg")
    return run_paths(wildcards.task, names, "json")
