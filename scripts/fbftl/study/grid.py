"""Grids: the settings that an experiment's lists of axis values span, each checked.

An experiment is a list of grids, lists of axis values by axis name; its settings are the products.
"""

import itertools
from collections.abc import Iterable, Mapping
from dataclasses import replace
from typing import Any

from fbftl.ground.errors import UserError
from fbftl.study import frameworks, methods, outsourcing, uploads
from fbftl.study.settings import DEFAULTS, TYPES, Setting
from fbftl.study.shards import WHOLE, Shard, product_size


def expand(grids: Iterable[Mapping[str, list[Any]]], shard: Shard = WHOLE) -> list[Setting]:
    """Return the settings that grids span: each grid's product, duplicates once, sorted by name.

    Args:
        grids: lists of axis values by axis name.
        shard: the part of every product that is wanted.

    Raises:
        UserError: if a grid names an axis that does not exist, or a setting makes no sense.
    """
    settings = set()
    for grid in grids:
        for axis in grid:
            if axis not in TYPES:
                known = ", ".join(TYPES)
                raise UserError(f"experiment axis '{axis}' does not exist; choose among {known}")
        # In the grid's order, so that of several faults the same one is named every time.
        spanned = _spanned(grid, shard.stretch(product_size(grid)))
        for setting in spanned:
            require_sensible(setting)
        _require_effect(grid)
        settings.update(spanned)
    return sorted(settings, key=lambda setting: setting.name)


IN_STEPS = ("dp_gd", "dp_fedavg")
"""Mechanisms that add noise in steps or rounds, over which a schedule shares out the budget."""

OF_PURCHASE = (*outsourcing.OF_ROWS, *outsourcing.OF_SHARES, "centroids", "sampling")
"""Axes of a purchase that nobody makes without rows to buy."""

OF_ADVERSARY = ("opt_out", "discriminator_rate", "discriminator_steps", "discriminator_sees")
"""Axes of a game that nobody plays without an adversary."""

NEEDS = {
    "loss": "a packet loss rate plr",
    "burst": "a block loss rate blr",
    "retransmissions": "a block loss rate blr",
    "feedback": "bits or keep",
    "sigma": "a mechanism",
    "epsilon": "a mechanism",
    "noise": "a mechanism",
    "features_from": "server_epochs above 0",
    "server_step": "server_epochs above 0",
    "schedule": "mechanism dp_gd or dp_fedavg",
    "decay": "schedule exp or dynamic",
    "accountant": "mechanism dp_gd or dp_fedavg",
    "neighbours": "mechanism dp_gd",
    "projection": "message: projected",
    "components": "message: mixtures",
    "covariance": "message: mixtures",
    "votes": "sources",
    "similarity": "sources",
    "alignment": "adaptation",
    "kept_gradients": "keep_gradients below 1",
    "reading": "keep_activations or keep_gradients below 1",
    "sensitivity": "a mechanism",
    "mask": "aggregation: masked",
    "client_part": "a network",
    **dict.fromkeys(OF_ADVERSARY, "an adversary"),
    **dict.fromkeys(OF_PURCHASE, "purchase above 0, and a choice that counts rows"),
}
"""What has to be given beside an axis for it to have an effect."""


def _spanned(grid: Mapping[str, list[Any]], part: range) -> list[Setting]:
    """Return the settings of a part of a grid's product, the last axis the fastest."""
    products = itertools.islice(itertools.product(*grid.values()), part.start, part.stop)
    return [from_axes(dict(zip(grid, values, strict=True))) for values in products]


def _require_effect(grid: Mapping[str, list[Any]]) -> None:
    """Refuse a value that no setting of its grid keeps: it would be dropped in silence.

    Whether a value has an effect is the same in every part of a grid, so the whole is looked at,
    thinned to the values that `simplified` tells apart.

    Raises:
        UserError: naming axis, value and what it needs.
    """
    thinned = {axis: _told_apart(axis, values) for axis, values in grid.items()}
    spanned = _spanned(thinned, range(product_size(thinned)))
    for axis in filter(NEEDS.__contains__, thinned):
        kept = {getattr(setting, axis) for setting in spanned}
        for value in thinned[axis]:
            if (value if value is None else TYPES[axis](value)) not in kept | {DEFAULTS[axis]}:
                raise UserError(
                    f"config: a grid asks for {axis} {value}, which has no effect in any of its "
                    f"settings; give {NEEDS[axis]} beside it, or leave it out"
                )


def _told_apart(axis: str, values: Iterable[Any]) -> list[Any]:
    """Return the values of an axis that may differ in whether other axes have an effect.

    Of numbers these are the default, none at all, and the first other one.
    """
    if TYPES[axis] not in (int, float):
        return list(values)
    return list({(value == DEFAULTS[axis], not value): value for value in values}.values())


def from_axes(values: Mapping[str, Any]) -> Setting:
    """Build a simplified setting from axis values as a config gives them (1 reads as 1.0)."""
    typed = {k: v if v is None else TYPES[k](v) for k, v in values.items()}
    return simplified(Setting(**typed))


def simplified(setting: Setting) -> Setting:
    """Return a setting without axes that have no effect, so that equal jobs are one job."""
    without_effect: list[str] = []
    if setting.plr == 0 and setting.blr == 0:
        without_effect.append("loss")
    if setting.blr == 0:
        without_effect += ["burst", "retransmissions"]
    if not setting.compressed:
        without_effect.append("feedback")
    if setting.method == "fedhealth" and not setting.adaptation:
        without_effect.append("alignment")
    if setting.sources is None:
        without_effect += ["votes", "similarity"]
    if setting.mechanism == "none":
        without_effect += ["sigma", "epsilon", "noise", "sensitivity"]
    if setting.adversary == "none":
        without_effect += OF_ADVERSARY
    if setting.server_epochs == 0:
        without_effect += ["features_from", "server_step"]
    if setting.mechanism not in IN_STEPS:
        without_effect += ["schedule", "accountant"]
    if setting.mechanism != "dp_gd":
        without_effect.append("neighbours")
    if setting.mechanism not in IN_STEPS or setting.schedule == "uniform":
        without_effect.append("decay")
    if setting.schedule == "dynamic" and setting.momentum == 0:
        # The best schedule of plain descent is the exponential one.
        setting = replace(setting, schedule="exp")
    if setting.message != "projected":
        without_effect.append("projection")
    if setting.message != "mixtures":
        without_effect += ["components", "covariance"]
    if setting.keep_gradients == 1:
        without_effect.append("kept_gradients")
        if setting.keep_activations == 1:
            without_effect.append("reading")
    if setting.aggregation == "open":
        without_effect.append("mask")
    if setting.network is None:
        without_effect.append("client_part")
    without_effect += outsourcing.idle(setting)
    gone = {a: DEFAULTS[a] for a in without_effect if getattr(setting, a) != DEFAULTS[a]}
    return replace(setting, **gone) if gone else setting


LONGEST_NAME = 200
"""Characters of a setting's name: files are named after it, with a suffix, in 255 bytes."""


def require_sensible(setting: Setting) -> None:
    """Refuse a setting whose method does not know its axes, or whose axes contradict each other.

    Raises:
        UserError: naming the setting, or method and axis.
    """
    _require_known(setting)
    if len(setting.name) > LONGEST_NAME:
        raise UserError(
            f"config: the setting '{setting.name}' has a name of {len(setting.name)} characters "
            f"for its files, which take {LONGEST_NAME}; round its values, or give the "
            "task what all settings share"
        )
    record = methods.record(setting.method)
    faults = {
        f"is not possible: mechanism {setting.mechanism} is for "
        f"{' and '.join(methods.offering(setting.mechanism))}": (
            setting.mechanism not in record.mechanisms
        ),
        "gives both plr and blr, two ways to say what is lost; keep one": (
            setting.plr > 0 and setting.blr > 0
        ),
        f"asks for bursts of {setting.burst} blocks at BLR {setting.blr}, which are too short; "
        "give burst at least blr / (1 - blr)": (
            setting.burst > 1 and setting.burst < setting.blr / (1 - setting.blr)
        ),
        "is reshuffled, which is for a packet loss rate; use loss: persistent": (
            setting.loss == "reshuffled" and setting.plr == 0
        ),
        "is as released, where losses come back; give plr with loss: reshuffled": (
            setting.method == "released" and setting.plr > 0 and setting.loss != "reshuffled"
        ),
        "gives both clients and samples_per_client, which follow from each other; keep one": (
            setting.clients is not None and setting.samples_per_client is not None
        ),
        "gives both sigma and epsilon; keep one": (
            setting.sigma is not None and setting.epsilon is not None
        ),
        f"has mechanism {setting.mechanism}, which needs sigma or epsilon; give one": (
            setting.mechanism in ("gaussian", "update_gaussian", "dp_fedavg", "dp_gd", "counts")
            and setting.sigma is None
            and setting.epsilon is None
        ),
        "has mechanism relative, which has no epsilon (audit row A10); give sigma": (
            setting.mechanism == "relative" and setting.sigma is None
        ),
        "has mechanism laplace, which needs epsilon of a coordinate and a sensitivity; give "
        "sensitivity: [clip], or [channel_maximum] for the paper's": (
            setting.mechanism == "laplace"
            and (setting.epsilon is None or setting.sensitivity is None)
        ),
        "masks compressed messages, whose sum is none of what was said; use bits 32 and keep 1": (
            setting.aggregation == "masked" and setting.compressed
        ),
        f"has mechanism {setting.mechanism}, whose noise is printed by epsilon; give epsilon": (
            setting.mechanism in ("feature_gaussian", "feature_laplace") and setting.epsilon is None
        ),
        "has mechanism gaussian, which bounds nothing without a clip norm; give feature_clip": (
            setting.mechanism == "gaussian"
            and record.knows("feature_clip")
            and setting.feature_clip is None
        ),
        "masks messages of which one alone can be summed; let two users take part, and all of them "
        "play: leave participation and opt_out out, or use aggregation: open": (
            setting.aggregation == "masked"
            and (setting.participation is not None or setting.opt_out > 0)
        ),
        "puts noise on features that nobody asks for; give server_epochs at least 1": (
            setting.mechanism != "none" and setting.server_epochs == 0
        ),
        f"has schedule {setting.schedule}, whose decay is {setting.decay:g}; give decay above 1": (
            setting.schedule != "uniform" and setting.decay <= 1
        ),
        "accounts sampled rounds by zCDP, which sampling does not amplify; use accountant exact, "
        "which composes them by their privacy loss distributions": (
            setting.mechanism == "dp_fedavg" and setting.accountant == "zcdp"
        ),
        "compresses noisy updates, which is not offered; use bits 32 and keep 1": (
            record.by_rounds and setting.mechanism != "none" and setting.compressed
        ),
        **frameworks.faults(setting),
        "has clients draw samples in every round, which dp_fedavg cannot count; leave drawn out": (
            setting.drawn is not None and setting.mechanism == "dp_fedavg"
        ),
        **uploads.faults(setting),
        **outsourcing.faults(setting),
    }
    for fault, holds in faults.items():
        if holds:
            raise UserError(f"config: the setting '{setting.name}' {fault}")


def _require_known(setting: Setting) -> None:
    record = methods.record(setting.method)
    for axis in setting.deviations():
        if not record.knows(axis):
            raise UserError(
                f"config: method {setting.method} does not know axis {axis}; "
                f"methods that know it: {', '.join(methods.knowing(axis))}"
            )
