"""Features: one pass of the frozen extractor over every client's samples, cached for good."""

# Tasks differ in how many stores one pass fills, one for each cut: a rule for each task.
for task in STUDY.with_repeats(STUDY.tasks):

    rule:
        name:
            f"extract_{rule_part(task)}"
        input:
            f"{paths.clients(task)}.sha256",
            clients=ancient(paths.clients(task)),
            model=ancient(f"results/{task}/source.safetensors"),
            source=f"results/{task}/source.json",
        output:
            roots=stores.roots(STUDY, task),
            manifests=stores.manifests(STUDY, task),
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
            stores=stores.folders(STUDY, task),
            module=stores.module(STUDY, task),
            code=code("stages/extract_features.py", stores.module(STUDY, task)),
        message:
            f"Extract the features of {task}"
        script:
            "../scripts/stages/extract_features.py"


rule verify_features:
    input:
        manifests=[
            path
            for extraction in stores.extractions(STUDY)
            for path in extraction["manifests"]
        ],
    log:
        "results/logs/verify_features.log",
    conda:
        "../envs/workflow.yaml"
    params:
        stores=[
            path
            for extraction in stores.extractions(STUDY)
            for path in extraction["stores"]
        ],
    message:
        "Look for damage in all feature stores"
    script:
        "../scripts/stages/verify_features.py"


rule repair_features:
    input:
        [ancient(path) for path in stores.read_by_extractions(STUDY)],
    log:
        "results/logs/repair_features.log",
    conda:
        "../envs/workflow.yaml"
    threads: 2
    resources:
        gpu=GPU,
    params:
        extractions=stores.extractions(STUDY),
    message:
        "Extract the damaged parts of feature stores again"
    script:
        "../scripts/stages/repair_features.py"
