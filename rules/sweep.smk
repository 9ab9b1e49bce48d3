"""Sweeps: what any experiment of one's own gets, a table over its axes and a line plot."""


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
