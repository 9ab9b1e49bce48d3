"""Budgets: where a trusted server's noise goes from step to step (paper thesis, ch. 2)."""


rule tabulate_budget:
    input:
        runs="results/{task}/experiments/budget.csv",
        guarantees="results/{task}/guarantees/budget.csv",
    output:
        **table("results/{task}/tables/budget", "privacy", "Schedules of noise"),
    log:
        "results/{task}/logs/tables/budget.log",
    conda:
        "../envs/workflow.yaml"
    params:
        code=code("tabulate_budget.py"),
        axes=partial(
            axes_of,
            experiment="budget",
            read=[
                "mechanism",
                "epsilon",
                "schedule",
                "decay",
                "steps",
                "accountant",
                "momentum",
            ],
        ),
    script:
        "../scripts/tabulate_budget.py"


rule plot_budget:
    input:
        table="results/{task}/tables/budget.csv",
    output:
        **figure("results/{task}/figures/budget", "privacy", "Schedules of noise"),
    log:
        "results/{task}/logs/figures/budget.log",
    conda:
        "../envs/workflow.yaml"
    params:
        code=code("plot_budget.py"),
    script:
        "../scripts/plot_budget.py"


rule measure_influence:
    input:
        ancient(root_of_task),
        ancient("results/{task}/public.zarr/zarr.json"),
        manifest="results/{task}/features.json",
        public_manifest="results/{task}/public.json",
    output:
        csv="results/{task}/influence.csv",
    log:
        "results/{task}/logs/influence.log",
    benchmark:
        "results/{task}/benchmarks/influence.tsv"
    conda:
        "../envs/workflow.yaml"
    resources:
        gpu=GPU,
    params:
        code=code("measure_influence.py", "fbftl.tasks.images"),
        job=noisiest_even_descent,
    script:
        "../scripts/measure_influence.py"


rule plot_influence:
    input:
        table="results/{task}/influence.csv",
    output:
        **figure("results/{task}/figures/influence", "privacy", "Influence of a step"),
    log:
        "results/{task}/logs/figures/influence.log",
    conda:
        "../envs/workflow.yaml"
    params:
        code=code("plot_influence.py"),
        decays=decays_of_budget,
    script:
        "../scripts/plot_influence.py"


rule tabulate_budget_bounds:
    output:
        **table(
            "results/papers/thesis/tables/budget_bounds",
            "privacy",
            "Bounds by condition number",
        ),
    log:
        "results/papers/thesis/logs/tables/budget_bounds.log",
    conda:
        "../envs/workflow.yaml"
    params:
        code=code("tabulate_budget_bounds.py"),
    script:
        "../scripts/tabulate_budget_bounds.py"


rule plot_budget_bounds:
    input:
        table="results/papers/thesis/tables/budget_bounds.csv",
    output:
        **figure(
            "results/papers/thesis/figures/budget_bounds",
            "privacy",
            "Bounds by condition number",
        ),
    log:
        "results/papers/thesis/logs/figures/budget_bounds.log",
    conda:
        "../envs/workflow.yaml"
    params:
        code=code("plot_budget_bounds.py"),
    script:
        "../scripts/plot_budget_bounds.py"
