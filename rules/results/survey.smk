"""Survey: frameworks of federated transfer learning, votes for source models, and DP-SGD."""

OF_EXPERIMENT["frameworks"] = [
    Result(
        "tabulate_frameworks",
        "cost",
        "Frameworks",
        runs_and_ledgers("frameworks")
        | {"attacks": "results/{task}/tables/framework_attacks.csv"}
        | printed(complexity="complexity.csv"),
        shown("frameworks"),
    ),
    Result(
        "plot_frameworks",
        "cost",
        "Frameworks",
        table_of("frameworks"),
        shown("frameworks"),
    ),
    Result(
        "plot_gains",
        "cost",
        "Gains by client",
        series("frameworks"),
        shown("frameworks"),
    ),
    "tables/framework_attacks",
]

OF_EXPERIMENT["ground"] = [
    Result(
        "tabulate_ground",
        "cost",
        "Messages of frameworks",
        runs_and_ledgers("ground") | printed(complexity="complexity.csv"),
        shown("ground"),
        script="tabulate_frameworks",
    ),
]

OF_EXPERIMENT["federation"] = [
    Result(
        "plot_federation",
        "cost",
        "Federation by round",
        {"series": series_of_federation} | printed(table1="survey/table1.csv"),
    ),
]

OF_EXPERIMENT["federation_mnist"] = [
    "figures/federation",
]

OF_EXPERIMENT["votes"] = [
    Result(
        "plot_votes",
        "cost",
        "Votes for source models",
        series("votes"),
        {"models": models_voted_on},
    ),
]

OF_EXPERIMENT["dpsgd"] = [
    Result(
        "tabulate_dpsgd",
        "privacy",
        "DP-SGD",
        tidy("dpsgd") | guarantees("dpsgd") | printed(printed="survey/dpsgd.csv"),
        axes("dpsgd", "mechanism", "epsilon"),
    ),
    Result("plot_dpsgd", "privacy", "DP-SGD", table_of("dpsgd")),
    Result("tabulate_paces", "privacy", "Epochs to an accuracy", series("dpsgd")),
]

OF_EXPERIMENT["attacked"] = [
    "tables/attacked_seeds",
]

OF_EXPERIMENT["similarity"] = [
    "tables/similarity",
]

OF_PAPER["survey"] = [
    *OF_SENTENCES,
    Result(
        "tabulate_messages",
        "cost",
        "What each framework sends and tells",
        {"frameworks": tables_of_grounds},
        {"grounds": grounds},
    ),
]
