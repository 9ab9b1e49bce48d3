"""Features: one pass of the frozen extractor over every client's samples, cached for good."""


rule extract:
    input:
        clients="results/{task}/clients.h5",
        model="results/{task}/source.safetensors",
        source="results/{task}/source.json",
    output:
        stores=[directory("results/{task}/features.zarr")],
        manifests=["results/{task}/features.json"],
    log:
        "results/{task}/logs/extract.log",
    benchmark:
        "results/{task}/benchmarks/extract.tsv"
    wildcard_constraints:
        task=either(STUDY.tasks_of("images")),
    conda:
        "../envs/workflow.yaml"
    threads: 2
    resources:
        gpu=GPU,
    params:
        features=partial(task_block, block="features"),
        code=code("extract_features.py"),
    script:
        "../scripts/extract_features.py"


# Tasks with further cuts differ in how many stores one pass fills: a rule for each, which goes
# before `extract` since it has no wildcards.
for task in with_further_cuts():

    rule:
        name:
            f"extract_{task}"
        input:
            clients=f"results/{task}/clients.h5",
            model=f"results/{task}/source.safetensors",
            source=f"results/{task}/source.json",
        output:
            stores=[directory(f"{cache}.zarr") for cache in caches_of(task)],
            manifests=manifests_of(task),
        log:
            f"results/{task}/logs/extract.log",
        benchmark:
            f"results/{task}/benchmarks/extract.tsv"
        conda:
            "../envs/workflow.yaml"
        threads: 2
        resources:
            gpu=GPU,
            mem_mb=memory_of_extraction,
            runtime=1440,
        params:
            features=STUDY.task(task)["features"],
            code=code("extract_features.py"),
        script:
            "../scripts/extract_features.py"


rule verify_features:
    input:
        manifests=all_manifests(),
    log:
        "results/logs/verify_features.log",
    conda:
        "../envs/workflow.yaml"
    params:
        stores=[store for task in STUDY.tasks for store in stores_of(task)],
    script:
        "../scripts/verify_features.py"


rule repair_features:
    input:
        clients=expand("results/{task}/clients.h5", task=STUDY.tasks_of("images")),
        weights=expand(
            "results/{task}/source.safetensors", task=STUDY.tasks_of("images")
        ),
        sources=expand("results/{task}/source.json", task=STUDY.tasks_of("images")),
    log:
        "results/logs/repair_features.log",
    conda:
        "../envs/workflow.yaml"
    threads: 2
    resources:
        gpu=GPU,
    params:
        stores=[stores_of(task) for task in STUDY.tasks_of("images")],
        manifests=[manifests_of(task) for task in STUDY.tasks_of("images")],
        features=[STUDY.task(task)["features"] for task in STUDY.tasks_of("images")],
    script:
        "../scripts/repair_features.py"
