"""Scarcity: what fewer clients and lost packets do to FbFTL (Fig. 8)."""


rule tabulate_scarcity:
    input:
        runs="results/{task}/experiments/scarcity.csv",
        fig8=of_project("published/fbftl/fig8.csv"),
        setups=of_project("published/setups.csv"),
    output:
        **table("results/{task}/tables/scarcity", "loss", "Scarcity"),
    log:
        "results/{task}/logs/tables/scarcity.log",
    conda:
        "../envs/workflow.yaml"
    params:
        code=code("tabulate_scarcity.py"),
        axes=partial(axes_of, experiment="scarcity", read=["fraction", "plr", "loss"]),
        setup=setup_of_task,
    script:
        "../scripts/tabulate_scarcity.py"


rule plot_scarcity:
    input:
        runs="results/{task}/experiments/scarcity.csv",
        fig8=of_project("published/fbftl/fig8.csv"),
    output:
        **figure("results/{task}/figures/scarcity", "loss", "Scarcity"),
    log:
        "results/{task}/logs/figures/scarcity.log",
    conda:
        "../envs/workflow.yaml"
    params:
        code=code("plot_scarcity.py"),
        axes=partial(axes_of, experiment="scarcity", read=["fraction", "plr", "loss"]),
    script:
        "../scripts/plot_scarcity.py"
