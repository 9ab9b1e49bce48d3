"""Blocks of data: data sets of every kind, dialogues, and the clients that hold them."""

from collections.abc import Iterator
from typing import Annotated, Literal

from pydantic import Field

from fbftl.study.clients import domains_in
from fbftl.study.model.block import (
    ABSENT,
    ConfigBlock,
    Count,
    Distinct,
    Natural,
    Number,
    Positive,
    Probability,
    Sha256,
    Share,
    Side,
    Some,
)

Fetched = Annotated[int, Field(ge=1, le=10_000_000)]
Drawn = Annotated[int, Field(ge=10, le=10_000_000)]
Shift = Annotated[Number, Field(ge=0, le=100)]
Files = str | Some[str]
Array = Annotated[str, Field(min_length=1)]


class Limit(ConfigBlock):
    """How many samples are kept of a data set at most, the first ones.

    train: training samples that are kept at most; without it all.
    test: test samples that are kept at most; without it all.
    """

    train: Count = ABSENT
    test: Count = ABSENT


class Kept(ConfigBlock):
    """Which samples of a data set are kept.

    portion: from and to which share of a random order the training samples are kept.
    classes: labels that are kept.
    limit: keeps the first samples of each split only, for a quick run; null keeps all.
    seed: random seed of the random order that portion and test_fraction draw from.
    """

    portion: Annotated[list[Share], Field(min_length=2, max_length=2)] | None = None
    classes: Annotated[Distinct[int | str], Field(min_length=2)] | None = None
    limit: Limit | None = None
    seed: Natural = 0


class Divided(Kept):
    """A data set without a test set of its own has a share of its samples held out as one.

    test_fraction: share of the samples that is held out, if there is no test set.
    """

    test_fraction: Probability = 0.2


class Digits(Divided):
    """The 8 x 8 handwritten digits that scikit-learn ships."""

    kind: Literal["digits"]


class IdxFiles(ConfigBlock):
    """Two files of the MNIST family.

    images: file of images, relative to data_folder.
    labels: file of their labels, relative to data_folder.
    """

    images: str
    labels: str


class Idx(Divided):
    """IDX files of the MNIST family, gzipped or not.

    train: the two files of the training set.
    test: the two files of the test set; without them test_fraction is held out.
    """

    kind: Literal["idx"]
    train: IdxFiles
    test: IdxFiles = ABSENT


class ImageFiles(Divided):
    """Pictures in files, which are resized to a side in pixels; null leaves them as they are.

    size: side in pixels of the square that images are scaled to cover and cropped to; null keeps
        their size, which has to be the same for all.
    channels: 1 makes images grey, 3 makes them RGB.
    """

    size: Side | None = None
    channels: Literal[1, 3] = 3


class Parquet(ImageFiles):
    """Images in Parquet files, in Hugging Face's column layout.

    train: file, or list of shards, relative to data_folder.
    test: file or shards of the test set; without it test_fraction is held out.
    image_column: column of structs whose field bytes is an encoded image.
    label_column: column of the classes, as integers.
    """

    kind: Literal["parquet"]
    train: Files
    test: Files = ABSENT
    image_column: str = "img"
    label_column: str = "label"


class ImageFolders(ImageFiles):
    """Image folders, one folder per class.

    train: folder with a folder for each class, relative to data_folder.
    test: such a folder of the test set; without it test_fraction is held out.
    """

    kind: Literal["folder"]
    train: str
    test: str = ABSENT


class Federated(Divided):
    """A federated HDF5 file in TensorFlow Federated's layout.

    train: HDF5 file with examples/{client}, relative to data_folder.
    test: such a file of the test set; without it, and without test/ in train, test_fraction is held
        out.
    image_key: name of the images in a client's group: bytes, or floats from 0 to 1.
    label_key: name of the labels in a client's group: integers from 0.
    """

    kind: Literal["federated"]
    train: str
    test: str = ABSENT
    image_key: str = "pixels"
    label_key: str = "label"


class Torchvision(Kept):
    """A set that torchvision downloads and whose digest it checks.

    name: torchvision's name of the set, which is downloaded into data_folder once.
    """

    kind: Literal["torchvision"]
    name: Literal["MNIST", "FashionMNIST", "KMNIST", "CIFAR10", "CIFAR100"]


class Groups(ConfigBlock):
    """Vectors of people in groups, drawn here; some columns tell the class, some the group.

    samples: training samples.
    test_per_group: test samples of each group.
    rates: share of the second class in each group; they say how many groups there are.
    shares: share of each group among the training samples; null for equal ones.
    class_shift: distance of the class's columns from zero, up for one class and down for the other,
        in standard deviations.
    group_shift: distance of the outermost groups' columns from zero, in standard deviations; the
        other groups lie between, evenly.
    limit: keeps the first samples of each split only, for a quick run; null keeps all.
    seed: random seed of the draw.
    """

    kind: Literal["groups"]
    samples: Drawn = 4000
    test_per_group: Drawn = 4000
    rates: Annotated[list[Probability], Field(min_length=2, max_length=100)] = [0.35, 0.15]
    shares: Annotated[list[Positive], Field(min_length=2, max_length=100)] | None = None
    class_shift: Shift = 0.6
    group_shift: Shift = 1.0
    limit: Limit | None = None
    seed: Natural = 0


class TableFile(Divided):
    """Rows of a CSV or Parquet file, a column of which is the class.

    train: CSV file with a header, or Parquet file, relative to data_folder.
    test: such a file of the test set; without it test_fraction is held out.
    label_column: column of the class.
    group_column: column of the group that people are judged by; no input of the model.
    client_column: column of the client that holds a row, for the partition given; no input.
    """

    kind: Literal["table"]
    train: str
    test: str = ABSENT
    label_column: str
    group_column: str | None = None
    client_column: str | None = None


class HeldOutVectors(ConfigBlock):
    """A file or store of test vectors.

    path: file or folder of a store, relative to data_folder.
    labels: array of the classes, as in the training file.
    clients: array of the client of each sample, as in the training file.
    sha256: SHA-256 that the file must have, of a store its zarr.json.
    """

    path: str
    labels: str = ABSENT
    clients: str = ABSENT
    sha256: Sha256 = ABSENT


class OwnVectors(Divided):
    """Vectors of one's own with a class each, or a feature store.

    path: file of .npy, .npz, .parquet or .safetensors, or the folder of a store.
    features: array of the vectors, column of the file or a .npy file; null for features.
    labels: array of the classes; null for labels.
    clients: client of each sample, for the partition given; null for clients if it is there.
    split: whether a sample is for train or test; null for split if it is there.
    sha256: SHA-256 that the file must have, of a store its zarr.json.
    test: a second file or store with the test samples; null takes split, or holds out
        test_fraction.
    """

    kind: Literal["features"]
    path: str
    features: Array | None = None
    labels: Array | None = None
    clients: Array | None = None
    split: Array | None = None
    sha256: Sha256 | None = None
    test: HeldOutVectors | None = None


DataSet = Annotated[
    Digits
    | Idx
    | Parquet
    | ImageFolders
    | Federated
    | Torchvision
    | Groups
    | TableFile
    | OwnVectors,
    Field(discriminator="kind"),
]


class HubFiles(ConfigBlock):
    """Files of a Hugging Face repository, pinned by revision and SHA-256.

    repository: its name, as in google/flan-t5-small.
    type: whether it is a model's or a dataset's repository.
    revision: commit, 40 hexadecimal digits.
    folder: where a data set's files go, below data_folder; a model's go to the source's folder.
    files: names in the repository, each with its SHA-256.
    """

    repository: str
    type: Literal["model", "dataset"] = "model"
    revision: Annotated[str, Field(pattern="^[0-9a-f]{40}$")]
    folder: str = ABSENT
    files: Annotated[dict[str, Sha256], Field(min_length=1)]


class GeneratedDialogues(ConfigBlock):
    """Dialogues of two families, generated by a small grammar.

    source: public dialogues of the source family.
    train: dialogues at the clients, of the target family.
    test: dialogues that summaries are scored on.
    seed: random seed of the generation.
    """

    kind: Literal["dialogues"]
    source: Fetched = 4000
    train: Fetched = 600
    test: Fetched = 150
    seed: Natural = 0


class DialogueFiles(ConfigBlock):
    """Dialogues in JSON lines, or one JSON array, with id, dialogue and summary.

    train: file of training dialogues, relative to data_folder.
    test: file of test dialogues, relative to data_folder.
    source: first training dialogues that are public, for pre-training the source model.
    limit: keeps the first dialogues of each split only, for a quick run; null keeps all.
    hub: repository that the files are downloaded from if they are missing.
    """

    kind: Literal["jsonl"]
    train: str
    test: str
    source: Natural = 0
    limit: Limit | None = None
    hub: HubFiles = ABSENT


DialogueSet = Annotated[GeneratedDialogues | DialogueFiles, Field(discriminator="kind")]

View = Literal[
    "plain", "inverted", "rotated", "mirrored", "flipped", "noisy", "blurred", "tinted", "shifted"
]
Domains = Some[View | Some[View]]
"""A domain is one change of the images, or a list of changes applied in turn."""


Partition = Literal["iid", "shards", "balanced_shards", "dirichlet", "dirichlet_equal", "given"]


class DialogueClients(ConfigBlock):
    """The clients of a task of dialogues.

    partition: how samples are dealt: iid, at random.
    samples_per_client: of every client; null where clients says how many there are.
    clients: how many there are; null where samples_per_client says how large they are.
    draw: whether samples are dealt to clients once for all seeds, or anew with each; then the
        spread over seeds covers the partition too.
    seed: random seed of the partition, with draw: once.
    """

    partition: Literal["iid"] = "iid"
    samples_per_client: Count | None = 2
    clients: Count | None = None
    draw: Literal["once", "per_seed"] = "once"
    seed: Natural = 0

    def faults(self) -> Iterator[str]:
        """Yield that it says twice or never how many clients there are."""
        number, size = self.clients, self.samples_per_client
        if number is not None and size is not None:
            yield (
                f"gives clients {number} and samples_per_client {size}, which follow from each "
                "other; set one of them to null"
            )
        if number is None and size is None:
            yield "gives neither clients nor samples_per_client; give one"


class ImageClients(DialogueClients):
    """The clients of a task of images or vectors.

    partition: how samples are dealt: iid, at random; shards and balanced_shards, pieces of the
        samples sorted by label, balanced so that the first few clients have all classes; dirichlet
        shares each class out to the clients; dirichlet_equal gives every client as many samples,
        with class shares of its own; given, as the data names the clients.
    shards_per_client: pieces that each client has under shards and balanced_shards.
    alpha: concentration of a Dirichlet partition.
    domains: what clients see differently, with equal shares of samples and clients.
    groups: group that each domain's clients are judged by; no message ever tells it.
    """

    partition: Partition = "iid"  # type: ignore[assignment] # more than dialogues have
    samples_per_client: Count | None = 8
    shards_per_client: Count = 2
    alpha: Positive = 0.1
    domains: Domains | None = None
    groups: Some[Natural] | None = None

    def faults(self) -> Iterator[str]:
        """Yield what its keys say against each other, each with its remedy."""
        domains, named = domains_in(self.domains), self.partition == "given"
        if not named:
            yield from super().faults()
        if named and self.draw == "per_seed":
            yield (
                "draws clients per_seed that the data names; give draw: once, or another partition"
            )
        if named and domains:
            yield "gives domains to clients that the data names; choose another partition"
        if len(set(domains)) < len(domains):
            yield "lists a domain twice; remove one"
        if self.draw == "per_seed" and any("shifted" in domain for domain in domains):
            yield (
                "draws clients per_seed, whose domain is shifted for each client once; give draw: "
                "once"
            )
        if self.groups is not None and len(self.groups) != len(domains):
            yield (f"gives {len(self.groups)} groups to {len(domains)} domains; give each domain's")
