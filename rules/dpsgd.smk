"""DP-SGD: a CNN's accuracy against epsilon per sample (paper survey, experiment 2)."""


rule tabulate_dpsgd:
    input:
        runs="results/{task}/experiments/dpsgd.csv",
        guarantees="results/{task}/guarantees/dpsgd.csv",
        published=of_project("published/survey/dpsgd.csv"),
    output:
        **table("results/{task}/tables/dpsgd", "privacy", "DP-SGD"),
    log:
        "results/{task}/logs/tables/dpsgd.log",
    conda:
        "../envs/workflow.yaml"
    params:
        code=code("tabulate_dpsgd.py"),
        axes=partial(axes_of, experiment="dpsgd", read=["mechanism", "epsilon"]),
    script:
        "../scripts/tabulate_dpsgd.py"


rule plot_dpsgd:
    input:
        table="results/{task}/tables/dpsgd.csv",
    output:
        **figure("results/{task}/figures/dpsgd", "privacy", "DP-SGD"),
    log:
        "results/{task}/logs/figures/dpsgd.log",
    conda:
        "../envs/workflow.yaml"
    params:
        code=code("plot_dpsgd.py"),
    script:
        "../scripts/plot_dpsgd.py"
