"""What a reader of published features must refuse, beside what Zarr notices itself."""

from collections.abc import Iterator, Mapping
from typing import Any

import numpy as np

from fbftl.features.store.dtypes import STORED_AS
from fbftl.features.store.format import OFFSETS
from fbftl.features.store.reader import FeatureStore
from fbftl.ground.errors import UserError

ALWAYS = {"features": None, "labels": None, "client": "int32", "sample": "int64"}
"""Arrays that every split has, with their dtype where the format fixes it."""

SOMETIMES = {
    "offsets": "int64",
    "label_offsets": "int64",
    "token_offsets": "int64",
    "tokens": None,
    "domain": "int32",
    "group": "int64",
}
"""Arrays that a split may have."""


def require_right(store: FeatureStore, about: Mapping[str, Any]) -> None:
    """Read all of an open store, and refuse it if it is not what its manifest says.

    Chunks are compared with the manifest's digests as they are read.

    Args:
        store: opened by its manifest.
        about: what the manifest says of it.

    Raises:
        UserError: naming split, array, place and fault; the first that is found.
    """
    for fault in faults(store, about):
        raise UserError(f"The features at {store.name} are not right: {fault}; get them anew.")


def faults(store: FeatureStore, about: Mapping[str, Any]) -> Iterator[str]:
    """Yield what is wrong with a store, each once; nothing of a right one.

    Raises:
        UserError: naming store, array and chunk if a chunk is missing or damaged.
    """
    if not {"train", "test"} <= set(store.splits):
        yield f"the splits are {', '.join(store.splits) or 'none'}, not train and test"
    if store.provenance.dtype not in STORED_AS:
        yield f"the features' dtype is {store.provenance.dtype!r}"
        return
    for split in store.splits:
        of_split = list(_of_layout(store, split))
        yield from of_split
        if not of_split:
            yield from _of_offsets(store, split)
            yield from _of_columns(store, split, about)
            yield from _of_features(store, split)


def _of_layout(store: FeatureStore, split: str) -> Iterator[str]:
    """Yield what is wrong with names, dtypes and shapes, which says what may be read at all."""
    count = store.count(split)
    arrays = {name.partition("/")[2]: a for name, a in store.arrays.items() if _in(name, split)}
    for name in ALWAYS.keys() - arrays.keys():
        yield f"{split} has no array {name}"
    for name in sorted(arrays.keys() - ALWAYS.keys() - SOMETIMES.keys()):
        yield f"{split} has an array {name}, which the format does not know"
    wanted = {**ALWAYS, **SOMETIMES, "features": STORED_AS[store.provenance.dtype]}
    for name, array in arrays.items():
        dtype, shape, rows = array["dtype"], array["shape"], count
        if wanted.get(name) and dtype != wanted[name]:
            yield f"{split}/{name} has dtype {dtype}, not {wanted[name]}"
        if name in OFFSETS.values():
            rows = count + 1
        elif OFFSETS.get(name) in arrays or name == "tokens":
            rows = None
        if rows is not None and shape[0] != rows:
            yield f"{split}/{name} has {shape[0]} rows, not {rows}"
        if name == "features" and shape[1:] != [store.width]:
            yield f"{split}/{name} has rows of shape {shape[1:]}, not [{store.width}]"


def _of_offsets(store: FeatureStore, split: str) -> Iterator[str]:
    for name, offsets_name in OFFSETS.items():
        if f"{split}/{offsets_name}" not in store.arrays:
            continue
        if f"{split}/{name}" not in store.arrays:
            yield f"{split} has {offsets_name} and no {name}"
            continue
        offsets = store.array(split, offsets_name).read(slice(None))
        length = store.arrays[f"{split}/{name}"]["shape"][0]
        backwards = np.flatnonzero(np.diff(offsets) < 0)
        if len(backwards):
            yield f"{split}/{offsets_name} go back after row {backwards[0]}, so that rows overlap"
        elif offsets[0] != 0 or offsets[-1] != length:
            yield (
                f"{split}/{offsets_name} run from {offsets[0]} to {offsets[-1]}, and {name} has "
                f"{length} entries"
            )


def _of_columns(store: FeatureStore, split: str, about: Mapping[str, Any]) -> Iterator[str]:
    labels = store.array(split, "labels").read(slice(None))
    if labels.dtype.kind not in "iu":
        yield f"{split}/labels has dtype {labels.dtype}, not integers"
    elif about.get("classes") is not None:
        wrong = np.flatnonzero((labels < 0) | (labels >= about["classes"]))
        if len(wrong):
            yield (
                f"{split}/labels has {labels[wrong[0]]} in row {wrong[0]}, and there are "
                f"{about['classes']} classes"
            )
    clients = store.clients(split)
    number = about["clients"].get(split)
    wrong = np.flatnonzero((clients < 0) | (clients >= number))
    if len(wrong):
        yield (
            f"{split}/client has {clients[wrong[0]]} in row {wrong[0]}, and there are {number} "
            "clients"
        )
    if np.any(store.samples(split) < 0):
        yield f"{split}/sample has numbers below 0"


def _of_features(store: FeatureStore, split: str) -> Iterator[str]:
    first, is_bfloat = 0, store.provenance.dtype == "bfloat16"
    for chunk in store.array(split, "features").chunks():
        # All exponent bits set is infinity or no number, also where the bits lie in uint16.
        wrong = (chunk & 0x7F80) == 0x7F80 if is_bfloat else ~np.isfinite(chunk)
        if wrong.any():
            row = first + int(np.flatnonzero(wrong.any(axis=1))[0])
            yield f"{split}/features has a value in row {row} that is no finite number"
            return
        first += len(chunk)


def _in(name: str, split: str) -> bool:
    return name.partition("/")[0] == split
