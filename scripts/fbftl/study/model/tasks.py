"""Tasks: blocks of images or vectors, of dialogues, and of what is public or open to everybody."""

from collections.abc import Iterator
from typing import Annotated, Any, Literal, TypeAlias

from pydantic import Discriminator, Field, Tag

from fbftl.study import methods
from fbftl.study.model.block import (
    ABSENT,
    ConfigBlock,
    Count,
    Distinct,
    Layer,
    Many,
    Name,
    Natural,
    Number,
    Positive,
    Seeds,
    Side,
    Some,
    Width,
)
from fbftl.study.model.data import (
    DataSet,
    DialogueClients,
    DialogueSet,
    Domains,
    Drawn,
    ImageClients,
)
from fbftl.study.model.networks import Length, Network, Source, Summariser
from fbftl.study.model.training import (
    AdversarialGame,
    DialoguePrivacy,
    ImagePrivacy,
    ImageTraining,
    MethodTraining,
    OneShot,
    Outsourcing,
    SummariserTraining,
)

MethodName: TypeAlias = Literal[*methods.names()]  # type: ignore[valid-type] # records name them
STORES = ("s3", "gs", "az")
"""Object stores that are written to: schemes of URLs."""

ChunkSize = Annotated[int, Field(ge=1, le=64)]
DType = Literal["float32", "float16", "bfloat16"]
Mean = Annotated[Number, Field(ge=-1_000_000, le=1_000_000)]


class PublicSource(ConfigBlock):
    """Public samples of one kind.

    samples: that are taken at most.
    data: a data set; null takes fresh samples of the source task.
    split: of the data set, that they are taken from.
    domains: how they are seen, every sample in each domain; null leaves them as they are.
    """

    samples: Drawn = 10_000
    data: DataSet | None = None
    split: Literal["train", "test"] = "test"
    domains: Domains | None = None


class PublicSamples(ConfigBlock):
    """Public samples, for clip norms, for what adversaries know, and for clouds that sell them.

    None may be a client's sample, and none that a cloud sells a test sample.

    sources: where the samples come from, all of them together.
    """

    sources: Some[PublicSource] = [PublicSource()]


class OpenData(ConfigBlock):
    """Labelled samples that everybody may read, for the frameworks that rest on some.

    letters: rendered letters, of as many kinds as the task has classes.
    target: a data set of the task's own kind, whose training samples no client may hold.
    seed: random seed of the rendered letters.
    """

    letters: Annotated[int, Field(ge=0, le=1_000_000)] = 0
    target: DataSet | None = None
    seed: Natural = 0


class VotedModels(ConfigBlock):
    """Source models that everybody may read, trained on open data; FedVote's vote.

    network: the name in networks of the one that all have.
    models: what each learns from: open samples of the target, letters of its own, the target under
        shuffled labels; a random one learns nothing.
    epochs: passes over what a model learns from.
    batch: samples per step of SGD.
    learning_rate: SGD's, constant.
    seed: random seed of initial values, of order, and of what a model learns from.
    """

    network: str
    models: Annotated[
        dict[Name, Literal["target", "letters", "shuffled", "random"]], Field(min_length=1)
    ]
    epochs: Many = 40
    batch: Count = 16
    learning_rate: Positive = 0.1
    seed: Natural = 0


class ImageFeatures(ConfigBlock):
    """What clients upload: the output of the source network's layer at the cut.

    cut: cut layer m_c; `input` uploads the pixels themselves.
    further_cuts: layers extracted in the same pass, for experiments over the axis cut.
    pool: what of the layer's output is uploaded: a row as it is, the mean over places or tokens,
        every value, or the first token.
    size: side in pixels to which the network's input is resized; null takes the source's.
    mean: subtracted, a value per channel where white is 1; null takes the source's.
    std: divided by after that, a value per channel where white is 1; null takes the source's.
    interpolation: how images are resized: bilinear (antialiased) or bicubic (not antialiased); null
        takes the one of the source model's card, bilinear where that has none.
    compute: how the network computes: in float32, or with products in bfloat16, which give other
        bytes from machine to machine.
    dtype: type of the stored numbers, which clients upload.
    batch: images per pass of the network.
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
    compute: Literal["float32", "bfloat16"] = "float32"
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
    longest: tokens of a dialogue; further ones are cut off.
    prefix: text before every dialogue, as in `summarize: `.
    compute: how the network computes.
    dtype: type of the stored numbers, which clients upload.
    batch: dialogues per pass of the network.
    chunk_mib: decoded size of a chunk, in MiB.
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

    seeds: instead of the study's; a list, or a range such as 0-9.
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

    data: the target data set.
    clients: how its training samples are dealt to clients.
    source: the network whose lower layers are frozen.
    features: where that network is cut, and what clients upload.
    head: widths of the head's hidden layers, input and classes left out.
    networks: by name, that start at random at the clients, for the axis network.
    one_shot: candidates of the method one_shot.
    open_data: labelled samples that everybody may read, for methods that need some.
    source_models: models that everybody may read, for fedvote; null where no setting needs them.
    architectures: networks of the task that its clients have, in turn, where each has its own.
    training: how models are trained.
    adversarial_game: the adversary of the method fade.
    privacy: what the mechanisms of privacy need.
    public: public samples, for clip norms, adversaries and ecos.
    outsourcing: further settings of the method ecos.
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
    """Dialogues and their summaries; a T5 is cut between encoder blocks.

    data: the dialogues.
    clients: how training dialogues are dealt to clients.
    source: the T5 whose lower encoder blocks are frozen.
    features: where it is cut, and what clients upload.
    training: how the summariser is trained.
    privacy: what the gaussian mechanism needs.
    evaluation: how summaries are generated.
    """

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
