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
        task=ANY_SOURCE,
    conda:
        "../envs/workflow.yaml"
    resources:
        gpu=GPU,
    params:
        source=block("source"),
        data=public_data_of_source,
        files=contents_of_source,
        public_files=contents_of_public_split,
        module=module_of_source,
        code=code_of_source,
    message:
        "Prepare the source model of {wildcards.task}"
    script:
        "../scripts/stages/prepare_source.py"
