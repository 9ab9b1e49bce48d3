"""Uploads: what a client may send instead of its features, and what a user gets for it."""

UPLOADED = [
    "message",
    "head",
    "projection",
    "components",
    "covariance",
    "aggregation",
    "bits",
    "mechanism",
    "epsilon",
]
"""Axes that tell an upload apart."""


rule attack_uploads:
    input:
        ancient(root_of_task),
        ancient("results/{task}/public.zarr/zarr.json"),
        manifest="results/{task}/features.json",
        network="results/{task}/network.json",
        public_manifest="results/{task}/public.json",
    output:
        csv="results/{task}/attacks/uploads.csv",
    log:
        "results/{task}/logs/attacks/uploads.log",
    benchmark:
        "results/{task}/benchmarks/attacks/uploads.tsv"
    conda:
        "../envs/workflow.yaml"
    resources:
        gpu=GPU,
    params:
        code=code("attack_uploads.py", "fbftl.tasks.images"),
        jobs=attacked_heads,
        models=shadows,
    script:
        "../scripts/attack_uploads.py"


rule attack_means:
    input:
        "results/{task}/clients.h5.sha256",
        "results/{task}/public.h5.sha256",
        features=ancient(root_of_task),
        manifest="results/{task}/features.json",
        network="results/{task}/network.json",
        public_features=ancient("results/{task}/public.zarr/zarr.json"),
        public_manifest="results/{task}/public.json",
        clients=ancient("results/{task}/clients.h5"),
        public=ancient("results/{task}/public.h5"),
    output:
        **figure("results/{task}/figures/means", "privacy", "Pictures from means"),
        findings="results/{task}/attacks/means.csv",
    log:
        "results/{task}/logs/attacks/means.log",
    benchmark:
        "results/{task}/benchmarks/attacks/means.tsv"
    conda:
        "../envs/workflow.yaml"
    resources:
        gpu=GPU,
    params:
        code=code("attack_means.py", "fbftl.tasks.images"),
        job=plain_upload,
    script:
        "../scripts/attack_means.py"


use rule tabulate_attacks as tabulate_upload_attacks with:
    input:
        findings=expand(
            "results/{{task}}/attacks/{attack}.csv", attack=["uploads", "means"]
        ),
    output:
        **table("results/{task}/tables/upload_attacks", "privacy", "What uploads tell"),
    log:
        "results/{task}/logs/tables/upload_attacks.log",


rule tabulate_uploads:
    input:
        runs="results/{task}/experiments/uploads.csv",
        network="results/{task}/network.json",
    output:
        **table("results/{task}/tables/uploads", "cost", "What to upload"),
    log:
        "results/{task}/logs/tables/uploads.log",
    conda:
        "../envs/workflow.yaml"
    params:
        code=code("tabulate_uploads.py"),
        axes=partial(axes_of, experiment="uploads", read=UPLOADED),
        radio=STUDY.config["radio"],
        training=partial(task_block, block="training"),
        one_shot=partial(task_block, block="one_shot"),
    script:
        "../scripts/tabulate_uploads.py"


rule tabulate_published_rivals:
    input:
        runs=tidy_tables_of_uploads,
        printed=of_project("published/rivals/accuracy.csv"),
        setups=of_project("published/setups.csv"),
    output:
        **table("results/papers/rivals/tables/published", "audit", "Printed of rivals"),
    log:
        "results/papers/rivals/logs/tables/published.log",
    conda:
        "../envs/workflow.yaml"
    params:
        code=code("tabulate_published_rivals.py"),
        axes=axes_of_uploads,
        tasks=setups_with_uploads,
    script:
        "../scripts/tabulate_published_rivals.py"


rule plot_uploads:
    input:
        table="results/{task}/tables/uploads.csv",
    output:
        **figure("results/{task}/figures/uploads", "cost", "Accuracy against uplink"),
    log:
        "results/{task}/logs/figures/uploads.log",
    conda:
        "../envs/workflow.yaml"
    params:
        code=code("plot_uploads.py"),
    script:
        "../scripts/plot_uploads.py"


rule plot_uploads_clients:
    input:
        runs="results/{task}/experiments/uploads_clients.csv",
    output:
        **figure(
            "results/{task}/figures/uploads_clients", "cost", "Uploads by client size"
        ),
    log:
        "results/{task}/logs/figures/uploads_clients.log",
    conda:
        "../envs/workflow.yaml"
    params:
        code=code("plot_uploads_by.py"),
        axis="samples_per_client",
        axes=partial(
            axes_of,
            experiment="uploads_clients",
            read=[*UPLOADED, "samples_per_client"],
        ),
        own=own_samples_per_client,
    script:
        "../scripts/plot_uploads_by.py"


use rule plot_uploads_clients as plot_uploads_skew with:
    input:
        runs="results/{task}/experiments/uploads_skew.csv",
    output:
        **figure("results/{task}/figures/uploads_skew", "cost", "Uploads by label skew"),
    log:
        "results/{task}/logs/figures/uploads_skew.log",
    params:
        code=code("plot_uploads_by.py"),
        axis="alpha",
        axes=partial(axes_of, experiment="uploads_skew", read=[*UPLOADED, "alpha"]),
        own=None,


use rule plot_uploads_clients as plot_uploads_loss with:
    input:
        runs="results/{task}/experiments/uploads_loss.csv",
    output:
        **figure("results/{task}/figures/uploads_loss", "loss", "Uploads that are lost"),
    log:
        "results/{task}/logs/figures/uploads_loss.log",
    params:
        code=code("plot_uploads_by.py"),
        axis="plr",
        axes=partial(axes_of, experiment="uploads_loss", read=[*UPLOADED, "plr", "blr"]),
        own=None,


rule plot_crossover:
    input:
        runs="results/{task}/experiments/uploads_clients.csv",
        network="results/{task}/network.json",
    output:
        **figure("results/{task}/figures/crossover", "cost", "Features or statistics"),
    log:
        "results/{task}/logs/figures/crossover.log",
    conda:
        "../envs/workflow.yaml"
    params:
        code=code("plot_crossover.py"),
        axes=partial(
            axes_of,
            experiment="uploads_clients",
            read=[*UPLOADED, "samples_per_client"],
        ),
        own=own_samples_per_client,
    script:
        "../scripts/plot_crossover.py"


rule attack_trust:
    input:
        ancient(root_of_task),
        ancient("results/{task}/public.zarr/zarr.json"),
        manifest="results/{task}/features.json",
        network="results/{task}/network.json",
        public_manifest="results/{task}/public.json",
    output:
        csv="results/{task}/attacks/trust.csv",
    log:
        "results/{task}/logs/attacks/trust.log",
    benchmark:
        "results/{task}/benchmarks/attacks/trust.tsv"
    conda:
        "../envs/workflow.yaml"
    resources:
        gpu=GPU,
    params:
        code=code("attack_trust.py", "fbftl.tasks.images"),
        jobs=attacked_trust,
        models=shadows,
    script:
        "../scripts/attack_trust.py"


rule tabulate_trust:
    input:
        tidy="results/{task}/experiments/uploads_privacy.csv",
        runs=partial(run_files, experiment="uploads_privacy", suffix="json"),
        attacked="results/{task}/attacks/trust.csv",
    output:
        **table("results/{task}/tables/trust", "privacy", "Whom a guarantee trusts"),
    log:
        "results/{task}/logs/tables/trust.log",
    conda:
        "../envs/workflow.yaml"
    params:
        code=code("tabulate_trust.py"),
        axes=partial(
            axes_of, experiment="uploads_privacy", read=[*UPLOADED, "label_epsilon"]
        ),
        methods=partial(methods_of, experiment="uploads_privacy"),
    script:
        "../scripts/tabulate_trust.py"


rule plot_trust:
    input:
        table="results/{task}/tables/trust.csv",
    output:
        **figure("results/{task}/figures/trust", "privacy", "Whom a guarantee trusts"),
    log:
        "results/{task}/logs/figures/trust.log",
    conda:
        "../envs/workflow.yaml"
    params:
        code=code("plot_trust.py"),
        methods=partial(methods_of, experiment="uploads_privacy"),
    script:
        "../scripts/plot_trust.py"
