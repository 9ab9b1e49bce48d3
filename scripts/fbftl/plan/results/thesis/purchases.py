"""Thesis: public samples that a server buys by what counts of features tell it."""

from functools import partial

from fbftl.plan import paths, runs
from fbftl.plan.entries import Entry, Result
from fbftl.plan.paths import TASK
from fbftl.plan.purchases import of_each_rule
from fbftl.plan.vocabulary import DOMAINS, axes, guarantees, of_task, table_of, tidy
from fbftl.study.outsourcing import ASKED

OF_EXPERIMENT: dict[str, list[Entry]] = {}

OF_EXPERIMENT["ecos"] = [
    Result(
        "tabulate_thesis.ecos",
        "privacy",
        "Samples bought by noisy counts",
        tidy("ecos") | guarantees("ecos"),
        axes("ecos", *ASKED),
    ),
    Result(
        "plot_thesis_purchases.ecos", "privacy", "Samples bought by noisy counts", table_of("ecos")
    ),
    Result(
        "plot_thesis_purchases.purchases",
        "privacy",
        "What each choice bought",
        {
            "runs": partial(runs.files, chosen=of_each_rule),
            "public": paths.of_task(TASK, "public.h5"),
        },
        DOMAINS | {"block": of_task("public")},
    ),
]
