"""Published features that are right and that are not, each of them small and made from its seed.

For any reader: `make(folder, seed)` writes right ones, `spoil(folder, seed)` takes something from
them, and `NOTICES` says which layer must notice: `zarr` whoever opens the arrays, `format` a reader
of docs/feature-store-format.md.
"""

import json
import shutil
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import numpy as np
from fbftl.features.publication.write import json_bytes
from fbftl.features.store.dtypes import to_storage
from fbftl.features.store.format import (
    ArrayLayout,
    chunk_key,
    column_layout,
    encode_chunk,
    first_dimension,
    metadata_files,
    sealed,
    sha256_of,
)
from fbftl.study.elsewhere import FORMAT, VERSION, digest_of

CASES = 100
"""Right ones, and as many that are not."""

DTYPES = ("float32", "float16", "bfloat16")
CLASSES, CLIENTS = 4, 3


def arrays_of(seed: int) -> dict[str, np.ndarray]:
    """Return the arrays of a case by name: every third case has rows of unequal length."""
    stream, dtype = np.random.default_rng(seed), DTYPES[seed % 3]
    width, arrays = int(stream.integers(1, 6)), {}
    for split, count in (("train", int(stream.integers(4, 30))), ("test", 4)):
        is_ragged = seed % 3 == 2
        lengths = stream.integers(0, 4, count) if is_ragged else np.ones(count, np.int64)
        lengths[0] = max(lengths[0], 1)
        values = stream.standard_normal((int(lengths.sum()), width)).astype(np.float32)
        arrays[f"{split}/features"] = to_storage(values, dtype)
        arrays[f"{split}/labels"] = stream.integers(0, CLASSES, count)
        client = (
            np.sort(stream.integers(0, CLIENTS, count)) if split == "train" else np.zeros(count)
        )
        arrays[f"{split}/client"] = client.astype(np.int32)
        arrays[f"{split}/sample"] = stream.permutation(count).astype(np.int64)
        if is_ragged:
            arrays[f"{split}/offsets"] = np.concatenate([[0], np.cumsum(lengths)]).astype(np.int64)
        if seed % 4 == 1:
            arrays[f"{split}/domain"] = stream.integers(0, 2, count).astype(np.int32)
    return arrays


def write(
    folder: Path,
    seed: int,
    arrays: Mapping[str, np.ndarray],
    about: Mapping[str, Any] | None = None,
) -> None:
    """Write arrays as published features, whatever is in them."""
    files, entries = {}, {}
    for name, values in arrays.items():
        split, _, column = name.partition("/")
        layout = column_layout(values, first_dimension(column, [_in(n, split) for n in arrays]))
        if column == "features":
            shape, rows = values.shape, max(1, len(values) // 3)
            dimensions = (layout.dimensions[0], "feature")
            layout = ArrayLayout(shape, (rows, shape[1]), values.dtype.name, dimensions)
        for chunk in range(layout.chunk_count):
            rows_of_chunk = values[chunk * layout.chunks[0] :][: layout.chunks[0]]
            files[chunk_key(name, chunk, layout)] = encode_chunk(rows_of_chunk, layout)
        entries[name] = {**layout.document(), "sha256": sha256_of(values.tobytes())}
    counts = {
        split: len(arrays[f"{split}/sample"])
        for split in ("train", "test")
        if f"{split}/sample" in arrays
    }
    document = sealed({
        "version": 1, "source": "5" * 64, "cut": "fc1", "preprocessing": {}, "data": "d" * 64,
        "dtype": DTYPES[seed % 3], "width": arrays["train/features"].shape[1], "counts": counts,
        "libraries": {}, "arrays": entries,
    })  # fmt: skip
    files |= metadata_files(document)
    for key, content in files.items():
        (folder / key).parent.mkdir(parents=True, exist_ok=True)
        (folder / key).write_bytes(content)
    described = {"format": FORMAT, "version": VERSION, "classes": CLASSES,
            "clients": {"train": CLIENTS, "test": 1}, "counts": counts}  # fmt: skip
    digests = {key: sha256_of(content) for key, content in files.items()}
    manifest = {
        "location": ".",
        "store": document,
        "files": digests,
        "about": described | (about or {}),
    }
    _seal(folder, manifest)


def make(folder: Path, seed: int) -> None:
    """Write a right case."""
    write(folder, seed, arrays_of(seed))


def _in(name: str, split: str) -> str:
    return name.removeprefix(f"{split}/")


def _seal(folder: Path, manifest: dict[str, Any]) -> None:
    manifest["digest"] = digest_of(manifest)
    (folder / "manifest.json").write_bytes(json_bytes(manifest))


# --- what is wrong ------------------------------------------------------------------------------


def _chunks(folder: Path, array: str) -> list[Path]:
    return sorted(path for path in (folder / array / "c").rglob("*") if path.is_file())


def _flipped_chunk(folder: Path, seed: int) -> None:
    """One bit of a chunk is another."""
    path = _chunks(folder, "train/features")[0]
    content = bytearray(path.read_bytes())
    content[seed % len(content)] ^= 1 << seed % 8
    path.write_bytes(content)


def _lost_chunk(folder: Path, seed: int) -> None:
    """A chunk is not there, which Zarr reads as zeros."""
    _chunks(folder, ("train/features", "test/labels", "train/client")[seed % 3])[-1].unlink()


def _other_chunk(folder: Path, seed: int) -> None:
    """A chunk is whole and has other values."""
    arrays = arrays_of(seed)
    arrays["train/features"] = np.flip(arrays["train/features"] + 1, 0)
    write(folder.with_name("other"), seed, arrays)
    (chunk, *_) = _chunks(folder, "train/features")
    shutil.copy(folder.with_name("other") / chunk.relative_to(folder), chunk)


def _missing_array(folder: Path, seed: int) -> None:
    """An array is not there."""
    shutil.rmtree(folder / ("train/labels", "train/features", "test/client")[seed % 3])


def _foreign_manifest(folder: Path, seed: int) -> None:
    """The manifest of other features lies beside these."""
    make(folder.with_name("other"), seed + 3)
    shutil.copy(folder.with_name("other") / "manifest.json", folder)


def _damaged_manifest(folder: Path, seed: int) -> None:
    """A digit of the manifest is another."""
    path = folder / "manifest.json"
    path.write_text(path.read_text().replace('"classes": 4', '"classes": 5'))


def _unfinished(folder: Path, seed: int) -> None:
    """The root's metadata or the manifest is not there."""
    (folder / ("zarr.json", "manifest.json")[seed % 2]).unlink()


def _tomorrow(folder: Path, seed: int) -> None:
    """A version that nobody reads yet."""
    manifest = json.loads((folder / "manifest.json").read_text())
    manifest["about"]["version"] = VERSION + 1 + seed % 5
    _seal(folder, manifest)


def _rewritten(change: Callable[[dict[str, np.ndarray], int], None]) -> Callable[[Path, int], None]:
    """Return what writes other arrays with all digests right, so that values alone are wrong."""

    def spoil_case(folder: Path, seed: int) -> None:
        arrays = arrays_of(seed)
        change(arrays, seed)
        shutil.rmtree(folder)
        write(folder, seed, arrays)

    return spoil_case


def _no_number(arrays: dict[str, np.ndarray], seed: int) -> None:
    values = arrays["train/features"]
    if DTYPES[seed % 3] == "bfloat16":
        values[seed % len(values), 0] = (0x7FC0, 0x7F80)[seed % 2]
    else:
        values[seed % len(values), 0] = (np.nan, np.inf)[seed % 2]


def _label_out_of_range(arrays: dict[str, np.ndarray], seed: int) -> None:
    arrays["test/labels"][seed % 4] = (CLASSES, -1)[seed % 2]


def _client_out_of_range(arrays: dict[str, np.ndarray], seed: int) -> None:
    arrays["train/client"][-1] = CLIENTS + seed % 2


def _offsets(arrays: dict[str, np.ndarray]) -> np.ndarray:
    lengths = np.ones(len(arrays["train/labels"]), np.int64)
    offsets = np.concatenate([[0], np.cumsum(lengths)]).astype(np.int64)
    arrays["train/features"] = np.resize(
        arrays["train/features"], (len(lengths), arrays["train/features"].shape[1])
    )
    arrays["train/offsets"] = offsets
    return offsets


def _overlapping(arrays: dict[str, np.ndarray], seed: int) -> None:
    _offsets(arrays)[2] = 0


def _running_out(arrays: dict[str, np.ndarray], seed: int) -> None:
    _offsets(arrays)[-1] += 1 + seed % 3


def _rows_that_differ(arrays: dict[str, np.ndarray], seed: int) -> None:
    arrays["train/client"] = arrays["train/client"][:-1]


def _other_dtype(arrays: dict[str, np.ndarray], seed: int) -> None:
    arrays["test/client"] = arrays["test/client"].astype(np.float64)


WRONG: dict[str, tuple[Callable[[Path, int], None], str]] = {
    "a chunk flipped": (_flipped_chunk, "zarr"),
    "a chunk lost": (_lost_chunk, "format"),
    "a chunk of other values": (_other_chunk, "format"),
    "an array missing": (_missing_array, "zarr"),
    "a foreign manifest": (_foreign_manifest, "format"),
    "a damaged manifest": (_damaged_manifest, "format"),
    "unfinished": (_unfinished, "format"),
    "a version of tomorrow": (_tomorrow, "format"),
    "a value that is no number": (_rewritten(_no_number), "format"),
    "a label out of range": (_rewritten(_label_out_of_range), "format"),
    "a client out of range": (_rewritten(_client_out_of_range), "format"),
    "offsets that overlap": (_rewritten(_overlapping), "format"),
    "offsets that run out": (_rewritten(_running_out), "format"),
    "columns of unequal length": (_rewritten(_rows_that_differ), "format"),
    "a column of another dtype": (_rewritten(_other_dtype), "format"),
}
"""What may be wrong, and the layer that must notice."""


def spoil(folder: Path, seed: int) -> tuple[str, str]:
    """Write a case that is not right, and return what is wrong and the layer that must notice."""
    names = list(WRONG)
    name = names[seed % len(names)]
    make(folder, seed)
    WRONG[name][0](folder, seed)
    return name, WRONG[name][1]
