"""What is read and written: images, letters, texts, arrays and tables, by the pinned libraries."""

import io
from collections.abc import Callable
from typing import Any

import h5py
import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import zarr
from PIL import Image, ImageOps
from safetensors.numpy import load, save
from zarr.codecs import Crc32cCodec, ZstdCodec
from zarr.storage import MemoryStore

from fbftl.data import domains
from fbftl.data.dialogues.generated import generate
from fbftl.data.letters import render_letters
from fbftl.data.preprocess import measured
from fbftl.features.store.dtypes import from_storage, to_storage
from fbftl.findings.probe.inputs import floats, integers, numbers
from fbftl.models.t5.tokenizer import train_tokenizer


def _pixels(*shape: int) -> np.ndarray:
    """Return images with edges and gradients as well as noise, uint8."""
    rows = np.arange(shape[0])[:, None, None] * 3 + np.arange(shape[1])[None, :, None] * 2
    return ((rows + integers(40, *shape)) % 256).astype(np.uint8)


def _written(image: Image.Image, kind: str, **options: Any) -> bytes:
    buffer = io.BytesIO()
    image.save(buffer, kind, **options)
    return buffer.getvalue()


def _jpeg() -> list[Any]:
    """Colour at several qualities and samplings of colour, and grey: what is written and read."""
    colour, grey = Image.fromarray(_pixels(67, 45, 3)), Image.fromarray(_pixels(67, 45, 1)[..., 0])
    files = [
        _written(colour, "JPEG", quality=quality, subsampling=sampling)
        for quality in (60, 95)
        for sampling in (0, 1, 2)
    ]
    files += [_written(grey, "JPEG"), _written(colour, "JPEG", progressive=True)]
    return [*files, *(np.asarray(Image.open(io.BytesIO(file))) for file in files)]


def _png() -> list[Any]:
    colour = Image.fromarray(_pixels(67, 45, 3))
    sixteen = Image.fromarray(integers(2**16, 20, 20).astype(np.uint16))
    files = [
        _written(colour, "PNG"),
        _written(sixteen, "PNG"),
        _written(colour.convert("P"), "PNG"),
    ]
    return [np.asarray(Image.open(io.BytesIO(file))) for file in files]


def _fitted() -> list[Any]:
    image = Image.fromarray(_pixels(67, 45, 3))
    sizes = [ImageOps.fit(image, (side, side), Image.Resampling.BICUBIC) for side in (32, 90)]
    others = image.convert("L"), image.resize((20, 20), Image.Resampling.BILINEAR)
    return [np.asarray(picture) for picture in (*sizes, *others)]


def _letters() -> list[Any]:
    """Rendered, turned, blurred and scaled letters: fonts by FreeType, the rest by Pillow."""
    grey, classes = render_letters(20, (8, 8, 1), 5)
    coloured, _ = render_letters(6, (16, 16, 3), 5)
    statistics = measured(coloured)
    return [grey, classes, coloured, statistics.mean, statistics.std]


def _domains() -> list[Any]:
    """Every step that makes a domain of images."""
    images = _pixels(13, 13, 3)[None].repeat(4, 0)
    origin = domains.Origin("train", np.arange(4), 1, 3)
    return [step(images, origin) for step in domains.STEPS.values()]


def _texts() -> list[Any]:
    """A tokenizer that is trained on generated dialogues, and what it makes of others."""
    records = generate("source", {"some": 60}, seed=2)["some"]
    tokenizer = train_tokenizer([record.dialogue for record in records], 400)
    ids = tokenizer.encode([f"{record.summary} äß" for record in records], 40)
    return [tokenizer.text, [row.tolist() for row in ids], tokenizer.decode(ids)]


def _arrays() -> list[Any]:
    """Chunks of a store of features, and clients' arrays in HDF5."""
    store = MemoryStore()
    array = zarr.create_array(
        store, name="features", shape=(300, 40), chunks=(100, 40), dtype="float32",
        compressors=[ZstdCodec(level=0), Crc32cCodec()], fill_value=0,
    )  # fmt: skip
    values = np.maximum(floats(300, 40), 0)
    array[:] = values
    chunks = {key: value.to_bytes() for key, value in store._store_dict.items() if "/c/" in key}
    buffer = io.BytesIO()
    with h5py.File(buffer, "w") as file:
        file.create_dataset("pixels", data=_pixels(50, 8, 1), compression="gzip", shuffle=True)
    with h5py.File(buffer, "r") as file:
        pixels = file["pixels"][:]
    return [chunks, array[:], pixels, load(save({"weight": values}))["weight"]]


def _tables() -> list[Any]:
    """A ledger's columns as Parquet."""
    table = pa.table({"client": integers(9, 500), "bits": numbers(500), "name": ["a"] * 500})
    buffer = io.BytesIO()
    pq.write_table(table, buffer)
    read = pq.read_table(io.BytesIO(buffer.getvalue()))
    return [buffer.getvalue(), read["client"].to_numpy(), read["bits"].to_numpy()]


def _short_floats() -> list[Any]:
    values = floats(33, 65) / 3
    stored = [to_storage(values, dtype) for dtype in ("float16", "bfloat16")]
    return [*stored, *map(from_storage, stored, ("float16", "bfloat16"))]


OPERATIONS: dict[str, Callable[[], Any]] = {
    "jpeg": _jpeg,
    "png": _png,
    "fit": _fitted,
    "letters": _letters,
    "domains": _domains,
    "texts": _texts,
    "arrays": _arrays,
    "tables": _tables,
    "short-floats": _short_floats,
}
"""Every operation by its name."""
