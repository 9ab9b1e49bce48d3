"""The language task: dialogues at clients, a T5 cut between encoder blocks, summaries scored.

The stages are those of image tasks and their files have the same names; further cuts have their
stores below features/.
"""


rule dialogues:
    output:
        clients="results/{task}/clients.h5",
        digest="results/{task}/clients.h5.sha256",
    log:
        "results/{task}/logs/clients.log",
    benchmark:
        "results/{task}/benchmarks/clients.tsv"
    wildcard_constraints:
        task=either(STUDY.tasks_of("dialogues")),
    conda:
        "../envs/workflow.yaml"
    params:
        data=partial(task_block, block="data"),
        clients=partial(task_block, block="clients"),
        files=contents_of_data,
        code=code("partition_dialogues.py"),
    script:
        "../scripts/partition_dialogues.py"


rule summariser:
    output:
        model="results/{task}/source.safetensors",
        manifest="results/{task}/source.json",
    log:
        "results/{task}/logs/source.log",
    benchmark:
        "results/{task}/benchmarks/source.tsv"
    wildcard_constraints:
        task=either(STUDY.tasks_of("dialogues")),
    conda:
        "../envs/workflow.yaml"
    resources:
        gpu=GPU,
    params:
        source=partial(task_block, block="source"),
        data=partial(task_block, block="data"),
        files=contents_of_source,
        public_files=contents_of_data,
        code=code("prepare_summariser.py"),
    script:
        "../scripts/prepare_summariser.py"


rule tabulate_language:
    input:
        runs="results/{task}/experiments/language.csv",
        table4="published/fbftl/table4.csv",
        setups="published/setups.csv",
    output:
        **table(
            "results/{task}/tables/language", "cost", "Dialogue summaries by method"
        ),
    log:
        "results/{task}/logs/tables/language.log",
    conda:
        "../envs/workflow.yaml"
    params:
        code=code("tabulate_language.py"),
        methods=partial(methods_of, experiment="language"),
        setup=setup_of_task,
    script:
        "../scripts/tabulate_language.py"


rule plot_language_scarcity:
    input:
        runs="results/{task}/experiments/language_scarcity.csv",
        fig9="published/fbftl/fig9.csv",
    output:
        **figure(
            "results/{task}/figures/language_scarcity", "loss", "Scarcity of dialogues"
        ),
    log:
        "results/{task}/logs/figures/language_scarcity.log",
    conda:
        "../envs/workflow.yaml"
    params:
        code=code("plot_language_scarcity.py"),
        axes=partial(axes_of, experiment="language_scarcity", read=["fraction", "plr"]),
    script:
        "../scripts/plot_language_scarcity.py"
