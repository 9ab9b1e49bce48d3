"""Invert uploads without noise in every seed: how close a decoder comes to clients' pictures.

The adversary is the server, as in `attack_features.py`: it has the extractor and public pictures,
trains a decoder on their features, and draws what clients uploaded. It treats these features as
clients treat theirs: at the cut of a setting, quantised to its bits, with the elements it keeps.
"""

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import pandas as pd
from fbftl.attacks.inversion import columns_of, likenesses, train_decoder, training_pictures
from fbftl.attacks.label_recovery import errors
from fbftl.data.clients import ClientFile
from fbftl.features.images import extraction
from fbftl.findings.tables import BY_SEED, Column, ResultTable
from fbftl.ground import devices
from fbftl.messages.codec import Compression, compress
from fbftl.study.job import KnownAxes, from_params, name_of

VICTIMS = 400
"""Samples that are drawn: enough for a mean within a tenth of a decibel."""

COLUMNS = [
    *BY_SEED,
    Column("inversion_psnr", "PSNR of drawn pictures", "dB", "{:.1f}"),
    Column("inversion_blind", "PSNR of the public mean", "dB", "{:.1f}"),
    Column("ssim", "SSIM of drawn pictures", format="{:.3f}"),
    Column("ssim_blind", "SSIM of the public mean", format="{:.3f}"),
    Column("feature_error", "Relative error of features", format="{:.3f}"),
]


def main(
    clients: str, public: str, model: str, source: str,
    jobs: Sequence[Mapping[str, Any]], features: Mapping[str, Any],
    axes: dict[str, Any], device: str, threads: int,
) -> ResultTable:  # fmt: skip
    """Return the table.

    Args:
        clients: the client file.
        public: the public client file.
        model: weights of the source model.
        source: its manifest.
        jobs: the settings whose uploads are inverted, none of which has noise.
        features: the task's block `features`.
        axes: the axes that each method knows, with their defaults.
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
        setting, how = name_of(job["setting"]), compression_of(from_params(job, axes).setting)
        wanted, of_public = uploads[cuts[setting]], public_features[cuts[setting]]
        read, known = (compress(values, how).values for values in (wanted, of_public))
        error = float(np.median(errors(read, wanted)))
        for seed in job["seeds"]:
            decoder = train_decoder(known, public_inputs, seed=seed, device=where)
            drawn = columns_of(likenesses(decoder(read[:VICTIMS]), inputs, public_inputs))
            of_run = {"task": job["task"], "setting": setting, "seed": seed}
            rows.append(of_run | drawn | {"feature_error": error})
    renamed = {"psnr": "inversion_psnr", "psnr_blind": "inversion_blind"}
    return ResultTable(pd.DataFrame(rows).rename(columns=renamed), COLUMNS)


def compression_of(setting: KnownAxes) -> Compression:
    """Return how clients shorten features; FbFTL's levels span their range."""
    fitted = setting.method != "fbftl" and setting.levels == "fitted"
    return Compression(setting.bits, setting.keep, fitted)


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
