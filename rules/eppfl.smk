"""EPPFL: split training with selected, noisy activations and masked averages (paper eppfl)."""

SPLIT = [
    "local_epochs",
    "client_part",
    "keep_activations",
    "keep_gradients",
    "kept_gradients",
    "reading",
    "epsilon",
    "sensitivity",
    "aggregation",
    "mask",
]
"""Axes of the tables here, whether or not a run deviates in them."""


rule tabulate_eppfl:
    input:
        runs=partial(run_files, experiment="eppfl", suffix="json"),
        ledgers=partial(run_files, experiment="eppfl", suffix="parquet"),
    output:
        **table("results/{task}/tables/eppfl", "cost", "Split training"),
    log:
        "results/{task}/logs/tables/eppfl.log",
    conda:
        "../envs/workflow.yaml"
    params:
        code=code("tabulate_eppfl.py"),
        axes=partial(axes_of, experiment="eppfl", read=SPLIT),
    script:
        "../scripts/tabulate_eppfl.py"


# The paper's own experiment (studies/cifar10-eppfl.yaml), and one round of it for its messages.
use rule tabulate_eppfl as tabulate_eppfl_paper with:
    input:
        runs=partial(run_files, experiment="eppfl_paper", suffix="json"),
        ledgers=partial(run_files, experiment="eppfl_paper", suffix="parquet"),
    output:
        **table("results/{task}/tables/eppfl_paper", "cost", "Split training"),
    log:
        "results/{task}/logs/tables/eppfl_paper.log",
    params:
        code=code("tabulate_eppfl.py"),
        axes=partial(axes_of, experiment="eppfl_paper", read=SPLIT),


use rule tabulate_eppfl as tabulate_eppfl_round with:
    input:
        runs=partial(run_files, experiment="eppfl_round", suffix="json"),
        ledgers=partial(run_files, experiment="eppfl_round", suffix="parquet"),
    output:
        **table("results/{task}/tables/eppfl_round", "cost", "Split training"),
    log:
        "results/{task}/logs/tables/eppfl_round.log",
    params:
        code=code("tabulate_eppfl.py"),
        axes=partial(axes_of, experiment="eppfl_round", read=SPLIT),


rule plot_eppfl_epochs:
    input:
        runs="results/{task}/experiments/eppfl_epochs.csv",
        series="results/{task}/experiments/eppfl_epochs.series.csv",
    output:
        **figure("results/{task}/figures/eppfl_epochs", "cost", "Local epochs"),
    log:
        "results/{task}/logs/figures/eppfl_epochs.log",
    conda:
        "../envs/workflow.yaml"
    params:
        code=code("plot_eppfl_epochs.py"),
        axes=partial(axes_of, experiment="eppfl_epochs", read=["local_epochs"]),
    script:
        "../scripts/plot_eppfl_epochs.py"


rule plot_eppfl_privacy:
    input:
        table="results/{task}/tables/eppfl.csv",
        published=of_project("published/eppfl/printed.csv"),
    output:
        **figure(
            "results/{task}/figures/eppfl_privacy",
            "privacy",
            "Noise on activations",
        ),
    log:
        "results/{task}/logs/figures/eppfl_privacy.log",
    conda:
        "../envs/workflow.yaml"
    params:
        code=code("plot_eppfl_privacy.py"),
    script:
        "../scripts/plot_eppfl_privacy.py"


rule plot_eppfl_uplink:
    input:
        runs="results/{task}/experiments/eppfl.csv",
    output:
        **figure("results/{task}/figures/eppfl_uplink", "cost", "Split training"),
    log:
        "results/{task}/logs/figures/eppfl_uplink.log",
    conda:
        "../envs/workflow.yaml"
    params:
        code=code("plot_eppfl_uplink.py"),
        methods=partial(methods_of, experiment="eppfl"),
    script:
        "../scripts/plot_eppfl_uplink.py"


rule attack_eppfl:
    input:
        "results/{task}/clients.h5.sha256",
        "results/{task}/public.h5.sha256",
        manifest="results/{task}/features.json",
        clients=ancient("results/{task}/clients.h5"),
        weights=ancient("results/{task}/source.safetensors"),
        source="results/{task}/source.json",
        public=ancient("results/{task}/public.h5"),
    output:
        csv="results/{task}/attacks/eppfl.csv",
    log:
        "results/{task}/logs/attacks/eppfl.log",
    benchmark:
        "results/{task}/benchmarks/attacks/eppfl.tsv"
    conda:
        "../envs/workflow.yaml"
    resources:
        gpu=GPU,
    params:
        code=code("attack_eppfl.py"),
        jobs=attacked_splits,
    script:
        "../scripts/attack_eppfl.py"


rule tabulate_eppfl_attacks:
    input:
        findings=["results/{task}/attacks/eppfl.csv"],
    output:
        **table(
            "results/{task}/tables/eppfl_attacks",
            "privacy",
            "What servers of split training get",
        ),
    log:
        "results/{task}/logs/tables/eppfl_attacks.log",
    conda:
        "../envs/workflow.yaml"
    params:
        code=code("tabulate_attacks.py"),
    script:
        "../scripts/tabulate_attacks.py"
