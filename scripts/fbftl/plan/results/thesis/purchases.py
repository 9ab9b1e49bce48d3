"""Thesis: public samples that a server buys by what counts of features tell it."""

from fbftl.plan import paths
from fbftl.plan.entries import Entry, Result
from fbftl.plan.paths import TASK
from fbftl.plan.vocabulary import DOMAINS, GUARANTEES, TIDY, axes, of_task, table_of
from fbftl.study.config import Study
from fbftl.study.outsourcing import ASKED
from fbftl.study.settings import simplified

RULES = ("ecos", "proximity", "kcenter", "random", "ideal")


def of_each_rule(study: Study, task: str, experiment: str) -> list[str]:
    """Return the run file of a setting of each rule of purchase, at the centre of what varies.

    Proximity alone is run there only, at several purchases, of which the middle one is taken.
    """
    settings = study.settings[task][experiment]
    apart = [setting for setting in settings.values() if setting.purchase_rule == "proximity"]
    centre = sorted(apart, key=lambda setting: setting.purchase)[len(apart) // 2]
    names = [simplified(centre.with_axes(purchase_rule=rule)).name for rule in RULES]
    return paths.runs(task, [name for name in names if name in settings])


OF_EXPERIMENT: dict[str, list[Entry]] = {}

OF_EXPERIMENT["ecos"] = [
    Result(
        "tabulate_thesis.ecos", "privacy", "Samples bought by noisy counts",
        TIDY | GUARANTEES, axes(*ASKED),
    ),
    Result(
        "plot_thesis_purchases.ecos", "privacy", "Samples bought by noisy counts", table_of("ecos")
    ),
    Result(
        "plot_thesis_purchases.purchases", "privacy", "What each choice bought",
        {"runs": of_each_rule, "public": paths.of_task(TASK, "public.h5")},
        DOMAINS | {"block": of_task("public")},
    ),
]  # fmt: skip
