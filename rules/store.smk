"""What the store holds besides runs; a marker says that a job has ended, its note what it makes."""


rule clients:
    input:
        needs,
    output:
        touch("results/.made/clients/{job}"),
    log:
        "results/logs/clients/{job}.log",
    conda:
        "../envs/workflow.yaml"
    params:
        store=str(STORE.root),
        note="{job}",
        summary=summary,
    message:
        "{params.summary}"
    script:
        "../scripts/stages/make_products.py"


use rule clients as source with:
    output:
        touch("results/.made/source/{job}"),
    log:
        "results/logs/source/{job}.log",
    priority: 3
    resources:
        gpu=GPU,


use rule clients as extract with:
    output:
        touch("results/.made/extract/{job}"),
    log:
        "results/logs/extract/{job}.log",
    priority: 2
    threads: threads_of
    resources:
        gpu=GPU,


use rule clients as networks with:
    output:
        touch("results/.made/networks/{job}"),
    log:
        "results/logs/networks/{job}.log",
    priority: 2


use rule clients as public with:
    output:
        touch("results/.made/public/{job}"),
    log:
        "results/logs/public/{job}.log",
    priority: 2
    threads: threads_of
    resources:
        gpu=GPU,


use rule clients as open_data with:
    output:
        touch("results/.made/open_data/{job}"),
    log:
        "results/logs/open_data/{job}.log",
    priority: 2
    resources:
        gpu=GPU,


use rule clients as attack with:
    output:
        touch("results/.made/attack/{job}"),
    log:
        "results/logs/attack/{job}.log",
    priority: 1
    resources:
        gpu=GPU,
