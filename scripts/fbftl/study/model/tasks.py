"""Tasks of images or vectors and of dialogues: training, privacy, and what single methods read."""

from collections.abc import Iterator
from typing import Annotated, Any, ClassVar, Literal, TypeAlias

from pydantic import Discriminator, Field, Tag, create_model

from fbftl.study import job, methods
from fbftl.study.model.block import (
    ABSENT,
    ConfigBlock,
    Count,
    Distinct,
    DistinctSome,
    Layer,
    Many,
    Name,
    Natural,
    NotNegative,
    Number,
    Positive,
    PositiveShare,
    Probability,
    Rate,
    Seeds,
    Share,
    Side,
    Some,
    Split,
    Width,
)
from fbftl.study.model.data import (
    DataSet,
    DialogueClients,
    DialogueSet,
    ImageClients,
    Length,
    Network,
    OpenData,
    PublicSamples,
    Source,
    Summariser,
    VotedModels,
)

Epochs = Many | Literal["validated"]
"""Passes over the data; validated has a server that trains a head go on until as many epochs again
lower the least validation loss by less than 1 %, 512 at most."""

Above0 = Annotated[Number, Field(gt=0)]


class ImageTraining(ConfigBlock):
    """How models of images or vectors are trained."""

    explained_by: ClassVar[type] = job.Training

    epochs: Epochs = 40
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
    """L2 clip norm of a dialogue's upload; without it nothing is gaussian."""

    norm: Positive = ABSENT


class FeatureClip(DialogueClip):
    """L2 clip norm of a feature vector, or else a quantile of public data's norms."""

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


class Budget(ConfigBlock):
    """Largest epsilon, at delta, that releases of a group may cost a unit that is replaced."""

    sample: Above0 = ABSENT
    client: Above0 = ABSENT


class DialoguePrivacy(ConfigBlock):
    """What the gaussian mechanism needs; a dialogue's whole upload is clipped at once."""

    delta: Probability = 1.0e-5
    feature_clip: DialogueClip = DialogueClip()


class ImagePrivacy(ConfigBlock):
    """What mechanisms need, which settings release the same samples, and what attacks train.

    update_clip: L2 norm to which a client's mean gradient is clipped under dp_fedavg.
    gradient_clip: L2 norm to which the gradient of a sample's loss is clipped under dp_gd.
    activation_clip: greatest activation that leaves a client under laplace; the least is 0.
    together: settings that release the same samples, by a name for the group; what they cost
        together is in guarantees/together.csv.
    budget: what they may cost together; more is refused before any job.
    shadows: heads that membership attacks train for every setting, each the target of the others.
    """

    delta: Probability = 1.0e-6
    feature_clip: FeatureClip = FeatureClip(quantile=0.5, data="source")
    update_clip: Positive = 0.25
    gradient_clip: Positive = 4.0
    public_scale: PublicScaling = PublicScaling()
    activation_clip: Above0 = 1.0
    together: dict[str, DistinctSome[str]] = {}
    budget: Budget = Budget()
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
    server_momentum: beta; the global weights move this share of the way to the average.
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
    """What ecos does beside its axes: labels by votes of a client's nearest samples, and a teacher.

    neighbours: samples K that vote on a label; the thesis does not say.
    query_sampling: probability with which a sample answers a query.
    labels_per_class: labels of the greatest confidence that are kept of each class.
    teacher_weight: weight of the teacher's scores under purchase_purpose compress.
    """

    neighbours: Count = 40
    vote_noise: Positive = 25
    confidence_noise: Positive = 75
    query_sampling: PositiveShare = 0.8
    labels_per_class: Count = 60
    teacher_weight: Share = 0.1
    temperature: Annotated[Number, Field(gt=0, le=1000)] = 10


MethodName: TypeAlias = Literal[*methods.names()]  # type: ignore[valid-type] # records name them
STORES = ("s3", "gs", "az")
"""Object stores that are written to: schemes of URLs."""

ChunkSize = Annotated[int, Field(ge=1, le=64)]
DType = Literal["float32", "float16", "bfloat16"]
Mean = Annotated[Number, Field(ge=-1_000_000, le=1_000_000)]


class ImageFeatures(ConfigBlock):
    """What clients upload: the output of the source network's layer at the cut.

    cut: cut layer m_c; `input` uploads the pixels themselves.
    further_cuts: layers extracted in the same pass, for experiments over the axis cut.
    interpolation: how images are resized: bilinear (antialiased) or bicubic (not antialiased); null
        takes the one of the source model's card, bilinear where that has none.
    compute: how the network computes: float32 as it is written; compiled by torch; in bfloat16; by
        ONNX Runtime (envs/onnx.txt). All but the first give other bytes from machine to machine.
    chunk_mib: decoded size of a chunk, in MiB; the most that a kill can cost.
    store: URL of the store for clusters without a shared disk; null keeps it in results.
    """

    cut: Layer
    further_cuts: Distinct[Layer] = []
    pool: Literal["none", "avg", "flatten", "cls"] = "none"
    size: Side | None = None
    mean: list[Mean] | None = None
    std: list[Positive] | None = None
    interpolation: Literal["bilinear", "bicubic"] | None = None
    compute: Literal["float32", "compiled", "bfloat16", "onnxruntime"] = "float32"
    dtype: DType = "float32"
    batch: Many = 256
    chunk_mib: ChunkSize = 8
    store: Annotated[str, Field(pattern="^[a-z][a-z0-9]*://")] | None = None

    def faults(self) -> Iterator[str]:
        """Yield that the own cut would be extracted twice, and a store that cannot be.

        A store is written and read by several machines: http is read only, memory is nobody else's.
        """
        if self.cut in self.further_cuts:
            yield (
                f"names its own cut '{self.cut}' among further_cuts, which is extracted anyway; "
                "leave it out"
            )
        scheme, _, address = (self.store or "").partition("://")
        if "@" in address.partition("/")[0]:
            yield (
                "has a store with credentials before its bucket, which would reach manifests; "
                "leave them out and give them in the environment"
            )
        if self.store is not None and (scheme not in STORES or not address.strip("/")):
            yield (
                f"has the store '{self.store}'; give {'://, '.join(STORES)}:// with bucket and "
                "name, as in s3://bucket/name.zarr, or null"
            )


class DialogueFeatures(ConfigBlock):
    """What clients upload: hidden states of the source network's encoder.

    cut: trained encoder blocks; what enters the first of them is what clients upload.
    further_cuts: cuts extracted in the same pass, for experiments over the axis cut.
    """

    cut: Natural
    further_cuts: Distinct[Natural] = []
    longest: Length = 128
    prefix: str = ""
    compute: Literal["float32"] = "float32"
    dtype: DType = "float32"
    batch: Count = 32
    chunk_mib: ChunkSize = 8


class Evaluation(ConfigBlock):
    """How summaries are generated.

    longest: most tokens of a generated summary.
    """

    longest: Count = 64


class AnyTask(ConfigBlock):
    """What tasks of every kind say.

    seeds: instead of the study's.
    source_seeds: source networks that the task is repeated under, each pre-trained here on samples
        drawn anew; without the key there is one.
    dataset: name of the data set that the files hold, as published setups write it, so that results
        on it compare with a paper's; null takes torchvision's name for it, or the kind of data.
    encoding: how files hold the images, original or another; null is original where the kind of
        data is as the data set's authors gave it out, and unknown elsewhere.
    """

    seeds: Seeds = ABSENT
    source_seeds: Annotated[int, Field(ge=1, le=100)] = ABSENT
    dataset: str | None = None
    encoding: str | None = None


class ImageTask(AnyTask):
    """Images or vectors, and their classes; a network is cut at a named layer.

    With the key `like` a task takes the block of the task of that name and changes the keys that
    it gives; `like` is written out before anything else is checked.

    head: widths of the head's hidden layers, input and classes left out.
    networks: by name, that start at random at the clients, for the axis network.
    architectures: networks of the task that its clients have, in turn, where each has its own.
    methods: training values that differ for one method.
    """

    kind: Literal["images"] = "images"
    data: DataSet
    clients: ImageClients = ImageClients()
    source: Source
    features: ImageFeatures
    head: list[Width] = [64]
    networks: dict[Name, Network] = {}
    one_shot: OneShot = OneShot()
    open_data: OpenData = OpenData()
    source_models: VotedModels | None = None
    architectures: list[str] = []
    training: ImageTraining = ImageTraining()
    adversarial_game: AdversarialGame = AdversarialGame()
    privacy: ImagePrivacy = ImagePrivacy()
    public: PublicSamples = PublicSamples()
    outsourcing: Outsourcing = Outsourcing()
    methods: dict[MethodName, MethodTraining] = {}


class DialogueTask(AnyTask):
    """Dialogues and their summaries; a T5 is cut between encoder blocks."""

    kind: Literal["dialogues"]
    data: DialogueSet
    clients: DialogueClients = DialogueClients()
    source: Summariser
    features: DialogueFeatures
    training: SummariserTraining = SummariserTraining()
    privacy: DialoguePrivacy = DialoguePrivacy()
    evaluation: Evaluation = Evaluation()


def _kind(task: Any) -> str:
    """Return the kind of a task, images where it has none."""
    return task.get("kind", "images") if isinstance(task, dict) else getattr(task, "kind", "images")


Task = Annotated[
    Annotated[ImageTask, Tag("images")] | Annotated[DialogueTask, Tag("dialogues")],
    Discriminator(_kind),
]
