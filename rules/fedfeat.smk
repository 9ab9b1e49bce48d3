"""FedFeat+: a classifier that the server retrains on features, its noise and its cost."""

from fbftl.papers.fedfeat.backbones import backbone


rule tabulate_retraining:
    input:
        runs="results/{task}/experiments/retraining.csv",
        published=of_project("published/fedfeat/tables.csv"),
        setups=of_project("published/setups.csv"),
    output:
        **table(
            "results/{task}/tables/retraining",
            "cost",
            "FedFeat+ beside FedAvg and CCVR",
        ),
    log:
        "results/{task}/logs/tables/retraining.log",
    conda:
        "../envs/workflow.yaml"
    params:
        code=code("tabulate_retraining.py"),
        axes=partial(
            axes_of,
            experiment="retraining",
            read=["network", "partition", "features_from", "server_epochs"],
        ),
        setup=setup_of_task,
        backbones=backbones_of,
        clients=partial(training_value, key="clients_per_round"),
        methods=partial(methods_of, experiment="retraining"),
    script:
        "../scripts/tabulate_retraining.py"


rule plot_retraining:
    input:
        runs="results/{task}/experiments/retraining.csv",
        series="results/{task}/experiments/retraining.series.csv",
    output:
        **figure("results/{task}/figures/retraining", "cost", "Accuracy by round"),
    log:
        "results/{task}/logs/figures/retraining.log",
    conda:
        "../envs/workflow.yaml"
    params:
        code=code("plot_retraining.py"),
        axes=partial(
            axes_of,
            experiment="retraining",
            read=["network", "partition", "features_from", "server_epochs"],
        ),
        methods=partial(methods_of, experiment="retraining"),
    script:
        "../scripts/plot_retraining.py"


rule tabulate_feature_noise:
    input:
        runs="results/{task}/experiments/feature_noise.csv",
        guarantees="results/{task}/guarantees/feature_noise.csv",
        published=of_project("published/fedfeat/tables.csv"),
    output:
        **table("results/{task}/tables/feature_noise", "privacy", "Noise on features"),
    log:
        "results/{task}/logs/tables/feature_noise.log",
    conda:
        "../envs/workflow.yaml"
    params:
        code=code("tabulate_feature_noise.py"),
        axes=partial(
            axes_of,
            experiment="feature_noise",
            read=["mechanism", "epsilon", "feature_clip"],
        ),
        delta=delta_of_task,
        rounds=partial(training_value, key="rounds"),
    script:
        "../scripts/tabulate_feature_noise.py"


rule plot_feature_noise:
    input:
        table="results/{task}/tables/feature_noise.csv",
    output:
        **figure("results/{task}/figures/feature_noise", "privacy", "Noise on features"),
    log:
        "results/{task}/logs/figures/feature_noise.log",
    conda:
        "../envs/workflow.yaml"
    params:
        code=code("plot_feature_noise.py"),
    script:
        "../scripts/plot_feature_noise.py"


rule tabulate_retraining_cost:
    input:
        runs="results/{task}/experiments/retraining_cost.csv",
        ledgers=partial(run_files, experiment="retraining_cost", suffix="parquet"),
    output:
        **table("results/{task}/tables/retraining_cost", "cost", "Uplink by part"),
    log:
        "results/{task}/logs/tables/retraining_cost.log",
    conda:
        "../envs/workflow.yaml"
    params:
        code=code("tabulate_retraining_cost.py"),
        axes=partial(axes_of, experiment="retraining_cost", read=["features_from"]),
        methods=partial(methods_of, experiment="retraining_cost"),
    script:
        "../scripts/tabulate_retraining_cost.py"


rule plot_retraining_cost:
    input:
        runs=partial(run_files, experiment="retraining_cost", suffix="json"),
        ledgers=partial(run_files, experiment="retraining_cost", suffix="parquet"),
    output:
        **figure("results/{task}/figures/retraining_cost", "cost", "Accuracy by uplink"),
    log:
        "results/{task}/logs/figures/retraining_cost.log",
    conda:
        "../envs/workflow.yaml"
    params:
        code=code("plot_retraining_cost.py"),
        axes=partial(axes_of, experiment="retraining_cost", read=["features_from"]),
        methods=partial(methods_of, experiment="retraining_cost"),
    script:
        "../scripts/plot_retraining_cost.py"


rule tabulate_round_weights:
    input:
        statements=of_project("published/fedfeat/statements.csv"),
    output:
        **table(
            "results/papers/fedfeat/tables/cost", "cost", "A round at the paper's size"
        ),
    log:
        "results/papers/fedfeat/logs/tables/cost.log",
    conda:
        "../envs/workflow.yaml"
    params:
        code=code("tabulate_round_weights.py"),
    script:
        "../scripts/tabulate_round_weights.py"


rule attack_told_features:
    input:
        "results/{task}/clients.h5.sha256",
        "results/{task}/public.h5.sha256",
        unpack(files_told),
        public=ancient("results/{task}/public.h5"),
    output:
        csv="results/{task}/attacks/told_features.csv",
    log:
        "results/{task}/logs/attacks/told_features.log",
    benchmark:
        "results/{task}/benchmarks/attacks/told_features.tsv"
    conda:
        "../envs/workflow.yaml"
    resources:
        gpu=GPU,
    params:
        code=code("attack_told_features.py", "fbftl.tasks.images"),
        jobs=told_attacked,
    script:
        "../scripts/attack_told_features.py"


rule tabulate_told_attacks:
    input:
        findings=["results/{task}/attacks/told_features.csv"],
    output:
        **table(
            "results/{task}/tables/feature_attacks",
            "privacy",
            "What an adversary gets from sent features",
        ),
    log:
        "results/{task}/logs/tables/feature_attacks.log",
    conda:
        "../envs/workflow.yaml"
    params:
        code=code("tabulate_attacks.py"),
    script:
        "../scripts/tabulate_attacks.py"
