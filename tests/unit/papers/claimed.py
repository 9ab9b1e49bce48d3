"""A paper's claims with what is printed of them, its registry, and made-up runs, for tests."""

from collections.abc import Mapping, Sequence
from importlib import import_module
from pathlib import Path
from typing import Any

import pandas as pd
from fbftl.papers.claims import OURS, Claim, Examined, claims_of, examine, read_claims
from fbftl.papers.quantities import Runs
from fbftl.papers.registry import Sentence, read_sentences
from fbftl.study.job import name_of

PUBLISHED = Path(__file__).parents[3] / "published"
TEXTS = PUBLISHED / "claims.csv"
PAPERS = ("fbftl", "fedfeat", "eppfl", "thesis", "survey", "rivals")


def claims(paper: str) -> list[Claim]:
    """Return a paper's claims, its sentences' and ours."""
    compared = import_module(f"fbftl.papers.{paper}.claims")
    return claims_of(paper, {**compared.SENTENCES, OURS: compared.HYPOTHESES}, read_claims(TEXTS))


def registry(paper: str) -> list[Sentence]:
    """Return a paper's sentences."""
    return read_sentences(PUBLISHED / paper / "sentences.csv")


def by_name(paper: str, runs: Runs) -> dict[tuple[str, str], Examined]:
    """Return what runs say of each claim of a paper, by sentence and part."""
    return {(of.claim.sentence, of.claim.part): of for of in examine(claims(paper), runs)}


def judgements(paper: str, runs: Runs, tested: int = 1) -> dict[tuple[str, str], str]:
    """Return what each claim that was run comes to, whatever the task's size."""
    examined = by_name(paper, runs)
    found = {name: of.judged(tested) for name, of in examined.items()}
    return {name: str(judgement) for name, judgement in found.items() if judgement is not None}


def runs_of(
    *settings: tuple[Mapping[str, Any], Mapping[str, float | Sequence[float]]],
    task: str = "toy-full",
    seeds: int = 3,
) -> Runs:
    """Return a tidy table of made-up runs.

    Args:
        settings: axes of each, and what is measured of it: by seed, or a number that differs by
            1e-4 from seed to seed.
        task: that was run.
        seeds: of each setting.
    """

    def of_seed(value: float | Sequence[float], seed: int) -> float:
        return value[seed] if isinstance(value, Sequence) else value + 1e-4 * seed

    return Runs(
        pd.DataFrame(
            {"task": task, "setting": name_of(axes), "seed": seed, "diverged": False}
            | axes
            | {name: of_seed(value, seed) for name, value in measures.items()}
            for axes, measures in settings
            for seed in range(seeds)
        )
    )
