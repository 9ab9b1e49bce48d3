"""Blocks of networks: source networks that are pre-trained or loaded, and networks by name."""

from typing import Annotated, Any, Literal

from pydantic import Field, PlainSerializer, Strict

from fbftl.study.model.block import (
    ABSENT,
    ConfigBlock,
    Count,
    Many,
    NotNegative,
    Positive,
    Rate,
    Sha256,
    Share,
    Side,
    Some,
    Width,
)
from fbftl.study.model.data import DataSet, HubFiles, Natural

Length = Annotated[int, Field(ge=2)]
Blocks = Some[Some[Width]]
ImageSide = Annotated[Side, Field(ge=2)]
Image = Annotated[tuple[ImageSide, ImageSide, Literal[1, 3]], Strict(False), PlainSerializer(list)]


class VggNetwork(ConfigBlock):
    """A small network of 3 x 3 convolutions in blocks that end in pooling, then dense layers.

    name: the one architecture that is pre-trained here.
    channels: output channels of each block's convolutions.
    fc: widths of the hidden dense layers.
    dropout: after each of them while pre-training; never at extraction.
    """

    name: Literal["vgg"] = "vgg"
    channels: Blocks = [[16], [32]]
    fc: Some[Width] = [256, 128]
    dropout: Rate = 0.5


class PretrainingTask(ConfigBlock):
    """A data set that a source network is pre-trained on.

    data: the data set; its classes need not be the target's.
    """

    data: DataSet


class PretrainedSource(ConfigBlock):
    """A small VGG-style network, pre-trained on a source task.

    task: letters, rendered from the fonts that matplotlib ships, or a data set.
    image: height, width and channels of the target's images.
    network: architecture of the network.
    samples: letters rendered, or samples drawn of the data set.
    epochs: passes over the source samples.
    batch_size: source samples per step.
    learning_rate: peak of a one-cycle schedule; Nesterov momentum goes from 0.95 to 0.85 and back.
    weight_decay: L2 penalty on every parameter.
    seed: random seed of letters, initial values, order and dropout.
    """

    kind: Literal["pretrain"]
    task: Literal["letters"] | PretrainingTask = "letters"
    image: Image
    network: VggNetwork = VggNetwork()
    samples: Annotated[int, Field(ge=100, le=10_000_000)] = 20_000
    epochs: Many = 8
    batch_size: Count = 128
    learning_rate: Positive = 0.05
    weight_decay: NotNegative = 0.0005
    seed: Natural = 0


class LoadedSource(ConfigBlock):
    """A model of a library, or one that this workflow wrote, with given weights.

    from: library that builds the network; workflow takes a source model of another task.
    name: of the model in its library; of transformers also a folder. Null for workflow.
    options: keyword arguments of timm's create_model, or values in place of those in config.json.
    weights: published by the library, of a file, brought by a Python package, or random.
    package: that ships the weights, one of those in envs/imagenet.txt.
    version: name of torchvision's weights, or revision of a repository on the hub; null takes the
        newest revision.
    file: safetensors file of weights: file, relative to where the command is called.
    manifest: source.json beside that file, for from: workflow.
    sha256: SHA-256 that the weights must have; null takes any.
    seed: random seed of the initial values that no file of weights replaces.
    """

    kind: Literal["load"]
    library: Literal["torchvision", "timm", "transformers", "workflow"] = Field(alias="from")
    name: str | None = None
    options: dict[str, Any] = {}
    weights: Literal["published", "file", "package", "random"] = "published"
    package: str | None = None
    version: str | None = None
    file: str | None = None
    manifest: str | None = None
    sha256: Sha256 | None = None
    seed: Natural = 0


class NoSource(ConfigBlock):
    """No model; the columns of vectors are the features, at the cut columns."""

    kind: Literal["vectors"]


Source = Annotated[PretrainedSource | LoadedSource | NoSource, Field(discriminator="kind")]


class Mlp(ConfigBlock):
    """A multi-layer perceptron.

    fc: widths of the hidden dense layers.
    norm: batch normalisation before every ReLU, or none.
    dropout: rate after each hidden dense layer.
    last: whether a ReLU follows the last hidden layer.
    init: initial values: torch's, or He's normal.
    cut: last layer of the clients' part, as in relu_fc1.
    """

    kind: Literal["mlp"]
    fc: list[Width]
    norm: Literal["none", "batch"] = "none"
    dropout: Rate = 0.0
    last: Literal["relu", "linear"] = "relu"
    init: Literal["torch", "he"] = "torch"
    cut: str


class Cnn(ConfigBlock):
    """Blocks of convolutions that end in max-pooling, then dense layers.

    channels: per block, the output channels of its convolutions.
    kernel: side of the convolutions' kernels.
    padding: same keeps the size of a map, valid shrinks it by kernel - 1.
    pool: side of the pooling, for all blocks or one for each; 1 leaves it out.
    fc: widths of the hidden dense layers.
    norm: batch normalisation before every ReLU, or none.
    dropout: rate after each hidden dense layer.
    pool_dropout: dropout rate at the end of each block.
    init: initial values: torch's, also without the key; he, He's normal; or fan_out, He's normal
        over outgoing weights, for convolutions alone.
    cut: last layer of the clients' part, as in pool2.
    """

    kind: Literal["cnn"]
    channels: Blocks
    kernel: Literal[1, 3, 5, 7, 9, 11] = 3
    padding: Literal["same", "valid"] = "same"
    pool: Count | list[Count] = 2
    fc: list[Width]
    norm: Literal["none", "batch"] = "none"
    dropout: Rate = 0.0
    pool_dropout: Rate = 0.0
    init: Literal["torch", "he", "fan_out"] = ABSENT
    cut: str


Network = Annotated[Cnn | Mlp, Field(discriminator="kind")]


class T5Model(ConfigBlock):
    """Sizes of a T5, named as in a Hugging Face config.json.

    d_model: width of the hidden states, and so of the features.
    d_kv: width of an attention head.
    d_ff: width of the feed-forward layers.
    num_heads: attention heads of a layer.
    num_layers: encoder blocks.
    num_decoder_layers: decoder blocks.
    feed_forward_proj: activation of the feed-forward layers.
    dropout_rate: dropout rate in training.
    """

    d_model: Width
    d_kv: Width
    d_ff: Width
    num_heads: Width
    num_layers: Count
    num_decoder_layers: Count
    feed_forward_proj: Literal["relu", "gated-gelu"] = "gated-gelu"
    dropout_rate: Rate = 0.0


class SummariserPretraining(ConfigBlock):
    """AdamW with a learning rate that rises, then falls linearly to zero.

    learning_rate: AdamW's at its highest.
    batch: dialogues per step.
    epochs: passes over the public dialogues.
    warmup: share of updates over which the learning rate rises.
    weight_decay: AdamW's.
    """

    learning_rate: Positive = 4.0e-3
    batch: Count = 16
    epochs: Many = 5
    warmup: Share = 0.05
    weight_decay: NotNegative = 0.01


class PretrainedSummariser(ConfigBlock):
    """A small T5 and its tokenizer, trained on the public dialogues.

    vocabulary: token ids of the byte-pair encoding.
    longest: most tokens of a dialogue or a summary.
    model: sizes of the T5.
    training: how the T5 is pre-trained.
    seed: random seed of initial values and order.
    """

    kind: Literal["pretrain"]
    vocabulary: Annotated[int, Field(ge=259)] = 640
    longest: Length = 128
    model: T5Model
    training: SummariserPretraining = SummariserPretraining()
    seed: Natural = 0


class LoadedSummariser(ConfigBlock):
    """A Hugging Face T5 in a folder, downloaded there if it is pinned and missing.

    folder: with config.json, tokenizer and weights, relative to data_folder.
    hub: repository that the folder's files are downloaded from if they are missing.
    seed: without effect, since all weights are loaded.
    """

    kind: Literal["load"]
    folder: str
    hub: HubFiles = ABSENT
    seed: Natural = 0


Summariser = Annotated[PretrainedSummariser | LoadedSummariser, Field(discriminator="kind")]
