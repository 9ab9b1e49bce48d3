"""Attacks: what an adversary gets from what clients send, by pictures, membership and labels."""


rule attack_features:
    input:
        "results/{task}/clients.h5.sha256",
        "results/{task}/public.h5.sha256",
        features=ancient(planned(stores.root)),
        manifest="results/{task}/features.json",
        public_features=ancient("results/{task}/public.zarr/zarr.json"),
        public_manifest="results/{task}/public.json",
        clients=ancient("results/{task}/clients.h5"),
        public=ancient("results/{task}/public.h5"),
    output:
        **written("figures/inversion"),
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
        code=code("attacks/attack_features.py"),
        jobs=jobs(attacked.uploads),
    message:
        "Attack the features of {wildcards.task}: pictures from uploads"
    script:
        "../scripts/attacks/attack_features.py"


rule invert_uploads:
    input:
        "results/{task}/clients.h5.sha256",
        "results/{task}/public.h5.sha256",
        clients=ancient("results/{task}/clients.h5"),
        public=ancient("results/{task}/public.h5"),
        model=ancient("results/{task}/source.safetensors"),
        source="results/{task}/source.json",
    output:
        **written("tables/inverted"),
    log:
        "results/{task}/logs/tables/inverted.log",
    conda:
        "../envs/workflow.yaml"
    resources:
        gpu=GPU,
    params:
        code=code("attacks/invert_uploads.py"),
        page_text=page("tables/inverted"),
        features=planned(stores.features_of_public),
        jobs=jobs(attacked.inverted),
    message:
        "Invert the uploads of {wildcards.task} in every seed"
    script:
        "../scripts/attacks/invert_uploads.py"


rule attack_membership:
    input:
        ancient(planned(stores.root)),
        ancient("results/{task}/public.zarr/zarr.json"),
        manifest="results/{task}/features.json",
        network="results/{task}/network.json",
        public_manifest="results/{task}/public.json",
    output:
        csv="results/{task}/attacks/membership.csv",
        by_attack="results/{task}/attacks/membership_by_attack.csv",
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
        code=code("attacks/attack_membership.py", *modules_of_method("fbftl", "images")),
        jobs=jobs(attacked.uploads),
        models=block("privacy", "shadows"),
    message:
        "Attack the uploads of {wildcards.task}: who took part"
    script:
        "../scripts/attacks/attack_membership.py"


rule attack_labels:
    input:
        features=ancient(planned(stores.root)),
        manifest="results/{task}/features.json",
        public_features=ancient("results/{task}/public.zarr/zarr.json"),
        public_manifest="results/{task}/public.json",
        runs=planned(runs.files, chosen=attacked.updates),
    output:
        csv="results/{task}/attacks/labels.csv",
    log:
        "results/{task}/logs/attacks/labels.log",
    benchmark:
        "results/{task}/benchmarks/attacks/labels.tsv"
    conda:
        "../envs/workflow.yaml"
    params:
        code=code("attacks/attack_labels.py"),
        jobs=jobs(attacked.updates),
    message:
        "Attack the updates of {wildcards.task}: labels of a client"
    script:
        "../scripts/attacks/attack_labels.py"


rule attack_uploads:
    input:
        ancient(planned(stores.root)),
        ancient("results/{task}/public.zarr/zarr.json"),
        manifest="results/{task}/features.json",
        network="results/{task}/network.json",
        public_manifest="results/{task}/public.json",
    output:
        csv="results/{task}/attacks/uploads.csv",
        by_attack="results/{task}/attacks/uploads_by_attack.csv",
    log:
        "results/{task}/logs/attacks/uploads.log",
    benchmark:
        "results/{task}/benchmarks/attacks/uploads.tsv"
    conda:
        "../envs/workflow.yaml"
    resources:
        gpu=GPU,
    params:
        code=code("attacks/attack_uploads.py", "fbftl.tasks.images"),
        jobs=jobs(attacked.heads),
        models=block("privacy", "shadows"),
    message:
        "Attack what is uploaded instead of features on {wildcards.task}"
    script:
        "../scripts/attacks/attack_uploads.py"


rule attack_means:
    input:
        "results/{task}/clients.h5.sha256",
        "results/{task}/public.h5.sha256",
        features=ancient(planned(stores.root)),
        manifest="results/{task}/features.json",
        network="results/{task}/network.json",
        public_features=ancient("results/{task}/public.zarr/zarr.json"),
        public_manifest="results/{task}/public.json",
        clients=ancient("results/{task}/clients.h5"),
        public=ancient("results/{task}/public.h5"),
    output:
        **written("figures/means"),
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
        code=code("attacks/attack_means.py", "fbftl.tasks.images"),
        job=planned(Study.job, name="fbftl"),
    message:
        "Attack the means of {wildcards.task}: pictures from means"
    script:
        "../scripts/attacks/attack_means.py"


rule attack_trust:
    input:
        ancient(planned(stores.root)),
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
        code=code("attacks/attack_trust.py", *modules_of_method("fbftl", "images")),
        jobs=jobs(attacked.trust),
        models=block("privacy", "shadows"),
    message:
        "Attack the heads of {wildcards.task} under three models of trust"
    script:
        "../scripts/attacks/attack_trust.py"


rule attack_counts:
    input:
        ancient(planned(stores.root)),
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
        code=code("attacks/attack_counts.py", "fbftl.tasks.images"),
        jobs=jobs(attacked.counts),
    message:
        "Attack the counts of {wildcards.task}: what a cloud learns"
    script:
        "../scripts/attacks/attack_counts.py"


rule attack_frameworks:
    input:
        planned(trained.digests_of_any, chosen=attacked.frameworks),
        unpack(read(trained.files_of_any, chosen=attacked.frameworks)),
    output:
        **written("tables/framework_attacks"),
    log:
        "results/{task}/logs/tables/framework_attacks.log",
    conda:
        "../envs/workflow.yaml"
    resources:
        gpu=GPU,
    params:
        code=code("attacks/attack_frameworks.py", "fbftl.tasks.images"),
        page_text=page("tables/framework_attacks"),
        jobs=jobs(attacked.frameworks),
    message:
        "Attack the messages of frameworks on {wildcards.task}"
    script:
        "../scripts/attacks/attack_frameworks.py"


rule attack_eppfl:
    input:
        "results/{task}/clients.h5.sha256",
        "results/{task}/public.h5.sha256",
        manifest="results/{task}/features.json",
        clients=ancient("results/{task}/clients.h5"),
        weights=ancient("results/{task}/source.safetensors"),
        source="results/{task}/source.json",
        public=ancient("results/{task}/public.h5"),
    output:
        csv="results/{task}/attacks/eppfl.csv",
    log:
        "results/{task}/logs/attacks/eppfl.log",
    benchmark:
        "results/{task}/benchmarks/attacks/eppfl.tsv"
    conda:
        "../envs/workflow.yaml"
    resources:
        gpu=GPU,
    params:
        code=code("attacks/attack_eppfl.py"),
        jobs=jobs(attacked.split_training),
    message:
        "Attack split training on {wildcards.task}: what its servers learn"
    script:
        "../scripts/attacks/attack_eppfl.py"


rule attack_noised_features:
    input:
        "results/{task}/clients.h5.sha256",
        "results/{task}/public.h5.sha256",
        unpack(read(trained.files, names=trained.OF_FEDFEAT)),
        public=ancient("results/{task}/public.h5"),
    output:
        csv="results/{task}/attacks/noised_features.csv",
    log:
        "results/{task}/logs/attacks/noised_features.log",
    benchmark:
        "results/{task}/benchmarks/attacks/noised_features.tsv"
    conda:
        "../envs/workflow.yaml"
    resources:
        gpu=GPU,
    params:
        code=code("attacks/attack_noised_features.py", "fbftl.tasks.images"),
        jobs=jobs(attacked.noised_features),
    message:
        "Attack the features that FedFeat+ sends on {wildcards.task}"
    script:
        "../scripts/attacks/attack_noised_features.py"
