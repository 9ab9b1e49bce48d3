"""Attacks on heads that a setting comes to: was a sample among the uploads of a head's training?

The adversary trains or solves heads as the target's server does, each on a half of the clients
drawn as the target's was, and every one of these heads is in turn the target of the others. The
head attacked is that of the last epoch, which has memorised most.
"""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import partial
from typing import Any

import numpy as np
import torch
from numpy.typing import ArrayLike

from fbftl.attacks.attained import Finding, found, summary
from fbftl.attacks.choice import ALARMS, CHANCE, CONFIDENCE, Attempt, attempt_all, chosen
from fbftl.attacks.shadows import Population, population
from fbftl.data.participation import Participants, participants_of
from fbftl.exchange.sending import Sending
from fbftl.exchange.uploads import send
from fbftl.ground.errors import required
from fbftl.methods.one_shot.run import seen, send_all_seeds, solve_each, train_each
from fbftl.methods.private_gd.run import noise_of, private_heads
from fbftl.privacy.noise import clip_rows
from fbftl.privacy.release import noise_seed
from fbftl.study.job import Job, from_params
from fbftl.training.stacked import train_on_received
from fbftl.training.tasks.task import Fit, LabelledFeatures

TAKING_PART = 0.5
"""Fraction of the clients whose samples are members."""

AT_ONCE = 2**30
"""Bytes of features under which heads step together: noise makes those of every head its own."""


def heads_of(job: Job, client_data: LabelledFeatures) -> Population:
    """Return the heads that a setting comes to, as a population."""
    if job.setting.method == "private_gd":
        return descended(job, client_data)
    if job.setting.method == "one_shot":
        return solved(job, client_data)
    return trained(job, client_data)


def descended(job: Job, client_data: LabelledFeatures) -> Population:
    """Return the heads of private descent on the samples that take part."""
    rows = [participants.offered for participants in taking_part(job, client_data)]
    noise = np.repeat(noise_of(job).multipliers[:, None], len(job.seeds), axis=1)
    heads = private_heads(
        client_data, job, job.seeds, rows, noise, [noise_seed(job, seed) for seed in job.seeds]
    )
    (logits, labels), (unseen, labels_of_test) = (
        (heads.logits(samples).cpu().numpy(), samples.labels.cpu().numpy())
        for samples in (heads.samples, heads.test)
    )
    return population(logits, labels, rows, rows, unseen, labels_of_test)


def trained(job: Job, client_data: LabelledFeatures) -> Population:
    """Return a head per seed as a population; samples that no head has seen are the test split.

    Args:
        job: the setting.
        client_data: what the clients hold.
    """
    logits, unseen, trained_on, offered = [], [], [], []
    test, labels_of_test = test_split(client_data)
    together = max(1, AT_ONCE // client_data.payload.values.nbytes)
    for first in range(0, len(job.seeds), together):
        some = replace(job, seeds=job.seeds[first : first + together])
        sent = send(some, taking_part(some, client_data), client_data, {})
        (fits,) = train_on_received(client_data, [sent.received()])
        values, unseen_values = (
            clean(sent.how, each) for each in (client_data.payload.values, test)
        )
        logits += [answers(fit, values) for fit in fits]
        unseen += [answers(fit, unseen_values) for fit in fits]
        trained_on += [uploads.training for uploads in sent.uploads]
        offered += [uploads.participants.offered for uploads in sent.uploads]
    labels = client_data.payload.labels
    return population(logits, labels, trained_on, offered, unseen, labels_of_test)


def taking_part(job: Job, client_data: LabelledFeatures) -> list[Participants]:
    """Return the clients of each seed."""
    return [participants_of(job, client_data.partition, seed) for seed in job.seeds]


def on_halves(
    params: Mapping[str, Any], axes: Mapping[str, Mapping[str, Any]], models: int, **further: Any
) -> Job:
    """Return a job of some models, each trained on another half of the clients.

    Args:
        params: of the setting whose models are attacked.
        axes: the axes that each method knows, with their defaults.
        models: how many.
        further: axes of the setting that are set too.
    """
    setting = params["setting"] | {"fraction": TAKING_PART} | further
    return from_params({**params, "seeds": list(range(models)), "setting": setting}, axes)


def test_split(client_data: LabelledFeatures) -> tuple[np.ndarray, np.ndarray]:
    """Return the test split's features (p, X) and labels (p,)."""
    test = client_data.test
    return test.inputs.cpu().numpy(), test.labels.cpu().numpy()


def solved(job: Job, client_data: LabelledFeatures) -> Population:
    """Return a setting's heads as a population; samples that none has seen are the test split.

    One is made after the other, so that the messages of one alone take memory.
    """
    test, labels_of_test = test_split(client_data)
    values, labels = client_data.payload.values, client_data.payload.labels
    scores, unseen, members, offered = [], [], [], []
    for seed in job.seeds:
        of_seed = replace(job, seeds=(seed,))
        sent = send_all_seeds(of_seed, client_data)
        (learned,) = sent.learned
        if job.setting.head == "mlp":
            (fit,) = train_each(of_seed, client_data, [learned])
            scorer = partial(answers, fit)
        else:
            (solution,) = solve_each(of_seed, sent)
            scorer = solution.head.scores
        scores.append(scorer(values))
        unseen.append(scorer(test))
        members.append(seen(job, learned))
        offered.append(learned.offered)
    return population(scores, labels, members, offered, unseen, labels_of_test)


def clean(how: Sending, values: np.ndarray) -> np.ndarray:
    """Return features (n, X) as the server would use them if there were no noise."""
    if how.clip_norm is not None:
        values = clip_rows(values, how.clip_norm)
    return how.scale(how.payload.numbers) * values


@torch.no_grad()
def answers(fit: Fit, values: np.ndarray) -> np.ndarray:
    """Return a head's logits (n, classes) on features (n, width)."""
    return fit.head(torch.from_numpy(values)[None].to(fit.head.device))[0].cpu().numpy()


GUESS = "none better than a guess"
"""What is quoted if no attack is."""


def rows_of(job: Job, attempts: Sequence[Attempt]) -> list[dict[str, Any]]:
    """Return a row per attack of what it attains against the heads of one setting.

    Means and spreads are over the targets on which the attack was not chosen.
    """
    best = chosen(attempts)
    return [
        {
            **protection(job),
            "attack": attempt.attack,
            "offset": attempt.offset,
            "tuning_auc": float(attempt.tuning.mean()),
            **_means_and_spreads(attempt),
            "proven": attempt.proven,
            "targets": len(attempt.aucs),
            "shadows": attempt.shadows,
            "quoted": attempt is best,
        }
        for attempt in attempts
    ]


def protection(job: Job) -> dict[str, Any]:
    """Return what noise a setting has, as findings tell it."""
    epsilon = job.setting.epsilon
    return {
        "mechanism": job.setting.mechanism,
        "unit": "sample" if epsilon else None,
        "epsilon": epsilon,
    }


def proven(job: Job, models: Population) -> dict[str, Any]:
    """Return what the attack chosen on some heads of a setting attains against the others.

    Without an attack better than a guess nothing is proven.
    """
    attempts = attempt_all(models, required(job.privacy.delta), alarms=())
    best = chosen(attempts)
    return {
        "attack": GUESS if best is None else best.attack,
        "auc": np.nan if best is None else float(best.aucs.mean()),
        "proven": 0.0 if best is None else best.proven,
        "targets": len(attempts[0].aucs),
        "shadows": attempts[0].shadows,
    }


def _means_and_spreads(attempt: Attempt) -> dict[str, float]:
    """Return what an attack attains over the targets, by column."""
    measured = {"auc": attempt.aucs}
    for rate, attained in attempt.rates.items():
        measured |= {f"hits_{rate:g}": attained.hits, f"alarms_{rate:g}": attained.alarms}
    columns: dict[str, float] = {}
    for name, values in measured.items():
        over_targets = summary(values)
        columns |= {name: over_targets["value"], f"{name}_spread": over_targets["spread"]}
    return columns


def membership_findings(job: Job, attempts: Sequence[Attempt]) -> list[Finding]:
    """Return what the attack that was chosen attains against the heads of one setting.

    Without the attack there is a guess: an AUC of one half, and as many true positives as the
    threshold has false ones on the targets.
    """
    best = chosen(attempts)
    if best is None:
        nothing = np.full(len(attempts[0].aucs), np.nan)
        return [finding(job, attempts[0], GUESS, "AUC", CHANCE, nothing)]
    measures: list[tuple[str, float, ArrayLike]] = [("AUC", CHANCE, best.aucs)]
    for rate in ALARMS:
        attained = best.rates[rate]
        measure = f"true positives, threshold for {rate:.1%} false ones"
        measures.append((measure, float(attained.alarms.mean()), attained.hits))
    measures.append(
        (f"ε of a client is at least, with {CONFIDENCE:.0%} confidence", 0.0, [best.proven])
    )
    return [finding(job, best, best.attack, *measure) for measure in measures]


def finding(
    job: Job, attempt: Attempt, attack: str, measure: str, blind: float, values: ArrayLike
) -> Finding:
    """Return one measure of an attack's success over the targets."""
    adversary = f"{attack}; {attempt.shadows} shadows"
    return found(
        values, blind, attack="membership", method="fbftl", adversary=adversary, measure=measure,
        **protection(job),
    )  # fmt: skip
