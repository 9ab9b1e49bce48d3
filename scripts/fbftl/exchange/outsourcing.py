"""ECOS (paper thesis, ch. 5): a server buys public rows by counts of its clients' rows.

The server clusters the public rows and sends the frozen extractor with the centroids. Each client
counts a Poisson sample of its rows by their nearest centroid, adds noise and sends as many numbers.
The server scales their sum, shares out its purchase over the clusters, and picks rows in each. On
these rows, and on what some clients upload as FbFTL's do, it solves a logistic head. The labels of
the rows are bought with them, or a client gives some of them (private kNN); the head learns from
labels alone, or also from a teacher that knows everything that is sold.

The run file holds the counts as they arrived and the rows that were bought, below `series`, so that
a purchase can be made again from what was sent alone.
"""

from collections.abc import Sequence
from dataclasses import asdict, dataclass, field
from typing import Any

import numpy as np

from fbftl.data.domains import domains_in
from fbftl.data.participation import clients_of, grouped, participating
from fbftl.data.public import PLAIN, public_domains
from fbftl.exchange.post import Post
from fbftl.exchange.secure_sum import SecureSum, noise_on_sums
from fbftl.ground.errors import UserError
from fbftl.ground.randomness import stream
from fbftl.messages.channel import PacketLoss
from fbftl.messages.codec import Compression
from fbftl.messages.ledger import Ledger
from fbftl.messages.link import Link
from fbftl.messages.payload import Uploaded
from fbftl.messages.release import Encoded
from fbftl.messages.statistics import LabelledRows
from fbftl.privacy.composition import NO_GUARANTEE
from fbftl.privacy.counting import (
    counts_event,
    counts_sigma,
    nothing_sent,
    rows_guarantee,
    votes_event,
)
from fbftl.privacy.mechanisms import PrivacyRecord, no_mechanism
from fbftl.study.job import Job
from fbftl.study.outsourcing import COUNTING
from fbftl.study.release import noise_seed
from fbftl.tasks.task import HeldFeatures, Outcome
from fbftl.training.closed_form import LinearHead
from fbftl.training.coverage import (
    ALLOCATIONS,
    Clusters,
    PublicRows,
    clustered,
    farthest_first,
    greedy,
    nearest,
    picked,
    scaled,
)
from fbftl.training.distilled import distilled
from fbftl.training.labelling import answered
from fbftl.training.logistic import logistic
from fbftl.training.measures import MEASURES, Measure

MEASURED = MEASURES | {
    "own_share": Measure("share", "higher"),
    "inherent_share": Measure("share"),
    "bought": Measure("rows"),
    "labelled": Measure("rows"),
    "label_accuracy": Measure("share", "higher"),
}
"""What is measured beside what all methods do: of the rows that were bought and of all that are
sold, the share of those in the clients' own domains; how many rows have a label, and which share of
these labels is right.
"""


@dataclass
class Market:
    """What is sold, and who may buy it.

    held: what the clients hold.
    rows: the public rows.
    _clusters: by number of centroids and seed: settings that ask for the same share the work.
    _teacher: the head that learnt from all that is sold, once it was asked for.
    """

    held: HeldFeatures
    rows: PublicRows
    _clusters: dict[tuple[int, int], Clusters] = field(default_factory=dict)
    _teacher: LinearHead | None = None

    def clusters(self, count: int, seed: int) -> Clusters:
        """Return the public rows in so many clusters."""
        if (count, seed) not in self._clusters:
            self._clusters[count, seed] = clustered(self.rows.values, count, seed)
        return self._clusters[count, seed]

    def teacher(self, penalties: Sequence[float]) -> LinearHead:
        """Return a head that learnt from all public rows and their labels."""
        if self._teacher is None:
            everything = LabelledRows(self.rows.values, self.rows.labels, self.rows.labels)
            self._teacher = logistic(everything, self.held.payload.classes, penalties).head
        return self._teacher


@dataclass(frozen=True, eq=False)
class Customers:
    """One seed's clients.

    client: (n,) client of each training sample.
    offered: rows of the clients that take part.
    """

    seed: int
    client: np.ndarray
    offered: np.ndarray


@dataclass(frozen=True, eq=False)
class Bought:
    """What the server buys for one seed.

    rows: places of the public rows.
    scores: the sum of the counts as it arrived, (R,); none where nobody counts.
    """

    rows: np.ndarray
    scores: np.ndarray | None = None


def outsourced(job: Job, market: Market) -> Outcome:
    """Buy, have some clients upload, and solve a head, one repetition per seed.

    Raises:
        UserError: if the purchase or the centroids are more than the public rows, or there is
            nothing ideal to buy.
    """
    held, sold = market.held, market.rows
    if job.setting.purchase > len(sold.labels):
        raise UserError(
            f"purchase is {job.setting.purchase}, but the public sources of {job.task} have "
            f"{len(sold.labels)} rows; buy fewer"
        )
    ledger = Ledger(method=job.setting.method, store=held.provenance["features"])
    guarantees, own = guarantees_of(job), sold.of(own_domains(job))
    compression = Compression(job.setting.bits, 1.0)
    messages = held.payload.uploaded(compression) if job.setting.uploaders else None
    repetitions = []
    for seed in job.seeds:
        client = clients_of(job, held.holdings, seed)
        asked = Customers(seed, client, participating(client, job.setting.fraction, seed))
        link = Link(PacketLoss(0.0), 0, held.block_bits)
        post = Post(ledger, link, seed, guarantees[0], compression)
        bought = purchased(job, market, asked, post)
        known = [labelled(job, market, bought, post, asked)]
        right = known[0].labels == sold.labels[known[0].client]
        uploads = Post(ledger, link, seed, no_mechanism(), compression)
        if messages is not None:
            known.append(uploaded(job, market, asked, uploads, messages))
        repetitions.append(
            fitted(job, market, known)
            | {
                "labelled": len(right),
                "label_accuracy": float(right.mean()) if len(right) else None,
            }
            | {"seed": seed, "clients": len(np.unique(client[asked.offered]))}
            | {"offered": len(asked.offered), "bought": len(bought.rows)}
            | {"received": sum(len(one.labels) for one in known[1:])}
            | {"inherent_share": float(own.mean())}
            | {"own_share": float(own[bought.rows].mean()) if len(bought.rows) else None}
            | summed(post, uploads)
            | {"privacy": [asdict(one) for one in told(job, guarantees)]}
        )
        told_counts = None if bought.scores is None else [float(v) for v in bought.scores]
        repetitions[-1]["series"] |= {"scores": told_counts, "purchase": bought.rows.tolist()}
    return Outcome(repetitions, ledger, held.provenance, measures=MEASURED)


def guarantees_of(job: Job) -> tuple[PrivacyRecord, ...]:
    """Return what a setting guarantees the rows that are counted or vote on labels."""
    setting, block, events = job.setting, job.block["outsourcing"], []
    counting = setting.purchase > 0 and setting.choice in COUNTING
    noisy = setting.mechanism != "none"
    if counting:
        noise = counts_event(noise_of(job), setting.sampling) if noisy else NO_GUARANTEE
        events.append(noise)
    if setting.labels == "client":
        noises = (block["vote_noise"], block["confidence_noise"])
        events.append(votes_event(*noises, block["query_sampling"], setting.purchase))
    if not events:
        return (nothing_sent(),)
    if NO_GUARANTEE in events:
        return (no_mechanism(),)
    sigma = noise_of(job) if counting else None
    return rows_guarantee(tuple(events), sigma, job.privacy.delta, setting.aggregation == "masked")


def told(job: Job, guarantees: Sequence[PrivacyRecord]) -> list[PrivacyRecord]:
    """Return all that a setting guarantees; features that are uploaded have no protection."""
    return [*guarantees, no_mechanism()] if job.setting.uploaders else list(guarantees)


def noise_of(job: Job) -> float:
    """Return the standard deviation σ of the noise on each count."""
    setting = job.setting
    if setting.mechanism == "none":
        return 0.0
    return setting.sigma or counts_sigma(setting.epsilon, setting.sampling, job.privacy.delta)


def own_domains(job: Job) -> list[int]:
    """Return the places of the clients' domains among those of the public sources."""
    sold = public_domains(job.block["public"]) or (PLAIN,)
    own = domains_in(job.clients.get("domains")) or (PLAIN,)
    return [place for place, domain in enumerate(sold) if domain in own]


def purchased(job: Job, market: Market, asked: Customers, post: Post) -> Bought:
    """Return what the server buys, after whatever the choice has clients send."""
    setting, seed, sold = job.setting, asked.seed, market.rows
    extractor = {"weights": market.held.frozen_floats}
    if setting.purchase and setting.choice in COUNTING:
        clusters = market.clusters(setting.centroids, seed)
        post.broadcast(extractor | {"centroids": clusters.centroids.size})
        scores = counted(job, market, asked, clusters, post)
        return Bought(chosen(setting, sold, clusters, scores, seed), scores)
    if setting.uploaders or setting.labels == "client":
        post.broadcast(extractor)
    rng = stream(seed, "purchase")
    match setting.choice:
        case _ if setting.purchase == 0:
            return Bought(np.zeros(0, dtype=np.int64))
        case "kcenter":
            first = int(rng.integers(len(sold.labels)))
            return Bought(farthest_first(sold.values, setting.purchase, first))
        case "ideal":
            own = np.flatnonzero(sold.of(own_domains(job)))
            if not len(own):
                raise UserError(
                    f"choice ideal buys rows of the clients' own domains, and the public sources "
                    f"of {job.task} have none; leave it out"
                )
            return Bought(rng.permutation(own)[: setting.purchase])
    return Bought(rng.permutation(len(sold.labels))[: setting.purchase])


def chosen(
    setting: Any, sold: PublicRows, clusters: Clusters, scores: np.ndarray, seed: int
) -> np.ndarray:
    """Return the rows that the server buys by what clients said, and by nothing else of them."""
    weights, diverse = scaled(scores, setting.score_power), setting.choice == "ecos"
    share_out = ALLOCATIONS[setting.allocation] if diverse else greedy
    shares = share_out(weights, clusters.sizes, setting.purchase)
    return picked(sold.values, clusters, shares, diverse, seed)


def counted(
    job: Job, market: Market, asked: Customers, clusters: Clusters, post: Post
) -> np.ndarray:
    """Have every client count its rows; return the sum of what arrives, (R,) float64."""
    near = nearest(market.held.payload.values, clusters.centroids)
    owners, counts = counts_of(job, asked, near, len(clusters.sizes))
    noise = noise_of(job)
    dealt = asked.client, market.held.payload.sample
    if job.setting.aggregation == "masked":
        if len(owners) < 2:
            raise UserError(
                f"{job.setting.method} on {job.task} masks the counts of one client, whose sum is "
                "its message; give more clients or a larger fraction, or aggregation: open"
            )
        sum_noise = noise_on_sums(job, asked.seed, noise, owners, dealt)
        found = SecureSum(post).of(counts, owners, part="scores", noise=sum_noise)
        return found.total
    noised_by = noise_seed(job, asked.seed, *dealt)
    drawn = np.stack(
        [
            stream(noised_by, "count noise", int(own)).standard_normal(counts.shape[1])
            for own in owners
        ]
    )
    receipt = post.up({"scores": counts.shape[1]}, owners, content=counts + noise * drawn)
    return receipt.arrived.sum(axis=0, dtype=np.float64)


def counts_of(
    job: Job, asked: Customers, near: np.ndarray, clusters: int
) -> tuple[np.ndarray, np.ndarray]:
    """Return the clients (U,), and how many of its sampled rows each has in each cluster (U, R).

    Args:
        job: with the probability γ that a row is counted.
        asked: the clients.
        near: (n,) cluster of each training sample.
        clusters: their number R.
    """
    counted_ = (
        stream(noise_seed(job, asked.seed), "counted").random(len(near)) < job.setting.sampling
    )
    owners, rows = grouped(asked.offered, asked.client)
    counts = [np.bincount(near[own[counted_[own]]], minlength=clusters) for own in rows]
    return owners, np.array(counts, dtype=np.float64)


def uploaded(
    job: Job, market: Market, asked: Customers, post: Post, messages: Uploaded
) -> LabelledRows:
    """Return the features that some clients upload with their labels, as FbFTL's clients do."""
    clients = stream(asked.seed, "uploaders").permutation(np.unique(asked.client[asked.offered]))
    own = np.isin(asked.client[asked.offered], clients[: job.setting.uploaders])
    rows, payload = asked.offered[own], market.held.payload
    sent = messages.sent
    post.up(
        {"features": payload.width},
        asked.client[rows],
        sample=payload.sample[rows],
        content=Encoded(sent.bits[rows], [sent.digests[row] for row in rows]),
    )
    return LabelledRows(messages.read.values[rows], messages.read.labels[rows], asked.client[rows])


def labelled(
    job: Job, market: Market, bought: Bought, post: Post, asked: Customers
) -> LabelledRows:
    """Return the bought rows with their labels, those of a client's confidence if it gives them."""
    sold, rows, held = market.rows, bought.rows, market.held
    if job.setting.labels == "bought":
        return LabelledRows(sold.values[rows], sold.labels[rows], rows)
    own, block = asked.offered, job.block["outsourcing"]
    values, labels = held.payload.values[own], held.payload.labels[own]
    post.broadcast({"features": sold.values[rows].size})
    noised_by = noise_seed(job, asked.seed)
    answers = answered(sold.values[rows], values, labels, held.payload.classes, block, noised_by)
    said = np.concatenate([answers.labels, answers.confidence])[None]
    client = np.unique(asked.client[own])
    post.up({"labels": len(rows), "scores": len(rows)}, client, content=said)
    kept = answers.most_confident(block["labels_per_class"])
    return LabelledRows(sold.values[rows[kept]], answers.labels[kept], rows[kept])


def fitted(job: Job, market: Market, known: Sequence[LabelledRows]) -> dict[str, Any]:
    """Return what a head is worth that is solved from some rows; no row is held out."""
    held, block = market.held, job.block["outsourcing"]
    rows = LabelledRows(
        *(
            np.concatenate([getattr(one, name) for one in known])
            for name in ("values", "labels", "client")
        )
    )
    penalties = job.block["one_shot"]["logistic"][:1]
    if job.setting.purpose == "compress":
        scores = market.teacher(penalties).scores(rows.values)
        head = distilled(rows, scores, penalties[0], block["distilled"], block["temperature"])
    else:
        head = logistic(rows, held.payload.classes, penalties).head
    return held.linear(head).record | {"seen": len(rows.labels)}


def summed(*posts: Post) -> dict[str, int | None]:
    """Return the bits of all messages of several posts."""
    totals = [post.totals(range(1)) for post in posts]
    return {
        key: None if key == "token_id_bits" else sum(own[key] for own in totals)
        for key in totals[0]
    }
