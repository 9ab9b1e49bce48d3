"""Attack the features that FedFeat+'s clients send: who was in them, and what did they look like?

The adversary is the server, after the last round. It has every client's weights and so its
extractor, the noised features, and public pictures. Membership: candidates are the client's own
samples and test samples, scored by how near their features lie to some that were sent. Inversion: a
decoder is trained on public pictures under the same noise, and draws what the first client sent.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import torch
from fbftl.attacks.findings import Finding, summary, write_findings
from fbftl.attacks.inversion import likenesses, pictures, train_decoder
from fbftl.attacks.membership import separation
from fbftl.attacks.sent_features import nearest
from fbftl.data.clients import ClientFile
from fbftl.data.preprocess import Preprocessing, preprocess
from fbftl.features.store.manifest import read_manifest
from fbftl.ground import devices
from fbftl.ground.binding import run_by_name
from fbftl.methods.fedfeat.run import fit
from fbftl.study.job import Job, from_params
from fbftl.tasks.task import Inputs

CHANCE = 0.5
"""AUC of an adversary that guesses."""


@dataclass(frozen=True)
class Overheard:
    """What the adversary has of one client.

    rows: of its samples, in the order of its features.
    sent: (n, d) noised features.
    members: (n, d) what its extractor gives for its samples now.
    others: (m, d) what its extractor gives for the test split.
    public: (p, d) what its extractor gives for public pictures.
    """

    rows: np.ndarray
    sent: np.ndarray
    members: np.ndarray
    others: np.ndarray
    public: np.ndarray


def main(
    files: dict[str, str], public: str, csv: str, jobs: Sequence[dict[str, Any]],
    axes: dict[str, Any], device: str, threads: int,
) -> None:  # fmt: skip
    """Write the findings.

    Args:
        files: paths of the method's input files by name, see `fbftl.tasks.task.Inputs`.
        public: the public client file.
        csv: findings to write.
        jobs: the FedFeat+ jobs that are attacked, without noise first; one seed of each.
        axes: the axes that each method knows, with their defaults.
        device: auto, cpu or cuda.
        threads: threads to compute with.
    """
    where = devices.prepare(device, threads)
    trained_from = {name: path for name, path in files.items() if name != "public"}
    inputs = Inputs.at(trained_from, where)
    images, public_images = images_of(files["clients"]), images_of(public)
    preprocessing = Preprocessing.of(read_manifest(inputs.manifest).store["preprocessing"])
    shown = preprocess(torch.from_numpy(public_images), preprocessing).to(where)
    findings: list[Finding] = []
    for job_params in jobs:
        job = from_params(job_params | {"seeds": job_params["seeds"][:1]}, axes)
        (network,) = fit(job, inputs).networks
        seen = list(seen_of(network, shown))
        findings.append(membership(job, seen))
        findings += inversion(job, seen[0], images, public_images, noise_of(network))
    write_findings(csv, findings)


def images_of(path: str) -> np.ndarray:
    """Return a client file's training images, uint8 (n, height, width, channels)."""
    with ClientFile(path) as file:
        return file.column("train", "pixels")


def seen_of(network: Any, public: torch.Tensor) -> Iterator[Overheard]:
    """Yield what the adversary has of each client that it heard last."""
    training_data, averaged = network.training_data, network.weights()
    test = training_data.test.at(np.arange(len(training_data.test.labels)))
    for message in network.received:
        network.set_weights(network.sent_weights(message.client))
        mine = training_data.samples.at(message.rows)
        with torch.no_grad():
            members, others, of_public = (
                network.split_model.front(images).flatten(1).cpu().numpy()
                for images in (mine.inputs, test.inputs, public)
            )
        yield Overheard(
            message.rows, message.sent.flatten(1).cpu().numpy(), members, others, of_public
        )
    network.set_weights(averaged)


def noise_of(network: Any) -> float:
    """Return the standard deviation of the noise that the clients add, which is no secret."""
    noise = network.request.noise
    return 0.0 if noise is None else noise.records[0].noise_std


def membership(job: Job, seen: Sequence[Overheard]) -> Finding:
    """Return how well distances tell a client's samples from the test split's."""
    aucs = [
        separation(-nearest(client.members, client.sent), -nearest(client.others, client.sent)).auc
        for client in seen
    ]
    name = "server with the client's extractor, nearest features"
    return finding(job, "membership", name, "AUC", CHANCE, aucs)


def inversion(
    job: Job, seen: Overheard, images: np.ndarray, public_images: np.ndarray, noise_std: float
) -> list[Finding]:
    """Return how close reconstructions come, beside the public pictures' mean."""
    inputs, public = pictures(images[seen.rows]), pictures(public_images)
    decoder = train_decoder(seen.public, public, seed=job.seeds[0], noise_std=noise_std)
    name = "server with the client's extractor and public data"
    return [
        finding(job, "inversion", name, likeness.measure, likeness.blind, likeness.values)
        for likeness in likenesses(decoder(seen.sent), inputs, public)
    ]


def finding(
    job: Job, attack: str, adversary: str, measure: str, blind: float, values: Sequence[float]
) -> Finding:
    """Return one number that the adversary attains under a setting."""
    return Finding(
        attack=attack,
        method="fedfeat",
        adversary=adversary,
        mechanism=job.setting.mechanism,
        unit="sample" if job.setting.mechanism == "gaussian" else None,
        epsilon=job.setting.epsilon,
        samples_per_client=None,
        measure=measure,
        blind=blind,
        **summary(values),
    )


if __name__ == "__main__":
    run_by_name(snakemake, main)
