"""Attacks on every seed of some settings, for sentences that compare what adversaries get."""


rule attack_seeds:
    input:
        planned(trained.digests_of_any, chosen=attacked.in_every_seed),
        unpack(read(trained.files_of_any, chosen=attacked.in_every_seed)),
    output:
        **written("tables/attacked_seeds"),
    log:
        "results/{task}/logs/tables/attacked_seeds.log",
    conda:
        "../envs/workflow.yaml"
    resources:
        gpu=GPU,
    params:
        code=code("attacks/attack_seeds.py", "fbftl.tasks.images"),
        page_text=page("tables/attacked_seeds"),
        jobs=jobs(attacked.in_every_seed),
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
        **written("tables/eppfl_attacked"),
    log:
        "results/{task}/logs/tables/eppfl_attacked.log",
    conda:
        "../envs/workflow.yaml"
    resources:
        gpu=GPU,
    params:
        code=code("attacks/attack_eppfl_seeds.py", "fbftl.tasks.images"),
        page_text=page("tables/eppfl_attacked"),
        jobs=jobs(runs.of_experiment, experiment="eppfl_attacked"),
    message:
        "Attack split training on {wildcards.task} in every seed"
    script:
        "../scripts/attacks/attack_eppfl_seeds.py"


rule attack_noised_seeds:
    input:
        "results/{task}/clients.h5.sha256",
        "results/{task}/public.h5.sha256",
        unpack(read(trained.files, names=trained.OF_FEDFEAT)),
        public=ancient("results/{task}/public.h5"),
    output:
        **written("tables/fedfeat_attacked"),
    log:
        "results/{task}/logs/tables/fedfeat_attacked.log",
    conda:
        "../envs/workflow.yaml"
    resources:
        gpu=GPU,
    params:
        code=code("attacks/attack_noised_seeds.py", "fbftl.tasks.images"),
        page_text=page("tables/fedfeat_attacked"),
        jobs=jobs(runs.of_experiment, experiment="fedfeat_attacked"),
    message:
        "Attack the features that FedFeat+ sends on {wildcards.task} in every seed"
    script:
        "../scripts/attacks/attack_noised_seeds.py"
