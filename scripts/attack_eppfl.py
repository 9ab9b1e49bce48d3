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
from fbftl.exchange.edge import crossing_of
from fbftl.ground import devices
from fbftl.ground.logs import run_job
from fbftl.privacy.masking import Dealer, masked
from fbftl.study.job import Job, from_params
from fbftl.tasks.images import HeldImageSamples, held_samples
from fbftl.tasks.task import Inputs
from fbftl.training.boundary import Boundary
from torch import nn

VICTIMS = 200
"""Samples that are reconstructed."""

KNOWN = 1000
"""Public samples that a decoder learns from."""

DRAWS = 2
"""Times that each of them is dropped and noised."""

TRAINING = DecoderTraining(epochs=10)


def main(
    files: Mapping[str, str], public: str, csv: str, params: Sequence[dict[str, Any]],
    axes: dict[str, Any], device: str, threads: int,
) -> None:  # fmt: skip
    """Write the findings.

    Args:
        files: paths of what the jobs are trained from, by name.
        public: the public client file.
        csv: findings to write.
        params: the jobs of EPPFL that are attacked.
        axes: the axes that each method knows, with their defaults.
        device: auto, cpu or cuda.
        threads: threads to compute with.
    """
    where = devices.prepare(device, threads)
    inputs = Inputs.at(files, where)
    findings: list[Finding] = []
    for job in (from_params(given, axes) for given in params):
        if job.setting.aggregation == "masked":
            findings += aggregator(job, held_samples(job, inputs))
        else:
            known = replace(inputs, clients=Path(public))
            findings += edge_server(job, inputs, known)
            findings.append(labels_in_clear(job, held_samples(job, inputs)))
    write_findings(csv, findings)


def finding(job: Job, attack: str, adversary: str, measure: str, **found: Any) -> Finding:
    """Return what an adversary attains under a setting."""
    setting = job.setting
    noisy = setting.mechanism == "laplace"
    return Finding(
        attack=attack,
        method=setting.method,
        adversary=adversary,
        mechanism=f"laplace, {setting.sensitivity}" if noisy else setting.mechanism,
        unit="activation" if noisy else None,
        epsilon=setting.epsilon,
        samples_per_client=None,
        measure=measure,
        **found,
    )


def edge_server(job: Job, own: Inputs, public: Inputs) -> Iterator[Finding]:
    """Yield how close the edge server's pictures come, beside the public data's mean picture."""
    seed = job.seeds[0]
    held, known = held_samples(job, own), held_samples(job, public)
    front, _ = held.target.random(job, seed)
    boundary = Boundary(crossing_of(job), seed)
    drawn = [sent(front, boundary, known, KNOWN, draw) for draw in range(1, DRAWS + 1)]
    pictures = training_pictures(public.clients)[:KNOWN]
    decoder = train_decoder(
        np.concatenate(drawn),
        np.concatenate([pictures] * DRAWS),
        seed=seed,
        training=TRAINING,
        device=own.device,
    )
    seen = sent(front, boundary, held, VICTIMS, 0)
    victims = training_pictures(own.clients)[:VICTIMS]
    adversary = f"edge server with public data, θ_a = {job.setting.keep_activations:g}"
    for one in likenesses(decoder(seen), victims, pictures):
        found = summary(one.values)
        yield finding(job, "inversion", adversary, one.measure, blind=one.blind, **found)


@torch.no_grad()
def sent(
    front: nn.Module, boundary: Boundary, held: HeldImageSamples, count: int, draw: int
) -> np.ndarray:
    """Return what clients send of the first samples, (n, N)."""
    inputs = held.samples.at(np.arange(min(count, len(held.samples.labels)))).inputs
    return boundary.tested(draw, inputs.device)(front(inputs)).flatten(1).cpu().numpy()


def labels_in_clear(job: Job, held: HeldImageSamples) -> Finding:
    """Return the share of clients' labels that the edge server reads, beside a balanced guess."""
    labels, classes = held.holdings.labels, held.classes
    counts = [
        np.bincount(labels[held.holdings.client == client], minlength=classes)
        for client in np.unique(held.holdings.client)
    ]
    guessed = [share_recovered(blind_counts(classes, int(own.sum())), own) for own in counts]
    return finding(
        job,
        "label recovery",
        "edge server, which is sent them",
        "share of labels",
        blind=float(np.mean(guessed)),
        **summary([share_recovered(own, own) for own in counts]),
    )


def aggregator(job: Job, held: HeldImageSamples) -> Iterator[Finding]:
    """Yield what masked weights tell of the true ones, over the seeds."""
    width = 1 if job.setting.mask == "scalar" else None
    correlations, uniform = [], []
    for seed in job.seeds:
        front, _ = held.target.random(job, seed)
        weights = torch.cat([own.detach().flatten() for own in front.parameters()]).cpu().numpy()
        message = masked(weights, Dealer.of_study(seed).key(0), 1, width)
        correlations.append(correlation(message, weights))
        uniform.append(byte_uniformity(message))
    adversary = f"aggregator, mask: {job.setting.mask}"
    bound = 3 / np.sqrt(len(weights))
    told = {"correlation with the weights": correlations, "p-value of uniform bytes": uniform}
    for (measure, values), blind in zip(told.items(), (bound, 1.0), strict=True):
        yield finding(job, "unmasking", adversary, measure, blind=float(blind), **summary(values))


if __name__ == "__main__":
    run_job(
        snakemake,
        lambda job: main(
            {name: job.input[name] for name in ("manifest", "clients", "weights", "source")},
            job.input.public,
            job.output.csv,
            job.params.jobs,
            job.config["axes"],
            job.config["device"],
            job.threads,
        ),
    )
