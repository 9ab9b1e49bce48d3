"""Shards: the tidy tables that a part of a study makes, and those that all parts are joined to."""


use rule collect as collect_shard with:
    output:
        table="results/{task}/shards/{experiment}/{plan}/{part}.csv",
        series="results/{task}/shards/{experiment}/{plan}/{part}.series.csv",
    log:
        "results/{task}/logs/shards/{experiment}/{plan}/{part}.log",
    wildcard_constraints:
        plan="[0-9a-f]+",
        # Of other shards this call knows no settings, and the one that joins them knows none at all.
        part=either([] if STUDY.shard.joins else [part_name(STUDY.shard)]),
    params:
        code=code("stages/collect_runs.py"),
        axes=axes_of_grids,
    message:
        "Collect the runs of shard {wildcards.part} of {wildcards.experiment} on {wildcards.task}"


rule join_shards:
    input:
        unpack(parts_of),
    output:
        table="results/{task}/shards/{experiment}.csv",
        series="results/{task}/shards/{experiment}.series.csv",
    log:
        "results/{task}/logs/shards/{experiment}.log",
    conda:
        "../envs/workflow.yaml"
    params:
        code=code("stages/join_shards.py"),
    message:
        "Join the shards of {wildcards.experiment} on {wildcards.task}"
    script:
        "../scripts/stages/join_shards.py"
