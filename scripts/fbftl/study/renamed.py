"""Names that axes and keys of a configuration had, with those that they have now.

A configuration with an old name is refused with the new one. Noise stays keyed by the first names:
a stream's key never changes, so that a rename changes no number.
"""

from collections.abc import Iterator, Mapping
from typing import Any

from fbftl.ground.errors import UserError

AXES: dict[str, tuple[str, ...]] = {
    "noise": ("noise_draw",),
    "start": ("initial_weights",),
    "drawn": ("resampled_per_round",),
    "weighting": ("client_weighting",),
    "steps": ("descent_steps",),
    "momentum": ("descent_momentum",),
    "neighbours": ("neighbour_relation",),
    "norms": ("disturbed_normalisation",),
    "sources": ("vote_candidates",),
    "selection_round": ("vote_round",),
    "votes": ("votes_per_client",),
    "similarity": ("cka_estimator",),
    "distillation": ("distillation_weight",),
    "adaptation": ("adaptation_epochs",),
    "alignment": ("coral_weight", "alignment_weight"),
    "dimensions": ("aligned_dimensions",),
    "reading": ("selection_reading",),
    "sensitivity": ("laplace_sensitivity",),
    "mask": ("mask_shape",),
    "participation": ("minority_participation",),
    "choice": ("purchase_rule",),
    "allocation": ("purchase_allocation",),
    "sampling": ("count_sampling",),
    "labels": ("label_source",),
    "purpose": ("purchase_purpose",),
}
"""Axes by their old names; one name that two methods had for two things has two new ones."""

KEYS: dict[tuple[str, ...], str] = {
    ("choice",): "head_choice",
    ("tasks", "*", "open"): "open_data",
    ("tasks", "*", "sources"): "source_models",
    ("tasks", "*", "game"): "adversarial_game",
    ("tasks", "*", "outsourcing", "distilled"): "teacher_weight",
}
"""Other keys by their old paths; a star stands for any key."""

FIRST_NAMES = {new: old for old, names in AXES.items() for new in names}
FIRST_NAMES |= {new: path[-1] for path, new in KEYS.items()}
"""The first name of everything that has another one now."""


def require_new_names(config: Mapping[str, Any]) -> None:
    """Refuse a configuration that names an axis or a key by its old name.

    Raises:
        UserError: naming the key and its new name.
    """
    renamed: dict[tuple[str, ...], tuple[str, ...]] = {path: (new,) for path, new in KEYS.items()}
    renamed |= {("experiments", "*", "grids", "*", old): new for old, new in AXES.items()}
    for path, names in renamed.items():
        for where in _named(config, path):
            raise UserError(
                f"config: the key '{where}' has another name now; call it {' or '.join(names)}"
            )


def _named(node: Any, path: tuple[str, ...], above: tuple[str, ...] = ()) -> Iterator[str]:
    """Yield every key below a node that a path names, joined by dots."""
    entries: Any = ()
    if isinstance(node, Mapping):
        entries = node.items()
    elif isinstance(node, list):
        entries = enumerate(node)
    for key, value in entries:
        if path[0] in ("*", key):
            here = (*above, str(key))
            yield from _named(value, path[1:], here) if path[1:] else (".".join(here),)


def by_first_names(value: Any) -> Any:
    """Return a value of builtin types whose keys, at every depth, have their first names."""
    if isinstance(value, Mapping):
        return {FIRST_NAMES.get(key, key): by_first_names(inner) for key, inner in value.items()}
    return value
