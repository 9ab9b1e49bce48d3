"""Rounds of the game of FADE (thesis ch. 3, Alg. 3.2): some users play, the server averages parts.

theta <- beta * sum_i (n_i / n_A) theta_i + (1 - beta) theta, part by part: a part is averaged over
those of the picked users who trained it, n_A their samples (printed as N), and what nobody trained
stays. All seeds, of one setting or of several with the same rules, go through their rounds
together; each has the users, turns and mini-batches that it would have alone, and where users fill
their mini-batches, and layers the lanes of a processor (multiples of 16 numbers, as in the study),
the same numbers to the bit; elsewhere the last digit of a sum may depend on where in the stack it
lies.

A user's group is known to the user, who picks the sign of its own loss by it, and to nobody else
here but the judge of `leak`. Nothing is lost on the way, so that messages are entered in the ledger
many rounds at a time; what the attack reads is what arrived.
"""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from itertools import pairwise

import numpy as np
import torch
from torch import Tensor, nn

from fbftl.exchange.part_server import PartServer, Spans, UpdateNoise, spans_of
from fbftl.exchange.post import Post
from fbftl.ground.randomness import stream, torch_seed
from fbftl.messages.channel import PacketLoss
from fbftl.messages.ledger import Ledger
from fbftl.messages.link import Link
from fbftl.models.digest import digests
from fbftl.models.networks import initialise
from fbftl.privacy import mechanisms
from fbftl.privacy.mechanisms import PrivacyRecord
from fbftl.study.job import Job
from fbftl.study.release import noise_seed
from fbftl.tasks.grouped import HeldByGroups, Users
from fbftl.training.adversarial import (
    Game,
    Players,
    Rules,
    Seating,
    adversary_weight,
    rate_factor,
    stacked_players,
)
from fbftl.training.batches import Cycle, picked
from fbftl.training.network import LabelledInputs
from fbftl.training.visits import Halves

Draw = Callable[[int, int, int], Sequence[np.ndarray]]
"""From trial, round (from 1) and user to the rows of each of its K mini-batches."""


@dataclass(frozen=True)
class Turns:
    """Who takes part when, in one seed.

    users: (T, C) of each of T rounds.
    plays: (T, C) booleans, whether each plays the game or declines.
    """

    users: np.ndarray
    plays: np.ndarray

    @property
    def most_visits(self) -> int:
        """In how many rounds that user takes part who does most often."""
        return int(np.bincount(self.users.ravel()).max())


def turns_of(job: Job, users: Users, seed: int) -> Turns:
    """Return a seed's rounds: users by chance, or one each with group 0's preset probability."""
    setting, rounds, count = job.setting, job.training.rounds, len(users.rows)
    if setting.participation is None:
        chosen = [picked(count, job.training.clients_per_round, t, seed) for t in range(rounds)]
    else:
        sides = [np.flatnonzero((users.group == 0) == first) for first in (True, False)]
        draws = stream(seed, "participation").random((rounds, 2))
        of_first = draws[:, 0] < setting.participation
        chosen = [
            [side[int(place * len(side))]]
            for first, place in zip(of_first, draws[:, 1], strict=True)
            for side in [sides[0] if first else sides[1]]
        ]
    taking_part = np.array(chosen)
    declines = stream(seed, "opt out").random(taking_part.shape) < setting.opt_out
    return Turns(taking_part, ~declines)


def rules_of(job: Job) -> Rules:
    """Return how a setting's game is played."""
    setting, game = job.setting, job.block["game"]
    return Rules(
        adversary=setting.adversary,
        sees=setting.discriminator_sees,
        unlabelled=setting.unlabelled_loss,
        clip=game["clip"],
        discriminator_rate=setting.discriminator_rate,
        discriminator_steps=setting.discriminator_steps,
    )


def rounds_of(job: Job, groups: int) -> str:
    """Return what settings have in common whose rounds can be played together.

    Among it is how many users take part in one: of few users all of them, with a preset
    probability one.
    """
    setting, block, most = job.setting, job.block, job.setting.majority_users
    network = {name: own for name, own in block["network"].items() if name != "init"}
    users = None if most is None else min(1 + most * (groups - 1), job.training.clients_per_round)
    common = (job.task, job.training, block["game"], network, rules_of(job), setting.local_steps)
    return repr((*common, users if setting.participation is None else 1))


def begin(
    seeded: Sequence[tuple[Job, int]], halves: Sequence[Halves], groups: int, device: torch.device
) -> Players:
    """Return the global players of all trials; the discriminator starts as its network does.

    Args:
        seeded: setting and seed of each trial.
        halves: the network of each.
        groups: number of groups.
        device: to train on.
    """

    def drawn(widths: Sequence[int], place: int) -> list[nn.Linear]:
        job, seed = seeded[place]
        with torch.random.fork_rng(devices=[]):
            torch.manual_seed(torch_seed(seed, "discriminator"))
            layers = [nn.Linear(a, b) for a, b in pairwise(widths)]
            initialise(nn.Sequential(*layers), job.block["network"]["init"])
        return [layer.to(device) for layer in layers]

    job, _ = seeded[0]
    return stacked_players(halves, groups, rules_of(job), job.block["game"]["discriminator"], drawn)


def guarantee_of(job: Job, turns: Turns) -> PrivacyRecord:
    """Return what a setting's noise guarantees a user over all its rounds."""
    setting, privacy = job.setting, job.privacy
    if setting.mechanism == "none":
        return mechanisms.no_mechanism()
    from fbftl.privacy.accounting import gaussian_sigma

    visits = turns.most_visits
    sigma = setting.sigma or gaussian_sigma(setting.epsilon, privacy.delta) * visits**0.5
    return mechanisms.update_gaussian(
        clip_norm=privacy.update_clip, sigma=sigma, delta=privacy.delta, visits=visits
    )


@dataclass(frozen=True)
class Trial:
    """One seed of a setting: who plays when, and the server between them.

    job: the setting.
    seed: its seed.
    users: who holds what.
    turns: who takes part when.
    server: it averages what they send.
    """

    job: Job
    seed: int
    users: Users
    turns: Turns
    server: PartServer


def debiasing(jobs: Sequence[Job], held: HeldByGroups) -> "Debiasing":
    """Return the trials of all seeds of some settings, ready to play.

    Raises:
        ValueError: if the settings' rounds cannot be played together.
    """
    if len({rounds_of(job, held.groups) for job in jobs}) > 1:
        raise ValueError("settings with other rules or networks cannot be played together")
    seeded = [(job, seed) for job in jobs for seed in job.seeds]
    users = [held.users(*own) for own in seeded]
    halves, lessons = zip(
        *(held.network(*own, who) for own, who in zip(seeded, users, strict=True)), strict=True
    )
    samples = lessons[0].samples.at(np.arange(len(held.train)))
    players = begin(seeded, halves, held.groups, samples.labels.device)
    outputs = 0 if players.group is None else players.group.biases[-1].shape[2]
    link = Link(PacketLoss(0.0), 0, held.samples.block_bits)
    store = held.samples.provenance["features"]
    ledgers = [Ledger(method=job.setting.method, store=store) for job in jobs]
    entered = [ledger for job, ledger in zip(jobs, ledgers, strict=True) for _ in job.seeds]
    trials = [
        _trial(*own, who, outputs, partial(Post, ledger, link))
        for own, who, ledger in zip(seeded, users, entered, strict=True)
    ]
    return Debiasing(jobs[0], players, samples, trials, ledgers)


def _trial(
    job: Job, seed: int, users: Users, outputs: int, post: Callable[[int, PrivacyRecord], Post]
) -> Trial:
    """Return one seed of a setting; the discriminator has so many outputs, 0 for none."""
    turns = turns_of(job, users, seed)
    given = guarantee_of(job, turns)
    noise = None
    if given.noise_std is not None:
        noise = UpdateNoise(given.clip_norm, given.noise_std, noise_seed(job, seed))
    masked = job.setting.aggregation == "masked"
    server = PartServer(post(seed, given), users, masked, outputs, noise)
    return Trial(job, seed, users, turns, server)


@dataclass
class Debiasing:
    """The trials of all seeds, of one setting or several, and their players.

    job: a setting, for what all have in common.
    players: the global ones, stacked by trial.
    samples: what users hold, on the training device.
    trials: setting by setting.
    ledgers: of each setting.
    draw: how users draw mini-batches; each goes through its rows in a new order every pass.
    """

    job: Job
    players: Players
    samples: LabelledInputs
    trials: Sequence[Trial]
    ledgers: Sequence[Ledger]
    draw: Draw | None = None

    def __post_init__(self) -> None:
        self._cycles: dict[tuple[int, int], Cycle] = {}
        self._values = self.samples.inputs.flatten(1)
        self.diverged = np.zeros(len(self.trials), dtype=bool)

    @property
    def classes(self) -> int:
        """Number of classes N."""
        return self.players.task.biases[-1].shape[2]

    def play(self) -> Iterator[tuple[int, np.ndarray]]:
        """Play all rounds; yield at every point the round and the mean losses since the last.

        The losses are those of the task, of each trial (S,), and no number where it has diverged.
        """
        rounds, points = self.job.training.rounds, self.job.block["game"]["points"]
        every, losses = max(1, rounds // points), []
        for turn in range(1, rounds + 1):
            losses.append(self._round(turn))
            if turn % every == 0 or turn == rounds:
                mean = torch.stack(losses).double().cpu().numpy().mean(0)
                yield turn, np.where(self.diverged, np.nan, mean)
                losses = []
        for trial in self.trials:
            trial.server.settle()

    def _round(self, turn: int) -> Tensor:
        """Play one round; return each trial's task loss (S,)."""
        job, game = self.job, self.job.block["game"]
        rounds, steps = job.training.rounds, job.setting.local_steps
        chosen = np.stack([own.turns.users[turn - 1] for own in self.trials])
        table = self._table(turn, chosen, adversary_weight(turn - 1, rounds, game["warm_up"]))
        # One product alone rounds otherwise than several together: a sole user has a double.
        seats = 2 if chosen.size == 1 else 1
        copies = self.players.copies(chosen.shape[1] * seats)
        visit = Game(copies, rules_of(job), job.training)
        drawn = self._mini_batches(turn, chosen)
        rows, share = (own.repeat_interleave(seats, 1) for own in drawn)
        losses = []
        for step in range(steps):
            at = (turn - 1) * steps + step
            falls = rate_factor(at, rounds * steps) if game["falling_rate"] else 1.0
            factor = falls * job.training.decay ** (turn - 1)
            inputs = nn.functional.embedding(rows[step], self._values)
            labels = self.samples.labels[rows[step]]
            seated = table.repeated(seats)
            losses.append(visit.step(inputs, labels, share[step], seated, factor)[0, ::seats])
        weights = copies.flat()[::seats].unflatten(0, chosen.shape)
        self._average(turn, chosen, weights, table)
        return torch.stack(losses).mean(0).view(chosen.shape).mean(1)

    def _average(self, turn: int, chosen: np.ndarray, weights: Tensor, table: Seating) -> None:
        """Let every server average what its users have, and move its players that way."""
        before = self.players.flat()
        average = before.clone()
        labelled, plays = (own.cpu().numpy().reshape(chosen.shape) for own in table.trains)
        alone = self.job.setting.unlabelled_loss != "none"
        trained = {"encoder": labelled | plays | alone, "task": labelled, "group": plays}
        self.diverged |= ~torch.isfinite(weights).flatten(1).all(1).cpu().numpy()
        spans: dict[bytes, Spans] = {}  # most trials have one pattern
        for place in np.flatnonzero(~self.diverged).tolist():
            who = {name: own[place] for name, own in trained.items()}
            pattern = np.concatenate([*who.values()]).tobytes()
            if pattern not in spans:
                spans[pattern] = spans_of(self.players.sizes, who)
            self.trials[place].server.average(
                turn, chosen[place], before[place], weights[place], spans[pattern], average[place]
            )
        beta = self.job.block["game"]["server_momentum"]
        self.players.fill(torch.lerp(before, average, beta))

    def _table(self, turn: int, chosen: np.ndarray, weight: float) -> Seating:
        trials = zip(self.trials, chosen, strict=True)
        groups = np.stack([trial.users.group[own] for trial, own in trials])
        plays = np.stack([own.turns.plays[turn - 1] for own in self.trials])
        labelled = self.job.block["game"]["labelled"]
        known = np.ones_like(plays) if labelled is None else np.isin(groups, labelled)
        device = self.samples.labels.device
        at_table = (torch.from_numpy(own.flatten()).to(device) for own in (groups, known, plays))
        return Seating(*at_table, weight if self.players.group is not None else 0.0)

    def _mini_batches(self, turn: int, chosen: np.ndarray) -> tuple[Tensor, Tensor]:
        """Return rows and their weights (K, H, B) of a round's users, trial by trial."""
        draw = self.draw or self._drawn
        drawn = [
            draw(place, turn, user) for place, own in enumerate(chosen) for user in own.tolist()
        ]
        steps, most = len(drawn[0]), max(len(rows) for own in drawn for rows in own)
        rows = np.zeros((steps, len(drawn), most), dtype=np.int64)
        share = np.zeros((steps, len(drawn), most), dtype=np.float32)
        for place, own in enumerate(drawn):
            for step, batch in enumerate(own):
                rows[step, place, : len(batch)] = batch
                share[step, place, : len(batch)] = 1 / len(batch)
        device = self.samples.labels.device
        return torch.from_numpy(rows).to(device), torch.from_numpy(share).to(device)

    def _drawn(self, place: int, turn: int, user: int) -> list[np.ndarray]:
        seat = (place, user)
        if seat not in self._cycles:
            trial = self.trials[place]
            order = stream(trial.seed, "local", user)
            self._cycles[seat] = Cycle(trial.users.rows[user], order)
        cycle = self._cycles[seat]
        batch = min(self.job.training.local_batch or len(cycle.rows), len(cycle.rows))
        return [cycle.take(batch) for _ in range(self.job.setting.local_steps)]

    def digests(self) -> list[str]:
        """Return the SHA-256 of every trial's players."""
        return digests([self.players.flat()])

    @torch.no_grad()
    def seen(self, test: LabelledInputs) -> tuple[Tensor, Tensor]:
        """Return every trial's z (S, m, d) and the classes (S, m) that it predicts of samples."""
        inputs, found = test.inputs.flatten(1)[None], []
        for place in range(len(self.trials)):
            alone = self.players.at(slice(place, place + 1))
            z = alone.representation(inputs)
            found.append((z[0], alone.logits(z)[0].argmax(1)))
        zs, said = zip(*found, strict=True)
        return torch.stack(zs), torch.stack(said)
