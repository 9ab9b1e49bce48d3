"""Frameworks of the survey: open data and source models, what they are compared by."""


rule open_data:
    input:
        "results/{task}/clients.h5.sha256",
        clients=ancient("results/{task}/clients.h5"),
    output:
        open="results/{task}/open.h5",
        digest="results/{task}/open.h5.sha256",
    log:
        "results/{task}/logs/open.log",
    conda:
        "../envs/workflow.yaml"
    params:
        code=code_of_open,
        open=partial(task_block, block="open"),
        files=contents_of_open,
    script:
        "../scripts/prepare_open.py"


rule sources:
    input:
        open="results/{task}/open.h5",
        manifest="results/{task}/features.json",
    output:
        sources="results/{task}/sources.safetensors",
    log:
        "results/{task}/logs/sources.log",
    conda:
        "../envs/workflow.yaml"
    resources:
        gpu=GPU,
    params:
        code=code("train_sources.py"),
        sources=sources_block,
    script:
        "../scripts/train_sources.py"


rule tabulate_frameworks:
    input:
        runs=partial(run_files, experiment="frameworks", suffix="json"),
        ledgers=partial(run_files, experiment="frameworks", suffix="parquet"),
        attacks="results/{task}/tables/framework_attacks.csv",
        complexity=of_project("published/complexity.csv"),
    output:
        **table("results/{task}/tables/frameworks", "cost", "Frameworks"),
    log:
        "results/{task}/logs/tables/frameworks.log",
    conda:
        "../envs/workflow.yaml"
    params:
        code=code("tabulate_frameworks.py"),
        methods=partial(methods_of, experiment="frameworks"),
    script:
        "../scripts/tabulate_frameworks.py"


rule plot_frameworks:
    input:
        table="results/{task}/tables/frameworks.csv",
    output:
        **figure("results/{task}/figures/frameworks", "cost", "Frameworks"),
    log:
        "results/{task}/logs/figures/frameworks.log",
    conda:
        "../envs/workflow.yaml"
    params:
        code=code("plot_frameworks.py"),
        methods=partial(methods_of, experiment="frameworks"),
    script:
        "../scripts/plot_frameworks.py"


rule plot_federation:
    input:
        series=series_of_federation,
        table1=of_project("published/survey/table1.csv"),
    output:
        **figure("results/{task}/figures/federation", "cost", "Federation by round"),
    log:
        "results/{task}/logs/figures/federation.log",
    conda:
        "../envs/workflow.yaml"
    params:
        code=code("plot_federation.py"),
    script:
        "../scripts/plot_federation.py"


rule plot_votes:
    input:
        series="results/{task}/experiments/votes.series.csv",
    output:
        **figure("results/{task}/figures/votes", "cost", "Votes for source models"),
    log:
        "results/{task}/logs/figures/votes.log",
    conda:
        "../envs/workflow.yaml"
    params:
        code=code("plot_votes.py"),
        models=models_voted_on,
    script:
        "../scripts/plot_votes.py"


rule attack_frameworks:
    input:
        "results/{task}/clients.h5.sha256",
        manifest="results/{task}/features.json",
        clients=ancient("results/{task}/clients.h5"),
        weights=ancient("results/{task}/source.safetensors"),
        source="results/{task}/source.json",
        open="results/{task}/open.h5",
        sources="results/{task}/sources.safetensors",
    output:
        **table(
            "results/{task}/tables/framework_attacks",
            "privacy",
            "Frameworks' messages",
        ),
    log:
        "results/{task}/logs/tables/framework_attacks.log",
    conda:
        "../envs/workflow.yaml"
    resources:
        gpu=GPU,
    params:
        code=code("attack_frameworks.py", "fbftl.tasks.images"),
        jobs=attacked_frameworks,
    script:
        "../scripts/attack_frameworks.py"


rule choose_frameworks:
    input:
        "results/{task}/clients.h5.sha256",
        manifest="results/{task}/features.json",
        clients=ancient("results/{task}/clients.h5"),
        weights=ancient("results/{task}/source.safetensors"),
        source="results/{task}/source.json",
        open="results/{task}/open.h5",
    output:
        **table(
            "results/{task}/tables/framework_choice",
            "cost",
            "Lengths and sizes by the rule",
        ),
    log:
        "results/{task}/logs/tables/framework_choice.log",
    conda:
        "../envs/workflow.yaml"
    resources:
        gpu=GPU,
    params:
        code=code("choose_frameworks.py", "fbftl.tasks.images"),
        jobs=jobs_of_frameworks_choice,
        seeds=STUDY.config["choice"]["seeds"],
    script:
        "../scripts/choose_frameworks.py"


rule plot_gains:
    input:
        series="results/{task}/experiments/frameworks.series.csv",
    output:
        **figure("results/{task}/figures/gains", "cost", "Gains by client"),
    log:
        "results/{task}/logs/figures/gains.log",
    conda:
        "../envs/workflow.yaml"
    params:
        code=code("plot_gains.py"),
        methods=partial(methods_of, experiment="frameworks"),
    script:
        "../scripts/plot_gains.py"
