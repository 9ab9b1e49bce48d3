"""Purchases of public samples: the setting around which they vary, and a run of each rule."""

from collections.abc import Mapping

from fbftl.study.config import Study
from fbftl.study.grid import simplified
from fbftl.study.settings import Setting

RULES = ("ecos", "proximity", "kcenter", "random", "ideal")


def centre_of(settings: Mapping[str, Setting]) -> Setting:
    """Return the setting around which purchases are varied.

    Proximity alone is run there only, at several purchases, of which the middle one is taken.
    """
    apart = [setting for setting in settings.values() if setting.purchase_rule == "proximity"]
    return sorted(apart, key=lambda setting: setting.purchase)[len(apart) // 2]


def of_each_rule(study: Study, task: str) -> list[str]:
    """Return a setting of each rule of purchase, at the centre of what the study varies."""
    settings = study.settings[task]["ecos"]
    centre = centre_of(settings)
    names = [simplified(centre.with_axes(purchase_rule=rule)).name for rule in RULES]
    return [name for name in names if name in settings]
