"""What the store holds besides runs; a marker says that a job has ended, its note what it makes."""

PRODUCTS = {
    "clients": (0, 1, 0),
    "source": (3, 1, GPU),
    "extract": (2, 2, GPU),
    "networks": (2, 1, 0),
    "public": (2, 2, GPU),
    "open_data": (2, 1, GPU),
    "attack": (1, 1, GPU),
}
"""Priority, threads and GPUs of the rules."""

for made, (urgency, cores, gpus) in PRODUCTS.items():

    rule:
        name:
            made
        input:
            needs,
        output:
            touch(f"results/.made/{made}/{{job}}"),
        log:
            f"results/logs/{made}/{{job}}.log",
        priority: urgency
        conda:
            "../envs/workflow.yaml"
        threads: cores
        resources:
            gpu=gpus,
        params:
            store=str(STORE.root),
            note="{job}",
            summary=summary,
        message:
            "{params.summary}"
        script:
            "../scripts/stages/make_products.py"
