"""Public samples, for clip norms, for what an adversary may know, for clouds, and their features."""


rule public:
    input:
        planned(trained.digests, names=["clients"]),
        unpack(read(trained.files, names=["clients"])),
    output:
        samples="results/{task}/public.h5",
        digest="results/{task}/public.h5.sha256",
    log:
        "results/{task}/logs/public.log",
    benchmark:
        "results/{task}/benchmarks/public.tsv"
    wildcard_constraints:
        task=ANY_SOURCE,
    conda:
        "../envs/workflow.yaml"
    params:
        code=code_of_public,
        source=block("source"),
        public=block("public"),
        unseen=planned(blocks.unseen),
        splits=planned(blocks.not_public),
        files=contents_of_public,
    message:
        "Choose the public samples of {wildcards.task}"
    script:
        "../scripts/stages/choose_public.py"


rule public_features:
    input:
        "results/{task}/public.h5.sha256",
        clients=ancient("results/{task}/public.h5"),
        model=ancient("results/{task}/source.safetensors"),
        source="results/{task}/source.json",
    output:
        roots=["results/{task}/public.zarr/zarr.json"],
        manifests=["results/{task}/public.json"],
    log:
        "results/{task}/logs/public_features.log",
    benchmark:
        "results/{task}/benchmarks/public_features.tsv"
    wildcard_constraints:
        task=ANY_SOURCE,
    priority: 2
    conda:
        "../envs/workflow.yaml"
    threads: 2
    resources:
        gpu=GPU,
    params:
        module="fbftl.features.images",
        code=code("stages/extract_features.py", "fbftl.features.images"),
        features=planned(stores.features_of_public),
        stores=planned(stores.of_public),
    message:
        "Extract the features of the public samples of {wildcards.task}"
    script:
        "../scripts/stages/extract_features.py"
