"""Say what each upload costs a client, and what it gave in kept studies, the cheapest first.

    ./run ask --samples-per-client 8 --classes 10 --width 1280 --head linear --link 20

Lengths are those of the ledger, for labels drawn evenly and, where elements are left out, for
normal values; one that depends on what samples hold is a measured one. Measurements are of kept
studies that have as many samples a client and classes, and features of that width; nothing is
guessed for others.
"""

import argparse
import sys
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from importlib import import_module
from itertools import product
from pathlib import Path
from statistics import fmean
from typing import Any

import numpy as np
import pandas as pd
from fbftl.findings.kept import KEPT
from fbftl.ground.errors import UserError, ending_with_sentence
from fbftl.ground.files import csv_rows
from fbftl.messages.codec import Compression
from fbftl.methods.one_shot.message import Terms
from fbftl.privacy.mechanisms import PrivacyRecord, no_mechanism
from fbftl.study.job import KnownAxes
from fbftl.study.methods.one_shot import BOUNDED
from fbftl.study.methods.one_shot import KEPT as SPARSE
from fbftl.study.model.training import OneShot
from fbftl.study.settings import DEFAULTS
from fbftl.study.uploads import HEADS_FROM, MESSAGES, declared

BITS = (32, 8, 4, 2, 1)
KEEP, FEW_BITS = (1.0, 0.5, 0.25, 0.1), (4, 2)
"""Shares of the elements; bits at which fewer than all are listed if nobody has measured them."""

DRAWS = 2_000
"""Clients whose labels are drawn, over which lengths are averaged."""

MADE = 20
"""Clients whose messages are made, since which elements they leave out decides the length."""

PLAIN = no_mechanism()
NOISED = PrivacyRecord("gaussian", "", clip_norm=1.0, noise_std=1.0)
"""Guarantees of messages as they are and under noise, which are as long whatever its size."""

KINDS: dict[str, dict[str, Any]] = {
    "batch": {},
    "means": {},
    "moments": {"covariance": "shared"},
    "mixtures": {"covariance": "spherical"},
    "statistics": {"gram": "factor"},
    "projected": {"gram": "factor", "projection": 128},
}
"""Axes of each message; one of the reader's own has those of its defaults."""


UNDER_NOISE = (
    "\nUnder noise accuracy depends on ε and on the number of clients: docs/what-to-upload.md has "
    "what was measured.\n"
)


@dataclass(frozen=True)
class PricedUpload:
    """A message under a codec, at one size of clients.

    message, bits, keep: what is sent, bits of a number, and the share of its elements.
    kilobytes: that a client sends in the mean.
    measured: what kept studies found: accuracy, what is lost against raw features, and where.
    """

    message: str
    bits: int
    keep: float
    kilobytes: float
    measured: str = ""


def kilobytes(
    message: str, bits: int, keep: float, samples: int, classes: int, width: int,
    guarantee: PrivacyRecord = PLAIN,
) -> float | None:  # fmt: skip
    """Return the mean length of a client's message; None if its content decides it.

    Args:
        message: its name.
        bits: of a number.
        keep: share of the elements.
        samples: of a client, K.
        classes: N, drawn evenly.
        width: numbers of a feature, d.
        guarantee: of the message; under noise second moments travel as their triangle.
    """
    axes = {**DEFAULTS, "message": message, "bits": bits, **KINDS.get(message, {})}
    if bits == 32 or guarantee.noise_std:
        axes |= {"gram": DEFAULTS["gram"]}
    sent = min(axes["projection"], width) if message == "projected" else width
    block = OneShot().model_dump()
    terms = Terms(KnownAxes(axes), block, classes, sent, 0, guarantee, 0)
    made = import_module(f"fbftl.methods.one_shot.messages.{message}").message(terms)
    drawn, compression = np.random.default_rng(0), Compression(bits, keep)
    labels = drawn.integers(classes, size=(DRAWS, samples))
    if keep < 1:
        values = drawn.standard_normal((samples, sent)).astype(np.float32)
        summaries = (
            made.summary(c, values, of_client) for c, of_client in enumerate(labels[:MADE])
        )
        return fmean(len(summary.sent(compression)[0]) for summary in summaries) / 1e3
    values = np.zeros((samples, sent), np.float32)
    shapes = [made.shape(client, values, of_client) for client, of_client in enumerate(labels)]
    if any(shape is None for shape in shapes):
        return None
    return fmean(shape.bits(compression) for shape in shapes) / 8e3


def uploads(
    samples: int, classes: int, width: int, private: bool, root: Path
) -> list[PricedUpload]:
    """Return every upload, the cheapest first, with what kept studies found without noise.

    Args:
        samples, classes, width: as of `kilobytes`.
        private: whether clients noise what they send.
        root: the project's folder.
    """
    sizes, found = (samples, classes, width), []
    for message, bits, keep in product(MESSAGES, BITS, KEEP):
        protected = message in (*BOUNDED, "mixtures") and keep == 1
        if message == "features" or (private and not protected):
            continue
        kept = [] if private else list(measured(message, bits, keep, *sizes, root))
        length = None
        if keep == 1 or (message in SPARSE and bits in FEW_BITS and not kept):
            length = kilobytes(message, bits, keep, *sizes, NOISED if private else PLAIN)
        if length is None and kept:
            length, _ = kept[0]
        if length is not None:
            texts = (text for _, text in kept)
            found.append(PricedUpload(message, bits, keep, length, "; ".join(texts)))
    return sorted(found, key=lambda upload: upload.kilobytes)


def measured(
    message: str, bits: int, keep: float, samples: int, classes: int, width: int, root: Path
) -> Iterator[tuple[float, str]]:
    """Yield kB per client and accuracy of an upload in each kept study of such clients, iid."""
    same_as = {"bits": bits, "keep": keep, "samples_per_client": samples}
    same_as |= {"classes": classes, "width": width}
    for table in sorted((root / KEPT).glob("*/tables/front*.csv")):
        same = [
            row
            for row in csv_rows(table)
            if (row["skew"], row["message"]) == ("iid labels", message)
            if all(float(row[name]) == value for name, value in same_as.items())
        ]
        if same:
            best = max(same, key=lambda row: float(row["accuracy"]))
            accuracy, below = (100 * float(best[name]) for name in ("accuracy", "below_raw"))
            gained = round(-below, 1) + 0.0  # no minus before a zero
            alone = " alone" * (len({row["head"] for row in same}) == 1)
            text = (
                f"{accuracy:.1f}% ({best['head']}{alone}, {gained:+.1f}; {table.parents[1].name})"
            )
            yield float(best["kilobytes"]), text


def answer(found: Sequence[PricedUpload], options: argparse.Namespace) -> str:
    """Return the table: of what fits the link and the head."""
    fitting = [
        upload
        for upload in found
        if options.link is None or upload.kilobytes <= options.link
        if options.head != "mlp" or "mlp" in HEADS_FROM[upload.message]
    ]
    if not fitting:
        return f"No upload fits; the shortest takes {found[0].kilobytes:.3g} kB a client.\n"
    head = "best head, alone if no other was run; points against raw features; study"
    lines = [f"{'kB/client':>11}  bits  elements  {'message':11}  measured accuracy ({head})"]
    lines += [
        f"{of.kilobytes:11.3g}  {of.bits:4}  {of.keep:8.0%}  {of.message:11}  "
        f"{of.measured or 'not measured'}"
        for of in fitting
    ]
    sees = {of.message: declared(of.message, "REVEALS") for of in fitting}
    noised = ", under noise" * options.private
    lines += ["", *(f"The server sees of {name}: {what}{noised}." for name, what in sees.items())]
    return "\n".join(lines) + "\n"


def elsewhere(root: Path) -> str:
    """Return which sizes of clients kept studies have measured."""
    tables = [pd.read_csv(path) for path in sorted((root / KEPT).glob("*/tables/front*.csv"))]
    if not tables:
        return ""
    rows = pd.concat(tables)
    measured = (
        f"{classes} classes, width {width}: K = {', '.join(map(str, sorted(set(sizes))))}"
        for (classes, width), sizes in rows.groupby(["classes", "width"])["samples_per_client"]
    )
    return f"\nNothing of this size is kept. Measured are {'; '.join(measured)}.\n"


def main(words: Sequence[str], root: Path = Path()) -> str:
    """Return the answer to the options of the command line.

    Raises:
        UserError: where a size is no positive number.
    """
    parser = argparse.ArgumentParser("./run ask", allow_abbrev=False)
    for name in ("samples-per-client", "classes", "width"):
        parser.add_argument(f"--{name}", type=int, required=True)
    parser.add_argument("--head", choices=("linear", "mlp"))
    parser.add_argument("--link", type=float, help="kB that a client can send")
    parser.add_argument("--private", action="store_true", help="what clients noise, at its length")
    options = parser.parse_args(words)
    sizes = options.samples_per_client, options.classes, options.width
    if min(sizes) < 1:
        raise UserError("--samples-per-client, --classes and --width must be at least 1")
    found = uploads(*sizes, options.private, root)
    if options.private:
        return answer(found, options) + UNDER_NOISE
    return answer(found, options) + ("" if any(of.measured for of in found) else elsewhere(root))


if __name__ == "__main__":
    with ending_with_sentence():
        print(main(sys.argv[1:]), end="")
