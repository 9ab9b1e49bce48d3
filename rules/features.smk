"""Features: one pass of the frozen extractor over every client's samples, cached for good."""

# Tasks differ in how many stores one pass fills, one for each cut: a rule for each task.
for task in STUDY.tasks:

    rule:
        name:
            f"extract_{task}"
        input:
            clients=f"results/{task}/clients.h5",
            model=f"results/{task}/source.safetensors",
            source=f"results/{task}/source.json",
        output:
            stores=[directory(path) for path in local_stores_of(task)],
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
            mem_mb=memory_of_made_rules,
            runtime=1440,
        params:
            features=STUDY.task(task)["features"],
            code=code(extraction_script(task)),
            # A path that the loop made would be read when a job runs, and name the last task's.
            script=extraction_script(task),
        script:
            "../scripts/{params.script}"


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
