"""Messages and heads in tables and figures: their published names, looks, and what they reveal."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

import pandas as pd

from fbftl.ground.floats import FLOAT_BITS
from fbftl.study.uploads import DRAWS, SUMS, declared

UPLOADING = ("fbftl", "one_shot")
"""Methods whose settings are shown by the names of their message and head."""

WORDS = {
    "batch": "features in one message",
    "means": "class means",
    "moments": "means and variances",
    "projected": "projected second moments",
    "statistics": "second moments",
}
"""What messages are called that are not called as they are keyed."""

HEADS = {
    "afl": "AFL",
    "fed3r": "Fed3R",
    "fedcgs": "FedCGS",
    "fedcof": "FedCOF",
    "fedcof_between": "FedCOF, with the scatter between classes",
    "fedcof_oracle": "FedCOF's oracle",
    "lda": "LDA",
    "logistic": "logistic regression",
    "mlp": "MLP",
    "nb": "naive Bayes",
    "qda": "QDA",
    "ncm": "nearest mean",
    "fedncm": "FedNCM's head",
    "fishermix": "FisherMix",
    "protohyper": "Proto-Hyper",
}
"""How heads are written behind a message where the two have no name."""

NAMES = {
    ("features", "mlp"): "FbFTL",
    ("means", "fedncm"): "FedNCM",
    ("means", "fedcof_between"): "FedCOF (with the scatter between classes)",
    ("statistics", "fedcof_oracle"): "FedCOF's oracle",
    ("statistics", "ridge"): "ridge",
    ("statistics", "lda"): "GH-LDA",
    ("mixtures", "mlp"): "mixtures",
    **{("means", head): HEADS[head] for head in ("ncm", "fedcof")},
    **{("statistics", head): HEADS[head] for head in ("fed3r", "afl", "fedcgs", *DRAWS)},
}
"""Names of a message with a head, published ones where it is that method; other pairs have none."""

FEDPFT = {"message": "mixtures", "head": "mlp", "covariance": "spherical", "bits": 16}
"""What has FedPFT's name: its defaults."""

COLOURS = {
    "features": "#D55E00",
    "batch": "#A6761D",
    "means": "#0072B2",
    "moments": "#332288",
    "statistics": "#009E73",
    "projected": "#56B4E9",
    "mixtures": "#CC79A7",
}
SPHERICAL = "#882255"
"""Colour of mixtures under spherical covariances."""

MARKERS = {
    "mlp": "o",
    "logistic": "s",
    "ridge": "^",
    "fed3r": "<",
    "afl": ">",
    "lda": "D",
    "fedcgs": "v",
    "fedcof": "P",
    "fedcof_between": "*",
    "fedcof_oracle": "h",
    "ncm": "X",
    "fedncm": "d",
    "nb": "p",
    "qda": "H",
    "fishermix": "$F$",
    "protohyper": "$\\ast$",
}

SUM_ALONE = "the sum over all clients alone, unless server and dealer collude"
"""What it sees of messages that are masked."""


@dataclass(frozen=True)
class Upload:
    """One setting's message and head, as it is written and drawn."""

    message: str
    head: str
    aggregation: str = "open"
    projection: int | None = None
    components: int = 1
    covariance: str = "diagonal"
    bits: int = FLOAT_BITS
    means_per_class: int = 1

    @classmethod
    def of(cls, row: Mapping[str, Any]) -> "Upload":
        """Return what a row of a tidy table uploads."""
        projection = None if pd.isna(row["projection"]) else int(row["projection"])
        values = {name: row[name] for name in ("message", "head", "aggregation", "covariance")}
        values |= {name: int(row[name]) for name in ("components", "bits", "means_per_class")}
        return cls(**values, projection=projection)

    @property
    def label(self) -> str:
        """Its name, else message and head; what is not in the name is in brackets."""
        name = NAMES.get(
            (self.message, self.head),
            f"{WORDS.get(self.message, self.message)}, {HEADS.get(self.head, self.head)}",
        )
        more = [f"k = {self.projection}"] if self.projection else []
        if all(getattr(self, axis) == value for axis, value in FEDPFT.items()):
            name = "FedPFT"
        else:
            more += ["spherical"] if self.covariance == "spherical" else []
            more += [f"{self.bits} bits"] if self.bits != FLOAT_BITS else []
        more += [f"{self.means_per_class} means per class"] if self.means_per_class > 1 else []
        more += [f"G = {self.components}"] if self.components > 1 else []
        more += ["G chosen"] if self.components == 0 else []
        more += [] if self.aggregation == "open" else [self.aggregation]
        return f"{name} ({', '.join(more)})" if more else name

    @property
    def sent(self) -> str:
        """Its message alone, whatever head is made of it."""
        more = [of for of in (self.covariance, self.aggregation) if of in ("spherical", "masked")]
        return ", ".join([WORDS.get(self.message, self.message), *more])

    @property
    def revealed(self) -> str:
        """What the server sees."""
        if self.aggregation == "masked":
            return SUM_ALONE
        return declared("batch" if self.message == "features" else self.message, "REVEALS")

    @property
    def summable(self) -> bool:
        """Whether such messages add up, so that a secure sum could hide them."""
        return self.message in ("statistics", "projected") or (
            self.message == "means" and self.head in SUMS
        )

    @property
    def look(self) -> tuple[str, str, bool]:
        """Colour of the message, marker of the head, and whether more than a sum is seen."""
        colour = SPHERICAL if self.covariance == "spherical" else COLOURS[self.message]
        return colour, MARKERS[self.head], self.aggregation != "masked"


def by_upload(rows: pd.DataFrame) -> Iterator[tuple[Upload, pd.DataFrame]]:
    """Yield uploads with their rows, in the order of messages and heads."""
    uploads = [Upload.of(row) for row in rows.to_dict("records")]
    order = [
        (list(COLOURS).index(u.message), list(MARKERS).index(u.head), u.label) for u in uploads
    ]
    for _, upload in sorted(set(zip(order, uploads, strict=True)), key=lambda pair: pair[0]):
        yield upload, rows[[of_row == upload for of_row in uploads]]
