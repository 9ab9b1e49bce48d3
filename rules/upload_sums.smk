"""Uploads of any number of drawn clients: a sum for each shard, joined in a tree, solved once.

Asked for by `snakemake results/upload_sums/head.json`; nothing else reads it.
"""


rule sum_uploads:
    output:
        part="results/upload_sums/0/{node}.safetensors",
    log:
        "results/upload_sums/logs/0/{node}.log",
    benchmark:
        "results/upload_sums/benchmarks/{node}.tsv"
    wildcard_constraints:
        node="[0-9]+",
    conda:
        "../envs/workflow.yaml"
    params:
        uploads=UPLOADS,
        code=code("stages/sum_uploads.py"),
    message:
        "Sum the uploads of shard {wildcards.node}"
    script:
        "../scripts/stages/sum_uploads.py"


rule join_upload_sums:
    input:
        parts=sums_below,
    output:
        part="results/upload_sums/{level}/{node}.safetensors",
    log:
        "results/upload_sums/logs/{level}/{node}.log",
    wildcard_constraints:
        level="[1-9][0-9]*",
        node="[0-9]+",
    conda:
        "../envs/workflow.yaml"
    params:
        uploads=UPLOADS,
        code=code("stages/join_upload_sums.py"),
    message:
        "Join sums of uploads: level {wildcards.level}, place {wildcards.node}"
    script:
        "../scripts/stages/join_upload_sums.py"


rule solve_uploads:
    input:
        part=sum_at(UPLOAD_TREE.root),
    output:
        json="results/upload_sums/head.json",
    log:
        "results/upload_sums/logs/head.log",
    conda:
        "../envs/workflow.yaml"
    params:
        uploads=UPLOADS,
        code=code("stages/solve_uploads.py"),
    message:
        "Solve a head from all uploads"
    script:
        "../scripts/stages/solve_uploads.py"
