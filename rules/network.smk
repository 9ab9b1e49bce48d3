"""The network's layers: what the cost model counts."""


rule describe:
    input:
        clients="results/{task}/clients.h5",
        source="results/{task}/source.json",
        code=code("describe_network.py"),
    output:
        network="results/{task}/network.json",
    log:
        "results/{task}/logs/network.log",
    conda:
        "../envs/workflow.yaml"
    params:
        features=partial(task_block, block="features"),
        head=partial(task_block, block="head"),
    script:
        "../scripts/describe_network.py"
