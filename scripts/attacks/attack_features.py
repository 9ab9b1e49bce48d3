"""Attack uploaded features: a decoder trained on public data draws the clients' inputs.

The adversary is the server. It has the extractor, public samples and the uploads exactly as they
were sent, noise included, and trains one decoder per level of noise.
"""

from collections.abc import Sequence
from typing import Any

import numpy as np
import pandas as pd
import torch
from fbftl.attacks.attained import write_findings
from fbftl.attacks.heads import protection
from fbftl.attacks.inversion import found_in_pictures, likenesses, train_decoder, training_pictures
from fbftl.exchange.sending import sending
from fbftl.features.store.reader import Features, open_store
from fbftl.findings.reconstructions import draw
from fbftl.findings.style import save
from fbftl.ground import devices
from fbftl.privacy.noise import clip_rows
from fbftl.study.job import Job, from_params
from fbftl.training.tasks.images import uploads_of

VICTIMS = 400
"""Samples that are reconstructed: enough for a mean within a tenth of a decibel."""


def main(
    manifest: str, public_manifest: str, clients: str, public: str, findings: str, svg: str,
    jobs: Sequence[dict[str, Any]], axes: dict[str, Any], device: str, threads: int,
) -> None:  # fmt: skip
    """Write the findings and the figure of originals above reconstructions.

    Args:
        manifest: of the clients' feature store.
        public_manifest: of the public feature store.
        clients: the client file.
        public: the public client file.
        findings: what to write them to.
        svg: figure to write; pdf, png and numbers go beside it.
        jobs: the FbFTL jobs whose uploads are attacked, without noise first.
        axes: the axes that each method knows, with their defaults.
        device: auto, cpu or cuda.
        threads: threads to compute with.
    """
    where = devices.prepare(device, threads)
    features = open_store(manifest).read("train", slice(VICTIMS))
    public_features = open_store(public_manifest).read("train").values
    inputs, public_inputs = training_pictures(clients)[0:VICTIMS], training_pictures(public)
    rows, pictures = [], {"original": inputs}
    for job in (from_params(job_params, axes) for job_params in jobs):
        pictures[name(job)] = reconstructions(job, features, public_features, public_inputs, where)
        rows += found_in_pictures(
            likenesses(pictures[name(job)], inputs, public_inputs),
            method="fbftl",
            adversary="server with public data, on one upload",
            **protection(job),
        )
    write_findings(findings, rows)
    numbers = pd.DataFrame(rows).assign(seeds=1)
    save(draw(pictures, rows), svg, numbers, "Images reconstructed from features; mean PSNR")


def name(job: Job) -> str:
    """Return how a job's noise is called in the figure."""
    epsilon = job.setting.epsilon
    return "no noise" if epsilon is None else f"ε = {epsilon:g}"


def reconstructions(
    job: Job, features: Features, public_features: np.ndarray, public_inputs: np.ndarray,
    device: torch.device,
) -> np.ndarray:  # fmt: skip
    """Return what a decoder that knows the mechanism draws from a job's uploads."""
    seed = job.seeds[0]
    payload = uploads_of(features, int(features.labels.max()) + 1)
    how = sending(job, payload, public_features)
    reference = public_features
    if how.clip_norm is not None:
        reference = clip_rows(public_features, how.clip_norm)
    decoder = train_decoder(
        reference,
        public_inputs,
        seed=seed,
        noise_std=how.records[0].noise_std or 0.0,
        device=device,
    )
    return decoder(how.noised(seed, draw=0).values)
