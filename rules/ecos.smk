"""ECOS: which public rows are worth buying, by counts of private ones (paper thesis, ch. 5)."""

PURCHASE = [
    "choice",
    "allocation",
    "centroids",
    "purchase",
    "score_power",
    "sampling",
    "mechanism",
    "sigma",
    "bits",
    "aggregation",
    "uploaders",
    "clients",
    "labels",
    "purpose",
]
"""Axes that tell a purchase apart."""


rule tabulate_outsourcing:
    input:
        runs="results/{task}/experiments/outsourcing.csv",
        guarantees="results/{task}/guarantees/outsourcing.csv",
    output:
        **table("results/{task}/tables/outsourcing", "privacy", "What counts buy"),
    log:
        "results/{task}/logs/tables/outsourcing.log",
    conda:
        "../envs/workflow.yaml"
    params:
        code=code("tabulate_outsourcing.py"),
        axes=partial(axes_of, experiment="outsourcing", read=PURCHASE),
    script:
        "../scripts/tabulate_outsourcing.py"


rule plot_outsourcing:
    input:
        table="results/{task}/tables/outsourcing.csv",
    output:
        **figure("results/{task}/figures/outsourcing", "privacy", "What counts buy"),
    log:
        "results/{task}/logs/figures/outsourcing.log",
    conda:
        "../envs/workflow.yaml"
    params:
        code=code("plot_outsourcing.py"),
    script:
        "../scripts/plot_outsourcing.py"


rule plot_purchases:
    input:
        runs=runs_of_choices,
        public="results/{task}/public.h5",
    output:
        **figure(
            "results/{task}/figures/purchases", "privacy", "What each choice bought"
        ),
    log:
        "results/{task}/logs/figures/purchases.log",
    conda:
        "../envs/workflow.yaml"
    params:
        code=code("plot_purchases.py"),
        domains=domains_of,
        public=partial(task_block, block="public"),
    script:
        "../scripts/plot_purchases.py"


rule attack_counts:
    input:
        ancient(root_of_task),
        ancient("results/{task}/public.zarr/zarr.json"),
        manifest="results/{task}/features.json",
        public_manifest="results/{task}/public.json",
    output:
        csv="results/{task}/attacks/counts.csv",
    log:
        "results/{task}/logs/attacks/counts.log",
    conda:
        "../envs/workflow.yaml"
    resources:
        gpu=GPU,
    params:
        code=code("attack_counts.py", "fbftl.tasks.images"),
        jobs=attacked_counts,
    script:
        "../scripts/attack_counts.py"


use rule tabulate_attacks as tabulate_count_attacks with:
    input:
        findings=["results/{task}/attacks/counts.csv"],
    output:
        **table("results/{task}/tables/count_attacks", "privacy", "What counts tell"),
    log:
        "results/{task}/logs/tables/count_attacks.log",


rule tabulate_outsourcing_uploads:
    input:
        runs="results/{task}/experiments/outsourcing_uploads.csv",
    output:
        **table(
            "results/{task}/tables/outsourcing_uploads",
            "cost",
            "Counts before uploads",
        ),
    log:
        "results/{task}/logs/tables/outsourcing_uploads.log",
    conda:
        "../envs/workflow.yaml"
    params:
        code=code("tabulate_outsourcing_uploads.py"),
        axes=partial(axes_of, experiment="outsourcing_uploads", read=PURCHASE),
    script:
        "../scripts/tabulate_outsourcing_uploads.py"


rule plot_outsourcing_uploads:
    input:
        runs="results/{task}/experiments/outsourcing_uploads.csv",
    output:
        **figure(
            "results/{task}/figures/outsourcing_uploads",
            "cost",
            "Counts before uploads",
        ),
    log:
        "results/{task}/logs/figures/outsourcing_uploads.log",
    conda:
        "../envs/workflow.yaml"
    params:
        code=code("plot_outsourcing_uploads.py"),
        axes=partial(axes_of, experiment="outsourcing_uploads", read=PURCHASE),
    script:
        "../scripts/plot_outsourcing_uploads.py"
