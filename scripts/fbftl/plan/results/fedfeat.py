"""FedFeat+: a classifier that the server retrains on features, its noise and its cost."""

from fbftl.papers.fedfeat.backbones import backbone
from fbftl.plan.analyses import PICTURES, Analysis, images, of_experiment, reading, table
from fbftl.plan.entries import Entry, Result, WrittenOut, axes, findings, of_task, printed
from fbftl.study.config import Study


def backbones_of(study: Study, task: str, *_: str) -> dict[str, str]:
    """Return which of the paper's backbones each network of a task is, by its name."""
    return {name: backbone(network) for name, network in study.task(task)["networks"].items()}


OF_EXPERIMENT: dict[str, list[Entry]] = {}

OF_EXPERIMENT["retraining"] = [
    Result(
        "tabulate_fedfeat.retraining", "cost", "FedFeat+, FedAvg and CCVR",
        printed(printed="fedfeat/tables.csv"),
        axes("network", "partition", "features_from", "server_epochs")
        | {"backbones": backbones_of, "clients": of_task("training", "clients_per_round")},
    ),
    Result(
        "plot_fedfeat.retraining", "cost", "Accuracy by round",
        params=axes("network", "partition", "features_from", "server_epochs"),
    ),
]  # fmt: skip

OF_EXPERIMENT["feature_noise"] = [
    Result(
        "tabulate_fedfeat.feature_noise", "privacy", "Noise on features",
        printed(printed="fedfeat/tables.csv"), axes("mechanism", "epsilon", "feature_clip")
        | {"delta": of_task("privacy", "delta"), "rounds": of_task("training", "rounds")},
    ),
    Result("plot_fedfeat.feature_noise", "privacy", "Noise on features"),
    Result(
        "tabulate_attacks.attacks", "privacy", "What an adversary gets from sent features",
        findings("noised_features"), stem="feature_attacks",
    ),
]  # fmt: skip

OF_EXPERIMENT["fedfeat_attacked"] = [
    WrittenOut("tables/fedfeat_attacked", "privacy", "Sent features by seed")
]

OF_NUMBERS: list[Entry] = [
    Result(
        "tabulate_fedfeat.round_weights", "cost", "A round at the paper's size",
        printed(statements="fedfeat/statements.csv"), stem="cost",
    ),
]  # fmt: skip


def noised_features(study: Study, task: str) -> list[str]:
    """Return those whose sent features are attacked: no noise, then the ends of each kind's ε.

    Features that are clipped under noise as printed are another question.
    """
    settings = study.settings[task]["feature_noise"].values()
    kinds: dict[str, list[str]] = {}
    for setting in sorted(settings, key=lambda axes: -(axes.epsilon or 0)):
        if setting.mechanism in ("none", "gaussian") or setting.feature_clip is None:
            kinds.setdefault(setting.mechanism, []).append(setting.name)
    clean = kinds.pop("none", [])
    ends = [name for names in kinds.values() for name in dict.fromkeys((names[0], names[-1]))]
    return [*clean, *ends]


ANALYSES = [
    Analysis(
        "noised_features", "attacks/attack_noised_features.py",
        {"csv": "attacks/noised_features.csv"}, reading("features", *PICTURES), modules=images,
        settings=noised_features,
    ),
    Analysis(
        "fedfeat_attacked", "attacks/attack_noised_seeds.py", table("fedfeat_attacked"),
        reading("features", *PICTURES), modules=images,
        settings=of_experiment("fedfeat_attacked"), seeds="each",
    ),
]  # fmt: skip
