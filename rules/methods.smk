"""Methods: what each costs until convergence (Table III), and what it sends by seed."""


rule tabulate_methods:
    input:
        "results/{task}/clients.h5.sha256",
        clients=ancient("results/{task}/clients.h5"),
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
        code=code("tables/tabulate_methods.py"),
        page_text=page_of("results/{task}/tables/methods", "Methods"),
        methods=partial(methods_of, experiment="methods"),
        axes=partial(axes_of, experiment="methods"),
        setup=setup_of_task,
    message:
        "Tabulate methods of {wildcards.task}: Methods"
    script:
        "../scripts/tables/tabulate_methods.py"
