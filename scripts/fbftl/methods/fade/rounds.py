"""Rounds of FADE (thesis ch. 3, Alg. 3.2): some users train adversarially, the server averages.

theta <- beta * sum_i (n_i / n_A) theta_i + (1 - beta) theta, part by part: a part is averaged over
those of the picked users who trained it, n_A their samples (printed as N), and what nobody trained
stays. All seeds, of one setting or of several with the same rules, go through their rounds
together; each has the users, schedule and mini-batches that it would have alone, and where users
fill their mini-batches, and layers the lanes of a processor (multiples of 16 numbers, as in the
study), the same numbers to the bit; elsewhere the last digit of a sum may depend on where in the
stack it lies.

A user's group is known to the user, who picks the sign of its own loss by it, and to nobody else
here but what evaluates `leak`. Nothing is lost on the way, so that messages are entered in the
ledger many rounds at a time; what the attack reads is what arrived.
"""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise

import numpy as np
import torch
from torch import Tensor, nn

from fbftl.exchange.post import Post
from fbftl.ground.errors import required
from fbftl.ground.randomness import stream, torch_seed
from fbftl.messages.channel import Link, PacketLoss
from fbftl.messages.ledger import Ledger
from fbftl.methods.fade.discriminator import (
    AdversarialStep,
    Networks,
    ParticipantBatch,
    Rules,
    adversary_weight,
    rate_factor,
    stacked_networks,
)
from fbftl.methods.fade.groups import (
    GroupedClients,
    ParticipationSchedule,
    Users,
    per_round,
    schedule_of,
)
from fbftl.methods.fade.server import (
    PartServer,
    UpdateNoise,
    masked_averages,
    open_averages,
    spans_of,
    sums_of,
)
from fbftl.models.modes import digests
from fbftl.models.networks import initialise
from fbftl.privacy import mechanisms
from fbftl.privacy.accounting import gaussian_sigma
from fbftl.privacy.mechanisms import PrivacyRecord
from fbftl.privacy.release import noise_seed
from fbftl.study.job import Job
from fbftl.training.batches import Cycle, Epoch
from fbftl.training.local_network import local_network
from fbftl.training.local_updates import SplitModel
from fbftl.training.samples import LabelledInputs
from fbftl.training.tasks.task import Repetition

Draw = Callable[[int, int, int], Sequence[np.ndarray]]
"""From trial, round (from 1) and user to the rows of each of its K mini-batches."""


def rules_of(job: Job) -> Rules:
    """Return the rules of a setting's adversarial game."""
    setting, game = job.setting, job.block["adversarial_game"]
    return Rules(
        adversary=setting.adversary,
        sees=setting.discriminator_sees,
        unlabelled=setting.unlabelled_loss,
        clip=game["clip"],
        discriminator_rate=setting.discriminator_rate,
        discriminator_steps=setting.discriminator_steps,
    )


def lockstep_key(job: Job, groups: int) -> str:
    """Return what settings have in common whose rounds can be trained in lockstep.

    Among it is how many users take part in one: of few users all of them, with a preset
    probability one.
    """
    setting, block, most = job.setting, job.block, job.setting.majority_users
    network = {name: value for name, value in block["network"].items() if name != "init"}
    users = None
    if most is not None:
        users = min(setting.minority_users + most * (groups - 1), per_round(job))
    steps = (setting.local_steps, setting.discriminator_start, per_round(job))
    common = (job.task, job.training, block["adversarial_game"], network, rules_of(job), steps)
    return repr((*common, users if setting.minority_participation is None else 1))


def initial_networks(
    seeded: Sequence[tuple[Job, int]], split_models: Sequence[SplitModel], groups: int,
    device: torch.device,
) -> Networks:  # fmt: skip
    """Return the global networks of all trials; the discriminator starts as its network does.

    Args:
        seeded: setting and seed of each trial.
        split_models: the network of each.
        groups: number of groups.
        device: to train on.
    """
    first, _ = seeded[0]
    rules, hidden = rules_of(first), first.block["adversarial_game"]["discriminator"]

    def initial_layers(widths: Sequence[int], index: int) -> list[nn.Linear]:
        job, seed = seeded[index]
        with torch.random.fork_rng(devices=[]):
            torch.manual_seed(torch_seed(seed, "discriminator"))
            layers = [nn.Linear(a, b) for a, b in pairwise(widths)]
            start = job.setting.discriminator_init or job.block["network"]["init"]
            initialise(nn.Sequential(*layers), start)
        return [layer.to(device) for layer in layers]

    return stacked_networks(split_models, groups, rules, hidden, initial_layers)


def guarantee_of(job: Job, participations: int) -> PrivacyRecord:
    """Return what a setting's noise guarantees a user that takes part in so many rounds at most."""
    setting, privacy = job.setting, job.privacy
    if setting.mechanism == "none":
        return mechanisms.no_mechanism()
    delta = required(privacy.delta)
    sigma = setting.sigma or gaussian_sigma(setting.epsilon, delta) * participations**0.5
    return mechanisms.update_gaussian(
        clip_norm=required(privacy.update_clip),
        sigma=sigma,
        delta=delta,
        participations=participations,
    )


@dataclass(frozen=True)
class Trial:
    """One seed of a setting: who trains when, and the server between them.

    job: the setting.
    seed: its seed.
    users: who holds what.
    schedule: who takes part when.
    server: it averages what they send.
    """

    job: Job
    seed: int
    users: Users
    schedule: ParticipationSchedule
    server: PartServer


def debiasing(jobs: Sequence[Job], client_data: GroupedClients) -> "Debiasing":
    """Return the trials of all seeds of some settings, ready to train.

    Raises:
        ValueError: if the settings' rounds cannot be trained in lockstep.
    """
    if len({lockstep_key(job, client_data.groups) for job in jobs}) > 1:
        raise ValueError("settings with other rules or networks cannot be trained in lockstep")
    seeded = [(job, seed) for job in jobs for seed in job.seeds]
    users = [client_data.users(*trial) for trial in seeded]
    held_out = np.zeros(0, dtype=np.int64)
    starts = [
        local_network(
            client_data.samples,
            Repetition(*trial, who.rows, held_out),
            of=lambda split_model, data, *_: (split_model, data),
        )
        for trial, who in zip(seeded, users, strict=True)
    ]
    split_models, training_data = zip(*starts, strict=True)
    samples = training_data[0].samples.at(np.arange(len(client_data.train)))
    networks = initial_networks(seeded, split_models, client_data.groups, samples.labels.device)
    outputs = 0 if networks.group is None else networks.group.biases[-1].shape[2]
    link = Link(PacketLoss(0.0), 0, client_data.samples.block_bits)
    store = client_data.samples.provenance["features"]
    ledgers = [Ledger(method=job.setting.method, store=store) for job in jobs]
    entered = [ledger for job, ledger in zip(jobs, ledgers, strict=True) for _ in job.seeds]
    trials = []
    for (job, seed), who, ledger in zip(seeded, users, entered, strict=True):
        schedule = schedule_of(job, who, seed)
        guarantee = guarantee_of(job, schedule.most_participations)
        noise = None
        clip_norm, std = guarantee.clip_norm, guarantee.noise_std
        if clip_norm is not None and std is not None:
            noise = UpdateNoise(clip_norm, std, noise_seed(job, seed))
        post = Post(ledger, link, seed, guarantee)
        secure = sums_of(job, post, who, schedule.users.shape[1], noise)
        trials.append(
            Trial(job, seed, who, schedule, PartServer(post, who, secure, outputs, noise))
        )
    return Debiasing(jobs[0], networks, samples, trials, ledgers)


@dataclass
class Debiasing:
    """The trials of all seeds, of one setting or several, and their networks.

    job: a setting, for what all have in common.
    networks: the global ones, stacked by trial.
    samples: what users hold, on the training device.
    trials: setting by setting.
    ledgers: of each setting.
    draw: how users draw mini-batches; each goes through its rows in a new order every pass.
    """

    job: Job
    networks: Networks
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
        return self.networks.task.biases[-1].shape[2]

    def train(self) -> Iterator[tuple[int, np.ndarray]]:
        """Train for all rounds; yield at every point the round and the mean losses since the last.

        The losses are those of the task, of each trial (S,), and no number where it has diverged.
        """
        rounds = self.job.network_training.local_rounds
        every = max(1, rounds // self.job.block["adversarial_game"]["points"])
        losses: list[Tensor] = []
        for round_number in range(1, rounds + 1):
            losses.append(self._round(round_number))
            if round_number % every == 0 or round_number == rounds:
                mean = torch.stack(losses).double().cpu().numpy().mean(0)
                yield round_number, np.where(self.diverged, np.nan, mean)
                losses = []
        for trial in self.trials:
            trial.server.settle()

    def _round(self, round_number: int) -> Tensor:
        """Train for one round; return each trial's task loss (S,)."""
        job, training = self.job, self.job.network_training
        game = job.block["adversarial_game"]
        rounds, steps = training.local_rounds, job.setting.local_steps
        chosen = np.stack([trial.schedule.users[round_number - 1] for trial in self.trials])
        weight = adversary_weight(round_number - 1, rounds, game["warm_up"])
        participants = self._participants(round_number, chosen, weight)
        # Pad a stack of one to two: its matrix product rounds differently.
        copies_per_user = 2 if chosen.size == 1 else 1
        copies = self.networks.copies(chosen.shape[1] * copies_per_user)
        local_updates = AdversarialStep(copies, rules_of(job), training)
        repeated = participants.repeated(copies_per_user)
        mini_batches = self._mini_batches(round_number, chosen)
        rows, share = (values.repeat_interleave(copies_per_user, 1) for values in mini_batches)
        losses = []
        for step in range(steps):
            at = (round_number - 1) * steps + step
            falls = rate_factor(at, rounds * steps) if game["falling_rate"] else 1.0
            factor = falls * training.decay ** (round_number - 1)
            inputs = nn.functional.embedding(rows[step], self._values)
            labels = self.samples.labels[rows[step]]
            step_losses = local_updates.step(inputs, labels, share[step], repeated, factor)
            losses.append(step_losses[0, ::copies_per_user])
        weights = copies.flat()[::copies_per_user].unflatten(0, chosen.shape)
        self._average(round_number, chosen, weights, participants)
        return torch.stack(losses).mean(0).view(chosen.shape).mean(1)

    def _average(
        self, round_number: int, chosen: np.ndarray, weights: Tensor, participants: ParticipantBatch
    ) -> None:
        """Let every server average what its users have, and move its networks that way."""
        before = self.networks.flat()
        average = before.clone()
        labelled, adversarial = (
            flags.cpu().numpy().reshape(chosen.shape) for flags in participants.trains
        )
        alone = self.job.setting.unlabelled_loss != "none"
        encoder = labelled | adversarial | alone
        trained = {"encoder": encoder, "task": labelled, "group": adversarial}
        self.diverged |= ~torch.isfinite(weights).flatten(1).all(1).cpu().numpy()
        patterns: dict[tuple[bool, bytes], list[int]] = {}  # most trials have one
        for index in np.flatnonzero(~self.diverged).tolist():
            pattern = b"".join(trained_by[index].tobytes() for trained_by in trained.values())
            key = self.trials[index].server.secure is None, pattern
            patterns.setdefault(key, []).append(index)
        for (is_open, _), indices in patterns.items():
            who = {name: trained_by[indices[0]] for name, trained_by in trained.items()}
            spans = spans_of(self.networks.sizes, who)
            servers = [self.trials[index].server for index in indices]
            of_servers = open_averages if is_open else masked_averages
            average[indices] = of_servers(
                servers, round_number, chosen[indices], before[indices], weights[indices], spans
            )
        beta = self.job.block["adversarial_game"]["server_momentum"]
        self.networks.fill(torch.lerp(before, average, beta))

    def _participants(
        self, round_number: int, chosen: np.ndarray, weight: float
    ) -> ParticipantBatch:
        trials = zip(self.trials, chosen, strict=True)
        groups = np.stack([trial.users.group[users] for trial, users in trials])
        adversarial = np.stack(
            [trial.schedule.adversarial[round_number - 1] for trial in self.trials]
        )
        labelled = self.job.block["adversarial_game"]["labelled"]
        is_labelled = np.ones_like(adversarial) if labelled is None else np.isin(groups, labelled)
        device = self.samples.labels.device
        group_of_user, labels_known, trains_group = (
            torch.from_numpy(values.flatten()).to(device)
            for values in (groups, is_labelled, adversarial)
        )
        if self.networks.group is None:
            return ParticipantBatch(group_of_user, labels_known, trains_group, 0.0)
        at_once = self.job.setting.discriminator_start == "at_once"
        return ParticipantBatch(group_of_user, labels_known, trains_group, weight, at_once)

    def _mini_batches(self, round_number: int, chosen: np.ndarray) -> tuple[Tensor, Tensor]:
        """Return rows and their weights (K, H, B) of a round's users, trial by trial."""
        draw = self.draw or self._batches
        sampled = [
            draw(index, round_number, user)
            for index, users in enumerate(chosen)
            for user in users.tolist()
        ]
        most = max(len(rows) for batches in sampled for rows in batches)
        epoch, device = Epoch.of(sampled, len(sampled[0]), most), self.samples.labels.device
        rows, share = (torch.from_numpy(each).to(device) for each in (epoch.rows, epoch.weights))
        return rows, share

    def _batches(self, index: int, round_number: int, user: int) -> list[np.ndarray]:
        if (index, user) not in self._cycles:
            trial = self.trials[index]
            order = stream(trial.seed, "local", user)
            self._cycles[index, user] = Cycle(trial.users.rows[user], order)
        cycle = self._cycles[index, user]
        batch = min(self.job.network_training.local_batch or len(cycle.rows), len(cycle.rows))
        return [cycle.take(batch) for _ in range(self.job.setting.local_steps)]

    def digests(self) -> list[str]:
        """Return the SHA-256 of every trial's networks."""
        return digests([self.networks.flat()])

    @torch.no_grad()
    def seen(self, test: LabelledInputs) -> tuple[Tensor, Tensor]:
        """Return every trial's z (S, m, d) and the classes (S, m) that it predicts of samples."""
        inputs, outputs = test.inputs.flatten(1)[None], []
        for index in range(len(self.trials)):
            alone = self.networks.at(slice(index, index + 1))
            z = alone.representation(inputs)
            outputs.append((z[0], alone.logits(z)[0].argmax(1)))
        zs, predictions = zip(*outputs, strict=True)
        return torch.stack(zs), torch.stack(predictions)
