"""Labels: what shuffled batches of them tell about one client (Sec. V-C, Fig. 11)."""


rule plot_label_privacy:
    input:
        published=of_project("published/fbftl/fig11.csv"),
    output:
        **figure(
            "results/papers/fbftl/figures/label_privacy", "privacy", "Label privacy"
        ),
    log:
        "results/papers/fbftl/logs/figures/label_privacy.log",
    conda:
        "../envs/workflow.yaml"
    params:
        code=code("plot_label_privacy.py"),
        setting=STUDY.config["label_privacy"],
    script:
        "../scripts/plot_label_privacy.py"


rule tabulate_label_privacy:
    input:
        numbers="results/papers/fbftl/figures/label_privacy.csv",
    output:
        **table("results/papers/fbftl/tables/label_privacy", "privacy", "Label privacy"),
    log:
        "results/papers/fbftl/logs/tables/label_privacy.log",
    conda:
        "../envs/workflow.yaml"
    params:
        code=code("tabulate_label_privacy.py"),
        setting={
            key: STUDY.config["label_privacy"][key]
            for key in ("classes", "repetitions")
        },
    script:
        "../scripts/tabulate_label_privacy.py"


rule tabulate_label_leakage:
    input:
        "results/{task}/clients.h5.sha256",
        clients=ancient("results/{task}/clients.h5"),
    output:
        **table(
            "results/{task}/tables/label_leakage",
            "privacy",
            "Label leakage of the partition",
        ),
    log:
        "results/{task}/logs/tables/label_leakage.log",
    conda:
        "../envs/workflow.yaml"
    params:
        code=code("tabulate_label_leakage.py"),
        clients=partial(task_block, block="clients"),
    script:
        "../scripts/tabulate_label_leakage.py"
