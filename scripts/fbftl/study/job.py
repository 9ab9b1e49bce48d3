"""One training job: a setting with the training values, seeds and widths that it runs under.

A job is told its method and the axes that differ from their default, which its result depends on;
the defaults of the other axes that its method knows come beside it, for they never change.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from fbftl.ground.errors import required
from fbftl.study.clients import Dealing


def name_of(deviations: Mapping[str, Any]) -> str:
    """Return a setting's file name: its method, then every axis that differs from its default.

    The parts are joined by a plus: commas separate wildcards where Snakemake hands a job to
    another machine, and a name that held one would be taken for another setting's.

    Args:
        deviations: `method` and axes with their values, in the fixed order of the axes.
    """
    axes = [f"{axis}={value}" for axis, value in deviations.items() if axis != "method"]
    return "+".join([deviations["method"], *axes])


@dataclass(frozen=True)
class KnownAxes:
    """A method and the axes that its run reads, each an attribute, as in ``setting.plr``.

    values: of the method and of all these axes.
    deviating: the axes that differ from their default.
    """

    values: Mapping[str, Any]
    deviating: frozenset[str] = frozenset()

    def __getattr__(self, axis: str) -> Any:
        values = self.__dict__.get("values", {})
        if axis in values:
            return values[axis]
        known = ", ".join(axis for axis in values if axis != "method")
        raise AttributeError(
            f"method {values.get('method')} does not know axis {axis}, but {known}; name it in its "
            f"record in study/methods/"
        )

    @property
    def deviations(self) -> dict[str, Any]:
        """The method, and the axes that differ from their default, with their values."""
        known = {"method", *self.deviating}
        return {axis: value for axis, value in self.values.items() if axis in known}

    @property
    def name(self) -> str:
        """The setting's file name."""
        return name_of(self.deviations)


def known_axes(deviations: Mapping[str, Any], defaults: Mapping[str, Any]) -> KnownAxes:
    """Return a setting with the axes that it leaves at their default.

    Args:
        deviations: `method`, and axes that differ from their default.
        defaults: the axes that are known, with their defaults.

    Raises:
        ValueError: if it deviates in an axis that is not known.
    """
    unknown = deviations.keys() - defaults.keys() - {"method"}
    if unknown:
        raise ValueError(
            f"method {deviations['method']} does not know {', '.join(sorted(unknown))}"
        )
    return KnownAxes({**defaults, **deviations}, frozenset(deviations.keys() - {"method"}))


@dataclass(frozen=True)
class Training:
    """How a model is trained; `study/model/training.py` has the defaults.

    epochs: passes over all of the task's training samples; iterations do not shrink with fewer
        data.
    batch: samples per server step of FbFTL.
    clients_per_round: clients U·C per round of the gradient methods.
    learning_rate: of the optimiser, in local epochs the clients'.
    momentum: of SGD; 0 is none.
    weight_decay: L2 penalty on the trained weights.
    validation: share of the received uploads held out to pick the epoch.
    selection: validation, test (the papers' habit), or last.
    dropout: whether dropout acts while clients train a network; every client's masks are its own.
    batch_norm: frozen is by the running statistics that the network came with; batch is by those
        of the batch, in training each client's own.
    rounds: of methods with local epochs, a point of the curves each; none for all others.
    local_batch: samples per step of a client's local epochs; none takes all that it has.
    optimiser: what clients step with in local epochs: sgd with the momentum, nesterov, adam, or
        adadelta.
    decay: factor of the learning rate from one round of local epochs to the next.
    server_learning_rate: of a server that retrains the classifier; none takes the clients'.
    server_batch: features per step of such a server; none takes `local_batch`.
    annealing: none; cosine, by which the rate of local epochs falls to zero over the rounds; or
        steps, a tenth of it after three eighths of them and a hundredth after five. So does the
        rate of a head that a server of one_shot trains, over its epochs.
    absent_classes: whether the loss of local epochs counts logits of classes that a client lacks:
        counted, masked (minus infinity) or zeroed.
    """

    epochs: int
    batch: int
    clients_per_round: int
    learning_rate: float
    momentum: float
    weight_decay: float
    validation: float
    selection: str
    dropout: bool = False
    batch_norm: str = "frozen"
    rounds: int | None = None
    local_batch: int | None = None
    optimiser: str = "sgd"
    decay: float = 1.0
    server_learning_rate: float | None = None
    server_batch: int | None = None
    annealing: str = "none"
    absent_classes: str = "counted"

    @property
    def local_rounds(self) -> int:
        """Rounds of a method with local epochs.

        Raises:
            ValueError: if the method has none.
        """
        return required(self.rounds)

    def pace(self, clients: int) -> tuple[int, int]:
        """Return the rounds between two points of the curves, and how many points there are."""
        return pace(clients, self.clients_per_round, self.epochs, self.rounds)


FAR_BEHIND = 0.03
"""A head whose accuracy is so much below ridge regression's on the same features is told of."""


def pace(clients: int, clients_per_round: int, epochs: int, rounds: int | None) -> tuple[int, int]:
    """Return the rounds between two points of a run's curves, and how many points there are.

    Args:
        clients: how many take part.
        clients_per_round: as in `Training`.
        epochs: points of a method without local epochs; in each every client takes part once.
        rounds: points of a method with local epochs; None for all others.
    """
    if rounds is not None:
        return 1, rounds
    return -(-clients // clients_per_round), epochs


@dataclass(frozen=True)
class FineTuning:
    """How a language model's head is trained, by AdamW; `study/model/training.py` has the defaults.

    The learning rate rises over `warmup` and falls linearly to zero.

    learning_rate: AdamW's at its highest.
    batch: most samples in a batch, C·U·K_u; a round of the gradient methods.
    epochs: passes over the received samples.
    least_updates: passes are added until there are this many updates: scarce data is not trained
        less.
    warmup: share of all updates, 0 to 1.
    weight_decay: AdamW's.
    validation: share of the received samples held out to choose the epoch.
    selection: validation is the least loss on held-out samples; test is ROUGE-1, as the papers do.
    """

    learning_rate: float = 2e-4
    batch: int = 8
    epochs: int = 10
    least_updates: int = 0
    warmup: float = 0.0
    weight_decay: float = 0.0
    validation: float = 0.1
    selection: str = "validation"


TRAININGS = {"images": Training, "dialogues": FineTuning}
"""By kind of task, how its models are trained."""


@dataclass(frozen=True)
class Privacy:
    """What a privacy mechanism needs beside a setting's sigma or epsilon; None if it does not.

    feature_clip: L2 clip norm c of a feature vector: `norm`, or a `quantile` of public `data`.
    update_clip: L2 norm to which a client's mean gradient is clipped: c over the mean K_u.
    gradient_clip: L2 norm G to which the gradient of a sample's loss is clipped.
    public_scale: what public samples decide of the inputs: largest `norm`, and `components` that
        are kept of them, None for all.
    activation_clip: B, greatest activation that leaves a client; the least is 0.
    """

    delta: float | None = None
    feature_clip: Mapping[str, Any] | None = None
    update_clip: float | None = None
    gradient_clip: float | None = None
    public_scale: Mapping[str, Any] | None = None
    activation_clip: float | None = None


@dataclass(frozen=True)
class Job:
    """All that the science of one job depends on beside its input files.

    kind: the kind of task: images or dialogues.
    clients: the task's partition, for settings that regroup samples into other clients.
    block: what only the kind of task reads. Images have the `head`, widths of its hidden layers,
        the block of the `network` that the setting names, if it names one, and `one_shot` of
        methods that solve a head from one message. Dialogues have the `cut`, trained encoder
        blocks, and `summary_tokens`, the most that a summary has.
    """

    task: str
    kind: str
    setting: KnownAxes
    seeds: tuple[int, ...]
    clients: Mapping[str, Any]
    training: Training | FineTuning
    privacy: Privacy
    block: Mapping[str, Any]

    @cached_property
    def dealing(self) -> Dealing:
        """How the task's samples are dealt to the clients of its setting."""
        return Dealing.of(self.clients, self.setting)

    @property
    def network_training(self) -> Training:
        """How a network is trained: all kinds of task but dialogues.

        Raises:
            TypeError: if a language model's head is fine-tuned instead.
        """
        if isinstance(self.training, Training):
            return self.training
        raise TypeError(f"the {self.kind} of {self.task} fine-tune a head and train no network")

    @property
    def fine_tuning(self) -> FineTuning:
        """How a language model's head is fine-tuned.

        Raises:
            TypeError: if a network is trained instead.
        """
        if isinstance(self.training, FineTuning):
            return self.training
        raise TypeError(f"the {self.kind} of {self.task} train a network and fine-tune no head")


def from_params(params: Mapping[str, Any], axes: Mapping[str, Mapping[str, Any]]) -> Job:
    """Build a job from the builtin types that the workflow passes.

    Args:
        params: all that its science depends on.
        axes: the axes that each method knows, with their defaults.
    """
    setting = params["setting"]
    return Job(
        task=params["task"],
        kind=params["kind"],
        setting=known_axes(setting, axes[setting["method"]]),
        seeds=tuple(params["seeds"]),
        clients=params["clients"],
        training=TRAININGS[params["kind"]](**params["training"]),
        privacy=Privacy(**params["privacy"]),
        block=params["block"],
    )
