"""Attacks: what an adversary gets from uploads, by pictures, membership and labels."""


rule attack_features:
    input:
        "results/{task}/clients.h5.sha256",
        "results/{task}/public.h5.sha256",
        features=ancient(root_of_task),
        manifest="results/{task}/features.json",
        public_features=ancient("results/{task}/public.zarr/zarr.json"),
        public_manifest="results/{task}/public.json",
        clients=ancient("results/{task}/clients.h5"),
        public=ancient("results/{task}/public.h5"),
    output:
        **figure("results/{task}/figures/inversion", "privacy", "Pictures from uploads"),
        findings="results/{task}/attacks/features.csv",
    log:
        "results/{task}/logs/attacks/features.log",
    benchmark:
        "results/{task}/benchmarks/attacks/features.tsv"
    conda:
        "../envs/workflow.yaml"
    resources:
        gpu=GPU,
    params:
        code=code("attack_features.py"),
        jobs=attacked_uploads,
    script:
        "../scripts/attack_features.py"


rule attack_membership:
    input:
        ancient(root_of_task),
        ancient("results/{task}/public.zarr/zarr.json"),
        manifest="results/{task}/features.json",
        network="results/{task}/network.json",
        public_manifest="results/{task}/public.json",
    output:
        csv="results/{task}/attacks/membership.csv",
    log:
        "results/{task}/logs/attacks/membership.log",
    benchmark:
        "results/{task}/benchmarks/attacks/membership.tsv"
    # The longest job that needs no run: last, it would leave all cores but one idle.
    priority: 1
    conda:
        "../envs/workflow.yaml"
    resources:
        gpu=GPU,
    params:
        code=code("attack_membership.py", "fbftl.tasks.images"),
        jobs=attacked_uploads,
        models=shadows,
    script:
        "../scripts/attack_membership.py"


rule attack_labels:
    input:
        features=ancient(root_of_task),
        manifest="results/{task}/features.json",
        public_features=ancient("results/{task}/public.zarr/zarr.json"),
        public_manifest="results/{task}/public.json",
        runs=attacked_update_runs,
    output:
        csv="results/{task}/attacks/labels.csv",
    log:
        "results/{task}/logs/attacks/labels.log",
    benchmark:
        "results/{task}/benchmarks/attacks/labels.tsv"
    conda:
        "../envs/workflow.yaml"
    params:
        code=code("attack_labels.py"),
        jobs=attacked_updates,
    script:
        "../scripts/attack_labels.py"


rule tabulate_attacks:
    input:
        findings=expand(
            "results/{{task}}/attacks/{attack}.csv",
            attack=["features", "membership", "labels"],
        ),
    output:
        **table("results/{task}/tables/attacks", "privacy", "What an adversary gets"),
    log:
        "results/{task}/logs/tables/attacks.log",
    conda:
        "../envs/workflow.yaml"
    params:
        code=code("tabulate_attacks.py"),
    script:
        "../scripts/tabulate_attacks.py"
