"""Attack what EPPFL's servers see in the first round: pictures, labels and masked weights.

What the edge server draws is in `fbftl.attacks.split_training`; labels go to it in clear. The
aggregator has the clients' masked weights. Pictures are of the first seed.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import torch
from fbftl.attacks.findings import Finding, summary, write_findings
from fbftl.attacks.inversion import trained_from
from fbftl.attacks.label_recovery import blind_counts, share_recovered
from fbftl.attacks.split_training import AttackedPictures, drawn_by_edge_server
from fbftl.attacks.unmasking import byte_uniformity, correlation
from fbftl.ground import devices
from fbftl.ground.ring import Ring
from fbftl.privacy.masking import Dealer, masked
from fbftl.study.job import Job, from_params
from fbftl.tasks.images_samples import ClientImageSamples, client_samples
from fbftl.tasks.task import Inputs


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
    inputs = Inputs.at(trained_from(files), where)
    with_public = replace(inputs, clients=Path(public))
    pictures = AttackedPictures.of(files["clients"], public)
    findings: list[Finding] = []
    for job in (from_params(params, axes) for params in jobs):
        client_data = client_samples(job, inputs)
        if job.setting.aggregation == "masked":
            findings += aggregator(job, client_data)
        else:
            public_data = client_samples(job, with_public)
            findings += edge_server(job, client_data, public_data, pictures)
            findings.append(labels_in_clear(job, client_data))
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


def edge_server(
    job: Job,
    client_data: ClientImageSamples,
    public_data: ClientImageSamples,
    pictures: AttackedPictures,
) -> Iterator[Finding]:
    """Yield how close the edge server's pictures come, beside the public data's mean picture."""
    adversary = f"edge server with public data, θ_a = {job.setting.keep_activations:g}"
    for drawn in drawn_by_edge_server(job, client_data, public_data, pictures):
        attained = summary(drawn.values)
        yield finding(job, "inversion", adversary, drawn.measure, blind=drawn.blind, **attained)


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
