"""FedMD: scores of open data up, their mean down, digest, revisit (paper survey, Fig. 16)."""

import numpy as np
import torch
from torch import Tensor

from fbftl.exchange.kept import Company
from fbftl.training.kept import KeptModels
from fbftl.training.local import Hooks
from fbftl.training.network import LabelledInputs


def agreed(company: Company, public: LabelledInputs) -> KeptModels:
    """Train a company by consensus; return what its clients would have come to alone.

    Alone a client learns open data and its own as often, but digests nothing.
    """
    setting, models = company.repetition.job.setting, company.models
    everything = [np.arange(len(public.labels))] * len(company.owners)
    company.post.broadcast({"samples": public.inputs.numel(), "labels": len(public.labels)})
    # Rounds of their own streams: the transfer comes before them and the digest beside them.
    before, beside = company.rounds.stop, company.rounds.stop + 1
    models.train(public, everything, before, epochs=setting.transfer_epochs)
    # To convergence, is printed of both: as many steps on its own samples as on the open ones.
    own = max(len(rows) for rows in company.rows)
    steps = setting.transfer_epochs * batches_of(len(public.labels), models.plan.batch)
    passes = max(1, round(steps / batches_of(own, models.plan.batch)))
    models.train(company.held.samples, company.rows, before, epochs=passes)
    alone = models.copy()
    for turn in company.rounds:
        digest = LabelledInputs(public.inputs, consensus(company, public, turn))
        models.train(digest, everything, beside + turn, Hooks(loss=squared), epochs=1)
        loss = models.train(company.held.samples, company.rows, turn)
        company.end_round(loss)
        alone.train(company.held.samples, company.rows, turn)
    return alone


def batches_of(samples: int, batch: int | None) -> int:
    """Return the mini-batches of one pass over samples; one if they are not cut."""
    return 1 if batch is None else -(-samples // batch)


def consensus(company: Company, public: LabelledInputs, turn: int) -> Tensor:
    """Send every client's scores up and their mean down; return the mean (n, N)."""
    clients = range(len(company.owners))
    scores = torch.stack([company.models.logits(one, public.inputs) for one in clients])
    floats = {"scores": scores[0].numel()}
    company.post.up(floats, company.owners, turn, content=scores.flatten(1).cpu().numpy())
    company.post.broadcast(floats, turn)
    return scores.mean(0)


def squared(scores: Tensor, agreed_on: Tensor) -> Tensor:
    """Return every sample's mean squared distance to the consensus, (n,)."""
    return (scores - agreed_on).square().mean(1)
