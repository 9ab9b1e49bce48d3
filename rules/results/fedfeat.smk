"""FedFeat+: a classifier that the server retrains on features, its noise and its cost."""

OF_EXPERIMENT["retraining"] = [
    Result(
        "tabulate_retraining",
        "cost",
        "FedFeat+ beside FedAvg and CCVR",
        tidy("retraining") | printed(printed="fedfeat/tables.csv") | SETUPS,
        axes("retraining", "network", "partition", "features_from", "server_epochs")
        | SETUP
        | {
            "backbones": backbones_of,
            "clients": partial(training_value, key="clients_per_round"),
        }
        | shown("retraining"),
    ),
    Result(
        "plot_retraining",
        "cost",
        "Accuracy by round",
        tidy("retraining") | series("retraining"),
        axes("retraining", "network", "partition", "features_from", "server_epochs")
        | shown("retraining"),
    ),
]

OF_EXPERIMENT["feature_noise"] = [
    Result(
        "tabulate_feature_noise",
        "privacy",
        "Noise on features",
        tidy("feature_noise")
        | guarantees("feature_noise")
        | printed(printed="fedfeat/tables.csv"),
        axes("feature_noise", "mechanism", "epsilon", "feature_clip")
        | {"delta": delta_of, "rounds": partial(training_value, key="rounds")},
    ),
    Result(
        "plot_feature_noise", "privacy", "Noise on features", table_of("feature_noise")
    ),
    Result(
        "tabulate_feature_attacks",
        "privacy",
        "What an adversary gets from sent features",
        findings("noised_features"),
        script="tabulate_attacks",
    ),
]

OF_EXPERIMENT["fedfeat_attacked"] = [
    "tables/fedfeat_attacked",
]

OF_EXPERIMENT["retraining_cost"] = [
    Result(
        "tabulate_retraining_cost",
        "cost",
        "Uplink by part",
        tidy("retraining_cost") | ledgers("retraining_cost"),
        axes("retraining_cost", "features_from") | shown("retraining_cost"),
    ),
    Result(
        "plot_retraining_cost",
        "cost",
        "Accuracy by uplink",
        runs_and_ledgers("retraining_cost"),
        axes("retraining_cost", "features_from") | shown("retraining_cost"),
    ),
]

OF_PAPER["fedfeat"] = [
    *OF_SENTENCES,
    Result(
        "tabulate_round_weights",
        "cost",
        "A round at the paper's size",
        printed(statements="fedfeat/statements.csv"),
        stem="cost",
    ),
]
