"""Privacy mechanisms on uploads and client updates: what they do, and what they guarantee.

`relative` is the noise that paper fbftl prints; it gives no guarantee. `gaussian` clips each
feature vector and releases it once. `dp_fedavg` clips each client's update and adds noise to the
sum of every round. `dp_gd` clips each sample's gradient at a trusted server and adds noise to the
sum of every step. `laplace` is paper eppfl's noise on the activations that clients keep. It and the
first two leave the labels open; `randomised_response` covers them.

Here are the guarantees that they give; `noise` and `exchange.protection` apply them.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from math import inf, sqrt
from typing import Any

from fbftl.privacy import accounting, composition
from fbftl.privacy.accounting import Adjacency
from fbftl.privacy.composition import as_documents

LABELS_OPEN = (
    "Holds against the server too. Labels are sent as they are: the guarantee is for the features"
    " given the labels."
)

RELATIVE_NOTE = (
    "No guarantee: the coordinate-wise maximum is not the L2 sensitivity that the cited theorem"
    " needs, and the standard deviation that scales the noise depends on the data (A10)."
)

CHANNEL_MAXIMUM = (
    "No guarantee: the maximum of a sample's channel, by which the noise is scaled, depends on the"
    " sample, and a silent channel gets no noise at all."
)

FINITE_DRAWS = (
    "Of Laplace noise in real numbers: what is drawn has 30 random bits and ends at 21.5 times its"
    " scale."
)

COUNT_VISIBLE = (
    "The server sees how many samples a client uploads, so neighbours have equally many: one"
    " sample is replaced by any other, or its vector by zero."
)

TRUSTED_SERVER = (
    "Holds for the models of all rounds, against everyone but the server that adds the noise;"
    " the number of samples of a client counts as public."
)

EACH_UPDATE = (
    "Holds against the server too, for all that a client holds, its group among it; in which rounds"
    " it takes part and how many samples it has count as public."
)

SAMPLE_IN_CLIENT = (
    " Only a client's whole update is clipped, so one of its samples is protected as well as the"
    " client's replacement, whatever K."
)


TRUSTED_WITH_SAMPLES = (
    "Holds for the models of all steps, against everyone but the server, which is trusted with the"
    " samples; their number counts as public."
)

NOTHING_SENT = "nothing sent"
"""Accountant of what sends nothing, whose epsilon is 0 without an event."""


@dataclass(frozen=True)
class PrivacyRecord:
    """One guarantee of one mechanism, as it goes into a run's JSON and its ledger.

    A mechanism that holds under several adjacencies or units gives several records. What a
    mechanism does not have is None; an infinite epsilon is None too, since JSON has no infinity.

    unit: what neighbours differ in: one sample, one client or one label.
    adjacency: how they differ: replace-one, zero-out or add-remove.
    sigma: noise standard deviation over the clip norm, the least of a schedule; for `relative`,
        over R std(g).
    events: the releases as an accountant sees them, `composition.Event` in builtin types; none
        where nothing is guaranteed, or nothing sent.
    """

    mechanism: str
    note: str
    unit: str | None = None
    adjacency: str | None = None
    clip_norm: float | None = None
    sigma: float | None = None
    noise_std: float | None = None
    epsilon: float | None = None
    delta: float | None = None
    accountant: str | None = None
    covers_labels: bool = False
    events: tuple[Mapping[str, Any], ...] = ()


def no_mechanism() -> PrivacyRecord:
    """Return the record of an upload sent as it is."""
    return PrivacyRecord("none", "No noise, no guarantee.")


def relative(sigma: float) -> PrivacyRecord:
    """Return the record of the printed relative noise: its sigma, and no guarantee.

    No epsilon stands there, not even where sigma is what the paper takes for one.
    """
    return PrivacyRecord("relative", RELATIVE_NOTE, sigma=sigma)


def gaussian(
    *, clip_norm: float, sigma: float, delta: float, times: int = 1,
    note: str = f"{LABELS_OPEN} {COUNT_VISIBLE}",
) -> tuple[PrivacyRecord, ...]:  # fmt: skip
    """Return the guarantees of clipped Gaussian releases of a sample.

    First per sample replaced by any other (sensitivity 2 c), then per sample zeroed (c).

    Args:
        clip_norm: L2 clip norm c of a feature vector.
        sigma: noise standard deviation over c.
        delta: delta of the guarantees.
        times: releases of the same sample.
        note: of the guarantees.
    """
    adjacencies: tuple[Adjacency, ...] = ("replace-one", "zero-out")
    return tuple(
        PrivacyRecord(
            mechanism="gaussian",
            unit="sample",
            adjacency=adjacency,
            clip_norm=clip_norm,
            sigma=sigma,
            noise_std=sigma * clip_norm,
            epsilon=accounting.gaussian_epsilon(sigma / sqrt(times), delta, adjacency),
            delta=delta,
            accountant="exact Gaussian",
            note=note,
            events=as_documents([composition.gaussian(sigma, times)]),
        )
        for adjacency in adjacencies
    )


def gaussian_per_client(
    *, clip_norm: float, sigma: float, delta: float, samples: int
) -> PrivacyRecord:
    """Return what the same release guarantees a client that replaces all its K samples.

    K independent releases of sensitivity 2 c are one of sensitivity 2 c sqrt(K).
    """
    per_sample, _ = gaussian(clip_norm=clip_norm, sigma=sigma, delta=delta)
    multiplier = sigma / sqrt(samples)
    return replace(
        per_sample,
        unit="client",
        epsilon=accounting.gaussian_epsilon(multiplier, delta, "replace-one"),
        events=as_documents([composition.gaussian(multiplier)]),
    )


def dp_fedavg(
    *, clip_norm: float, sigma: float, delta: float, rate: float, rounds: int
) -> tuple[PrivacyRecord, ...]:
    """Return the guarantees of noisy sums of clipped client updates over all rounds.

    First per client added or removed (sensitivity c), then per client replaced (2 c), then per
    sample replaced within its client, which the second implies.

    Args:
        clip_norm: L2 clip norm c of a client's update.
        sigma: noise standard deviation on a round's sum, over c.
        delta: delta over all rounds.
        rate: probability with which a client takes part in a round, C.
        rounds: number of rounds, I.
    """
    return _by_client(clip_norm, sigma, [composition.rounds(sigma, rate, rounds)], delta)


def dp_fedavg_by_rounds(
    *, clip_norm: float, multipliers: Sequence[float], delta: float, rate: float
) -> tuple[PrivacyRecord, ...]:
    """Return the guarantees of `dp_fedavg` where every round has noise of its own.

    Args:
        clip_norm: L2 clip norm c of a client's update.
        multipliers: noise standard deviation on each round's sum, over c.
        delta: delta over all rounds.
        rate: probability with which a client takes part in a round, C.
    """
    events = [composition.rounds(multiplier, rate, 1) for multiplier in multipliers]
    return _by_client(clip_norm, min(multipliers), events, delta)


def _by_client(
    clip_norm: float, sigma: float, events: Sequence[composition.Event], delta: float
) -> tuple[PrivacyRecord, ...]:
    guarantees: tuple[tuple[str, Adjacency, str], ...] = (
        ("client", "add-remove", ""),
        ("client", "replace-one", ""),
        ("sample", "replace-one", SAMPLE_IN_CLIENT),
    )
    noted = [(unit, adjacency, TRUSTED_SERVER + more) for unit, adjacency, more in guarantees]
    std = sigma * clip_norm
    return composed("dp_fedavg", noted, events, delta, clip_norm=clip_norm, sigma=sigma, std=std)


def composed(
    mechanism: str, guarantees: Sequence[tuple[str, Adjacency, str]],
    events: Sequence[composition.Event], delta: float, *, clip_norm: float, sigma: float | None,
    std: float | None,
) -> tuple[PrivacyRecord, ...]:  # fmt: skip
    """Return what releases guarantee together, of samples and their labels.

    Args:
        mechanism: its name.
        guarantees: unit, how neighbours differ, and the note of each.
        events: the releases.
        delta: delta of the guarantees.
        clip_norm: L2 clip norm of what is released.
        sigma: noise multiplier, the least of all; None without noise on it.
        std: standard deviation of that noise.
    """
    costs = {
        adjacency: composition.compose(events, delta, adjacency)
        for adjacency in dict.fromkeys(adjacency for _, adjacency, _ in guarantees)
    }
    return tuple(
        PrivacyRecord(
            mechanism=mechanism,
            unit=unit,
            adjacency=adjacency,
            clip_norm=clip_norm,
            sigma=sigma,
            noise_std=std,
            epsilon=None if costs[adjacency].epsilon == inf else costs[adjacency].epsilon,
            delta=delta,
            accountant=costs[adjacency].accountant,
            covers_labels=True,
            note=note,
            events=as_documents(events),
        )
        for unit, adjacency, note in guarantees
    )


def dp_gd(
    *,
    clip_norm: float,
    multipliers: Sequence[float],
    delta: float,
    accountant: str = "exact",
    adjacency: Adjacency = "add-remove",
) -> tuple[PrivacyRecord, ...]:
    """Return the guarantees of noisy sums of clipped gradients over all full-batch steps.

    They are for a sample removed while the divisor N stays (sensitivity G), as paper thesis prints
    it, and for one replaced by any other (2 G), exactly; the one that the noise is calibrated to
    comes first, and before it, if that was by zCDP, what zCDP says of it.

    Args:
        clip_norm: L2 clip norm G of a sample's gradient.
        multipliers: noise standard deviation on each step's sum, over G.
        delta: delta over all steps.
        accountant: exact or zcdp.
        adjacency: which data the noise is calibrated for.
    """
    budget = sum(sigma**-2 for sigma in multipliers)
    together = budget**-0.5
    adjacencies: tuple[Adjacency, ...] = ("add-remove", "replace-one")
    rows = [
        (neighbours, "exact Gaussian", accounting.gaussian_epsilon(together, delta, neighbours))
        for neighbours in sorted(adjacencies, key=lambda neighbours: neighbours != adjacency)
    ]
    if accountant == "zcdp":
        rho = budget * accounting.SENSITIVITY[adjacency] ** 2 / 2
        rows.insert(0, (adjacency, "zCDP", accounting.loose_zcdp_epsilon(rho, delta)))
    return tuple(
        PrivacyRecord(
            mechanism="dp_gd",
            unit="sample",
            adjacency=neighbours,
            clip_norm=clip_norm,
            sigma=min(multipliers),
            noise_std=min(multipliers) * clip_norm,
            epsilon=epsilon,
            delta=delta,
            accountant=name,
            covers_labels=True,
            note=TRUSTED_WITH_SAMPLES,
            events=as_documents([composition.gaussian(together, summed=True)]),
        )
        for neighbours, name, epsilon in rows
    )


def laplace(*, epsilon: float, clip: float | None, coordinates: int) -> PrivacyRecord:
    """Return the guarantee of Laplace noise on all activations of a sample that a client sends.

    Paper eppfl, Eq. (7), at scale B/epsilon on values clipped to [0, B]: epsilon for one of them,
    and their sum for all, which is exact under pure differential privacy.

    Args:
        epsilon: of one coordinate.
        clip: B; None is the paper's sensitivity, a maximum over the channel.
        coordinates: values that a client sends of one sample, over all epochs and rounds.
    """
    each = f"{epsilon:g} per coordinate, {coordinates:,} of them. {FINITE_DRAWS} "
    if clip is None:
        return PrivacyRecord("laplace", each + CHANNEL_MAXIMUM)
    return PrivacyRecord(
        mechanism="laplace",
        unit="sample",
        adjacency="replace-one",
        noise_std=sqrt(2) * clip / epsilon,
        epsilon=epsilon * coordinates,
        delta=0.0,
        accountant="pure DP",
        note=each + LABELS_OPEN,
        events=as_documents([composition.pure(epsilon, coordinates)]),
    )


def update_gaussian(
    *, clip_norm: float, sigma: float, delta: float, participations: int
) -> PrivacyRecord:
    """Return what noise on every update of a client guarantees it, whoever sums them.

    All its updates together are one Gaussian release with noise smaller by the root of the rounds.

    Args:
        clip_norm: L2 clip norm c of an update.
        sigma: noise standard deviation on each update, over c.
        delta: delta over all rounds.
        participations: rounds that a client takes part in at most.
    """
    noise = {"clip_norm": clip_norm, "sigma": sigma, "delta": delta}
    of_client, _ = gaussian(**noise, times=participations, note=EACH_UPDATE)
    return replace(of_client, mechanism="update_gaussian", unit="client", covers_labels=True)


def randomised_response(epsilon: float) -> PrivacyRecord:
    """Return the guarantee of randomised response on the labels."""
    return PrivacyRecord(
        mechanism="randomised_response",
        unit="label",
        adjacency="replace-one",
        epsilon=epsilon,
        delta=0.0,
        accountant="pure DP",
        covers_labels=True,
        events=as_documents([composition.pure(epsilon)]),
        note="For the label alone; a sample's features and label together add their epsilons.",
    )
