"""From run files to one tidy table per experiment, which tables and figures read."""


rule collect:
    input:
        runs=runs_of,
    output:
        table="results/{task}/experiments/{experiment}.csv",
    log:
        "results/{task}/logs/collect/{experiment}.log",
    conda:
        "../envs/workflow.yaml"
    params:
        code=code("collect_runs.py"),
    script:
        "../scripts/collect_runs.py"
