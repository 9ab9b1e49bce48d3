"""Privacy: what uploads leak, by guarantee and by attack (Sec. V, Figs. 11 and 12)."""


rule plot_label_privacy:
    input:
        published="published/fig11_label_privacy.csv",
    output:
        reported(
            "results/paper/figures/label_privacy.svg",
            "privacy",
            "Label privacy",
            "label_privacy",
        ),
        multiext("results/paper/figures/label_privacy", ".pdf", ".png", ".csv"),
    log:
        "results/paper/logs/figures/label_privacy.log",
    conda:
        "../envs/workflow.yaml"
    params:
        code=code("plot_label_privacy.py"),
        setting=STUDY.config["label_privacy"],
    script:
        "../scripts/plot_label_privacy.py"


rule tabulate_label_privacy:
    input:
        numbers="results/paper/figures/label_privacy.csv",
    output:
        csv="results/paper/tables/label_privacy.csv",
        md="results/paper/tables/label_privacy.md",
        tex="results/paper/tables/label_privacy.tex",
        html=reported(
            "results/paper/tables/label_privacy.html",
            "privacy",
            "Label privacy",
            "label_privacy",
        ),
    log:
        "results/paper/logs/tables/label_privacy.log",
    conda:
        "../envs/workflow.yaml"
    params:
        code=code("tabulate_label_privacy.py"),
        classes=STUDY.config["label_privacy"]["classes"],
    script:
        "../scripts/tabulate_label_privacy.py"


rule tabulate_label_leakage:
    input:
        clients="results/{task}/clients.h5",
    output:
        csv="results/{task}/tables/label_leakage.csv",
        md="results/{task}/tables/label_leakage.md",
        tex="results/{task}/tables/label_leakage.tex",
        html=reported(
            "results/{task}/tables/label_leakage.html",
            "privacy",
            "Label leakage of the partition",
            "label_leakage",
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


rule collect_guarantees:
    input:
        runs=runs_of,
    output:
        table="results/{task}/guarantees/{experiment}.csv",
    log:
        "results/{task}/logs/guarantees/{experiment}.log",
    conda:
        "../envs/workflow.yaml"
    params:
        code=code("collect_guarantees.py"),
    script:
        "../scripts/collect_guarantees.py"


rule tabulate_privacy:
    input:
        runs="results/{task}/experiments/privacy.csv",
        guarantees="results/{task}/guarantees/privacy.csv",
        published="published/fig12.csv",
    output:
        csv="results/{task}/tables/privacy.csv",
        md="results/{task}/tables/privacy.md",
        tex="results/{task}/tables/privacy.tex",
        html=reported(
            "results/{task}/tables/privacy.html",
            "privacy",
            "Accuracy under a guarantee",
            "privacy",
        ),
    log:
        "results/{task}/logs/tables/privacy.log",
    conda:
        "../envs/workflow.yaml"
    params:
        code=code("tabulate_privacy.py"),
    script:
        "../scripts/tabulate_privacy.py"


rule plot_privacy:
    input:
        table="results/{task}/tables/privacy.csv",
    output:
        reported(
            "results/{task}/figures/privacy.svg",
            "privacy",
            "Accuracy under a guarantee",
            "privacy",
        ),
        multiext("results/{task}/figures/privacy", ".pdf", ".png", ".csv"),
    log:
        "results/{task}/logs/figures/privacy.log",
    conda:
        "../envs/workflow.yaml"
    params:
        code=code("plot_privacy.py"),
    script:
        "../scripts/plot_privacy.py"


rule tabulate_noise:
    input:
        runs="results/{task}/experiments/noise.csv",
        published="published/notebook_noise.csv",
    output:
        csv="results/{task}/tables/noise.csv",
        md="results/{task}/tables/noise.md",
        tex="results/{task}/tables/noise.tex",
        html=reported(
            "results/{task}/tables/noise.html",
            "privacy",
            "Accuracy under relative noise",
            "noise",
        ),
    log:
        "results/{task}/logs/tables/noise.log",
    conda:
        "../envs/workflow.yaml"
    params:
        code=code("tabulate_noise.py"),
    script:
        "../scripts/tabulate_noise.py"


rule plot_noise:
    input:
        table="results/{task}/tables/noise.csv",
    output:
        reported(
            "results/{task}/figures/noise.svg",
            "privacy",
            "Accuracy under relative noise",
            "noise",
        ),
        multiext("results/{task}/figures/noise", ".pdf", ".png", ".csv"),
    log:
        "results/{task}/logs/figures/noise.log",
    conda:
        "../envs/workflow.yaml"
    params:
        code=code("plot_noise.py"),
    script:
        "../scripts/plot_noise.py"


rule attack_features:
    input:
        features=ancient("results/{task}/features.zarr"),
        manifest="results/{task}/features.json",
        public_features=ancient("results/{task}/public.zarr"),
        public_manifest="results/{task}/public.json",
        clients="results/{task}/clients.h5",
        public="results/{task}/public.h5",
    output:
        multiext("results/{task}/figures/inversion", ".pdf", ".png", ".csv"),
        svg=reported(
            "results/{task}/figures/inversion.svg",
            "privacy",
            "Pictures from uploads",
            "inversion",
        ),
        csv="results/{task}/attacks/features.csv",
    log:
        "results/{task}/logs/attacks/features.log",
    benchmark:
        "results/{task}/benchmarks/attacks/features.tsv"
    conda:
        "../envs/workflow.yaml"
    resources:
        gpu=GPU,
    params:
        code=code("attack_features.py"),
        jobs=attacked_uploads,
    script:
        "../scripts/attack_features.py"


rule attack_membership:
    input:
        features=ancient("results/{task}/features.zarr"),
        manifest="results/{task}/features.json",
        network="results/{task}/network.json",
        public_features=ancient("results/{task}/public.zarr"),
        public_manifest="results/{task}/public.json",
    output:
        csv="results/{task}/attacks/membership.csv",
    log:
        "results/{task}/logs/attacks/membership.log",
    benchmark:
        "results/{task}/benchmarks/attacks/membership.tsv"
    conda:
        "../envs/workflow.yaml"
    resources:
        gpu=GPU,
    params:
        code=code("attack_membership.py"),
        jobs=attacked_uploads,
    script:
        "../scripts/attack_membership.py"


rule attack_labels:
    input:
        features=ancient("results/{task}/features.zarr"),
        manifest="results/{task}/features.json",
        runs=attacked_update_runs,
    output:
        csv="results/{task}/attacks/labels.csv",
    log:
        "results/{task}/logs/attacks/labels.log",
    benchmark:
        "results/{task}/benchmarks/attacks/labels.tsv"
    conda:
        "../envs/workflow.yaml"
    params:
        code=code("attack_labels.py"),
        jobs=attacked_updates,
    script:
        "../scripts/attack_labels.py"


rule tabulate_attacks:
    input:
        findings=expand(
            "results/{{task}}/attacks/{attack}.csv",
            attack=["features", "membership", "labels"],
        ),
    output:
        csv="results/{task}/tables/attacks.csv",
        md="results/{task}/tables/attacks.md",
        tex="results/{task}/tables/attacks.tex",
        html=reported(
            "results/{task}/tables/attacks.html",
            "privacy",
            "What an adversary gets",
            "attacks",
        ),
    log:
        "results/{task}/logs/tables/attacks.log",
    conda:
        "../envs/workflow.yaml"
    params:
        code=code("tabulate_attacks.py"),
    script:
        "../scripts/tabulate_attacks.py"
