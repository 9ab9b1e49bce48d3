"""Attacks on every seed of some settings, for sentences that compare what adversaries get."""


rule attack_seeds:
    input:
        digests_of_attacked,
        unpack(files_of_attacked),
    output:
        **table(
            "results/{task}/tables/attacked_seeds",
            "privacy",
            "Frameworks' messages by seed",
        ),
    log:
        "results/{task}/logs/tables/attacked_seeds.log",
    conda:
        "../envs/workflow.yaml"
    resources:
        gpu=GPU,
    params:
        code=code("attacks/attack_seeds.py", "fbftl.tasks.images"),
        page_text=page_of(
            "results/{task}/tables/attacked_seeds", "Frameworks' messages by seed"
        ),
        jobs=partial(attacked_in, experiment="attacked"),
    message:
        "Attack the messages of frameworks on {wildcards.task} in every seed"
    script:
        "../scripts/attacks/attack_seeds.py"


rule attack_eppfl_seeds:
    input:
        "results/{task}/clients.h5.sha256",
        "results/{task}/public.h5.sha256",
        manifest="results/{task}/features.json",
        clients=ancient("results/{task}/clients.h5"),
        weights=ancient("results/{task}/source.safetensors"),
        source="results/{task}/source.json",
        public=ancient("results/{task}/public.h5"),
    output:
        **table(
            "results/{task}/tables/eppfl_attacked",
            "privacy",
            "Split training by seed",
        ),
    log:
        "results/{task}/logs/tables/eppfl_attacked.log",
    conda:
        "../envs/workflow.yaml"
    resources:
        gpu=GPU,
    params:
        code=code("attacks/attack_eppfl_seeds.py", "fbftl.tasks.images"),
        page_text=page_of(
            "results/{task}/tables/eppfl_attacked", "Split training by seed"
        ),
        jobs=partial(attacked_in, experiment="eppfl_attacked"),
    message:
        "Attack split training on {wildcards.task} in every seed"
    script:
        "../scripts/attacks/attack_eppfl_seeds.py"


rule attack_noised_seeds:
    input:
        "results/{task}/clients.h5.sha256",
        "results/{task}/public.h5.sha256",
        unpack(files_of_fedfeat),
        public=ancient("results/{task}/public.h5"),
    output:
        **table(
            "results/{task}/tables/fedfeat_attacked",
            "privacy",
            "Sent features by seed",
        ),
    log:
        "results/{task}/logs/tables/fedfeat_attacked.log",
    conda:
        "../envs/workflow.yaml"
    resources:
        gpu=GPU,
    params:
        code=code("attacks/attack_noised_seeds.py", "fbftl.tasks.images"),
        page_text=page_of(
            "results/{task}/tables/fedfeat_attacked", "Sent features by seed"
        ),
        jobs=partial(attacked_in, experiment="fedfeat_attacked"),
    message:
        "Attack the features that FedFeat+ sends on {wildcards.task} in every seed"
    script:
        "../scripts/attacks/attack_noised_seeds.py"
