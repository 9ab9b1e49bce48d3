"""Runs: one training job per setting, all its seeds inside."""


rule train_head:
    input:
        unpack(public_features),
        # The manifest stands for the store: equal content leaves the runs alone.
        features=ancient(partial(at_cut_of_setting, name="features", suffix="zarr")),
        manifest=partial(at_cut_of_setting, name="features", suffix="json"),
        network=partial(at_cut_of_setting, name="network", suffix="json"),
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
        setting="(fbftl|ftl_c)([+][^/]+)?",
    conda:
        "../envs/workflow.yaml"
    resources:
        gpu=GPU,
    params:
        code=code_of_method,
        job=job_of,
    script:
        "../scripts/train_setting.py"


rule train_network:
    input:
        features=ancient("results/{task}/features.zarr"),
        manifest="results/{task}/features.json",
        clients="results/{task}/clients.h5",
        weights="results/{task}/source.safetensors",
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
        setting="(fl|ftl_f|sfl|released)([+][^/]+)?",
    conda:
        "../envs/workflow.yaml"
    resources:
        gpu=GPU,
    params:
        job=job_of,
        code=code_of_method,
    script:
        "../scripts/train_setting.py"
