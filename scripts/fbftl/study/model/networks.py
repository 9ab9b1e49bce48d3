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

    channels: output channels of each block's convolutions.
    fc: widths of the hidden dense layers.
    dropout: after each of them while pre-training; never at extraction.
    """

    name: Literal["vgg"] = "vgg"
    channels: Blocks = [[16], [32]]
    fc: Some[Width] = [256, 128]
    dropout: Rate = 0.5


class PretrainingTask(ConfigBlock):
    """A data set that a source network is pre-trained on."""

    data: DataSet


class PretrainedSource(ConfigBlock):
    """A small VGG-style network, pre-trained on a source task.

    task: letters, rendered from the fonts that matplotlib ships, or a data set.
    image: height, width and channels of the target's images.
    samples: letters rendered.
    learning_rate: peak of a one-cycle schedule; Nesterov momentum goes from 0.95 to 0.85 and back.
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

    package: that ships the weights, one of those in envs/imagenet.txt.
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
    last: after the last hidden layer.
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
    pool: side of the pooling, for all blocks or one for each; 1 leaves it out.
    fc: widths of the hidden dense layers.
    init: initial values: torch's unless it is he, He's normal, or fan_out, his for what leaves a
        convolution, dense layers left as torch's.
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

    num_layers: encoder blocks.
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

    warmup: share of updates over which the learning rate rises.
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
    """

    kind: Literal["pretrain"]
    vocabulary: Annotated[int, Field(ge=259)] = 640
    longest: Length = 128
    model: T5Model
    training: SummariserPretraining = SummariserPretraining()
    seed: Natural = 0


class LoadedSummariser(ConfigBlock):
    """A Hugging Face T5 in a folder, downloaded there if it is pinned and missing."""

    kind: Literal["load"]
    folder: str
    hub: HubFiles = ABSENT
    seed: Natural = 0


Summariser = Annotated[PretrainedSummariser | LoadedSummariser, Field(discriminator="kind")]
