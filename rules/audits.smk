"""Audits: whether mechanisms keep the guarantees that are stated for them, and trainings beside."""


rule audit_mechanisms:
    output:
        csv="results/{task}/audits/mechanisms.csv",
    log:
        "results/{task}/logs/audits/mechanisms.log",
    benchmark:
        "results/{task}/benchmarks/audits/mechanisms.tsv"
    conda:
        "../envs/workflow.yaml"
    params:
        code=code("attacks/audit_mechanisms.py"),
    message:
        "Audit every mechanism, as it is and broken on purpose"
    script:
        "../scripts/attacks/audit_mechanisms.py"


rule audit_trainings:
    input:
        ancient(root_of_task),
        ancient("results/{task}/public.zarr/zarr.json"),
        manifest="results/{task}/features.json",
        network="results/{task}/network.json",
        public_manifest="results/{task}/public.json",
    output:
        csv="results/{task}/audits/trainings.csv",
    log:
        "results/{task}/logs/audits/trainings.log",
    benchmark:
        "results/{task}/benchmarks/audits/trainings.tsv"
    conda:
        "../envs/workflow.yaml"
    resources:
        gpu=GPU,
    params:
        code=code("attacks/audit_trainings.py", *modules_of_method("fbftl", "images")),
        jobs=audited_trainings,
        models=shadows,
    message:
        "Audit trainings on {wildcards.task}: what attacks and canaries prove"
    script:
        "../scripts/attacks/audit_trainings.py"
