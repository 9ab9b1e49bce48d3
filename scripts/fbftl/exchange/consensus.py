"""FedMD: scores of open data up, their mean down, digest, revisit (paper survey, Fig. 16).

The consensus is the mean of the scores that arrive; in a round without any, nothing is digested.
"""

import math

import numpy as np
import torch
from torch import Tensor

from fbftl.exchange.kept import Company
from fbftl.messages.codec import NotFiniteError
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
    passes = own_passes(company, len(public.labels), setting.transfer_epochs)
    models.train(company.held.samples, company.rows, before, epochs=passes)
    alone = models.copy()
    for turn in company.rounds:
        try:
            agreed_on = consensus(company, public, turn)
        except NotFiniteError:
            company.end_round(math.nan)
            break
        if agreed_on is not None:
            digest = LabelledInputs(public.inputs, agreed_on)
            models.train(digest, everything, beside + turn, Hooks(loss=squared), epochs=1)
        loss = models.train(company.held.samples, company.rows, turn)
        company.end_round(loss)
        alone.train(company.held.samples, company.rows, turn)
    return alone


def own_passes(company: Company, open_samples: int, passes: int) -> int:
    """Return the passes over own samples that have as many steps as some over the open ones.

    To convergence, is printed of both.
    """
    own, batch = max(len(rows) for rows in company.rows), company.models.plan.batch
    return max(1, round(passes * batches_of(open_samples, batch) / batches_of(own, batch)))


def batches_of(samples: int, batch: int | None) -> int:
    """Return the mini-batches of one pass over samples; one if they are not cut."""
    return 1 if batch is None else -(-samples // batch)


def consensus(company: Company, public: LabelledInputs, turn: int) -> Tensor | None:
    """Send every client's scores up and their mean down; return it (n, N), None if all are lost."""
    clients = range(len(company.owners))
    scores = torch.stack([company.models.logits(one, public.inputs) for one in clients])
    floats = {"scores": scores[0].numel()}
    content = scores.flatten(1).cpu().numpy()
    arrives = company.post.up(floats, company.owners, turn, content=content).arrives
    if not arrives.any():
        return None
    company.post.broadcast(floats, turn)
    return scores[torch.from_numpy(arrives)].mean(0)


def squared(scores: Tensor, agreed_on: Tensor) -> Tensor:
    """Return every sample's mean squared distance to the consensus, (n,)."""
    return (scores - agreed_on).square().mean(1)
