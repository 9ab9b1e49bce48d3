"""Mutated data files: each is read as it says or refused in one sentence, whatever was done to it.

`FBFTL_MUTATIONS=1500 pytest FILE` makes 1,500 of each kind; the gate makes the first fifty.
"""

import csv
import io
import os
import random

import numpy as np
import pytest
from fbftl.data.datasets import check, class_count, load, training_count
from fbftl.data.datasets.images import EncodedImages
from fbftl.ground.errors import UserError
from PIL import Image
from unit.data.test_table_splits import SPEC
from unit.study.test_fuzz_config import require_sentence

MUTATIONS = int(os.environ.get("FBFTL_MUTATIONS", 50))
WORDS = ["", "?", "x", "1", "-3.5", "1e308", "1e-320", "nan", "inf", "true", "2020-01-01", "\u00e9"]
FORMATS = ["png", "jpeg", "gif", "bmp", "tiff", "webp", "ppm"]
MODES = ["1", "L", "LA", "P", "RGB", "RGBA", "CMYK", "I;16", "I", "F"]


def damaged(content: bytes, rng: random.Random) -> bytes:
    """Return bytes of which some are changed, cut off, doubled or put in."""
    spoiled = bytearray(content)
    for _ in range(rng.randint(0, 2)):
        at = rng.randrange(len(spoiled) + 1)
        match rng.choice(["flip", "cut", "double", "insert"]):
            case "flip" if at < len(spoiled):
                spoiled[at] ^= rng.randint(1, 255)
            case "cut":
                del spoiled[at:]
            case "double":
                spoiled[at:at] = spoiled[at : at + 16]
            case _:
                spoiled[at:at] = rng.randbytes(3)
    return bytes(spoiled)


def rows_of(rng: random.Random) -> list[list[str]]:
    """Return a table of numbers, words and labels with some cells replaced."""
    rows = [["x", "word", "label"]]
    rows += [[str(n / 7), rng.choice("abc"), rng.choice("01")] for n in range(rng.randint(2, 12))]
    for _ in range(rng.randint(0, 2)):
        row = rng.choice(rows)
        row[rng.randrange(3)] = rng.choice([*WORDS, *rows[0]])
    return rows


def written(rows: list[list[str]]) -> bytes:
    text = io.StringIO()
    csv.writer(text).writerows(rows)
    return text.getvalue().encode()


@pytest.mark.parametrize("block", range(10))
def test_mutated_tables(tmp_path, block):
    for seed in range(block, MUTATIONS, 10):
        rng = random.Random(seed)
        for split in ("train", "test"):
            (tmp_path / f"{split}.csv").write_bytes(damaged(written(rows_of(rng)), rng))
        spec = SPEC | {"test": rng.choice(["test.csv", None])}
        try:
            check(spec, tmp_path)
            planned = training_count(spec, tmp_path), class_count(spec, tmp_path)
            dataset = load(spec, tmp_path)
        except UserError as error:
            require_sentence(error)
            continue
        assert planned == (len(dataset.train), len(dataset.classes)), seed
        for _, samples in dataset:
            assert np.isfinite(samples.inputs).all(), seed
            assert samples.labels.max() < len(dataset.classes), seed


@pytest.mark.parametrize("block", range(10))
def test_mutated_images(block):
    for seed in range(block, MUTATIONS, 10):
        rng = random.Random(seed)
        image = Image.new("L", (5, 4), rng.randrange(256)).convert("RGB")
        image.putpixel((2, 1), (255, 0, 128))
        file = io.BytesIO()
        try:
            mode = rng.choice(MODES)
            (image.convert("L") if mode in ("I;16", "I", "F") else image).convert(mode).save(
                file, rng.choice(FORMATS)
            )
        except (OSError, ValueError):  # a format without this mode
            continue
        channels = rng.choice([1, 3])
        images = EncodedImages([damaged(file.getvalue(), rng)], ["a"], channels, 8)
        try:
            decoded = images[0:1]
        except UserError as error:
            require_sentence(error)
            continue
        assert decoded.shape == (1, 8, 8, channels), seed
