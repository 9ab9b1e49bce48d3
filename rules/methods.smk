"""Methods: what each costs until convergence, and what accuracy it buys (Table III)."""


rule tabulate_methods:
    input:
        runs=partial(run_files, experiment="methods", suffix="json"),
        ledgers=partial(run_files, experiment="methods", suffix="parquet"),
        networks=partial(networks_of_runs, experiment="methods"),
        table3=of_project("published/fbftl/table3.csv"),
        setups=of_project("published/setups.csv"),
    output:
        **table("results/{task}/tables/methods", "cost", "Methods"),
        by_seed="results/{task}/tables/uplink.csv",
    log:
        "results/{task}/logs/tables/methods.log",
    wildcard_constraints:
        task=either([t for t in STUDY.tasks if "methods" in STUDY.experiments(t)]),
    conda:
        "../envs/workflow.yaml"
    params:
        code=code("tabulate_methods.py"),
        methods=partial(methods_of, experiment="methods"),
        axes=partial(axes_of, experiment="methods"),
        setup=setup_of_task,
    script:
        "../scripts/tabulate_methods.py"


rule plot_uplink:
    input:
        runs=partial(run_files, experiment="methods", suffix="json"),
        ledgers=partial(run_files, experiment="methods", suffix="parquet"),
        by_seed="results/{task}/tables/uplink.csv",
    output:
        **figure("results/{task}/figures/methods", "cost", "Uplink"),
    log:
        "results/{task}/logs/figures/methods.log",
    conda:
        "../envs/workflow.yaml"
    params:
        code=code("plot_uplink.py"),
        methods=partial(methods_of, experiment="methods"),
        axes=partial(axes_of, experiment="methods"),
    script:
        "../scripts/plot_uplink.py"
