"""Scarcity: what fewer clients and lost packets do to FbFTL (Fig. 8)."""


rule tabulate_scarcity:
    input:
        runs="results/{task}/experiments/scarcity.csv",
        fig8="published/fig8.csv",
    output:
        csv="results/{task}/tables/scarcity.csv",
        md="results/{task}/tables/scarcity.md",
        tex="results/{task}/tables/scarcity.tex",
        html=reported(
            "results/{task}/tables/scarcity.html", "loss", "Scarcity", "scarcity"
        ),
    log:
        "results/{task}/logs/tables/scarcity.log",
    conda:
        "../envs/workflow.yaml"
    params:
        code=code("tabulate_scarcity.py"),
    script:
        "../scripts/tabulate_scarcity.py"


rule plot_scarcity:
    input:
        runs="results/{task}/experiments/scarcity.csv",
        fig8="published/fig8.csv",
    output:
        reported("results/{task}/figures/scarcity.svg", "loss", "Scarcity", "scarcity"),
        multiext("results/{task}/figures/scarcity", ".pdf", ".png", ".csv"),
    log:
        "results/{task}/logs/figures/scarcity.log",
    conda:
        "../envs/workflow.yaml"
    params:
        code=code("plot_scarcity.py"),
    script:
        "../scripts/plot_scarcity.py"
