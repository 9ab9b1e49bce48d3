"""Federated distillation (paper survey, Fig. 17), and augmentation before it (FAug).

Clients train on their own samples; each sends the mean logits of its samples by label, with how
many there are, and gets those of the other clients for a teacher: beside the cross-entropy its loss
then has that of its logits to the teacher's softmax for the sample's label. Printed is a division
by the number of all other clients; those that lack a label would drag its mean to 0, so here it is
by the clients that hold it, and a label that nobody else holds has no teacher. A client whose
message is lost is, to the others, one that holds no label.

Under augmentation clients first send some raw samples, of which the server makes a generator; with
its samples every client fills up its labels to equal numbers. The paper prints a GAN after an image
search. Here the generator is a Gaussian for each class on the leading principal components of the
seeds, with one covariance for all: a few seeds teach no more.
"""

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
import torch
from torch import Tensor
from torch.nn import functional

from fbftl.exchange.personal import Cohort, PersonalModels, run_personal
from fbftl.ground.randomness import stream
from fbftl.messages.codec import NotFiniteError
from fbftl.study.job import Job
from fbftl.training.local_updates import Hooks, cross_entropies
from fbftl.training.samples import LabelledInputs, LabelledSamples
from fbftl.training.tasks.task import Inputs, Outcome, client_samples

COMPONENTS = 20
"""Principal components at most."""


@dataclass(frozen=True)
class Generator:
    """Class-conditional Gaussians.

    centre: (p,) mean of all seeds.
    basis: (k, p) principal components.
    means: (N, k) of each class; not a number without seeds.
    root: (k, k) a square root of the covariance inside classes.
    has_seeds: (N,) classes of which there were seeds.
    """

    centre: Tensor
    basis: Tensor
    means: Tensor
    root: Tensor
    has_seeds: np.ndarray

    @property
    def numbers(self) -> int:
        """Numbers that tell of it."""
        return sum(part.numel() for part in (self.centre, self.basis, self.means, self.root))

    def sample(self, labels: np.ndarray, draws: np.random.Generator) -> Tensor:
        """Return a sample of each label (n,), (n, p)."""
        normal = draws.standard_normal((len(labels), len(self.basis)), dtype=np.float32)
        at = torch.from_numpy(labels).to(self.means.device)
        noise = torch.from_numpy(normal).to(self.means) @ self.root.T
        return self.centre + (self.means[at] + noise) @ self.basis


def seeds_of(rows: np.ndarray, labels: np.ndarray, most: int, seed: int, client: int) -> np.ndarray:
    """Return the rows that a client sends: of its scarce labels, and redundant ones to hide them.

    In turn one of the scarcest label that it holds and has not yet sent, and one of the most
    frequent, so that every label it holds is sent before any twice.

    Args:
        rows: of the client.
        labels: (n,) of the task's samples.
        most: seed samples at most.
        seed: the repetition's seed.
        client: its number.
    """
    shuffled = stream(seed, "seed samples", client).permutation(rows)
    present, counts = np.unique(labels[shuffled], return_counts=True)
    rising = present[np.argsort(counts, kind="stable")]
    half = -(-len(rising) // 2)
    turns = [
        label for pair in zip(rising[:half], rising[::-1][:half], strict=True) for label in pair
    ]
    order = list(dict.fromkeys(turns))
    queues = [list(shuffled[labels[shuffled] == label]) for label in order]
    sent = [queue[depth] for depth in range(len(rows)) for queue in queues if depth < len(queue)]
    return np.array(sent[:most], dtype=rows.dtype)


def fitted(seeds: LabelledInputs, classes: int) -> Generator:
    """Return the generator that seed samples make."""
    values = seeds.inputs.flatten(1)
    centre = values.mean(0)
    _, _, components = torch.linalg.svd(values - centre, full_matrices=False)
    basis = components[: min(COMPONENTS, len(values) - 1)]
    placed = (values - centre) @ basis.T
    means = torch.full((classes, len(basis)), torch.nan).to(placed)
    for label in seeds.labels.unique():
        means[label] = placed[seeds.labels == label].mean(0)
    within = placed - means[seeds.labels]
    degrees = max(len(values) - len(seeds.labels.unique()), 1)
    spread, vectors = torch.linalg.eigh(within.T @ within / degrees)
    has_seeds = np.isin(np.arange(classes), seeds.labels.cpu().numpy())
    return Generator(centre, basis, means, vectors * spread.clamp(min=0).sqrt(), has_seeds)


def augmented(
    samples: LabelledInputs, rows: Sequence[np.ndarray], generator: Generator, seed: int
) -> tuple[LabelledInputs, list[np.ndarray]]:
    """Return samples with generated ones behind them, and rows by which all labels are as frequent.

    Args:
        samples: (n, ...) of the task.
        rows: of each client.
        generator: what fills up; a label that it does not know stays as it is.
        seed: the repetition's seed.
    """
    labels, has_seeds = samples.labels.cpu().numpy(), generator.has_seeds
    inputs, targets, filled, first = [samples.inputs], [samples.labels], [], len(labels)
    for client, client_rows in enumerate(rows):
        counts = np.bincount(labels[client_rows], minlength=len(has_seeds))
        missing = np.repeat(np.arange(len(has_seeds)), (counts.max() - counts) * has_seeds)
        generated = generator.sample(missing, stream(seed, "generated", client))
        inputs.append(generated.view(-1, *samples.inputs.shape[1:]))
        targets.append(torch.from_numpy(missing).to(samples.labels))
        filled.append(np.concatenate([client_rows, np.arange(first, first + len(missing))]))
        first += len(missing)
    return LabelledInputs(torch.cat(inputs), torch.cat(targets)), filled


def run(job: Job, inputs: Inputs) -> Outcome:
    """Train each client's network with the others for its teachers, one repetition per seed."""
    return run_personal(job, client_samples(job, inputs), lambda cohorts: list(map(train, cohorts)))


def train(cohort: Cohort) -> PersonalModels:
    """Train a cohort by distillation; return what its clients would have come to alone."""
    setting, alone = cohort.repetition.job.setting, cohort.models.copy()
    private, rows = cohort.client_data.samples, cohort.rows
    samples = private.at(np.arange(len(private.labels)))
    if setting.seed_samples:
        samples, rows = with_generated(cohort, setting.seed_samples)
    taught = LabelledInputs(samples.inputs, coded(samples.labels, rows, cohort.client_data.classes))
    teachers: Tensor | None = None
    for round_number in cohort.rounds:
        if teachers is None or not setting.distillation_weight:
            loss = cohort.models.train(samples, rows, round_number)
        else:
            hooks = Hooks(loss=distilling(teachers, setting.distillation_weight))
            loss = cohort.models.train(taught, rows, round_number, hooks)
        try:
            teachers = exchanged(cohort, round_number)
        except NotFiniteError:
            cohort.end_round(math.nan)
            break
        cohort.end_round(float(loss))
        alone.train(private, cohort.rows, round_number)
    return alone


def with_generated(cohort: Cohort, seeds: int) -> tuple[LabelledInputs, list[np.ndarray]]:
    """Send seed samples up and the generator down; return all samples and each client's rows."""
    private, seed = cohort.client_data.samples, cohort.post.seed
    classes = cohort.client_data.classes
    labels = private.labels.cpu().numpy()
    chosen = [
        seeds_of(client_rows, labels, seeds, seed, c) for c, client_rows in enumerate(cohort.rows)
    ]
    pixels = private.at(chosen[0][:1]).inputs.numel()
    sizes = np.array([len(sent) for sent in chosen])
    floats = {"samples": sizes * pixels, "labels": sizes}
    arrives = cohort.post.up(floats, cohort.owners).arrives
    if not arrives.any():
        return private.at(np.arange(len(labels))), list(cohort.rows)
    seeds_arrived = np.concatenate(
        [sent for sent, there in zip(chosen, arrives, strict=True) if there]
    )
    generator = fitted(private.at(seeds_arrived), classes)
    cohort.post.broadcast({"weights": generator.numbers})
    return augmented(private.at(np.arange(len(labels))), cohort.rows, generator, seed)


def exchanged(cohort: Cohort, round_number: int) -> Tensor:
    """Send every client's mean logits up and the others' down; return the teachers (C, N, N)."""
    classes = cohort.client_data.classes
    means, counts = label_means(cohort.models, cohort.client_data.samples, cohort.rows, classes)
    floats = {"logits": classes**2, "statistics": classes}
    content = torch.cat([means.flatten(1), counts], dim=1).cpu().numpy()
    arrives = cohort.post.up(floats, cohort.owners, round_number, content=content).arrives
    if arrives.any():
        cohort.post.down({"logits": classes**2}, cohort.owners, round_number)
    return of_others(means, counts * torch.from_numpy(arrives).to(counts)[:, None])


def label_means(
    models: PersonalModels, samples: LabelledSamples, rows: Sequence[np.ndarray], classes: int
) -> tuple[Tensor, Tensor]:
    """Return each client's mean logits by label (C, N, N), 0 without samples, and counts (C, N)."""
    means, counts = [], []
    for client, client_rows in enumerate(rows):
        samples_of_client = samples.at(client_rows)
        of_label = functional.one_hot(samples_of_client.labels, classes).to(
            samples_of_client.inputs.dtype
        )
        counts.append(of_label.sum(0))
        total = of_label.T @ models.logits(client, samples_of_client.inputs)
        means.append(total / counts[-1].clamp(min=1)[:, None])
    return torch.stack(means), torch.stack(counts)


def of_others(means: Tensor, counts: Tensor) -> Tensor:
    """Return each client's teacher by label (C, N, N): the mean over the others that hold it.

    Where nobody else does it is not a number.
    """
    holds = (counts > 0).to(means.dtype)
    others = holds.sum(0) - holds
    return ((means * holds[..., None]).sum(0) - means * holds[..., None]) / others[..., None]


def coded(labels: Tensor, rows: Sequence[np.ndarray], classes: int) -> Tensor:
    """Return labels that name their client too: label + N client, of rows that one client holds."""
    codes = labels.clone()
    for client, client_rows in enumerate(rows):
        codes[torch.from_numpy(client_rows).to(labels.device)] += classes * client
    return codes


def distilling(teachers: Tensor, weight: float) -> Callable[[Tensor, Tensor], Tensor]:
    """Return the loss of logits (n, N) under coded labels (n,): with the teacher's where it is."""
    classes = teachers.shape[-1]
    has_teacher = teachers.isfinite().all(-1).flatten()
    soft = functional.softmax(teachers.nan_to_num().flatten(0, 1), dim=1)

    def losses(logits: Tensor, codes: Tensor) -> Tensor:
        taught = functional.cross_entropy(logits, soft[codes], reduction="none")
        return cross_entropies(logits, codes % classes) + weight * has_teacher[codes] * taught

    return losses
