"""Features: one pass of the frozen extractor over every client's samples, cached for good."""

# Tasks differ in how many stores one pass fills, one for each cut: a rule for each task.
for task in STUDY.with_repeats(STUDY.tasks):

    rule:
        name:
            f"extract_{rule_part(task)}"
        input:
            f"{clients_of(task)}.sha256",
            clients=ancient(clients_of(task)),
            model=ancient(f"results/{task}/source.safetensors"),
            source=f"results/{task}/source.json",
        output:
            roots=roots_of(task),
            manifests=manifests_of(task),
        log:
            f"results/{task}/logs/extract.log",
        benchmark:
            f"results/{task}/benchmarks/extract.tsv"
        # The task's runs wait for it, and a core would idle until it finds two that are free.
        priority: 2
        conda:
            "../envs/workflow.yaml"
        threads: 2
        resources:
            gpu=GPU,
            mem_mb=memory_of_made_rules,
            runtime=1440,
        params:
            features=STUDY.task(task)["features"],
            stores=stores_of(task),
            module=module_of(task, "features"),
            code=code("stages/extract_features.py", module_of(task, "features")),
        message:
            f"Extract the features of {task}"
        script:
            "../scripts/stages/extract_features.py"


rule verify_features:
    input:
        manifests=[
            path for extraction in extractions() for path in extraction["manifests"]
        ],
    log:
        "results/logs/verify_features.log",
    conda:
        "../envs/workflow.yaml"
    params:
        stores=[path for extraction in extractions() for path in extraction["stores"]],
    message:
        "Look for damage in all feature stores"
    script:
        "../scripts/stages/verify_features.py"


rule repair_features:
    input:
        files_of_extractions(),
    log:
        "results/logs/repair_features.log",
    conda:
        "../envs/workflow.yaml"
    threads: 2
    resources:
        gpu=GPU,
    params:
        extractions=extractions(),
    message:
        "Extract the damaged parts of feature stores again"
    script:
        "../scripts/stages/repair_features.py"
