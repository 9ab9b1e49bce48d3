"""Features: one pass of the frozen extractor over every client's samples, cached for good."""

# Tasks differ in how many stores one pass fills, one for each cut: a rule for each task.
for task in STUDY.tasks:

    rule:
        name:
            f"extract_{task}"
        input:
            f"results/{task}/clients.h5.sha256",
            clients=ancient(f"results/{task}/clients.h5"),
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
            code=code("extract_features.py", module_of(task, "features")),
        script:
            "../scripts/extract_features.py"


rule verify_features:
    input:
        manifests=[path for made in extractions() for path in made["manifests"]],
    log:
        "results/logs/verify_features.log",
    conda:
        "../envs/workflow.yaml"
    params:
        stores=[path for made in extractions() for path in made["stores"]],
    script:
        "../scripts/verify_features.py"


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
    script:
        "../scripts/repair_features.py"
