"""Clients: a data set, split over clients."""


rule clients:
    output:
        clients="results/{task}/clients.h5",
        # Stands for the large file where that is read: equal content leaves what follows alone.
        digest="results/{task}/clients.h5.sha256",
    log:
        "results/{task}/logs/clients.log",
    benchmark:
        "results/{task}/benchmarks/clients.tsv"
    conda:
        "../envs/workflow.yaml"
    params:
        data=block("data"),
        clients=planned(blocks.clients),
        files=contents_of_data,
        module=module_of_clients,
        code=code_of_clients,
    message:
        "Split the data of {wildcards.task} over its clients"
    script:
        "../scripts/stages/partition_clients.py"
