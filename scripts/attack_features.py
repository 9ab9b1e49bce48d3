"""Attack uploaded features: a decoder trained on public data draws the clients' inputs.

The adversary is the server. It has the extractor, public samples and the uploads exactly as they
were sent, noise included, and trains one decoder per level of noise.
"""

from collections.abc import Sequence
from typing import Any

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
import torch
from fbftl.attacks.findings import Finding, summary, write_findings
from fbftl.attacks.inversion import likenesses, train_decoder, training_pictures
from fbftl.exchange.sending import sending
from fbftl.features.store.features import Features
from fbftl.features.store.opening import open_store
from fbftl.findings.style import TEXT_WIDTH, save, use_style
from fbftl.ground import devices
from fbftl.ground.logs import run_job
from fbftl.privacy.noise import clip_rows
from fbftl.study.job import Job, from_params
from fbftl.tasks.images import uploads_of

VICTIMS = 400
"""Samples that are reconstructed: enough for a mean within a tenth of a decibel."""

SHOWN = 10
"""Pictures in the figure."""


def main(
    manifest: str, public_manifest: str, clients: str, public: str, csv: str, svg: str,
    params: Sequence[dict[str, Any]], axes: dict[str, Any], device: str, threads: int,
) -> None:  # fmt: skip
    """Write the findings and the figure of originals above reconstructions.

    Args:
        manifest: of the clients' feature store.
        public_manifest: of the public feature store.
        clients: the client file.
        public: the public client file.
        csv: findings to write.
        svg: figure to write; pdf, png and numbers go beside it.
        params: the FbFTL jobs whose uploads are attacked, without noise first.
        axes: the axes that each method knows, with their defaults.
        device: auto, cpu or cuda.
        threads: threads to compute with.
    """
    where = devices.prepare(device, threads)
    features = open_store(manifest).read("train")[0:VICTIMS]
    public_features = open_store(public_manifest).read("train").values
    inputs, public_inputs = training_pictures(clients)[0:VICTIMS], training_pictures(public)
    findings, drawn = [], {"original": inputs}
    for job in (from_params(given, axes) for given in params):
        drawn[name(job)] = reconstructions(job, features, public_features, public_inputs, where)
        findings += measured(job, drawn[name(job)], inputs, public_inputs)
    write_findings(csv, findings)
    use_style()
    save(draw(drawn, findings), svg, pd.DataFrame(findings))


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
    known = public_features
    if how.clip_norm is not None:
        known = clip_rows(public_features, how.clip_norm)
    decoder = train_decoder(
        known,
        public_inputs,
        seed=seed,
        noise_std=how.records[0].noise_std or 0.0,
        device=device,
    )
    return decoder(how.noised(seed, draw=0).values)


def measured(
    job: Job, drawn: np.ndarray, inputs: np.ndarray, public_inputs: np.ndarray
) -> list[Finding]:
    """Return how close reconstructions come, beside the public data's mean picture."""
    return [
        Finding(
            attack="inversion",
            method="fbftl",
            adversary="server with public data, on one upload",
            mechanism=job.setting.mechanism,
            unit="sample" if job.setting.epsilon else None,
            epsilon=job.setting.epsilon,
            samples_per_client=None,
            measure=own.measure,
            blind=own.blind,
            **summary(own.values),
        )
        for own in likenesses(drawn, inputs, public_inputs)
    ]


def draw(drawn: dict[str, np.ndarray], findings: Sequence[Finding]) -> plt.Figure:
    """Return the figure: a row of originals, then a row per level of noise."""
    quality = [f.value for f in findings if f.measure == "PSNR (dB)"]
    titles = [
        "original",
        *(f"{n}\n{q:.1f} dB" for n, q in zip(list(drawn)[1:], quality, strict=True)),
    ]
    columns = min(SHOWN, len(drawn["original"]))
    height = TEXT_WIDTH / (columns + 1) * len(drawn)
    figure, places = plt.subplots(len(drawn), columns, figsize=(TEXT_WIDTH, height), squeeze=False)
    for row, (title, images) in zip(places, zip(titles, drawn.values(), strict=True), strict=True):
        for axes, image in zip(row, images, strict=False):
            axes.imshow(np.moveaxis(image, 0, 2), cmap="gray", vmin=0, vmax=1)
            axes.set(xticks=[], yticks=[])
            axes.grid(False)
            axes.spines[:].set_visible(False)
        row[0].set_ylabel(title, rotation=0, ha="right", va="center")
    figure.subplots_adjust(wspace=0.05, hspace=0.05)
    return figure


if __name__ == "__main__":
    run_job(
        snakemake,
        lambda job: main(
            job.input.manifest,
            job.input.public_manifest,
            job.input.clients,
            job.input.public,
            job.output.findings,
            job.output.svg,
            job.params.jobs,
            job.config["axes"],
            job.config["device"],
            job.threads,
        ),
    )
