"""Federated distillation (paper survey, Fig. 17): mean logits up, those of the other clients down.

Printed is a division by the number of all other clients; those that lack a label would drag its
mean to 0, so here it is by the clients that hold it, and a label that nobody else holds has no
teacher. A client whose message is lost is, to the others, one that holds no label.
"""

import math
from collections.abc import Callable, Sequence

import numpy as np
import torch
from torch import Tensor
from torch.nn import functional

from fbftl.exchange.kept import Company
from fbftl.messages.codec import NotFiniteError
from fbftl.training.augmentation import augmented, fitted, seeds_of
from fbftl.training.kept import KeptModels
from fbftl.training.network import LabelledInputs, LabelledSamples
from fbftl.training.visits import Hooks, cross_entropies


def play(company: Company) -> KeptModels:
    """Train a company by distillation; return what its clients would have come to alone."""
    setting, alone = company.repetition.job.setting, company.models.copy()
    held, rows = company.held.samples, company.rows
    samples = held.at(np.arange(len(held.labels)))
    if setting.seed_samples:
        samples, rows = with_generated(company, setting.seed_samples)
    taught = LabelledInputs(samples.inputs, coded(samples.labels, rows, company.held.classes))
    teachers: Tensor | None = None
    for turn in company.rounds:
        if teachers is None or not setting.distillation:
            loss = company.models.train(samples, rows, turn)
        else:
            hooks = Hooks(loss=distilling(teachers, setting.distillation))
            loss = company.models.train(taught, rows, turn, hooks)
        try:
            teachers = exchanged(company, turn)
        except NotFiniteError:
            company.end_round(math.nan)
            break
        company.end_round(loss)
        alone.train(held, company.rows, turn)
    return alone


def with_generated(company: Company, seeds: int) -> tuple[LabelledInputs, list[np.ndarray]]:
    """Send seed samples up and the generator down; return all samples and each client's rows."""
    held, seed = company.held.samples, company.post.seed
    classes = company.held.classes
    labels = held.labels.cpu().numpy()
    chosen = [seeds_of(own, labels, seeds, seed, c) for c, own in enumerate(company.rows)]
    pixels = held.at(chosen[0][:1]).inputs.numel()
    sizes = np.array([len(own) for own in chosen])
    told = {"samples": sizes * pixels, "labels": sizes}
    arrives = company.post.up(told, company.owners).arrives
    if not arrives.any():
        return held.at(np.arange(len(labels))), list(company.rows)
    known = np.concatenate([own for own, there in zip(chosen, arrives, strict=True) if there])
    generator = fitted(held.at(known), classes)
    company.post.broadcast({"weights": generator.numbers})
    return augmented(held.at(np.arange(len(labels))), company.rows, generator, seed)


def exchanged(company: Company, turn: int) -> Tensor:
    """Send every client's mean logits up and the others' down; return the teachers (C, N, N)."""
    classes = company.held.classes
    means, counts = label_means(company.models, company.held.samples, company.rows, classes)
    floats = {"logits": classes**2, "statistics": classes}
    content = torch.cat([means.flatten(1), counts], dim=1).cpu().numpy()
    arrives = company.post.up(floats, company.owners, turn, content=content).arrives
    if arrives.any():
        company.post.down({"logits": classes**2}, company.owners, turn)
    return of_others(means, counts * torch.from_numpy(arrives).to(counts)[:, None])


def label_means(
    models: KeptModels, samples: LabelledSamples, rows: Sequence[np.ndarray], classes: int
) -> tuple[Tensor, Tensor]:
    """Return each client's mean logits by label (C, N, N), 0 without samples, and counts (C, N)."""
    means, counts = [], []
    for client, own in enumerate(rows):
        lesson = samples.at(own)
        of_label = functional.one_hot(lesson.labels, classes).to(lesson.inputs.dtype)
        counts.append(of_label.sum(0))
        total = of_label.T @ models.logits(client, lesson.inputs)
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
    for client, own in enumerate(rows):
        codes[torch.from_numpy(own).to(labels.device)] += classes * client
    return codes


def distilling(teachers: Tensor, weight: float) -> Callable[[Tensor, Tensor], Tensor]:
    """Return the loss of logits (n, N) under coded labels (n,): with the teacher's where it is."""
    classes = teachers.shape[-1]
    known = teachers.isfinite().all(-1).flatten()
    soft = functional.softmax(teachers.nan_to_num().flatten(0, 1), dim=1)

    def losses(logits: Tensor, codes: Tensor) -> Tensor:
        taught = functional.cross_entropy(logits, soft[codes], reduction="none")
        return cross_entropies(logits, codes % classes) + weight * known[codes] * taught

    return losses
