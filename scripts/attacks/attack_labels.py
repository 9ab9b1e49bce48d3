"""Attack FTL_c's updates: how many samples of each label are behind a client's gradient?

It is the first round: the head that was just broadcast. The server sees each update as its client
clipped it, because under DP-FedAvg the server adds the noise. The second adversary is the one that
the guarantee is about: it knows every other client's update, so that it sees this one under the
noise of the round. Both learn from public samples what a client's update looks like.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import torch
from fbftl.attacks.attained import Finding, found, write_findings
from fbftl.attacks.label_recovery import blind_counts, calibrate, recover_labels, share_recovered
from fbftl.data.partition import client_sizes
from fbftl.features.store.reader import Features, open_store
from fbftl.ground import devices
from fbftl.ground.files import read_json
from fbftl.ground.randomness import stream
from fbftl.models.heads import head_module
from fbftl.privacy.noise import clip_rows, noisy_sum
from fbftl.study.job import Job, from_params
from torch import nn

VICTIMS = 100
"""Clients whose labels are recovered, each K samples drawn at random."""

SIMULATED = 200
"""Clients with public samples and random labels that an adversary learns from."""

MEASURES = {"share of labels": share_recovered, "all labels right": np.array_equal}
"""How right recovered counts of labels are, given the true ones."""

SERVER, OUTSIDER = "server, first round", "all but this client, first round"


@dataclass(frozen=True)
class Update:
    """A client's update, flattened (X,), and the count of each label behind it (N,)."""

    values: np.ndarray
    counts: np.ndarray


@dataclass(frozen=True)
class FirstRound:
    """What an adversary sees of the first round.

    victims: the updates of the clients in question.
    simulated: those of its own clients, under the same clipping and noise.
    noisy: whether noise was added.
    """

    victims: list[Update]
    simulated: list[Update]
    noisy: bool = False


def main(
    manifest: str, public_manifest: str, runs: Sequence[str], csv: str,
    jobs: Sequence[dict[str, Any]], axes: dict[str, Any], threads: int,
) -> None:  # fmt: skip
    """Write what is recovered without noise, from clipped updates, and under noise.

    Args:
        manifest: of the clients' feature store.
        public_manifest: of the public feature store.
        runs: run files of the FTL_c settings under dp_fedavg, which hold sigma and clip norm.
        csv: findings to write.
        jobs: those of these runs, in the same order.
        axes: the axes that each method knows, with their defaults.
        threads: threads to compute with.
    """
    devices.prepare("cpu", threads)
    features = open_store(manifest).read("train")
    public = open_store(public_manifest).read("train").values
    findings, plain = [], {}
    for job_params, path in zip(jobs, runs, strict=True):
        job = from_params(job_params, axes)
        samples = int(client_sizes(len(features), job.dealing.spec).max())
        guarantee = read_json(path, "run file")["repetitions"][0]["privacy"][0]
        sigma, clip = guarantee["sigma"], guarantee["clip_norm"]
        head, seed = head_of(job, features), job.seeds[0]
        classes = len(head[-1].bias)
        chance = stream(seed, "simulated_labels", samples).integers(classes, size=len(public))
        seen = FirstRound(
            updates(head, features.values, features.labels, samples, VICTIMS, seed),
            updates(head, public, chance, samples, SIMULATED, seed),
        )
        # Without noise every epsilon gives the same, so it is listed once for each K.
        plain.setdefault(samples, recovery_findings(None, samples, head, seen, SERVER))
        findings += recovery_findings(job, samples, head, under(seen, 0.0, clip), SERVER)
        findings += recovery_findings(job, samples, head, under(seen, sigma, clip), OUTSIDER)
    write_findings(csv, [finding for several in plain.values() for finding in several] + findings)


def head_of(job: Job, features: Features) -> nn.Sequential:
    """Return the head that the job's first seed broadcasts in the first round."""
    classes = int(features.labels.max()) + 1
    return head_module([features.values.shape[1], *job.block["head"], classes], job.seeds[0])


def updates(
    head: nn.Sequential, values: np.ndarray, labels: np.ndarray, samples: int, clients: int,
    seed: int,
) -> list[Update]:  # fmt: skip
    """Return updates of clients with K random samples: the sum of per-sample gradients each.

    Args:
        head: as it was broadcast.
        values: features (n, width) that clients draw from.
        labels: (n,).
        samples: K.
        clients: how many.
        seed: of the draw.
    """
    parameters = list(head.parameters())
    classes = len(parameters[-1])
    rng = stream(seed, "label_victims", samples)
    batches = []
    for _ in range(clients):
        rows = rng.choice(len(values), samples, replace=False)
        batch_labels = torch.from_numpy(labels[rows].astype(np.int64))
        logits = head(torch.from_numpy(values[rows]))
        loss = nn.functional.cross_entropy(logits, batch_labels, reduction="sum")
        gradient = torch.cat([g.flatten() for g in torch.autograd.grad(loss, parameters)])
        batches.append(Update(gradient.numpy(), np.bincount(batch_labels, minlength=classes)))
    return batches


def under(seen: FirstRound, sigma: float, clip: float) -> FirstRound:
    """Return a round with every update clipped, each under the noise of a round of its own."""
    sent = [
        noisy_sum(
            clip_rows(update.values[None], clip), noise_std=sigma * clip, seed=0, round_number=at
        )
        for at, update in enumerate(seen.victims + seen.simulated)
    ]
    counts = [update.counts for update in seen.victims + seen.simulated]
    updates = [Update(*pair) for pair in zip(sent, counts, strict=True)]
    return FirstRound(updates[: len(seen.victims)], updates[len(seen.victims) :], sigma > 0)


def recovery_findings(
    job: Job | None, samples: int, head: nn.Sequential, seen: FirstRound, adversary: str
) -> list[Finding]:
    """Return the share of labels recovered, beside a balanced guess, and how often it is sure."""
    classes, hidden = head[-1].weight.shape
    sent = seen.victims
    learnt = calibrate(
        [update.values[-classes:] for update in seen.simulated],
        [update.counts for update in seen.simulated],
    )
    recovered = [
        recover_labels(
            update.values[-classes * (hidden + 1) : -classes].reshape(classes, hidden),
            update.values[-classes:],
            learnt,
            samples,
            seen.noisy,
        )
        for update in sent
    ]
    guess = blind_counts(classes, samples)
    pairs = [(r, update.counts) for r, update in zip(recovered, sent, strict=True)]
    blind_pairs = [(guess, update.counts) for update in sent]
    context = {"method": "ftl_c", "adversary": adversary, "samples_per_client": samples}
    if job is not None:
        context |= {"mechanism": job.setting.mechanism, "unit": "client"}
        context |= {"epsilon": job.setting.epsilon}
    return [
        found(
            [right(*pair) for pair in pairs],
            np.mean([right(*pair) for pair in blind_pairs]),
            attack="label recovery",
            measure=measure,
            **context,
        )
        for measure, right in MEASURES.items()
    ]
