"""Features: one pass of the frozen extractor over every client's samples, cached for good."""


rule extract:
    input:
        clients="results/{task}/clients.h5",
        model="results/{task}/source.safetensors",
        source="results/{task}/source.json",
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
        code=code("extract_features.py"),
    script:
        "../scripts/extract_features.py"


rule verify_features:
    input:
        manifests=expand("results/{task}/features.json", task=STUDY.tasks),
    log:
        "results/logs/verify_features.log",
    conda:
        "../envs/workflow.yaml"
    params:
        stores=[store_of(task) for task in STUDY.tasks],
    script:
        "../scripts/verify_features.py"


rule repair_features:
    input:
        clients=expand("results/{task}/clients.h5", task=STUDY.tasks),
        weights=expand("results/{task}/source.safetensors", task=STUDY.tasks),
        sources=expand("results/{task}/source.json", task=STUDY.tasks),
    log:
        "results/logs/repair_features.log",
    conda:
        "../envs/workflow.yaml"
    threads: 2
    params:
        stores=[store_of(task) for task in STUDY.tasks],
        manifests=expand("results/{task}/features.json", task=STUDY.tasks),
        features=[STUDY.task(task)["features"] for task in STUDY.tasks],
    script:
        "../scripts/repair_features.py"
