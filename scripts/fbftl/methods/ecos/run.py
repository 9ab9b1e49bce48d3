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

from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass, field
from typing import Any

import numpy as np

from fbftl.data.participation import Participants, grouped, participants_of
from fbftl.data.public import PLAIN, public_domains
from fbftl.exchange.post import Post
from fbftl.exchange.secure_sum import RING_MEASURES, SecureSum, noise_on_sums
from fbftl.ground.errors import UserError, required
from fbftl.ground.randomness import stream
from fbftl.ground.ring import Ring
from fbftl.messages.channel import Link, PacketLoss
from fbftl.messages.codec import Compression
from fbftl.messages.encoded import Encoded
from fbftl.messages.ledger import Ledger
from fbftl.messages.payload import Uploaded, Vectors
from fbftl.messages.statistics import LabelledRows
from fbftl.methods.ecos.coverage import (
    ALLOCATIONS,
    Clusters,
    counts_event,
    counts_sigma,
    greedy,
    nearest,
    nothing_sent,
    picked,
    rows_guarantee,
    scaled,
    votes_event,
)
from fbftl.methods.ecos.public_rows import PublicPool, PublicRows, answered, distilled, public_rows
from fbftl.privacy.composition import NO_GUARANTEE
from fbftl.privacy.mechanisms import PrivacyRecord, no_mechanism
from fbftl.privacy.release import noise_seed
from fbftl.study.bounds import counts_bound, summing_ring
from fbftl.study.clients import domains_in
from fbftl.study.job import Job
from fbftl.study.outsourcing import COUNTING
from fbftl.training.curves import MEASURES, Measure
from fbftl.training.logistic import logistic, score_of_linear
from fbftl.training.tasks.task import Inputs, Outcome, labelled_features

MEASURED = {
    **MEASURES,
    **RING_MEASURES,
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


@dataclass(frozen=True, eq=False)
class SelectedRows:
    """What the server buys for one seed.

    rows: places of the public rows.
    scores: the sum of the counts as it arrived, (R,); none where nobody counts.
    record: what a run file says of a secure sum of them.
    """

    rows: np.ndarray
    scores: np.ndarray | None = None
    record: dict[str, Any] = field(default_factory=dict)


def outsourced(job: Job, pool: PublicPool) -> Outcome:
    """Buy, have some clients upload, and solve a head, one repetition per seed.

    Raises:
        UserError: if the purchase or the centroids are more than the public rows, or there is
            nothing ideal to buy.
    """
    client_data, sold = pool.client_data, pool.rows
    if job.setting.purchase > len(sold.labels):
        raise UserError(
            f"purchase is {job.setting.purchase}, but the public sources of {job.task} have "
            f"{len(sold.labels)} rows; buy fewer"
        )
    ledger = Ledger(method=job.setting.method, store=client_data.provenance["features"])
    guarantees, in_own_domains = guarantees_of(job), sold.of(own_domains(job))
    compression = Compression(job.setting.bits, 1.0)
    messages = client_data.payload.uploaded(compression) if job.setting.uploaders else None
    repetitions = []
    for seed in job.seeds:
        participants = participants_of(job, client_data.partition, seed)
        link = Link(PacketLoss(0.0), 0, client_data.block_bits)
        post = Post(ledger, link, seed, guarantees[0], compression)
        selected = purchased(job, pool, participants, post)
        training_rows = [labelled(job, pool, selected, post, participants)]
        right = training_rows[0].labels == sold.labels[training_rows[0].client]
        uploads = Post(ledger, link, seed, no_mechanism(), compression)
        if messages is not None:
            training_rows.append(uploaded(job, pool, participants, uploads, messages))
        bought_own = in_own_domains[selected.rows]
        record = fitted(job, pool, training_rows) | {
            "labelled": len(right),
            "label_accuracy": float(right.mean()) if len(right) else None,
            "seed": seed,
            "clients": len(np.unique(participants.client[participants.offered])),
            "offered": len(participants.offered),
            "bought": len(selected.rows),
            "received": sum(len(rows.labels) for rows in training_rows[1:]),
            "inherent_share": float(in_own_domains.mean()),
            "own_share": float(bought_own.mean()) if len(bought_own) else None,
            **summed(post, uploads),
            "privacy": [asdict(guarantee) for guarantee in guarantees],
            **selected.record,
        }
        scores = None if selected.scores is None else selected.scores.tolist()
        record["series"] |= {"scores": scores, "purchase": selected.rows.tolist()}
        repetitions.append(record)
    return Outcome(repetitions, ledger, client_data.provenance, measures=MEASURED)


def guarantees_of(job: Job) -> tuple[PrivacyRecord, ...]:
    """Return what a setting guarantees: first the rows that are counted or vote on labels.

    Features that are uploaded have no protection.
    """
    of_rows = _guarantees_of_rows(job)
    return (*of_rows, no_mechanism()) if job.setting.uploaders else of_rows


def _guarantees_of_rows(job: Job) -> tuple[PrivacyRecord, ...]:
    setting, block, events = job.setting, job.block["outsourcing"], []
    counting = setting.purchase > 0 and setting.purchase_rule in COUNTING
    noisy = setting.mechanism != "none"
    if counting:
        noise = counts_event(noise_of(job), setting.count_sampling) if noisy else NO_GUARANTEE
        events.append(noise)
    if setting.label_source == "client":
        noises = (block["vote_noise"], block["confidence_noise"])
        events.append(votes_event(*noises, block["query_sampling"], setting.purchase))
    if not events:
        return (nothing_sent(),)
    if NO_GUARANTEE in events:
        return (no_mechanism(),)
    sigma = noise_of(job) if counting else None
    return rows_guarantee(tuple(events), sigma, job.privacy.delta, setting.aggregation == "masked")


def noise_of(job: Job) -> float:
    """Return the standard deviation σ of the noise on each count."""
    setting = job.setting
    if setting.mechanism == "none":
        return 0.0
    return setting.sigma or counts_sigma(setting.epsilon, setting.count_sampling, job.privacy.delta)


def own_domains(job: Job) -> list[int]:
    """Return the places of the clients' domains among those of the public sources."""
    sold = public_domains(job.block["public"]) or (PLAIN,)
    domains = domains_in(job.clients.get("domains")) or (PLAIN,)
    return [index for index, domain in enumerate(sold) if domain in domains]


def purchased(job: Job, pool: PublicPool, participants: Participants, post: Post) -> SelectedRows:
    """Return what the server buys, after whatever the choice has clients send."""
    setting, seed, sold = job.setting, participants.seed, pool.rows
    if setting.purchase and setting.purchase_rule in COUNTING:
        clusters = pool.clusters(setting.centroids, seed)
        post.deploy(pool.client_data.frozen_floats)
        post.broadcast({"centroids": clusters.centroids.size})
        scores, record = counted(job, pool, participants, clusters, post)
        return SelectedRows(chosen(setting, sold, clusters, scores, seed), scores, record)
    if setting.uploaders or setting.label_source == "client":
        post.deploy(pool.client_data.frozen_floats)
    rng = stream(seed, "purchase")
    match setting.purchase_rule:
        case _ if setting.purchase == 0:
            return SelectedRows(np.zeros(0, dtype=np.int64))
        case "kcenter":
            first = int(rng.integers(len(sold.labels)))
            return SelectedRows(pool.apart(setting.purchase, first))
        case "ideal":
            rows = np.flatnonzero(sold.of(own_domains(job)))
            if not len(rows):
                raise UserError(
                    "purchase_rule ideal buys rows of the clients' own domains, and the public "
                    f"sources of {job.task} have none; leave it out"
                )
            return SelectedRows(rng.permutation(rows)[: setting.purchase])
    return SelectedRows(rng.permutation(len(sold.labels))[: setting.purchase])


def chosen(
    setting: Any, sold: PublicRows, clusters: Clusters, scores: np.ndarray, seed: int
) -> np.ndarray:
    """Return the rows that the server buys by what clients said, and by nothing else of them."""
    weights, diverse = scaled(scores, setting.score_power), setting.purchase_rule == "ecos"
    share_out = ALLOCATIONS[setting.purchase_allocation] if diverse else greedy
    shares = share_out(weights, clusters.sizes, setting.purchase)
    return picked(sold.values, clusters, shares, diverse, seed)


def counted(
    job: Job, pool: PublicPool, participants: Participants, clusters: Clusters, post: Post
) -> tuple[np.ndarray, dict[str, Any]]:
    """Have every client count its rows; return the sum of what arrives, (R,) float64, and what a
    run file says of it."""
    near = nearest(pool.client_data.payload.values, clusters.centroids)
    owners, counts = counts_of(job, participants, near, len(clusters.sizes))
    noise = noise_of(job)
    clients_and_samples = participants.client, pool.client_data.payload.sample
    if job.setting.aggregation != "open":
        if len(owners) < 2:
            raise UserError(
                f"{job.setting.method} on {job.task} masks the counts of one client, whose sum is "
                "its message; give more clients or a larger fraction, or aggregation: open"
            )
        sum_noise = noise_on_sums(job, participants.seed, noise, owners, clients_and_samples)
        secure = SecureSum(post, _ring(job, participants.client))
        # Nothing is lost, and two clients take part at least: there is a sum.
        summed = secure.of(counts.__getitem__, owners, part="scores", noise=sum_noise)
        return required(summed.total), secure.ring.record
    noised_by = noise_seed(job, participants.seed, *clients_and_samples)
    size = counts.shape[1]
    draws = [stream(noised_by, "count noise", int(of)).standard_normal(size) for of in owners]
    receipt = post.up({"scores": size}, owners, content=counts + noise * np.stack(draws))
    return receipt.arrived.sum(axis=0, dtype=np.float64), {}


def _ring(job: Job, client: np.ndarray) -> Ring:
    """Return the ring of the summed counts: all training rows (n,) may lie in one cluster."""
    bound, members = counts_bound(len(client)), len(np.unique(client))
    return summing_ring(bound, members, job.setting.fraction_bits, noise_of(job))


def counts_of(
    job: Job, participants: Participants, near: np.ndarray, clusters: int
) -> tuple[np.ndarray, np.ndarray]:
    """Return the clients (U,), and how many of its sampled rows each has in each cluster (U, R).

    Args:
        job: with the probability γ that a row is counted.
        participants: the clients that take part.
        near: (n,) cluster of each training sample.
        clusters: their number R.
    """
    draws = stream(noise_seed(job, participants.seed), "counted").random(len(near))
    counted_ = draws < job.setting.count_sampling
    owners, rows = grouped(participants.offered, participants.client)
    counts = [np.bincount(near[index[counted_[index]]], minlength=clusters) for index in rows]
    return owners, np.array(counts, dtype=np.float64)


def uploaded(
    job: Job, pool: PublicPool, participants: Participants, post: Post, messages: Uploaded[Vectors]
) -> LabelledRows:
    """Return the features that some clients upload with their labels, as FbFTL's clients do."""
    owners = participants.client[participants.offered]
    clients = stream(participants.seed, "uploaders").permutation(np.unique(owners))
    is_uploader = np.isin(owners, clients[: job.setting.uploaders])
    rows, payload = participants.offered[is_uploader], pool.client_data.payload
    sent = messages.sent
    post.up(
        {"features": payload.width},
        participants.client[rows],
        sample=payload.sample[rows],
        content=Encoded(sent.bits[rows], [sent.digests[row] for row in rows]),
    )
    read = messages.read
    return LabelledRows(read.values[rows], read.labels[rows], participants.client[rows])


def labelled(
    job: Job, pool: PublicPool, selected: SelectedRows, post: Post, participants: Participants
) -> LabelledRows:
    """Return the bought rows with their labels, those of a client's confidence if it gives them."""
    sold, rows, client_data = pool.rows, selected.rows, pool.client_data
    if job.setting.label_source == "bought":
        return LabelledRows(sold.values[rows], sold.labels[rows], rows)
    offered, block = participants.offered, job.block["outsourcing"]
    values, labels = client_data.payload.values[offered], client_data.payload.labels[offered]
    post.broadcast({"features": sold.values[rows].size})
    noised_by = noise_seed(job, participants.seed)
    answers = answered(
        sold.values[rows], values, labels, client_data.payload.classes, block, noised_by
    )
    content = np.concatenate([answers.labels, answers.confidence])[None]
    client = np.unique(participants.client[offered])
    post.up({"labels": len(rows), "scores": len(rows)}, client, content=content)
    kept = answers.most_confident(block["labels_per_class"])
    return LabelledRows(sold.values[rows[kept]], answers.labels[kept], rows[kept])


def fitted(job: Job, pool: PublicPool, training_rows: Sequence[LabelledRows]) -> dict[str, Any]:
    """Return what a head is worth that is solved from some rows; no row is held out."""
    client_data, block = pool.client_data, job.block["outsourcing"]
    rows = LabelledRows.joined(training_rows, client_data.width)
    penalties = job.block["one_shot"]["logistic"][:1]
    if job.setting.purchase_purpose == "compress":
        scores = pool.teacher(penalties).scores(rows.values)
        head = distilled(rows, scores, penalties[0], block["teacher_weight"], block["temperature"])
    else:
        head = logistic(rows, client_data.payload.classes, penalties).head
    return score_of_linear(client_data, head).record | {"seen": len(rows.labels)}


def summed(*posts: Post) -> dict[str, int | None]:
    """Return the bits of all messages of several posts."""
    totals = [post.totals(range(1)) for post in posts]
    return {
        key: None if key == "token_id_bits" else sum(required(total[key]) for total in totals)
        for key in totals[0]
    }


def run_together(jobs: Sequence[Job], inputs: Inputs) -> Iterator[Outcome]:
    """Train settings of one task in one process, which orders the public rows once for all."""
    client_data = labelled_features(jobs[0], inputs)
    rows = public_rows(required(inputs.public_manifest))
    by_order = [job.setting.purchase for job in jobs if job.setting.purchase_rule == "kcenter"]
    pool = PublicPool(client_data, rows, min(max(by_order, default=0), len(rows.labels)))
    yield from (outsourced(job, pool) for job in jobs)
