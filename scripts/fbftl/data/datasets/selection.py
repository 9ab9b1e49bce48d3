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
    places = {name: place for place, name in enumerate(names)}
    all_named = None not in places
    whole = [name for name in names if name is not None and WHOLE.fullmatch(name)]
    by_number = {int(float(name)): name for name in whole}

    def place_of(each: int | str) -> int:
        if isinstance(each, int) and by_number:
            each = by_number.get(each, "") if len(by_number) == len(whole) else ""
        return places.get(each, -1) if isinstance(each, str) else each

    chosen = [place_of(each) for each in wanted]
    placed = [each for each in chosen if all_named or each != -1]
    if len(set(placed)) < len(placed) or not set(placed) <= set(range(len(names))):
        example = f", or by their names, such as '{names[0]}'" if all_named else ""
        counted = not whole or list(names) == list(map(str, range(len(names))))
        shown = ", ".join(f"'{name}'" for name in names[:10]) + (", ..." if names[10:] else "")
        raise UserError(
            f"data.classes is {list(wanted)}; choose different classes "
            + (f"from 0 to {len(names) - 1}{example}" if counted else f"of {shown} by their names")
        )
    return chosen


def require_labels(labels: Sequence[np.ndarray], chosen: bool) -> None:
    """Refuse labels that are not counted from 0, or that the training samples lack.

    Args:
        labels: that occur in training and, where the data have such, in test, numbers or words.
        chosen: whether some classes are chosen, so that others do not matter.

    Raises:
        UserError: naming the label.
    """
    found = [np.unique(of_split) for of_split in labels]
    least = min((of_split[0] for of_split in found if len(of_split)), default=0)
    if found[0].dtype.kind in "iu" and (least < 0 or (least > 0 and not chosen)):
        which = "negative classes" if least < 0 else "no class 0"
        raise UserError(
            f"the data hold {which}, their least label is {least}; count classes from 0"
            + ("" if least < 0 else ", or name those that there are in data.classes")
        )
    lacking = np.setdiff1d(found[-1], found[0])
    if len(lacking) and not chosen:
        raise UserError(
            f"data.test has the class {lacking[0]}, of which data.train has no sample; give both "
            "the same classes, or name those to keep in data.classes"
        )


def limit(dataset: Dataset, at_most: Mapping[str, int], seed: int) -> Dataset:
    """Keep at most so many random samples of each split that `at_most` names, in their order."""

    def few(name: str, samples: Samples) -> Samples:
        rows = stream(seed, f"limit {name}").permutation(len(samples))[: at_most.get(name)]
        return samples.take(np.sort(rows))

    return Dataset(few("train", dataset.train), few("test", dataset.test), dataset.classes)
