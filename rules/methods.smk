"""Methods: what each costs until convergence (Table III), and what it sends by seed."""


rule tabulate_methods:
    input:
        "results/{task}/clients.h5.sha256",
        clients=ancient("results/{task}/clients.h5"),
        runs=planned(runs.files_of_experiment, experiment="methods"),
        ledgers=planned(
            runs.files_of_experiment, experiment="methods", suffix="parquet"
        ),
        networks=planned(runs.networks, experiment="methods"),
        table3=of_project("published/fbftl/table3.csv"),
        setups=of_project("published/setups.csv"),
    output:
        **written("tables/methods"),
        by_seed="results/{task}/tables/uplink.csv",
    log:
        "results/{task}/logs/tables/methods.log",
    wildcard_constraints:
        task=either([t for t in STUDY.tasks if "methods" in STUDY.experiments(t)]),
    conda:
        "../envs/workflow.yaml"
    params:
        code=code("tables/tabulate_methods.py"),
        page_text=page("tables/methods"),
        methods=planned(methods_of, experiment="methods"),
        axes=planned(axes_of, experiment="methods"),
        setup=planned(setup),
    message:
        "Tabulate methods of {wildcards.task}: Methods"
    script:
        "../scripts/tables/tabulate_methods.py"
