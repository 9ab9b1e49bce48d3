"""Attack what EPPFL's servers see in the first round: pictures, labels and masked weights.

The edge server has what every client has, the first half that the round begins with, and public
samples. It treats these as clients treat theirs, several times over, and trains a decoder on the
outcome. Labels go to it in clear. The aggregator has the clients' masked weights.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import torch
from fbftl.attacks.findings import Finding, summary, write_findings
from fbftl.attacks.inversion import DecoderTraining, likenesses, train_decoder, training_pictures
from fbftl.attacks.label_recovery import blind_counts, share_recovered
from fbftl.attacks.unmasking import byte_uniformity, correlation
from fbftl.ground import devices
from fbftl.ground.binding import run_by_name
from fbftl.ground.ring import Ring
from fbftl.methods.eppfl.activations import Boundary
from fbftl.methods.eppfl.rounds import crossing_of
from fbftl.privacy.masking import Dealer, masked
from fbftl.study.job import Job, from_params
from fbftl.tasks.images import ClientImageSamples, client_samples
from fbftl.tasks.task import Inputs
from torch import nn

VICTIMS = 200
"""Samples that are reconstructed."""

KNOWN = 1000
"""Public samples that a decoder learns from."""

DRAWS = 2
"""Times that each of them is dropped and noised."""

TRAINING = DecoderTraining(epochs=10)


def main(
    files: Mapping[str, str], public: str, csv: str, jobs: Sequence[dict[str, Any]],
    axes: dict[str, Any], device: str, threads: int,
) -> None:  # fmt: skip
    """Write the findings.

    Args:
        files: paths of what the jobs are trained from, and of public samples, by name.
        public: the public client file.
        csv: findings to write.
        jobs: those of EPPFL that are attacked.
        axes: the axes that each method knows, with their defaults.
        device: auto, cpu or cuda.
        threads: threads to compute with.
    """
    where = devices.prepare(device, threads)
    names = ("manifest", "clients", "weights", "source")
    inputs = Inputs.at({name: files[name] for name in names}, where)
    findings: list[Finding] = []
    for job in (from_params(job_params, axes) for job_params in jobs):
        if job.setting.aggregation == "masked":
            findings += aggregator(job, client_samples(job, inputs))
        else:
            with_public = replace(inputs, clients=Path(public))
            findings += edge_server(job, inputs, with_public)
            findings.append(labels_in_clear(job, client_samples(job, inputs)))
    write_findings(csv, findings)


def finding(job: Job, attack: str, adversary: str, measure: str, **attained: Any) -> Finding:
    """Return what an adversary attains under a setting."""
    setting = job.setting
    noisy = setting.mechanism == "laplace"
    return Finding(
        attack=attack,
        method=setting.method,
        adversary=adversary,
        mechanism=f"laplace, {setting.laplace_sensitivity}" if noisy else setting.mechanism,
        unit="activation" if noisy else None,
        epsilon=setting.epsilon,
        samples_per_client=None,
        measure=measure,
        **attained,
    )


def edge_server(job: Job, inputs: Inputs, public: Inputs) -> Iterator[Finding]:
    """Yield how close the edge server's pictures come, beside the public data's mean picture."""
    seed = job.seeds[0]
    client_data, public_data = client_samples(job, inputs), client_samples(job, public)
    front, _ = client_data.target.random(job, seed)
    boundary = Boundary(crossing_of(job), seed)
    sent_features = [
        sent(front, boundary, public_data, KNOWN, draw) for draw in range(1, DRAWS + 1)
    ]
    pictures = training_pictures(public.clients)[:KNOWN]
    decoder = train_decoder(
        np.concatenate(sent_features),
        np.concatenate([pictures] * DRAWS),
        seed=seed,
        training=TRAINING,
        device=inputs.device,
    )
    seen = sent(front, boundary, client_data, VICTIMS, 0)
    victims = training_pictures(inputs.clients)[:VICTIMS]
    adversary = f"edge server with public data, θ_a = {job.setting.keep_activations:g}"
    for likeness in likenesses(decoder(seen), victims, pictures):
        attained = summary(likeness.values)
        yield finding(
            job, "inversion", adversary, likeness.measure, blind=likeness.blind, **attained
        )


@torch.no_grad()
def sent(
    front: nn.Module, boundary: Boundary, client_data: ClientImageSamples, count: int, draw: int
) -> np.ndarray:
    """Return what clients send of the first samples, (n, N)."""
    inputs = client_data.samples.at(np.arange(min(count, len(client_data.samples.labels)))).inputs
    return boundary.tested(draw, inputs.device)(front(inputs)).flatten(1).cpu().numpy()


def labels_in_clear(job: Job, client_data: ClientImageSamples) -> Finding:
    """Return the share of clients' labels that the edge server reads, beside a balanced guess."""
    labels, classes = client_data.partition.labels, client_data.classes
    counts = [
        np.bincount(labels[client_data.partition.client == client], minlength=classes)
        for client in np.unique(client_data.partition.client)
    ]
    guessed = [
        share_recovered(blind_counts(classes, int(label_counts.sum())), label_counts)
        for label_counts in counts
    ]
    return finding(
        job,
        "label recovery",
        "edge server, which is sent them",
        "share of labels",
        blind=float(np.mean(guessed)),
        **summary([share_recovered(label_counts, label_counts) for label_counts in counts]),
    )


def aggregator(job: Job, client_data: ClientImageSamples) -> Iterator[Finding]:
    """Yield what masked weights tell of the true ones, over the seeds."""
    width = 1 if job.setting.mask_shape == "scalar" else None
    ring = Ring(fraction_bits=job.setting.fraction_bits)
    correlations, uniform = [], []
    for seed in job.seeds:
        front, _ = client_data.target.random(job, seed)
        weights = (
            torch.cat([parameter.detach().flatten() for parameter in front.parameters()])
            .cpu()
            .numpy()
        )
        message = masked(weights, Dealer.of_study(seed).key(0), 1, width, ring)
        correlations.append(correlation(message, weights))
        uniform.append(byte_uniformity(message))
    adversary = f"aggregator, mask: {job.setting.mask_shape}"
    bound = 3 / np.sqrt(len(weights))
    measures = {"correlation with the weights": correlations, "p-value of uniform bytes": uniform}
    for (measure, values), blind in zip(measures.items(), (bound, 1.0), strict=True):
        yield finding(job, "unmasking", adversary, measure, blind=float(blind), **summary(values))


if __name__ == "__main__":
    run_by_name(snakemake, main)
