"""Public samples, for clip norms and for what an adversary may know, and their features."""


rule public:
    input:
        clients="results/{task}/clients.h5",
    output:
        public="results/{task}/public.h5",
    log:
        "results/{task}/logs/public.log",
    benchmark:
        "results/{task}/benchmarks/public.tsv"
    conda:
        "../envs/workflow.yaml"
    params:
        code=code_of_public,
        source=partial(task_block, block="source"),
        public=public_block,
    script:
        "../scripts/choose_public.py"


rule public_features:
    input:
        clients="results/{task}/public.h5",
        model="results/{task}/source.safetensors",
        source="results/{task}/source.json",
    output:
        stores=[directory("results/{task}/public.zarr")],
        manifests=["results/{task}/public.json"],
    log:
        "results/{task}/logs/public_features.log",
    benchmark:
        "results/{task}/benchmarks/public_features.tsv"
    conda:
        "../envs/workflow.yaml"
    threads: 2
    resources:
        gpu=GPU,
    params:
        code=code("extract_features.py"),
        features=features_here,
    script:
        "../scripts/extract_features.py"
