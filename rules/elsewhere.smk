"""Features from elsewhere: opened where they were published, in the place of three stages."""


rule open_features:
    output:
        root="results/{task}/features.zarr/location.txt",
        manifest="results/{task}/features.json",
        published="results/{task}/published.json",
        clients="results/{task}/clients.h5",
        digest="results/{task}/clients.h5.sha256",
        network="results/{task}/network.json",
    log:
        "results/{task}/logs/open.log",
    benchmark:
        "results/{task}/benchmarks/open.tsv"
    wildcard_constraints:
        task=either(ELSEWHERE),
    conda:
        "../envs/workflow.yaml"
    params:
        code=code("stages/open_features.py"),
        place=place_of_features,
        expected=digest_of_features,
        head=partial(task_block, block="head"),
    message:
        "Open the published features that are the data of {wildcards.task}"
    script:
        "../scripts/stages/open_features.py"
