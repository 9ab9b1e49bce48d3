"""Analysis: run files become tables of measures and series per experiment, and numbers of a task."""


rule collect:
    input:
        runs=runs_of,
    output:
        table="results/{task}/experiments/{experiment}.csv",
        series="results/{task}/experiments/{experiment}.series.csv",
    log:
        "results/{task}/logs/collect/{experiment}.log",
    wildcard_constraints:
        task=either_with_experiment(),
    conda:
        "../envs/workflow.yaml"
    params:
        code=code("collect_runs.py"),
        axes=axes_of_experiment,
    script:
        "../scripts/collect_runs.py"


rule write_numbers:
    input:
        unpack(experiments_of),
    output:
        json="results/{task}/numbers.json",
        tex="results/{task}/numbers.tex",
    log:
        "results/{task}/logs/numbers.log",
    conda:
        "../envs/workflow.yaml"
    params:
        code=code("write_numbers.py"),
    script:
        "../scripts/write_numbers.py"
