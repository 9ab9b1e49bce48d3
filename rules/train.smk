"""Runs: a setting with all its seeds per training job, or several settings that share a process."""


rule train_head:
    input:
        unpack(inputs_of_setting),
    output:
        run="results/{task}/runs/{setting}.json",
        ledger="results/{task}/runs/{setting}.parquet",
        meta="results/{task}/runs/{setting}.meta.json",
    log:
        "results/{task}/logs/runs/{setting}.log",
    benchmark:
        "results/{task}/benchmarks/runs/{setting}.tsv"
    wildcard_constraints:
        task=either(STUDY.tasks_of("images")),
        setting=settings_of(reads="features"),
    conda:
        "../envs/workflow.yaml"
    resources:
        gpu=GPU,
    params:
        code=code_of_method,
        job=job_of,
    script:
        "../scripts/train_setting.py"


# A rule for each process with several settings; without wildcards, it goes before `train_head`.
for task in STUDY.tasks_of("images"):
    for process, names in shared_processes(STUDY, task).items():

        rule:
            name:
                f"train_heads_{task}_{process}"
            input:
                **inputs_of_heads(task, names[0]),
            output:
                runs=run_paths(task, names, "json"),
                ledgers=run_paths(task, names, "parquet"),
                metas=run_paths(task, names, "meta.json"),
            log:
                f"results/{task}/logs/runs/{process}.log",
            benchmark:
                f"results/{task}/benchmarks/runs/{process}.tsv"
            conda:
                "../envs/workflow.yaml"
            resources:
                gpu=GPU,
                mem_mb=memory_of_made_rules,
                runtime=240,
            params:
                code=code("train_settings.py"),
                jobs=[STUDY.job(task, name) for name in names],
            script:
                "../scripts/train_settings.py"


rule train_network:
    input:
        "results/{task}/clients.h5.sha256",
        features=ancient(root_of_task),
        manifest="results/{task}/features.json",
        clients=ancient("results/{task}/clients.h5"),
        weights=ancient("results/{task}/source.safetensors"),
        source="results/{task}/source.json",
    output:
        run="results/{task}/runs/{setting}.json",
        ledger="results/{task}/runs/{setting}.parquet",
        meta="results/{task}/runs/{setting}.meta.json",
    log:
        "results/{task}/logs/runs/{setting}.log",
    benchmark:
        "results/{task}/benchmarks/runs/{setting}.tsv"
    wildcard_constraints:
        task=either(STUDY.tasks_of("images")),
        setting=settings_of(reads="clients and source"),
    conda:
        "../envs/workflow.yaml"
    resources:
        gpu=GPU,
    params:
        job=job_of,
        code=code_of_method,
    script:
        "../scripts/train_setting.py"
