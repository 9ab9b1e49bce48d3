"""Departures: where two finished studies part, as a build tool tells by comparing two logs.

A result departs if both studies made it and its bytes differ, or only one made it. What matters is
where departing begins: a job whose own inputs agree.
"""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

CODE = re.compile(r"'[0-9a-f]{64}'")
"""A param that is nothing but a digest: that of the job's code."""


@dataclass(frozen=True)
class Made:
    """How one result was made.

    digest: SHA-256 of the file.
    sealed: SHA-256 of what its job wrote.
    rule: name of the rule.
    inputs: digest of each file that the job read, by path; empty where none was noted.
    params: what decides the job, each as text.
    started: when, in seconds since 1970.
    ended: when, on the same clock.
    script: path of the job's script, seen from the rule's file.
    log: path of the job's log.
    """

    digest: str
    sealed: str
    rule: str
    inputs: Mapping[str, str]
    params: tuple[str, ...]
    started: float
    ended: float = 0.0
    script: str = ""
    log: str = ""


@dataclass(frozen=True)
class Departure:
    """A result at which two studies part.

    reason: code, params, inputs, only in one of them, changed afterwards, or nothing known.
    """

    path: str
    rule: str
    reason: str


NOTHING_KNOWN = "nothing known: the same code, params and inputs"


def departing(first: Mapping[str, Made], second: Mapping[str, Made]) -> set[str]:
    """Return the paths of results that differ or that only one study has."""
    return {
        path
        for path in first.keys() | second.keys()
        if path not in first or path not in second or first[path].digest != second[path].digest
    }


def first_departures(first: Mapping[str, Made], second: Mapping[str, Made]) -> list[Departure]:
    """Return the departing results none of whose inputs departs, the earliest made first.

    Args:
        first: results of the first study by path.
        second: those of the second.
    """
    departed = departing(first, second)
    earliest = [
        path
        for path in departed
        if not any(
            read in departed
            for study in (first, second)
            if path in study
            for read in study[path].inputs
        )
    ]
    by_path = {**second, **first}
    earliest.sort(key=lambda path: (by_path[path].started, path))
    return [Departure(path, by_path[path].rule, _reason(path, first, second)) for path in earliest]


def first_point(
    first: Mapping[str, Sequence[str]], second: Mapping[str, Sequence[str]]
) -> tuple[str, int] | None:
    """Return the seed and the point, from 1, at which the models of two runs part first, if any.

    Args:
        first: digests of a run's models at the points of its curves, by seed.
        second: those of the same job elsewhere.
    """
    points = [
        (point, seed)
        for seed in sorted(first.keys() & second.keys())
        for point, (mine, its) in enumerate(zip(first[seed], second[seed], strict=False), start=1)
        if mine != its
    ]
    return min(points)[::-1] if points else None


def _reason(path: str, first: Mapping[str, Made], second: Mapping[str, Made]) -> str:
    if path not in first or path not in second:
        return f"only in the {'first' if path in first else 'second'}"
    mine, its = first[path], second[path]
    apart = set(mine.params) ^ set(its.params)
    reasons = {
        "changed after its job wrote it": any(
            result.digest != result.sealed for result in (mine, its)
        ),
        "code": any(CODE.fullmatch(param) for param in apart),
        "params": any(not CODE.fullmatch(param) for param in apart),
        "inputs": mine.inputs != its.inputs,
    }
    return ", ".join(name for name, holds in reasons.items() if holds) or NOTHING_KNOWN
