"""Frameworks of the survey: open data, source models, lengths and sizes by a rule, similarity."""


rule open_data:
    input:
        "results/{task}/clients.h5.sha256",
        clients=ancient("results/{task}/clients.h5"),
    output:
        open_data="results/{task}/open.h5",
        digest="results/{task}/open.h5.sha256",
    log:
        "results/{task}/logs/open.log",
    conda:
        "../envs/workflow.yaml"
    params:
        code=code_of_open,
        block=block("open_data"),
        files=contents_of_open,
    message:
        "Prepare the open data of {wildcards.task}"
    script:
        "../scripts/stages/prepare_open.py"


rule sources:
    input:
        "results/{task}/open.h5.sha256",
        open_data=ancient("results/{task}/open.h5"),
        manifest="results/{task}/features.json",
    output:
        sources="results/{task}/sources.safetensors",
        digest="results/{task}/sources.safetensors.sha256",
    log:
        "results/{task}/logs/sources.log",
    conda:
        "../envs/workflow.yaml"
    resources:
        gpu=GPU,
    params:
        code=code("stages/train_sources.py"),
        block=planned(blocks.source_models),
    message:
        "Train the further source models of {wildcards.task}"
    script:
        "../scripts/stages/train_sources.py"


rule choose_frameworks:
    input:
        "results/{task}/clients.h5.sha256",
        "results/{task}/open.h5.sha256",
        manifest="results/{task}/features.json",
        clients=ancient("results/{task}/clients.h5"),
        weights=ancient("results/{task}/source.safetensors"),
        source="results/{task}/source.json",
        open_data=ancient("results/{task}/open.h5"),
    output:
        **written("tables/framework_choice"),
    log:
        "results/{task}/logs/tables/framework_choice.log",
    conda:
        "../envs/workflow.yaml"
    resources:
        gpu=GPU,
    params:
        code=code("stages/choose_frameworks.py", "fbftl.tasks.images"),
        page_text=page("tables/framework_choice"),
        jobs=jobs(choice.frameworks),
        seeds=STUDY.config["head_choice"]["seeds"],
    message:
        "Choose lengths and sizes of the frameworks on {wildcards.task} by the rule"
    script:
        "../scripts/stages/choose_frameworks.py"


rule compare_similarity:
    input:
        "results/{task}/clients.h5.sha256",
        manifest="results/{task}/features.json",
        clients=ancient("results/{task}/clients.h5"),
        weights=ancient("results/{task}/source.safetensors"),
        source="results/{task}/source.json",
    output:
        **written("tables/similarity"),
    log:
        "results/{task}/logs/tables/similarity.log",
    conda:
        "../envs/workflow.yaml"
    resources:
        gpu=GPU,
    params:
        code=code("stages/compare_similarity.py", "fbftl.tasks.images"),
        page_text=page("tables/similarity"),
        jobs=jobs(runs.of_experiment, experiment="similarity"),
    message:
        "Compare indices of similarity on {wildcards.task}"
    script:
        "../scripts/stages/compare_similarity.py"
