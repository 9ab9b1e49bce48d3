"""Mechanisms as runs call them: clip norms, noise, sampling rates, accountant, empty rounds.

A guarantee is computed without the code that clips, draws and samples. Here that code is called
with inputs whose outputs are known but for the noise, and compared with what the accountant is
told. Noise has its own seeds, so that a test finds the same numbers every time.
"""

from collections.abc import Callable, Sequence
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
import torch
from fbftl.exchange.post import Post, Receipt
from fbftl.exchange.protection import Protection, protection_by_rounds
from fbftl.exchange.secure_sum import SecureSum, noise_on_sums
from fbftl.exchange.sending import sending
from fbftl.exchange.uplink import Traffic, Uplink
from fbftl.messages.channel import Link, PacketLoss
from fbftl.messages.ledger import Ledger
from fbftl.messages.payload import Vectors
from fbftl.methods.by_name import train
from fbftl.methods.ecos import public_rows
from fbftl.methods.ecos import run as sampling
from fbftl.methods.ecos.coverage import Clusters, counts_event
from fbftl.methods.eppfl.activations import Boundary
from fbftl.methods.eppfl.run import crossing_of
from fbftl.methods.fade.groups import Users
from fbftl.methods.fade.server import PartServer, UpdateNoise
from fbftl.methods.fedfeat import feature_noise
from fbftl.methods.one_shot.messages.statistics import StatisticsMessage
from fbftl.methods.private_gd.descent import Descent, OwnSamples, descend
from fbftl.models.heads import Head
from fbftl.privacy.accounting import rounds_epsilon
from fbftl.privacy.composition import compose, gaussian, pure, rounds
from fbftl.privacy.mechanisms import no_mechanism
from fbftl.privacy.release import noise_seed
from fbftl.study import methods
from fbftl.study.job import Job
from fbftl.training.batches import Round
from fbftl.training.feature_network import FeatureNetwork, FeatureRequest
from fbftl.training.local_updates import LocalPlan, LocalUpdate, MiniBatch, SplitModel
from fbftl.training.samples import LabelledInputs, TrainingData
from scipy.optimize import brentq
from scipy.stats import binomtest, chi2, kstest, laplace, norm
from torch import nn
from unit.training.tasks import toy_task
from unit.training.tasks.toy_task import MLP

DELTA, CLIP = 1e-5, 1.5
UNLIKELY = 1e-6
"""Probability of what is taken for a fault, where it is not known beforehand to be nothing."""

MANY, WIDTH = 48, 32
"""Clients or samples, and numbers of each."""


def job_of(method: str, privacy: dict[str, Any] | None = None, **axes: Any) -> Job:
    """Return a job of two rounds of a method, as the workflow would hand it to a run."""
    values = {"epochs": 1, "rounds": 2, "clients_per_round": axes.pop("clients_per_round", 1)}
    values |= {"learning_rate": 0.1, "momentum": 0.0, "weight_decay": 0.0, "validation": 0.0}
    of_privacy = {"delta": DELTA} | (privacy or {})
    return toy_task.job({"method": method} | axes, None, (0,), {}, of_privacy, batch=1, **values)


def post_of(seed: int = 0) -> Post:
    return Post(Ledger(method="audit"), Link(PacketLoss(0.0), 0, 64), seed, no_mechanism())


# --- Clip norms ---------------------------------------------------------------------------------

LENGTHS = np.array([0.0, 0.5, 1.0, 1.4, 3.0, 40.0])
"""Of records in one batch, three of them below the clip norm and one of them nothing."""


def records() -> np.ndarray:
    """Return records (6, d) of these lengths along random directions, float32."""
    draws = np.random.default_rng(5).normal(size=(len(LENGTHS), WIDTH))
    lengths = LENGTHS / np.linalg.norm(draws, axis=1)
    return (draws * lengths[:, None]).astype(np.float32)


def sent_features(values: np.ndarray) -> np.ndarray:
    """Return what clients send of features, a sample each, under hardly any noise."""
    labels = np.zeros(len(values), dtype=np.int64)
    payload = Vectors(values, labels, np.arange(len(values)), 2)
    job = job_of("fbftl", {"feature_clip": {"norm": CLIP}}, mechanism="gaussian", sigma=1e-6)
    return sending(job, payload, None).released(0).values


def features_in_rounds(values: np.ndarray) -> np.ndarray:
    """Return what one client sends of the features of its samples, one batch of a round."""
    return reported(values[None], sigma=1e-6)[0, 0]


def updates_by_client(values: np.ndarray) -> np.ndarray:
    """Return what the clients of one round of DP-FedAvg send, one sample each."""
    protected = dp_fedavg([np.array([client]) for client in range(len(values))], sigma=1.0)
    return protected.releasing(round_of(range(len(values))), values).values


def updates_by_user(values: np.ndarray) -> np.ndarray:
    """Return what users send of updates that they clip and noise."""
    return user_updates(values, std=1e-6)[0]


def dp_fedavg(clients: list[np.ndarray], seed: int = 0, **axes: Any) -> Protection:
    """Return DP-FedAvg's protection of rounds."""
    job = job_of("ftl_c", {"update_clip": CLIP}, mechanism="dp_fedavg", **axes)
    return protection_by_rounds(job, clients, seed, ())


def round_of(clients: Any, index: int = 0) -> Round:
    """Return a round of clients with a sample each."""
    clients = np.array(clients, dtype=int)
    return Round(index, clients, clients[:, None], np.ones((len(clients), 1), dtype=bool))


@pytest.mark.parametrize(
    "sent", [sent_features, features_in_rounds, updates_by_client, updates_by_user]
)
def test_every_record_of_a_batch_has_a_clip_norm_of_its_own(sent):
    factors = CLIP / np.maximum(LENGTHS, CLIP)
    np.testing.assert_allclose(sent(records()), records() * factors[:, None], atol=1e-4)


def test_a_client_moves_the_sum_by_no_more_than_the_clip_norm_that_is_stated():
    """Of clients with unequally many samples, one is not there, or another one in its place."""
    clients = np.split(np.arange(16), [1, 4, 9])
    protected = dp_fedavg(clients, sigma=1.0, clients_per_round=2)
    stated = protected.records[0].clip_norm
    assert stated == pytest.approx(CLIP * 16 / 4)
    updates = np.eye(4, WIDTH, dtype=np.float32) * [[0.5 * stated], [9.0], [20.0], [400.0]]

    def summed(clients: list[int], updates: np.ndarray) -> np.ndarray:
        round_ = round_of(clients)
        sent = protected.releasing(round_, updates[clients].astype(np.float32)).values
        receipt = Receipt(round_.clients, 1, np.ones(len(clients), dtype=bool), sent)
        # The divisor is what half of the samples are, whoever takes part.
        return protected.averaging(round_, receipt).astype(np.float64) * 8

    whole = summed([0, 1, 2, 3], updates)
    for client in range(4):
        moved = whole - summed([other for other in range(4) if other != client], updates)
        assert np.linalg.norm(moved) == pytest.approx(
            min(stated, np.linalg.norm(updates[client])), rel=1e-4
        )
    opposite = summed([0, 1, 2, 3], updates * [[1], [1], [1], [-1]])
    assert np.linalg.norm(whole - opposite) == pytest.approx(2 * stated, rel=1e-4)


# --- Noise --------------------------------------------------------------------------------------

EPSILONS = (4.0, 2.0)
"""Of two releases of the same records."""


def of_features() -> np.ndarray:
    """Return the noise of uploads (releases, samples, numbers), over its stated deviation."""
    zeros = np.zeros((MANY, WIDTH), dtype=np.float32)
    payload = Vectors(zeros, np.zeros(MANY, dtype=np.int64), np.arange(MANY), 2)
    how = [
        sending(
            job_of("fbftl", {"feature_clip": {"norm": CLIP}}, mechanism="gaussian", epsilon=e),
            payload,
            None,
        )
        for e in EPSILONS
    ]
    return np.stack([each.released(0).values / (each.sigma * CLIP) for each in how])


def reported(values: np.ndarray, sigma: float, count: int = 1) -> np.ndarray:
    """Return what clients send of features (clients, n, d) in so many rounds (rounds, ...)."""
    clients, rows = len(values), values.shape[1]
    job = job_of("fedfeat", mechanism="gaussian", sigma=sigma, feature_clip=CLIP)
    samples = LabelledInputs(
        torch.from_numpy(values.reshape(-1, WIDTH)), torch.zeros(clients * rows, dtype=torch.int64)
    )
    noise = feature_noise(job, clients, 0)
    network = FeatureNetwork(
        SplitModel(nn.Identity(), nn.Linear(WIDTH, 2)),
        TrainingData(samples, np.zeros(0, dtype=np.int64), samples, job.network_training, ()),
        LocalPlan(1, None, job.network_training),
        seed=0,
        request=FeatureRequest("last_epoch", 1, CLIP, noise, noised_by=0),
    )
    places = np.arange(clients * rows).reshape(clients, rows)
    sent = np.empty((count, *values.shape))
    for index in range(count):
        round_ = Round(index, np.arange(clients), places, np.ones(places.shape, dtype=bool))
        network.train(round_)
        for client, report in enumerate(network.reported(round_, np.ones(clients, dtype=bool))):
            sent[index, client, report.rows - client * rows] = report.sent.numpy()
    return sent


def of_features_in_rounds() -> np.ndarray:
    """Return the noise of features in rounds (rounds, clients, samples and numbers)."""
    zeros = np.zeros((MANY, 3, WIDTH), dtype=np.float32)
    return (reported(zeros, sigma=2.0, count=2) / (2.0 * CLIP)).reshape(2, MANY, -1)


def user_updates(values: np.ndarray, std: float) -> np.ndarray:
    """Return what users send of updates (users, d) in two rounds, (2, users, d)."""
    everybody = np.arange(len(values))
    users = Users([everybody[:1]] * len(values), everybody, np.zeros(len(values), dtype=np.int64))
    server = PartServer(post_of(), users, None, 0, UpdateNoise(CLIP, std, 0))
    start, trained = torch.zeros(values.shape[1]), torch.from_numpy(values)
    return np.stack([server.sent(number, everybody, start, trained).numpy() for number in (1, 2)])


def of_user_updates() -> np.ndarray:
    """Return the noise of users' updates (rounds, users, numbers)."""
    return user_updates(np.zeros((MANY, WIDTH), dtype=np.float32), std=3.0) / 3.0


def of_statistics() -> np.ndarray:
    """Return the noise of clients' statistics (releases, clients, numbers)."""
    noises = []
    for epsilon in EPSILONS:
        job = job_of("one_shot", message="statistics", mechanism="gaussian", epsilon=epsilon)
        message = StatisticsMessage(2, 6, 3.0, noise_seed(job, 0, np.arange(1)))
        none = np.zeros((0, 6), dtype=np.float32), np.zeros(0, dtype=np.int64)
        summaries = [(client, message.summary(client, *none)) for client in range(MANY)]
        noises.append([message.combined([each]).numbers() for each in summaries])
    return np.array(noises) / 3.0


def of_sums() -> np.ndarray:
    """Return the noise of secure sums (releases, sets of clients, numbers)."""
    owners, zeros = np.arange(MANY), np.zeros((MANY, WIDTH))
    noises = []
    for epsilon in EPSILONS:
        job = job_of(
            "one_shot", message="statistics", aggregation="masked", mechanism="gaussian",
            epsilon=epsilon,
        )  # fmt: skip
        noise, sums = noise_on_sums(job, 0, 3.0, owners, (owners, owners)), SecureSum(post_of())
        pairs = (np.array([first, (first + 1) % MANY]) for first in range(MANY))
        totals = [
            sums.of(zeros.__getitem__, owners, offered=np.sort(pair), noise=noise) for pair in pairs
        ]
        noises.append([summed.total for summed in totals])
    return np.array(noises) / 3.0


def counts_of(job: Job, seed: int, clients: int, rows: int) -> np.ndarray:
    """Return the sum of what clients count, each of whose rows has a cluster of its own, (rows,)"""
    centroids, places = 10.0 * np.arange(rows, dtype=np.float32)[:, None], np.arange(clients * rows)
    payload = SimpleNamespace(values=centroids[places % rows], sample=places)
    pool = SimpleNamespace(client_data=SimpleNamespace(payload=payload))
    participants = sampling.Participants(seed, places // rows, places)
    clusters = Clusters(centroids, np.arange(rows))
    return sampling.counted(job, pool, participants, clusters, post_of())[0]


def of_counts() -> np.ndarray:
    """Return the noise of two clients' counts together (releases, seeds, clusters)."""
    noises = []
    for sigma in (2.0, 3.0):
        job = job_of("ecos", mechanism="counts", sigma=sigma, centroids=WIDTH)
        summed = np.array([counts_of(job, seed, 2, WIDTH) for seed in range(MANY)])
        noises.append((summed - 2) / (np.sqrt(2) * sigma))
    return np.array(noises)


def of_activations() -> np.ndarray:
    """Return the noise of activations (rounds, clients, samples), Laplace of scale 1."""
    job = job_of(
        "eppfl", {"activation_clip": CLIP}, mechanism="laplace", laplace_sensitivity="clip",
        epsilon=2.0,
    )  # fmt: skip
    boundary, rows = Boundary(crossing_of(job), 0), np.arange(MANY)
    values = torch.zeros(MANY, WIDTH)
    noises = [
        [
            boundary(values, MiniBatch(LocalUpdate(0, number, client, rows), 1, True, rows))
            for client in range(4)
        ]
        for number in (1, 2)
    ]
    return torch.stack([torch.stack(row) for row in noises]).numpy().reshape(2, 4, -1) * 2 / CLIP


def of_averages() -> np.ndarray:
    """Return the noise of DP-FedAvg's sums (rounds, seeds, numbers)."""
    clients = [np.array([client]) for client in range(MANY)]
    nothing = Receipt(np.arange(0), 1, np.zeros(0, dtype=bool), np.zeros((0, WIDTH), np.float32))
    protected = [dp_fedavg(clients, seed, sigma=1.5, clients_per_round=12) for seed in range(MANY)]
    noises = [
        [each.averaging(round_of([], index), nothing) for each in protected] for index in (0, 1)
    ]
    # The divisor is what is expected of a round, and what an update moves is the stated clip norm.
    stated = protected[0].records[0]
    return np.array(noises) * 12 / (stated.sigma * stated.clip_norm)


def of_gradients() -> np.ndarray:
    """Return the noise of two steps of private descent (steps, seeds, parameters)."""
    rate, sigma, rows = 1e-6, 2.0, 4

    def zeros(seeds: Any) -> Head:
        return Head([torch.zeros(len(seeds), WIDTH, 1)], [torch.zeros(len(seeds), 1, 1)])

    def moved(multiplier: float, steps: int) -> np.ndarray:
        samples = OwnSamples(
            torch.ones(rows, WIDTH), torch.arange(rows) % 2, [np.arange(rows)] * MANY
        )
        how = Descent(np.full((steps, MANY), multiplier), CLIP, rate)
        head = descend(zeros, samples, range(MANY), how).head
        return torch.cat([head.weights[0], head.biases[0]], dim=1)[..., 0].double().numpy()

    once, twice = (moved(sigma, steps) - moved(0.0, steps) for steps in (1, 2))
    return np.stack([once, twice - once]) * -rows / (rate * sigma * CLIP)


GAUSSIAN = (
    of_features, of_features_in_rounds, of_user_updates, of_statistics, of_sums, of_counts,
    of_averages, of_gradients,
)  # fmt: skip


@pytest.mark.parametrize(
    ("noise", "law"), [*((noise, norm) for noise in GAUSSIAN), (of_activations, laplace)]
)
def test_noise_has_its_law_and_nothing_in_common(noise, law):
    """Sums along every axis vary as those of independent numbers do, no more and no less.

    Noise that rounds, clients or coordinates share has a sum too large along that axis.
    """
    drawn = noise()
    assert kstest(drawn.ravel(), law.cdf).pvalue > UNLIKELY
    for axis, count in enumerate(drawn.shape):
        sums = drawn.sum(axis=axis) / np.sqrt(count * law.var())
        # A fourth moment above that of normal numbers lets squares of sums vary a little more.
        spread = 1 + law.stats(moments="k") / count / 2
        degrees = sums.size / spread
        below = chi2.cdf((sums**2).sum() / spread, degrees)
        assert UNLIKELY < below < 1 - UNLIKELY, f"axis {axis} of {drawn.shape}"


def test_labels_answer_at_random_one_by_one():
    """A label is kept with e^ε / (e^ε + N - 1), whatever happens to its neighbour's."""
    epsilon, classes, count = 1.0, 4, 4_000
    payload = Vectors(
        np.zeros((count, 1), dtype=np.float32), np.zeros(count, dtype=np.int64), np.arange(count),
        classes,
    )  # fmt: skip
    answers = sending(job_of("fbftl", label_epsilon=epsilon), payload, None).released(0).labels
    kept = np.exp(epsilon) / (np.exp(epsilon) + classes - 1)
    assert binomtest(int((answers == 0).sum()), count, kept).pvalue > UNLIKELY
    both = (answers[::2] == 0) & (answers[1::2] == 0)
    assert binomtest(int(both.sum()), count // 2, kept**2).pvalue > UNLIKELY


def test_votes_are_wrong_as_often_as_their_noise_says():
    """One vote against none is lost with Φ(-1 / (√2 σ))."""
    queries = 10.0 * np.arange(1_000, dtype=np.float32)[:, None]
    block = {"vote_noise": 0.7, "confidence_noise": 1e-3, "query_sampling": 1.0, "neighbours": 1}
    of_rows = np.zeros(len(queries), dtype=np.int64)
    answers = public_rows.answered(queries, queries + 1, of_rows, 2, block, 0)
    wrong, lost = int((answers.labels != 0).sum()), norm.cdf(-1 / (np.sqrt(2) * 0.7))
    assert binomtest(wrong, len(queries), lost).pvalue > UNLIKELY


# --- Sampling rates -----------------------------------------------------------------------------


def test_clients_take_part_as_often_as_the_accountant_is_told():
    clients = [np.array([client]) for client in range(128)]
    taking_part = np.zeros((60, 2, len(clients)), dtype=int)
    for seed in range(60):
        protected = dp_fedavg(clients, seed, sigma=1.0, clients_per_round=32)
        (event,) = protected.records[0].events
        places = [round_ for rounds_ in protected.schedule for round_ in rounds_.single()]
        assert event["times"] == len(places) == 2
        for index, round_ in enumerate(places):
            taking_part[seed, index, round_.clients] += 1
    assert taking_part.max() == 1
    assert binomtest(int(taking_part.sum()), taking_part.size, event["rate"]).pvalue > UNLIKELY
    for axis in range(3):  # neither seeds, nor rounds, nor clients take part together
        in_pairs = np.moveaxis(taking_part, axis, 0)
        both = in_pairs[::2] * in_pairs[1::2]
        assert binomtest(int(both.sum()), both.size, event["rate"] ** 2).pvalue > UNLIKELY


def test_rows_are_counted_as_often_as_the_accountant_is_told():
    axes = {"mechanism": "counts", "sigma": 1e-9, "count_sampling": 0.3, "centroids": 2_000}
    counted = counts_of(job_of("ecos", **axes), 0, 1, 2_000).round()
    rate = counts_event(1.0, 0.3).rate
    assert set(counted.tolist()) == {0.0, 1.0}
    assert binomtest(int(counted.sum()), len(counted), rate).pvalue > UNLIKELY


# --- The accountant -----------------------------------------------------------------------------

STEP, REACH = 1e-4, 32.0
"""Grid of privacy losses, and the size that neither one nor their sum exceeds."""

PLACES = round(2 * REACH / STEP)
"""Of the grid, from loss 0 up and, behind them, from -REACH up to 0."""

Density = Callable[[np.ndarray], np.ndarray]
"""From points to the logarithm of a density there."""


def law_of(losses: np.ndarray, mass: np.ndarray) -> np.ndarray:
    """Return the law of losses on the grid, each shared out to two places so that means stay."""
    at = np.clip(losses, -REACH + STEP, REACH - 2 * STEP) / STEP
    below = np.floor(at).astype(int)
    parts = (below, 1 - at + below), (below + 1, at - below)
    return sum(np.bincount(place % PLACES, mass * share, PLACES) for place, share in parts)


def law_of_noise(first: Density, second: Density, sigma: float) -> np.ndarray:
    """Return the law of ln(P/Q) under P, of densities that lie within 12 deviations and 1."""
    points = np.linspace(-12 * sigma - 1, 12 * sigma + 1, 400_001)
    mass = np.exp(first(points)) * (points[1] - points[0])
    return law_of(first(points) - second(points), mass)


def composed_epsilon(laws: Sequence[tuple[np.ndarray, int]]) -> float:
    """Return the epsilon at DELTA of independent releases, each with its law, so many times."""
    spectrum = np.prod([np.fft.rfft(law) ** times for law, times in laws], axis=0)
    total = np.fft.irfft(spectrum, PLACES)[: PLACES // 2]
    values = np.arange(PLACES // 2) * STEP

    def delta(epsilon: float) -> float:
        above = values > epsilon
        return float(total[above] @ -np.expm1(epsilon - values[above]))

    return brentq(lambda epsilon: delta(epsilon) - DELTA, 0.0, REACH)


def sums(sigma: float, rate: float, replaced: bool) -> list[np.ndarray]:
    """Return the laws of one noisy sum over Poisson-sampled records, in both directions."""

    def mixture(moved: float) -> Density:
        return lambda x: np.logaddexp(
            np.log1p(-rate) + norm.logpdf(x, 0, sigma), np.log(rate) + norm.logpdf(x, moved, sigma)
        )

    present, absent = mixture(1.0), mixture(-1.0 if replaced else 0.0)
    return [law_of_noise(*pair, sigma) for pair in ((present, absent), (absent, present))]


def response(epsilon: float) -> np.ndarray:
    """Return the law of a release that is epsilon-DP at worst: a coin told with that much truth."""
    kept = np.exp(epsilon) / (1 + np.exp(epsilon))
    return law_of(np.array([epsilon, -epsilon]), np.array([kept, 1 - kept]))


def gaussian_law(sigma: float) -> np.ndarray:
    """Return the law of one noisy sum over all records."""
    densities = (lambda x, at=at: norm.logpdf(x, at, sigma) for at in (1.0, 0.0))
    return law_of_noise(*densities, sigma)


ROUNDS = [(1.0, 0.25, 4), (0.8, 0.05, 30)]
"""Noise multipliers, sampling rates and rounds."""


@pytest.mark.parametrize("adjacency", ["add-remove", "replace-one"])
@pytest.mark.parametrize(("sigma", "rate", "times"), ROUNDS)
def test_rounds_cost_what_a_convolution_of_losses_says(sigma, rate, times, adjacency):
    laws = sums(sigma, rate, adjacency == "replace-one")
    wanted = max(composed_epsilon([(law, times)]) for law in laws)
    stated = rounds_epsilon(sigma, DELTA, rate=rate, rounds=times, adjacency=adjacency)
    assert stated == pytest.approx(wanted, rel=1e-3)


def test_what_is_mixed_costs_what_a_convolution_of_losses_says():
    """Rounds of uneven noise, Gaussian releases of all records and labels answered at random."""
    events = [rounds(1.0, 0.25, 3), rounds(2.0, 0.25, 2), gaussian(4.0, 2), pure(0.3)]
    directions = zip(sums(1.0, 0.25, False), sums(2.0, 0.25, False), strict=True)
    others = (gaussian_law(4.0), 2), (response(0.3), 1)
    wanted = max(
        composed_epsilon([(first, 3), (second, 2), *others]) for first, second in directions
    )
    assert compose(events, DELTA, "add-remove").epsilon == pytest.approx(wanted, rel=1e-3)


# --- Rounds of nobody ---------------------------------------------------------------------------


def test_a_round_of_nobody_is_noise_that_the_server_steps_with():
    """It is left as any round: nothing is encoded, and the average is the noise of the round."""
    protected = dp_fedavg([np.array([client]) for client in range(8)], sigma=2.0)
    uplink = Uplink(
        post_of(), Traffic(lambda _: {"update": WIDTH}, {"weights": WIDTH}), np.arange(8),
        releasing=protected.releasing, averaging=protected.averaging,
    )  # fmt: skip
    mean, arrives = uplink.averaged(round_of([]), np.zeros((0, WIDTH), dtype=np.float32))
    assert arrives.shape == (0,)
    assert kstest(mean / (2.0 * CLIP), norm.cdf).pvalue > UNLIKELY
    table = uplink.post.ledger.table().to_pandas()
    assert set(table["direction"]) == {"down"}


PRIVATE = [record.name for record in methods.RECORDS if "dp_fedavg" in record.mechanisms]


@pytest.mark.parametrize("method", PRIVATE)
def test_runs_of_which_some_rounds_have_nobody_end_and_pay_for_every_round(digits, method):
    """One of sixteen clients is expected in a round, so that every third round has nobody."""
    private = {"method": method, "mechanism": "dp_fedavg", "sigma": 1.5}
    values = {"clients_per_round": 1, "rounds": 8, "epochs": 1}
    job = toy_task.job(private, MLP, (3, 6, 1002), **values)
    (outcome,) = train([job], digits)
    table = outcome.ledger.table().to_pandas()
    for repetition in outcome.repetitions:
        of_seed = table[table["seed"] == repetition["seed"]]
        down, up = (set(of_seed.query("direction == @way")["round"]) for way in ("down", "up"))
        down -= {0}
        assert up < down
        assert not repetition["diverged"]
        (event,) = repetition["privacy"][0]["events"]
        assert event["times"] == len(down)
