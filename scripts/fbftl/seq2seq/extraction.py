"""The features of dialogues: what a task's `features` block asks for, and what identifies it."""

import json
from collections.abc import Mapping
from dataclasses import dataclass
from importlib.metadata import version
from pathlib import Path
from typing import Any

from fbftl.clients import ClientFile
from fbftl.files import sha256
from fbftl.seq2seq.features import Forward, TokenizedClients, forward_fn
from fbftl.seq2seq.source import load_source
from fbftl.store import Provenance

LIBRARIES = ("torch", "tokenizers", "numpy", "zarr")


@dataclass(frozen=True)
class Extraction:
    """The frozen encoder of a task, ready to run over its dialogues.

    Attributes:
        samples: the clients' dialogues as token ids.
        forward: the encoder, with an output per cut.
        provenances: of the features at each cut, by the cut's name.
    """

    samples: TokenizedClients
    forward: Forward
    provenances: dict[str, Provenance]


def extraction(
    clients: ClientFile, weights: str, source: str, features: Mapping[str, Any], device: str
) -> Extraction:
    """Return the extraction that a task's `features` block asks for, all its cuts in one pass.

    Args:
        clients: the client file, open.
        weights: path of the source model's weights.
        source: path of the source model's manifest.
        features: the block.
        device: `cpu` or `cuda`.

    Raises:
        UserError: if the model has no such cut, or the weights are not the manifest's.
    """
    described = json.loads(Path(source).read_text(encoding="utf-8"))
    model = load_source(weights, described)
    cuts = [features["cut"], *features["further_cuts"]]
    return Extraction(
        samples=TokenizedClients(clients, model.tokenizer, features["longest"], features["prefix"]),
        forward=forward_fn(model.model, cuts, device),
        provenances={
            str(cut): Provenance(
                source=described["sha256"],
                cut=str(cut),
                preprocessing={"longest": features["longest"], "prefix": features["prefix"]},
                data=sha256(clients.path),
                dtype=features["dtype"],
                libraries={name: version(name) for name in LIBRARIES},
            )
            for cut in cuts
        },
    )
