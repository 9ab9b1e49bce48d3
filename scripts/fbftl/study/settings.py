"""Settings: a method with a value on every axis, the name of its files, and grids that span them.

Settings compare by value, and a setting's name holds only the axes that differ from their default:
a setting that several experiments share is one job, and a new axis renames none. An experiment is a
list of grids, lists of axis values by axis name; its settings are their products, each checked.
Jobs, tables and figures never import this module: what they need of it reaches them as params.
"""

import itertools
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from fbftl.ground.errors import UserError
from fbftl.study import methods
from fbftl.study.axes import SHARED, Axis, is_compressed, shared_faults
from fbftl.study.job import name_of

ORDER = (
    "method", "cut", "fraction", "samples_per_client", "partition", "alpha", "clients", "plr",
    "blr", "burst", "retransmissions", "loss", "bits", "keep", "feedback", "mechanism", "sigma",
    "epsilon", "noise_draw", "label_epsilon", "network", "local_epochs", "aggregation",
    "initial_weights", "resampled_per_round", "most_samples", "features_from", "server_epochs",
    "feature_clip", "client_weighting", "schedule", "decay", "descent_steps", "accountant",
    "descent_momentum", "message", "projection", "components", "covariance", "head", "width",
    "budgets", "budget_order", "rescaled_init", "disturbed_normalisation", "vote_candidates",
    "vote_round", "cka_estimator", "public_data", "transfer_epochs",
    "distillation_weight", "seed_samples", "adaptation_epochs", "coral_weight",
    "alignment_weight", "protection", "common_samples", "aligned_dimensions",
    "keep_activations", "keep_gradients", "kept_gradients", "selection_reading",
    "laplace_sensitivity", "mask_shape", "client_part", "adversary", "majority_users",
    "minority_participation", "opt_out", "local_steps", "discriminator_rate",
    "discriminator_steps", "discriminator_sees", "unlabelled_loss", "purchase_rule",
    "purchase_allocation", "centroids", "purchase", "score_power", "count_sampling",
    "uploaders", "neighbour_relation", "label_source", "purchase_purpose", "digest_rate",
    "local_batch", "server_step", "proximal",
)  # fmt: skip
"""The order in which names of settings and columns of tables have the axes.

It never changes. An axis that is not named here comes after these, shared ones first, then those of
each method in the order of its record.
"""


def _in_order() -> dict[str, Axis]:
    """Return every axis by its name; of an axis that several methods know the shared description.

    A method may narrow a shared axis, as a test makes sure.
    """
    by_name = dict(SHARED)
    for record in methods.RECORDS:
        for name, axis in record.by_name.items():
            by_name.setdefault(name, axis)
    return {name: by_name[name] for name in dict.fromkeys((*ORDER, *by_name)) if name in by_name}


AXES = _in_order()
"""Every axis by its name, in the fixed order; the method is the first."""

DEFAULTS: dict[str, Any] = {name: axis.default for name, axis in AXES.items()}
"""Default of each axis by its name."""

TYPES: dict[str, type] = {name: axis.type for name, axis in AXES.items()}
"""Type of each axis by its name."""

_POSITIONS = {name: position for position, name in enumerate(AXES)}


@dataclass(frozen=True, slots=True, init=False)
class Setting:
    """A method with a value on every axis, each an attribute, as in ``setting.plr``.

    deviating: the axes that differ from their default with their values, in the fixed order.
    """

    method: str
    deviating: tuple[tuple[str, Any], ...]

    def __init__(self, method: str = DEFAULTS["method"], **axes: Any) -> None:
        """Make a setting of some axes; all others have their default, the complete clean upload.

        Raises:
            TypeError: if there is no axis of a name.
        """
        if unknown := axes.keys() - DEFAULTS.keys():
            raise TypeError(f"a setting has no axis {', '.join(sorted(unknown))}")
        ordered = sorted(axes, key=_POSITIONS.__getitem__)
        kept = tuple((name, axes[name]) for name in ordered if axes[name] != DEFAULTS[name])
        object.__setattr__(self, "method", method)
        object.__setattr__(self, "deviating", kept)

    def __getattr__(self, axis: str) -> Any:
        if axis not in DEFAULTS:
            raise AttributeError(f"a setting has no axis {axis}")
        for name, value in self.deviating:
            if name == axis:
                return value
        return DEFAULTS[axis]

    @property
    def name(self) -> str:
        """The setting's file name."""
        return name_of(self.deviations())

    def deviations(self) -> dict[str, Any]:
        """Return the method and the axes that differ from their default, in the fixed order."""
        return {"method": self.method, **dict(self.deviating)}

    def with_axes(self, **axes: Any) -> "Setting":
        """Return this setting with other values on some axes."""
        return Setting(**(self.deviations() | axes))


def expand(grids: Iterable[Mapping[str, list[Any]]]) -> list[Setting]:
    """Return the settings that grids span: each grid's product, duplicates once, sorted by name.

    Args:
        grids: lists of axis values by axis name.

    Raises:
        UserError: if a setting makes no sense.
    """
    settings = set()
    for grid in grids:
        _require_named(grid)
        # In the grid's order, so that of several faults the same one is named every time.
        spanned = _spanned(grid)
        for setting in spanned:
            require_sensible(setting)
        _require_effect(grid, spanned)
        settings.update(spanned)
    return sorted(settings, key=lambda setting: setting.name)


def _require_named(grid: Mapping[str, list[Any]]) -> None:
    """Refuse a grid that leaves out an axis which its method has named.

    Raises:
        UserError: naming method and axis.
    """
    for method in grid.get("method", ()):
        record = methods.record(method)
        for axis in record.named:
            if axis not in grid:
                says = record.by_name[axis].doc.removesuffix(".")
                raise UserError(
                    f"config: a grid of method {method} lacks the axis {axis} ({says}); give it"
                )


def _spanned(grid: Mapping[str, list[Any]]) -> list[Setting]:
    """Return the settings of a grid's product, the last axis the fastest."""
    products = itertools.product(*grid.values())
    return [from_axes(dict(zip(grid, values, strict=True))) for values in products]


def _require_effect(grid: Mapping[str, list[Any]], spanned: Sequence[Setting]) -> None:
    """Refuse a value that no setting of its grid keeps: it would be dropped in silence.

    Raises:
        UserError: naming axis, value and what it needs.
    """
    for axis, values in grid.items():
        lacking = (methods.record(setting.method).lacks(axis, setting) for setting in spanned)
        need = next(filter(None, lacking), None)
        kept = {getattr(setting, axis) for setting in spanned} | {DEFAULTS[axis]}
        for value in values:
            if need is not None and _typed(axis, value) not in kept:
                raise UserError(
                    f"config: a grid asks for {axis} {value}, which has no effect in any of its "
                    f"settings; give {need.what} as well, or leave it out"
                )


def from_axes(values: Mapping[str, Any]) -> Setting:
    """Build a simplified setting from axis values as a config gives them (1 reads as 1.0)."""
    return simplified(Setting(**{axis: _typed(axis, value) for axis, value in values.items()}))


def _typed(axis: str, value: Any) -> Any:
    """Return a value of an axis in its type; none stays none."""
    return value if value is None else TYPES[axis](value)


def simplified(setting: Setting) -> Setting:
    """Return a setting without axes that have no effect, so that equal jobs are one job."""
    record = methods.record(setting.method)
    without_effect = {
        name: DEFAULTS[name] for name, _ in setting.deviating if record.lacks(name, setting)
    }
    if setting.schedule == "dynamic" and setting.descent_momentum == 0:
        # The best schedule of plain descent is the exponential one.
        without_effect = {"schedule": "exp"} | without_effect
    return setting.with_axes(**without_effect) if without_effect else setting


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
    for fault in _faults(setting):
        raise UserError(f"config: the setting '{setting.name}' {fault}")


def _faults(setting: Setting) -> Iterator[str]:
    """Yield what a setting asks for and cannot have, each with its remedy."""
    record = methods.record(setting.method)
    for name, value in setting.deviating:
        if not record.offers(name, value):
            offering = [r.name for r in methods.RECORDS if r.knows(name) and r.offers(name, value)]
            yield f"is not possible: {name} {value} is for {' and '.join(offering)}"
    yield from shared_faults(setting)
    if record.by_rounds and setting.mechanism != "none" and is_compressed(setting):
        yield "compresses noisy updates, which is not offered; use bits 32 and keep 1"
    yield from record.faults(setting)


def _require_known(setting: Setting) -> None:
    record = methods.record(setting.method)
    for axis in setting.deviations():
        if not record.knows(axis):
            raise UserError(
                f"config: method {setting.method} has no axis {axis}; "
                f"methods that have it: {', '.join(methods.knowing(axis))}"
            )
