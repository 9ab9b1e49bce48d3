"""Dialogues: what each method sends and how well it summarises, and what losses do to that."""


rule tabulate_language:
    input:
        runs="results/{task}/experiments/language.csv",
        table4=of_project("published/fbftl/table4.csv"),
        setups=of_project("published/setups.csv"),
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
        fig9=of_project("published/fbftl/fig9.csv"),
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
