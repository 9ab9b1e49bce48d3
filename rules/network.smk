"""The network's layers: what the cost model counts, and where it could be cut."""


rule describe:
    input:
        "results/{task}/clients.h5.sha256",
        clients=ancient("results/{task}/clients.h5"),
        source="results/{task}/source.json",
    output:
        network="results/{task}/network.json",
    log:
        "results/{task}/logs/network.log",
    conda:
        "../envs/workflow.yaml"
    params:
        code=code("stages/describe_network.py"),
        features=planned(blocks.network),
        head=block("head"),
    message:
        "Count the layers of the network of {wildcards.task}"
    script:
        "../scripts/stages/describe_network.py"


use rule describe as describe_at_further_cut with:
    output:
        network="results/{task}/network/{cut}.json",
    log:
        "results/{task}/logs/network/{cut}.log",
    params:
        code=code("stages/describe_network.py"),
        features=planned(blocks.network, "cut"),
        head=block("head"),
    message:
        "Count the layers of the network of {wildcards.task} at {wildcards.cut}"


rule describe_named:
    input:
        "results/{task}/clients.h5.sha256",
        clients=ancient("results/{task}/clients.h5"),
        source="results/{task}/source.json",
    output:
        description="results/{task}/networks/{network}.json",
    log:
        "results/{task}/logs/networks/{network}.log",
    conda:
        "../envs/workflow.yaml"
    params:
        code=code("stages/describe_named_network.py"),
        features=planned(blocks.preprocessing),
        block=planned(blocks.named_network, "network"),
    message:
        "Count the layers of {wildcards.network}, a network of {wildcards.task}"
    script:
        "../scripts/stages/describe_named_network.py"


rule list_layers:
    input:
        "results/{task}/clients.h5.sha256",
        clients=ancient("results/{task}/clients.h5"),
        source="results/{task}/source.json",
    output:
        layers="results/{task}/layers.csv",
    log:
        "results/{task}/logs/layers.log",
    wildcard_constraints:
        task=either(STUDY.tasks_of("images")),
    conda:
        "../envs/workflow.yaml"
    params:
        code=code("stages/list_layers.py"),
        features=planned(blocks.preprocessing),
    message:
        "List where the network of {wildcards.task} can be cut"
    script:
        "../scripts/stages/list_layers.py"
