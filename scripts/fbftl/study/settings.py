"""Settings: a method with a value on every axis, and the name that its files have.

Settings compare by value, and a setting's name holds only the axes that differ from their default:
a setting that several experiments share is one job, and a new axis renames none. Jobs, tables and
figures never import this module: what they need of it reaches them as params.
"""

from dataclasses import dataclass
from typing import Any

from fbftl.study import methods
from fbftl.study.axes import SHARED
from fbftl.study.axis import Axis
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
