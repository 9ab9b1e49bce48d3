"""From run files to one tidy table per experiment, which tables and figures read."""


rule collect:
    input:
        runs=runs_of,
        code=code("collect_runs.py"),
    output:
        table="results/{task}/experiments/{experiment}.csv",
    log:
        "results/{task}/logs/collect/{experiment}.log",
    conda:
        "../envs/workflow.yaml"
    script:
        "../scripts/collect_runs.py"
