"""EPPFL: split training with selected, noisy activations and masked averages."""

from fbftl.plan.analyses import PICTURES, Analysis, images, of_experiment, reading, table
from fbftl.plan.entries import Entry, Result, WrittenOut, axes, findings, printed
from fbftl.plan.paths import EXPERIMENT
from fbftl.study.config import Study

OF_EXPERIMENT: dict[str, list[Entry]] = {}

SPLIT = (
    "local_epochs", "client_part", "keep_activations", "keep_gradients", "kept_gradients",
    "selection_reading", "epsilon", "laplace_sensitivity", "aggregation", "mask_shape",
)  # fmt: skip
"""Axes of the tables here, whether or not a run deviates in them."""


SPLIT_TRAINING = Result(
    "tabulate_eppfl.eppfl", "cost", "Split training", params=axes(*SPLIT), stem=EXPERIMENT
)

OF_EXPERIMENT["eppfl"] = [
    SPLIT_TRAINING,
    Result(
        "plot_eppfl.privacy", "privacy", "Noise on activations",
        printed(printed="eppfl/printed.csv"), stem="eppfl_privacy",
    ),
    Result("plot_eppfl.uplink", "cost", "Split training", stem="eppfl_uplink"),
    Result(
        "plot_eppfl.cost", "cost", "Split training",
        printed(setup="eppfl/setup.csv", script="eppfl/script.csv"), stem="eppfl_cost",
    ),
    Result(
        "tabulate_attacks.attacks", "privacy", "What servers of split training get",
        findings("eppfl"), stem="eppfl_attacks",
    ),
]  # fmt: skip

OF_EXPERIMENT["eppfl_epochs"] = [
    Result(
        "plot_eppfl.epochs", "cost", "Local epochs",
        params=axes("local_epochs"), stem="eppfl_epochs",
    )
]  # fmt: skip

OF_EXPERIMENT["eppfl_attacked"] = [
    WrittenOut("tables/eppfl_attacked", "privacy", "Split training by seed")
]

OF_EXPERIMENT["eppfl_paper"] = OF_EXPERIMENT["eppfl_round"] = [SPLIT_TRAINING]


def split_training(study: Study, task: str) -> list[str]:
    """Return EPPFL's whose servers attack: at the network's own cut, as the paper reads."""
    shown = {"local_epochs": 2, "client_part": None, "kept_gradients": "large"}
    return [
        name
        for name, setting in study.settings[task]["eppfl"].items()
        if setting.method == "eppfl"
        and setting.selection_reading == "paper"
        and setting.keep_gradients == setting.keep_activations
        and all(getattr(setting, axis) == value for axis, value in shown.items())
    ]


ANALYSES = [
    Analysis(
        "eppfl", "attacks/attack_eppfl.py", {"csv": "attacks/eppfl.csv"}, reading(*PICTURES),
        settings=split_training, seeds="all",
    ),
    Analysis(
        "eppfl_attacked", "attacks/attack_eppfl_seeds.py", table("eppfl_attacked"),
        reading(*PICTURES), modules=images, settings=of_experiment("eppfl_attacked"), seeds="each",
    ),
]  # fmt: skip
