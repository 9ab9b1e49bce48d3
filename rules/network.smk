"""The network's layers: what the cost model counts."""


rule describe:
    input:
        clients="results/{task}/clients.h5",
        source="results/{task}/source.json",
    output:
        network="results/{task}/network.json",
    log:
        "results/{task}/logs/network.log",
    conda:
        "../envs/workflow.yaml"
    params:
        code=code("describe_network.py"),
        features=partial(task_block, block="features"),
        head=partial(task_block, block="head"),
    script:
        "../scripts/describe_network.py"
