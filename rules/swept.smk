"""What the table and the figure of a sweep are of."""


def settings_of(wildcards):
    """Return the settings of an experiment on a task."""
    return list(STUDY.settings[wildcards.task][wildcards.experiment].values())


def axes_of_sweep(wildcards):
    """Return the axes that vary in an experiment on a task."""
    return varying(settings_of(wildcards))


def along_of_sweep(wildcards):
    """Return the numeric one of them with the most values."""
    return longest(settings_of(wildcards))


def methods_of_sweep(wildcards):
    """Return what a sweep needs of the methods that it shows: labels and marks."""
    return methods_of(wildcards, wildcards.experiment)


def tidy_tables_of_sources(wildcards):
    """Return the tidy tables of an experiment under each source network of a task, in their order."""
    tasks = STUDY.with_repeats([wildcards.task])
    if len(tasks) == 1:
        raise ValueError(
            f"{wildcards.task} has one source network; give it source_seeds"
        )
    return [f"results/{task}/experiments/{wildcards.experiment}.csv" for task in tasks]
