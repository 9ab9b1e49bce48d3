"""Robust: accuracy on clean and on disturbed inputs after one training (paper thesis, ch. 4)."""


rule plot_robust:
    input:
        runs="results/{task}/experiments/robust.csv",
    output:
        **figure("results/{task}/figures/robust", "cost", "Robustness"),
    log:
        "results/{task}/logs/figures/robust.log",
    conda:
        "../envs/workflow.yaml"
    params:
        code=code("plot_robust.py"),
        axes=partial(axes_of, experiment="robust", read=["norms"]),
    script:
        "../scripts/plot_robust.py"
