"""Privacy: accuracy under a guarantee (Fig. 12), and under noise without one."""


rule collect_guarantees:
    input:
        runs=runs_of,
    output:
        table="results/{task}/guarantees/{experiment}.csv",
    log:
        "results/{task}/logs/guarantees/{experiment}.log",
    conda:
        "../envs/workflow.yaml"
    params:
        code=code("collect_guarantees.py"),
        axes=axes_of_experiment,
    script:
        "../scripts/collect_guarantees.py"


rule compose_guarantees:
    input:
        runs=runs_together,
    output:
        table="results/{task}/guarantees/together.csv",
    log:
        "results/{task}/logs/guarantees/together.log",
    conda:
        "../envs/workflow.yaml"
    params:
        code=code("compose_guarantees.py"),
        together=together_of,
        releases=releases_of,
        delta=delta_of,
        own=samples_of_clients,
    script:
        "../scripts/compose_guarantees.py"


rule tabulate_privacy:
    input:
        runs="results/{task}/experiments/privacy.csv",
        guarantees="results/{task}/guarantees/privacy.csv",
        published=of_project("published/fbftl/fig12.csv"),
        setups=of_project("published/setups.csv"),
    output:
        **table(
            "results/{task}/tables/privacy", "privacy", "Accuracy under a guarantee"
        ),
    log:
        "results/{task}/logs/tables/privacy.log",
    conda:
        "../envs/workflow.yaml"
    params:
        code=code("tabulate_privacy.py"),
        axes=partial(
            axes_of,
            experiment="privacy",
            read=["samples_per_client", "mechanism", "epsilon", "label_epsilon"],
        ),
        setup=setup_of_task,
    script:
        "../scripts/tabulate_privacy.py"


rule plot_privacy:
    input:
        table="results/{task}/tables/privacy.csv",
    output:
        **figure(
            "results/{task}/figures/privacy", "privacy", "Accuracy under a guarantee"
        ),
    log:
        "results/{task}/logs/figures/privacy.log",
    conda:
        "../envs/workflow.yaml"
    params:
        code=code("plot_privacy.py"),
        methods=partial(methods_of, experiment="privacy"),
    script:
        "../scripts/plot_privacy.py"


rule tabulate_noise:
    input:
        runs="results/{task}/experiments/noise.csv",
        published=of_project("published/fbftl/notebook_noise.csv"),
        setups=of_project("published/setups.csv"),
    output:
        **table(
            "results/{task}/tables/noise", "privacy", "Accuracy under relative noise"
        ),
    log:
        "results/{task}/logs/tables/noise.log",
    conda:
        "../envs/workflow.yaml"
    params:
        code=code("tabulate_noise.py"),
        axes=partial(axes_of, experiment="noise", read=["mechanism", "sigma", "noise"]),
        setup=setup_of_task,
    script:
        "../scripts/tabulate_noise.py"


rule plot_noise:
    input:
        table="results/{task}/tables/noise.csv",
    output:
        **figure(
            "results/{task}/figures/noise", "privacy", "Accuracy under relative noise"
        ),
    log:
        "results/{task}/logs/figures/noise.log",
    conda:
        "../envs/workflow.yaml"
    params:
        code=code("plot_noise.py"),
        methods=partial(methods_of, experiment="noise"),
    script:
        "../scripts/plot_noise.py"
