"""Runs: one training job per setting, with all its seeds."""


rule train:
    input:
        planned(trained.digests_of_setting, "setting"),
        unpack(read(trained.files_of_setting, "setting")),
    output:
        run="results/{task}/runs/{setting}.json",
        ledger="results/{task}/runs/{setting}.parquet",
        meta="results/{task}/runs/{setting}.meta.json",
    log:
        "results/{task}/logs/runs/{setting}.log",
    benchmark:
        "results/{task}/benchmarks/runs/{setting}.tsv"
    wildcard_constraints:
        task=either(STUDY.with_repeats(STUDY.tasks_of("images"))),
    conda:
        "../envs/workflow.yaml"
    resources:
        gpu=GPU,
    params:
        code=code_of_method,
        jobs=jobs_of,
    message:
        "Train {wildcards.setting} on {wildcards.task}"
    script:
        "../scripts/stages/train_setting.py"


rule choose_head:
    input:
        "results/{task}/clients.h5.sha256",
        unpack(read(trained.files, names=trained.OF_CHOICE)),
    output:
        **written("tables/heads"),
    log:
        "results/{task}/logs/tables/heads.log",
    wildcard_constraints:
        task=either(STUDY.tasks_of("images")),
    conda:
        "../envs/workflow.yaml"
    resources:
        gpu=GPU,
    params:
        code=code_of_choice,
        page_text=page("tables/heads"),
        heads=STUDY.config["head_choice"]["heads"],
        job=planned(choice.head),
        others=planned(choice.networks),
    message:
        "Choose the head and the epochs of {wildcards.task} by the rule"
    script:
        "../scripts/stages/choose_head.py"


# Summaries are there to be read, so these runs leave what every seed says of the test set.
use rule train as train_dialogues with:
    output:
        run="results/{task}/runs/{setting}.json",
        ledger="results/{task}/runs/{setting}.parquet",
        meta="results/{task}/runs/{setting}.meta.json",
        predictions="results/{task}/runs/{setting}.jsonl",
    wildcard_constraints:
        task=either(STUDY.tasks_of("dialogues")),
    message:
        "Train {wildcards.setting} on {wildcards.task}"
