"""What the store holds; a marker says that a job has ended, its note what it makes.

Runs, one for each setting and seed, are trained in batches; each run is in the store once it is
finished.
"""

MAKERS = {
    "clients": ("make_products", 0, 1, 0),
    "source": ("make_products", 3, 1, GPU),
    "extract": ("make_products", 2, 2, GPU),
    "networks": ("make_products", 2, 1, 0),
    "public": ("make_products", 2, 2, GPU),
    "open_data": ("make_products", 2, 1, GPU),
    # Sums depend on the number of threads.
    "train": ("train_batch", 1, 1, GPU),
    "attack": ("make_products", 1, 1, GPU),
}
"""By rule, its script, its priority, its threads, and the GPUs that a job takes."""

for maker, (stage, rank, cores, gpus) in MAKERS.items():

    rule:
        name:
            maker
        input:
            needs,
        output:
            touch(f"results/.made/{maker}/{{job}}"),
        log:
            f"results/logs/{maker}/{{job}}.log",
        priority: rank
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
            f"../scripts/stages/{stage}.py"
