"""EPPFL: split training with selected, noisy activations and masked averages."""

SPLIT = [
    "local_epochs",
    "client_part",
    "keep_activations",
    "keep_gradients",
    "kept_gradients",
    "selection_reading",
    "epsilon",
    "laplace_sensitivity",
    "aggregation",
    "mask_shape",
]
"""Axes of the tables here, whether or not a run deviates in them."""


OF_EXPERIMENT["eppfl"] = [
    Result(
        "tabulate_eppfl",
        "cost",
        "Split training",
        runs_and_ledgers("eppfl"),
        axes("eppfl", *SPLIT),
    ),
    Result(
        "plot_eppfl_privacy",
        "privacy",
        "Noise on activations",
        table_of("eppfl") | printed(printed="eppfl/printed.csv"),
    ),
    Result(
        "plot_eppfl_uplink", "cost", "Split training", tidy("eppfl"), shown("eppfl")
    ),
    Result(
        "plot_eppfl_cost",
        "cost",
        "Split training",
        table_of("eppfl")
        | networks("eppfl")
        | printed(setup="eppfl/setup.csv", script="eppfl/script.csv"),
        shown("eppfl"),
    ),
    Result(
        "tabulate_eppfl_attacks",
        "privacy",
        "What servers of split training get",
        findings("eppfl"),
        script="tabulate_attacks",
    ),
]

OF_EXPERIMENT["eppfl_epochs"] = [
    Result(
        "plot_eppfl_epochs",
        "cost",
        "Local epochs",
        tidy("eppfl_epochs") | series("eppfl_epochs"),
        axes("eppfl_epochs", "local_epochs"),
    ),
]

OF_EXPERIMENT["eppfl_attacked"] = [
    "tables/eppfl_attacked",
]

OF_EXPERIMENT["eppfl_paper"] = [
    Result(
        "tabulate_eppfl_paper",
        "cost",
        "Split training",
        runs_and_ledgers("eppfl_paper"),
        axes("eppfl_paper", *SPLIT),
        script="tabulate_eppfl",
    ),
]

OF_EXPERIMENT["eppfl_round"] = [
    Result(
        "tabulate_eppfl_round",
        "cost",
        "Split training",
        runs_and_ledgers("eppfl_round"),
        axes("eppfl_round", *SPLIT),
        script="tabulate_eppfl",
    ),
]

OF_PAPER["eppfl"] = [
    *OF_SENTENCES,
]
