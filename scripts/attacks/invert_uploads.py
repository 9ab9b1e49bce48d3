"""Invert plain uploads in every seed: how close a decoder comes to clients' pictures, by cut.

The adversary is the server, as in `attack_features.py`: it has the extractor and public pictures,
trains a decoder on their features at the cut of a setting, and draws what clients uploaded.
"""

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import pandas as pd
from fbftl.attacks.inversion import likenesses, train_decoder, training_pictures
from fbftl.data.clients import ClientFile
from fbftl.features.images import extraction
from fbftl.findings.tables import BY_SEED, Column, ResultTable
from fbftl.ground import devices
from fbftl.study.job import name_of

VICTIMS = 400
"""Samples that are drawn: enough for a mean within a tenth of a decibel."""

COLUMNS = [
    *BY_SEED,
    Column("inversion_psnr", "PSNR of drawn pictures", "dB", "{:.1f}"),
    Column("inversion_blind", "PSNR of the public mean", "dB", "{:.1f}"),
]


def main(
    clients: str, public: str, model: str, source: str,
    jobs: Sequence[Mapping[str, Any]], features: Mapping[str, Any], device: str, threads: int,
) -> ResultTable:  # fmt: skip
    """Return the table.

    Args:
        clients: the client file.
        public: the public client file.
        model: weights of the source model.
        source: its manifest.
        jobs: the settings whose uploads are inverted, none of which has noise.
        features: the task's block `features`.
        device: auto, cpu or cuda.
        threads: threads to compute with.
    """
    where = devices.prepare(device, threads)
    inputs, public_inputs = training_pictures(clients)[:VICTIMS], training_pictures(public)
    cuts = {name_of(job["setting"]): job["setting"].get("cut") or features["cut"] for job in jobs}
    block = {**features, "further_cuts": sorted({*cuts.values()} - {features["cut"]})}
    uploads, public_features = (
        features_of(path, model, source, block, str(where)) for path in (clients, public)
    )
    rows = []
    for job in jobs:
        setting = name_of(job["setting"])
        cut = cuts[setting]
        for seed in job["seeds"]:
            decoder = train_decoder(public_features[cut], public_inputs, seed=seed, device=where)
            drawn = decoder(uploads[cut][:VICTIMS])
            psnr = likenesses(drawn, inputs, public_inputs)[0]
            of_run = {"task": job["task"], "setting": setting, "seed": seed}
            measured = {"inversion_psnr": psnr.values.mean(), "inversion_blind": psnr.blind}
            rows.append(of_run | measured)
    return ResultTable(pd.DataFrame(rows), COLUMNS)


def features_of(
    samples_path: str, model: str, source: str, block: Mapping[str, Any], device: str
) -> dict[str, np.ndarray]:
    """Return what the extractor gives for a file's training samples, (n, d) at each cut."""
    with ClientFile(samples_path) as samples:
        extractor = extraction(samples, model, source, block, device)
        parts = [
            extractor.forward(batch.arrays) for batch in samples.batches("train", block["batch"])
        ]
    return {cut: np.concatenate([part[cut] for part in parts]) for cut in extractor.provenances}
