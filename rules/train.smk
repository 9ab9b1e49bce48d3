"""Runs, one for each setting and seed, in batches; each run is in the store once it is finished."""


rule train:
    input:
        needs,
    output:
        touch("results/.made/train/{job}"),
    log:
        "results/logs/train/{job}.log",
    priority: 1
    conda:
        "../envs/workflow.yaml"
    # Sums depend on the number of threads.
    threads: 1
    resources:
        gpu=GPU,
    params:
        store=str(STORE.root),
        note="{job}",
        summary=summary,
    message:
        "{params.summary}"
    script:
        "../scripts/stages/train_batch.py"
