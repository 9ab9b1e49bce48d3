"""Sweeps: what any experiment of one's own gets, a table over its axes and a line plot."""


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
    """Return what a sweep is told of the methods that it shows."""
    return methods_of(wildcards, wildcards.experiment)


rule tabulate_sweep:
    input:
        runs="results/{task}/experiments/{experiment}.csv",
    output:
        **table("results/{task}/tables/sweep_{experiment}", "sweep", "{experiment}"),
    log:
        "results/{task}/logs/tables/sweep_{experiment}.log",
    conda:
        "../envs/workflow.yaml"
    params:
        code=code("tabulate_sweep.py"),
        varying=axes_of_sweep,
        axes=axes_of_experiment,
        methods=methods_of_sweep,
    script:
        "../scripts/tabulate_sweep.py"


rule plot_sweep:
    input:
        table="results/{task}/tables/sweep_{experiment}.csv",
    output:
        **figure("results/{task}/figures/sweep_{experiment}", "sweep", "{experiment}"),
    log:
        "results/{task}/logs/figures/sweep_{experiment}.log",
    conda:
        "../envs/workflow.yaml"
    params:
        code=code("plot_sweep.py"),
        along=along_of_sweep,
        varying=axes_of_sweep,
        methods=methods_of_sweep,
    script:
        "../scripts/plot_sweep.py"
