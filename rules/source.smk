"""The source model: pre-trained here, or loaded and its digest checked."""


rule source:
    output:
        model="results/{task}/source.safetensors",
        manifest="results/{task}/source.json",
    log:
        "results/{task}/logs/source.log",
    benchmark:
        "results/{task}/benchmarks/source.tsv"
    wildcard_constraints:
        task=either(STUDY.tasks_of("images")),
    conda:
        "../envs/workflow.yaml"
    resources:
        gpu=GPU,
    params:
        source=partial(task_block, block="source"),
        files=contents_of_source,
        code=code_of_source,
    script:
        "../scripts/prepare_source.py"
