"""What is taken from a data set: its test split, a portion, some classes, or only a few samples."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import replace

import numpy as np

from fbftl.data.datasets.base import Dataset, Samples
from fbftl.ground.errors import UserError
from fbftl.ground.randomness import stream

WHOLE = re.compile(r"[+-]?\d{1,15}(\.0*)?")
"""Names of classes that are whole numbers."""


def split_off_test(samples: Samples, fraction: float, seed: int) -> tuple[Samples, Samples]:
    """Split one pool into training and test samples at random; both keep the pool's order.

    Args:
        samples: the pool, n samples.
        fraction: share of the test set; round(fraction * n) samples.
        seed: seed of the draw.

    Raises:
        UserError: if either side would be empty.
    """
    count = test_count(len(samples), fraction)
    rows = stream(seed, "test split").permutation(len(samples))
    return samples.take(np.sort(rows[count:])), samples.take(np.sort(rows[:count]))


def test_count(samples: int, fraction: float) -> int:
    """Return how many of a pool of samples are the test set.

    Raises:
        UserError: if either side would be empty.
    """
    count = round(fraction * samples)
    if not 0 < count < samples:
        raise UserError(
            f"data.test_fraction is {fraction}, which leaves {count} of {samples} samples "
            "for testing; choose a fraction that leaves some on both sides"
        )
    return count


def portion(dataset: Dataset, shares: Sequence[float], seed: int) -> Dataset:
    """Keep the training samples between two shares of a random order; the test set stays whole.

    Portions of one data set under one seed that do not overlap share no sample.

    Args:
        dataset: n training samples.
        shares: a < b from 0 to 1; keeps samples round(a n) to round(b n) of the order.
        seed: seed of the order.

    Raises:
        UserError: if that leaves no sample.
    """
    first, last = between(len(dataset.train), shares)
    rows = stream(seed, "portion").permutation(len(dataset.train))[first:last]
    return Dataset(dataset.train.take(np.sort(rows)), dataset.test, dataset.classes)


def between(samples: int, shares: Sequence[float]) -> tuple[int, int]:
    """Return the places in an order between which a portion of the samples is kept.

    Raises:
        UserError: if that leaves no sample.
    """
    first, last = (round(share * samples) for share in shares)
    if not first < last:
        raise UserError(
            f"data.portion is {list(shares)}, which leaves no training samples; give two shares "
            "from 0 to 1, the smaller first"
        )
    return first, last


def choose_classes(dataset: Dataset, wanted: Sequence[int | str]) -> Dataset:
    """Keep some classes, given by number or by name; class ``wanted[i]`` becomes class i.

    Raises:
        UserError: if the choice repeats a class, names one that is not there or leaves no samples.
    """
    chosen = require_classes(wanted, dataset.classes)
    new_label = np.full(len(dataset.classes), -1)
    new_label[list(chosen)] = np.arange(len(chosen))

    def keep(name: str, samples: Samples) -> Samples:
        rows = np.flatnonzero(new_label[samples.labels] >= 0)
        if not len(rows):
            raise UserError(
                f"data.classes {list(wanted)} leaves no {name} samples; choose other classes"
            )
        kept = samples.take(rows)
        return replace(kept, labels=new_label[kept.labels])

    names = tuple(dataset.classes[label] for label in chosen)
    return Dataset(keep("train", dataset.train), keep("test", dataset.test), names)


def require_classes(wanted: Sequence[int | str], names: Sequence[str | None]) -> list[int]:
    """Return the places of classes given by number or by name.

    Where names are numbers, as labels of a table or folders called 1 to 5, a number is such a name;
    elsewhere it is a place.

    Args:
        wanted: numbers and names; one that stands for a class whose name is unknown is -1.
        names: name of each class, None if unknown.

    Raises:
        UserError: if the choice repeats a class, or names one that is not there.
    """
    numbers = {name: number for number, name in enumerate(names)}
    all_named = None not in numbers
    by_number: dict[int, list[int]] = {}
    for place, name in enumerate(names):
        if name is not None and WHOLE.fullmatch(name):
            by_number.setdefault(int(float(name)), []).append(place)

    def place_of(each: int | str) -> int:
        if isinstance(each, str):
            return numbers.get(each, -1)
        if not by_number:
            return each
        places = by_number.get(each, [])
        if len(places) != 1:
            raise UserError(
                f"data.classes has {each}, and {len(places) or 'none'} of the classes "
                f"{', '.join(map(str, names[:10]))}{', ...' if names[10:] else ''} "
                "has this number as its name; choose by names, in quotes"
            )
        return places[0]

    chosen = [place_of(each) for each in wanted]
    numbered = [each for each in chosen if all_named or each != -1]
    if len(set(numbered)) < len(numbered) or not set(numbered) <= set(range(len(names))):
        example = f", or by their names, such as '{names[0]}'" if all_named else ""
        raise UserError(
            f"data.classes is {list(wanted)}; choose different classes from 0 to "
            f"{len(names) - 1}{example}"
        )
    return chosen


def limit(dataset: Dataset, at_most: Mapping[str, int], seed: int) -> Dataset:
    """Keep at most so many random samples of each split that `at_most` names, in their order."""

    def few(name: str, samples: Samples) -> Samples:
        count = min(at_most.get(name, len(samples)), len(samples))
        if count < 1:
            raise UserError(f"data.limit.{name} is {count}; keep 1 sample or more")
        rows = stream(seed, f"limit {name}").permutation(len(samples))[:count]
        return samples.take(np.sort(rows))

    return Dataset(few("train", dataset.train), few("test", dataset.test), dataset.classes)
