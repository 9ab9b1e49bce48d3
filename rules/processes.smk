"""Settings that share a process: a rule for each such process."""

# Without wildcards, these rules go before `train`.
for task in STUDY.tasks_of("images"):
    for process, names in shared_processes(STUDY, task).items():

        rule:
            name:
                f"train_heads_{task}_{process}"
            input:
                *digests_of(task, names[0]),
                **inputs_of(task, names[0]),
            output:
                run=run_paths(task, names, "json"),
                ledger=run_paths(task, names, "parquet"),
                meta=run_paths(task, names, "meta.json"),
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
                code=code_of_training(task, names[0]),
                jobs=[STUDY.job(task, name) for name in names],
            script:
                "../scripts/train_setting.py"
