"""FADE: what an adversary of groups does to fairness, and what its updates say (thesis, ch. 3)."""

GAME = [
    "network",
    "mechanism",
    "sigma",
    "epsilon",
    "aggregation",
    "adversary",
    "majority_users",
    "participation",
    "local_steps",
    "discriminator_rate",
    "discriminator_sees",
    "unlabelled_loss",
]
"""Axes of the tables here, whether or not a run deviates in them."""


rule tabulate_fairness:
    input:
        runs="results/{task}/experiments/fairness.csv",
        guarantees="results/{task}/guarantees/fairness.csv",
    output:
        **table("results/{task}/tables/fairness", "privacy", "Fairness"),
    log:
        "results/{task}/logs/tables/fairness.log",
    conda:
        "../envs/workflow.yaml"
    params:
        code=code("tabulate_fairness.py"),
        axes=partial(axes_of, experiment="fairness", read=GAME),
    script:
        "../scripts/tabulate_fairness.py"


use rule tabulate_fairness as tabulate_fairness_strong with:
    input:
        runs="results/{task}/experiments/fairness_strong.csv",
        guarantees="results/{task}/guarantees/fairness_strong.csv",
    output:
        **table(
            "results/{task}/tables/fairness_strong",
            "privacy",
            "Fairness, strong discriminator",
        ),
    log:
        "results/{task}/logs/tables/fairness_strong.log",
    params:
        code=code("tabulate_fairness.py"),
        axes=partial(axes_of, experiment="fairness_strong", read=GAME),


use rule tabulate_fairness as tabulate_group_leakage with:
    input:
        runs="results/{task}/experiments/group_leakage.csv",
        guarantees="results/{task}/guarantees/group_leakage.csv",
    output:
        **table("results/{task}/tables/group_leakage", "privacy", "Groups in updates"),
    log:
        "results/{task}/logs/tables/group_leakage.log",
    params:
        code=code("tabulate_fairness.py"),
        axes=partial(axes_of, experiment="group_leakage", read=GAME),


use rule tabulate_fairness as tabulate_domain_adaptation with:
    input:
        runs="results/{task}/experiments/domain_adaptation.csv",
        guarantees="results/{task}/guarantees/domain_adaptation.csv",
    output:
        **table(
            "results/{task}/tables/domain_adaptation",
            "cost",
            "Domain adaptation",
        ),
    log:
        "results/{task}/logs/tables/domain_adaptation.log",
    params:
        code=code("tabulate_fairness.py"),
        axes=partial(axes_of, experiment="domain_adaptation", read=GAME),


rule plot_fairness:
    input:
        runs="results/{task}/experiments/fairness.csv",
        series="results/{task}/experiments/fairness.series.csv",
    output:
        **figure("results/{task}/figures/fairness", "privacy", "Fairness"),
    log:
        "results/{task}/logs/figures/fairness.log",
    conda:
        "../envs/workflow.yaml"
    params:
        code=code("plot_fairness.py"),
        axes=partial(axes_of, experiment="fairness", read=GAME),
    script:
        "../scripts/plot_fairness.py"


rule plot_domain_adaptation:
    input:
        runs="results/{task}/experiments/domain_adaptation.csv",
    output:
        **figure(
            "results/{task}/figures/domain_adaptation",
            "cost",
            "Domain adaptation",
        ),
    log:
        "results/{task}/logs/figures/domain_adaptation.log",
    conda:
        "../envs/workflow.yaml"
    params:
        code=code("plot_domain_adaptation.py"),
        axes=partial(axes_of, experiment="domain_adaptation", read=GAME),
    script:
        "../scripts/plot_domain_adaptation.py"
