"""Features: one pass of the frozen extractor over every client's samples, cached for good."""


rule extract:
    input:
        clients="results/{task}/clients.h5",
        model="results/{task}/source.safetensors",
        source="results/{task}/source.json",
        code=code("extract_features.py"),
    output:
        store=directory("results/{task}/features.zarr"),
        manifest="results/{task}/features.json",
    log:
        "results/{task}/logs/extract.log",
    benchmark:
        "results/{task}/benchmarks/extract.tsv"
    conda:
        "../envs/workflow.yaml"
    threads: 2
    params:
        features=partial(task_block, block="features"),
    script:
        "../scripts/extract_features.py"
