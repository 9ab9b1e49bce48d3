"""Blocks of training, of its privacy, and of what single methods read of a task."""

from collections.abc import Iterator
from typing import Annotated, Any, ClassVar, Literal

from pydantic import Field, create_model

from fbftl.study import job
from fbftl.study.model.block import (
    ABSENT,
    ConfigBlock,
    Count,
    DistinctSome,
    Many,
    Natural,
    NotNegative,
    Number,
    Positive,
    PositiveShare,
    Probability,
    Rate,
    Share,
    Some,
    Split,
    Width,
)

Above0 = Annotated[Number, Field(gt=0)]


class ImageTraining(ConfigBlock):
    """How models of images or vectors are trained."""

    explained_by: ClassVar[type] = job.Training

    epochs: Many = 40
    batch: Count = 64
    clients_per_round: Count = 8
    learning_rate: Positive = 0.01
    momentum: Rate = 0.9
    weight_decay: NotNegative = 0.0005
    validation: Split = 0.1
    selection: Literal["validation", "test", "last"] = "validation"
    dropout: bool = False
    batch_norm: Literal["frozen", "batch"] = "frozen"
    rounds: Many = 15
    local_batch: Count | None = 32
    optimiser: Literal["sgd", "nesterov", "adam", "adadelta"] = "sgd"
    decay: PositiveShare = 1.0
    server_learning_rate: Positive | None = None
    server_batch: Count | None = None
    annealing: Literal["none", "cosine", "steps"] = "none"
    absent_classes: Literal["counted", "masked", "zeroed"] = "counted"


OF_ALL_METHODS = ("batch", "clients_per_round", "validation", "selection")
"""Training values in which no method differs from the others."""


class TrainingValues(ConfigBlock):
    """Training values, each where it differs."""

    explained_by: ClassVar[type] = job.Training


_OF_METHODS: dict[str, Any] = {
    name: (field.rebuild_annotation(), ABSENT)
    for name, field in ImageTraining.model_fields.items()
    if name not in OF_ALL_METHODS
}

MethodTraining: Any = create_model(
    "MethodTraining",
    __base__=TrainingValues,
    __doc__="Training values that differ for one method.",
    **_OF_METHODS,
)


class SummariserTraining(ConfigBlock):
    """How a summariser is trained at the server or the clients."""

    explained_by: ClassVar[type] = job.FineTuning

    learning_rate: Positive = 2.0e-4
    batch: Count = 8
    epochs: Many = 10
    least_updates: Natural = 0
    warmup: Share = 0.0
    weight_decay: NotNegative = 0.0
    validation: Split = 0.1
    selection: Literal["validation", "test"] = "validation"


class PrivateTraining(TrainingValues):
    """Training values that differ under dp_fedavg, which pays for every round."""

    epochs: Many = ABSENT
    rounds: Many = ABSENT
    clients_per_round: Count = ABSENT
    learning_rate: Positive = ABSENT
    momentum: Rate = ABSENT
    weight_decay: NotNegative = ABSENT
    validation: Split = 0.0
    selection: Literal["validation", "test", "last"] = "last"


class DialogueClip(ConfigBlock):
    """L2 clip norm of a dialogue's upload; without it nothing is gaussian.

    norm: the norm itself.
    """

    norm: Positive = ABSENT


class FeatureClip(DialogueClip):
    """L2 clip norm of a feature vector, or else a quantile of public data's norms.

    norm: the norm itself; it goes before quantile.
    quantile: share of public feature vectors that are no longer than the norm.
    data: whose norms the quantile is of: the task's public samples.
    """

    quantile: PositiveShare = ABSENT
    data: Literal["source"] = ABSENT

    def faults(self) -> Iterator[str]:
        """Yield that nothing says how long a feature vector may be."""
        if self.norm is ABSENT and self.quantile is ABSENT:
            yield "gives neither norm nor quantile; give one"


class PublicScaling(ConfigBlock):
    """What public samples decide of the inputs of private_gd.

    norm: largest L2 norm of an input, less where a linear head asks for less.
    components: principal components that are kept; null keeps every number.
    """

    norm: Positive = 10.0
    components: Count | None = None


class DialoguePrivacy(ConfigBlock):
    """What the gaussian mechanism needs; a dialogue's whole upload is clipped at once.

    delta: delta of (epsilon, delta) differential privacy.
    feature_clip: how long an upload may be.
    """

    delta: Probability = 1.0e-5
    feature_clip: DialogueClip = DialogueClip()


class ImagePrivacy(ConfigBlock):
    """What mechanisms need, and what attacks train.

    delta: delta of (epsilon, delta) differential privacy.
    feature_clip: how long a feature vector may be under gaussian.
    update_clip: L2 norm to which a client's mean gradient is clipped under dp_fedavg.
    gradient_clip: L2 norm to which the gradient of a sample's loss is clipped under dp_gd.
    public_scale: how inputs are scaled under private_gd.
    activation_clip: greatest activation that leaves a client under laplace; the least is 0.
    training: values in place of the task's under dp_fedavg.
    shadows: heads that membership attacks train for every setting, each the target of the others.
    """

    delta: Probability = 1.0e-6
    feature_clip: FeatureClip = FeatureClip(quantile=0.5, data="source")
    update_clip: Positive = 0.25
    gradient_clip: Positive = 4.0
    public_scale: PublicScaling = PublicScaling()
    activation_clip: Above0 = 1.0
    training: PrivateTraining = PrivateTraining()
    shadows: Annotated[int, Field(ge=4)] = 16


class OneShot(ConfigBlock):
    """What heads and mixtures of the method one_shot read, and heads of ecos.

    Of several candidates the validation split chooses, samples held out at the clients where
    messages are class means; without a validation split, the first is taken.

    ridge: candidates of λ over the mean eigenvalue of Σ x xᵀ.
    shrinkage: candidates of the share of a covariance that its mean eigenvalue replaces.
    fedcof: candidates of what FedCOF adds to the estimated scatter within classes, over its mean
        eigenvalue.
    logistic: candidates of the penalty on samples of mean square one.
    components: candidates of the components G of a mixture under components 0. A client chooses one
        for each class by the likelihood of a fifth of its samples of it, and fits it to all of
        them.
    least_variance: floor of the variances in a mixture; a component of one sample is the sample.
    least_samples: samples behind a component at least; a class with fewer is not sent. Under
        covariance spherical no class with at most as many samples as components is sent either.
    made: bytes of messages that are really made for a seed; further ones are counted by their
        length.
    """

    ridge: Some[NotNegative] = [0.01, 1.0e-6, 1.0e-5, 1.0e-4, 1.0e-3, 0.1, 1.0]
    shrinkage: Some[Share] = [0.05, 1.0e-4, 1.0e-3, 0.01, 0.1, 0.2, 0.4]
    fedcof: Some[NotNegative] = [0.05, 1.0e-4, 1.0e-3, 0.01, 0.2, 1.0, 5.0]
    logistic: Some[NotNegative] = [1.0e-3, 1.0e-5, 1.0e-4, 0.01]
    components: DistinctSome[Annotated[int, Field(ge=1, le=10_000)]] = [1, 2, 5, 10]
    least_variance: Above0 = 1.0e-3
    least_samples: Count = 1
    made: Count = 268_435_456


class AdversarialGame(ConfigBlock):
    """How the encoder's adversary is trained, for methods with the axis adversary.

    discriminator: widths of its hidden layers.
    clip: L2 norm that a step's gradient, of all parts together, is clipped to.
    server_momentum: β; the global weights move this share of the way to the average.
    falling_rate: whether the learning rate falls with every local step, as (1 + 10 t / T)^-0.75.
    warm_up: share of the rounds before the adversary's weight begins to rise.
    labelled: groups whose users have labels; null for all.
    points: how often groups and probes are looked at.
    """

    discriminator: list[Width] = [16]
    clip: Above0 | None = 1.0
    server_momentum: PositiveShare = 0.5
    falling_rate: bool = True
    warm_up: Rate = 0.0
    labelled: DistinctSome[Natural] | None = None
    points: Annotated[int, Field(ge=1, le=10_000)] = 10


class Outsourcing(ConfigBlock):
    """Further settings of ecos: labels by votes of a client's nearest samples, and a teacher.

    neighbours: samples K that vote on a label; the thesis does not say.
    vote_noise: standard deviation of the Gaussian noise on the votes for each class.
    confidence_noise: standard deviation of the Gaussian noise on the largest number of votes.
    query_sampling: probability with which a sample answers a query.
    labels_per_class: labels of the greatest confidence that are kept of each class.
    teacher_weight: weight of the teacher's scores under purchase_purpose compress.
    temperature: that the teacher's scores are divided by under purchase_purpose compress.
    """

    neighbours: Count = 40
    vote_noise: Positive = 25
    confidence_noise: Positive = 75
    query_sampling: PositiveShare = 0.8
    labels_per_class: Count = 60
    teacher_weight: Share = 0.1
    temperature: Annotated[Number, Field(gt=0, le=1000)] = 10
