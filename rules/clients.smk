"""Clients: a data set, split over clients."""


rule clients:
    input:
        data=files_of_data,
    output:
        clients="results/{task}/clients.h5",
    log:
        "results/{task}/logs/clients.log",
    benchmark:
        "results/{task}/benchmarks/clients.tsv"
    wildcard_constraints:
        task=either(STUDY.tasks_of("images")),
    conda:
        "../envs/workflow.yaml"
    params:
        data=partial(task_block, block="data"),
        clients=clients_block,
        code=code_of_clients,
    script:
        "../scripts/partition_clients.py"
