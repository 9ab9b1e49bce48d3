"""Compression: what fewer bits and fewer elements cost and save (Table V)."""


rule tabulate_compression:
    input:
        runs=partial(run_files, experiment="compression", suffix="json"),
        ledgers=partial(run_files, experiment="compression", suffix="parquet"),
        networks=partial(networks_of_runs, experiment="compression"),
        table5=of_project("published/fbftl/table5.csv"),
        setups=of_project("published/setups.csv"),
    output:
        **table("results/{task}/tables/compression", "compression", "Compression"),
    log:
        "results/{task}/logs/tables/compression.log",
    conda:
        "../envs/workflow.yaml"
    params:
        code=code("tabulate_compression.py"),
        methods=partial(methods_of, experiment="compression"),
        axes=partial(
            axes_of,
            experiment="compression",
            read=["fraction", "bits", "keep", "feedback"],
        ),
        setup=setup_of_task,
    script:
        "../scripts/tabulate_compression.py"


rule plot_compression:
    input:
        table="results/{task}/tables/compression.csv",
    output:
        **figure("results/{task}/figures/compression", "compression", "Compression"),
    log:
        "results/{task}/logs/figures/compression.log",
    conda:
        "../envs/workflow.yaml"
    params:
        code=code("plot_compression.py"),
        methods=partial(methods_of, experiment="compression"),
    script:
        "../scripts/plot_compression.py"


rule plot_rate_distortion:
    input:
        table="results/{task}/tables/compression.csv",
    output:
        **figure(
            "results/{task}/figures/rate_distortion",
            "compression",
            "Rate and distortion",
        ),
    log:
        "results/{task}/logs/figures/rate_distortion.log",
    conda:
        "../envs/workflow.yaml"
    params:
        code=code("plot_rate_distortion.py"),
        methods=partial(methods_of, experiment="compression"),
    script:
        "../scripts/plot_rate_distortion.py"
