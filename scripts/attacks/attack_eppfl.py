"""Attack what EPPFL's servers see in the first round: pictures, labels and masked weights.

What the edge server draws is in `fbftl.attacks.eppfl`; labels go to it in clear. The
aggregator has the clients' masked weights. Pictures are of the first seed.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np
from fbftl.attacks.attained import (
    Finding,
    found,
    found_of,
    label_counts,
    labels_recovered,
    write_findings,
)
from fbftl.attacks.eppfl import byte_uniformity, correlation, drawn_by_edge_server
from fbftl.attacks.inversion import AttackedImages, found_in_pictures
from fbftl.ground import devices
from fbftl.ground.ring import Ring
from fbftl.privacy.masking import Dealer, masked
from fbftl.study.job import Job, from_params
from fbftl.training.tasks.images_samples import ClientImageSamples, client_samples
from fbftl.training.tasks.task import Inputs
from torch.nn.utils import parameters_to_vector


def main(
    files: Mapping[str, str], csv: str, jobs: Sequence[dict[str, Any]],
    axes: dict[str, Any], device: str, threads: int,
) -> None:  # fmt: skip
    """Write the findings.

    Args:
        files: paths of what the jobs are trained from, and of public samples, by name.
        csv: findings to write.
        jobs: those of EPPFL that are attacked.
        axes: the axes that each method knows, with their defaults.
        device: auto, cpu or cuda.
        threads: threads to compute with.
    """
    where = devices.prepare(device, threads)
    inputs = Inputs.at(files, where)
    with_public = replace(inputs, clients=inputs.public)
    images = AttackedImages.of(files)
    findings: list[Finding] = []
    for job in (from_params(params, axes) for params in jobs):
        client_data = client_samples(job, inputs)
        if job.setting.aggregation == "masked":
            findings += aggregator(job, client_data)
        else:
            public_data = client_samples(job, with_public)
            findings += edge_server(job, client_data, public_data, images)
            findings.append(labels_in_clear(job, client_data))
    write_findings(csv, findings)


def protection(job: Job) -> dict[str, Any]:
    """Return what findings tell of a setting."""
    setting = job.setting
    noisy = setting.mechanism == "laplace"
    return {
        "method": setting.method,
        "mechanism": f"laplace, {setting.laplace_sensitivity}" if noisy else setting.mechanism,
        "unit": "activation" if noisy else None,
        "epsilon": setting.epsilon,
    }


def edge_server(
    job: Job,
    client_data: ClientImageSamples,
    public_data: ClientImageSamples,
    images: AttackedImages,
) -> list[Finding]:
    """Return how close the edge server's pictures come, beside the public data's mean picture."""
    adversary = f"edge server with public data, θ_a = {job.setting.keep_activations:g}"
    drawn = drawn_by_edge_server(job, client_data, public_data, images)
    return found_in_pictures(drawn, adversary=adversary, **protection(job))


def labels_in_clear(job: Job, client_data: ClientImageSamples) -> Finding:
    """Return the share of clients' labels that the edge server reads, beside a balanced guess."""
    labels, client = client_data.partition.labels, client_data.partition.client
    rows = [np.flatnonzero(client == each) for each in np.unique(client)]
    sent = label_counts(labels, rows, client_data.classes)
    shares = labels_recovered(labels, rows, sent, client_data.classes)
    who = {"adversary": "edge server, which is sent them", "measure": "share of labels"}
    return found_of(shares, **who, **protection(job))


def aggregator(job: Job, client_data: ClientImageSamples) -> Iterator[Finding]:
    """Yield what masked weights tell of the true ones, over the seeds."""
    width = 1 if job.setting.mask_shape == "scalar" else None
    ring = Ring(fraction_bits=job.setting.fraction_bits)
    correlations, uniform = [], []
    for seed in job.seeds:
        front, _ = client_data.target.random(job, seed)
        weights = parameters_to_vector(front.parameters()).detach().cpu().numpy()
        message = masked(weights, Dealer.of_study(seed).key(0), 1, width, ring)
        correlations.append(correlation(message, weights))
        uniform.append(byte_uniformity(message))
    adversary = f"aggregator, mask: {job.setting.mask_shape}"
    bound = 3 / np.sqrt(len(weights))
    context = {"attack": "unmasking", "adversary": adversary, **protection(job)}
    yield found(correlations, bound, measure="correlation with the weights", **context)
    yield found(uniform, 1.0, measure="p-value of uniform bytes", **context)
