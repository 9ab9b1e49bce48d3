"""FbFTL: accuracy under guarantees and noise, and what adversaries get."""

from fbftl.plan import paths
from fbftl.plan.entries import Entry, Result, WrittenOut
from fbftl.plan.paths import TASK
from fbftl.plan.vocabulary import (
    CLIENTS,
    GUARANTEES,
    SETUP,
    SETUPS,
    SHOWN,
    TIDY,
    axes,
    findings,
    printed,
    table_of,
)

OF_EXPERIMENT: dict[str, list[Entry]] = {}


OF_EXPERIMENT["privacy"] = [
    Result(
        "tabulate_fbftl_privacy.privacy", "privacy", "Accuracy under a guarantee",
        CLIENTS | TIDY | GUARANTEES | printed(printed="fbftl/fig12.csv") | SETUPS,
        axes("samples_per_client", "mechanism", "epsilon", "label_epsilon") | SETUP,
    ),
    Result(
        "plot_fbftl.privacy", "privacy", "Accuracy under a guarantee", table_of("privacy"), SHOWN
    ),
    Result(
        "tabulate_attacks.attacks", "privacy", "What an adversary gets",
        findings("features", "membership", "labels"),
    ),
    Result(
        "tabulate_attacks.membership", "privacy", "Membership attacks on heads",
        {"attempts": paths.findings(TASK, "membership_by_attack")},
    ),
    WrittenOut("figures/inversion", "privacy", "Pictures from uploads"),
]  # fmt: skip

INVERTED = WrittenOut("tables/inverted", "privacy", "Inverted uploads by seed", by_seed=True)

OF_EXPERIMENT["inverted"] = [INVERTED]

OF_EXPERIMENT["noise"] = [
    Result(
        "tabulate_fbftl_privacy.noise", "privacy", "Accuracy under relative noise",
        CLIENTS | TIDY | printed(printed="fbftl/notebook_noise.csv") | SETUPS,
        axes("mechanism", "sigma", "noise_draw") | SETUP,
    ),
    Result(
        "plot_fbftl.noise", "privacy", "Accuracy under relative noise", table_of("noise"), SHOWN
    ),
]  # fmt: skip
