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


rule tabulate_ecos:
    input:
        runs="results/{task}/experiments/ecos.csv",
        guarantees="results/{task}/guarantees/ecos.csv",
    output:
        **table("results/{task}/tables/ecos", "privacy", "What counts buy"),
    log:
        "results/{task}/logs/tables/ecos.log",
    conda:
        "../envs/workflow.yaml"
    params:
        code=code("tabulate_ecos.py"),
        axes=partial(axes_of, experiment="ecos", read=PURCHASE),
    script:
        "../scripts/tabulate_ecos.py"


rule plot_ecos:
    input:
        table="results/{task}/tables/ecos.csv",
    output:
        **figure("results/{task}/figures/ecos", "privacy", "What counts buy"),
    log:
        "results/{task}/logs/figures/ecos.log",
    conda:
        "../envs/workflow.yaml"
    params:
        code=code("plot_ecos.py"),
    script:
        "../scripts/plot_ecos.py"


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


rule tabulate_ecos_uploads:
    input:
        runs="results/{task}/experiments/ecos_uploads.csv",
    output:
        **table(
            "results/{task}/tables/ecos_uploads",
            "cost",
            "Counts before uploads",
        ),
    log:
        "results/{task}/logs/tables/ecos_uploads.log",
    conda:
        "../envs/workflow.yaml"
    params:
        code=code("tabulate_ecos_uploads.py"),
        axes=partial(axes_of, experiment="ecos_uploads", read=PURCHASE),
    script:
        "../scripts/tabulate_ecos_uploads.py"


rule plot_ecos_uploads:
    input:
        runs="results/{task}/experiments/ecos_uploads.csv",
    output:
        **figure(
            "results/{task}/figures/ecos_uploads",
            "cost",
            "Counts before uploads",
        ),
    log:
        "results/{task}/logs/figures/ecos_uploads.log",
    conda:
        "../envs/workflow.yaml"
    params:
        code=code("plot_ecos_uploads.py"),
        axes=partial(axes_of, experiment="ecos_uploads", read=PURCHASE),
    script:
        "../scripts/plot_ecos_uploads.py"
