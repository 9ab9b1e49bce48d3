"""What can be said of a task's networks before any job: their cuts, and how large they are.

The workflow's own networks are laid out without torch; those of torchvision and timm, and those of
transformers whose folder is at hand, are built without memory for weights. Of others only a job
knows.
"""

import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, fields
from functools import cache
from math import prod
from pathlib import Path
from typing import Any

from fbftl.ground.errors import UserError
from fbftl.ground.files import message_of
from fbftl.models.chain import Chain, chain_of
from fbftl.models.cost.architectures import T5Shape, t5
from fbftl.models.cost.layers import parameters
from fbftl.models.source.files import tensor_shapes, vision_config
from fbftl.study.feasibility import Sizes, parameters_between

USUAL = (224, 224)
"""Height and width on which the names of cuts are looked up where a task's are unknown."""

COLUMNS = "columns"
"""The one layer of a task of vectors, which gives them as they are."""


@dataclass(frozen=True)
class Cut:
    """A source network up to a cut layer.

    width: values of one upload after the pooling there.
    parameters: of the layers up to the cut.
    """

    width: int
    parameters: int


def planned_cuts(
    source: Mapping[str, Any],
    features: Mapping[str, Any],
    wanted: Iterable[str],
    made_for: tuple[int, int, int] | None = None,
    image: tuple[int, int, int] | None = None,
) -> dict[str, Cut]:
    """Return the cuts wanted of a task's source network; none of one that only a job knows.

    Args:
        source: config block `source` of the task.
        features: its block `features`.
        wanted: names of layers.
        made_for: height, width and channels that a pre-trained source is made for.
        image: those of the clients' images, None if unknown.

    Raises:
        UserError: if a cut is no layer, the pooling does not fit its output, or the images do not
            fit the network.
    """
    if made_for is not None:
        return _of_chain(source["network"], features, wanted, made_for, image or made_for)
    if source["kind"] == "vectors":
        for cut in wanted:
            if cut != COLUMNS:
                raise UserError(
                    f"features.cut = {cut}: vectors have only the cut {COLUMNS}; name it"
                )
        return {} if image is None else {COLUMNS: Cut(prod(image), 0)}
    options, config = source.get("options"), Path(source["name"] or "", "config.json")
    if source["from"] == "transformers" and config.is_file():
        options = vision_config(config) | source["options"]
    elif source["from"] not in ("torchvision", "timm"):
        return {}  # only a job knows what the network is built with
    arguments = source, options, features, [*wanted], image
    # A file of weights, or a folder, may be another one the next time.
    if source.get("weights") == "file" or source["from"] == "transformers":
        return _of_library(*arguments)
    return dict(_of_unchanging_library(json.dumps(arguments)))


def trained(
    block: Mapping[str, Any],
    cuts: Iterable[str],
    classes: int,
    made_for: tuple[int, int, int] | None = None,
    image: tuple[int, int, int] | None = None,
) -> Sizes:
    """Return what is known of the parameters that clients of a task train, and check its cuts.

    Args:
        block: the task's block of the configuration.
        cuts: layers at which the task or its settings cut the source network.
        classes: number of classes N.
        made_for: height, width and channels that a pre-trained source is made for.
        image: those of the clients' images, None if unknown.

    Raises:
        UserError: as `planned_cuts`, or if there is one class alone.
    """
    features = block["features"]
    if classes < 2:
        raise UserError(
            "data has only one class; give two or more, as folders directly in data.train or as "
            "labels"
        )
    planned = planned_cuts(block["source"], features, cuts, made_for, image)
    heads = {
        name: parameters_between((cut.width, *block["head"], classes))
        for name, cut in planned.items()
    }
    networks: dict[str | None, int] = {}
    if features["cut"] in planned:
        networks[None] = planned[features["cut"]].parameters + heads[features["cut"]]
    if image is not None and (made_for is not None or block["source"]["kind"] == "vectors"):
        entering = (*_entering(features, image), (made_for or image)[2])
        for name, network in block["networks"].items():
            layers = chain_of(network, entering, classes).layers()
            networks[name] = sum(layer.parameters for layer in layers)
    return Sizes(heads, networks, classes, {name: cut.width for name, cut in planned.items()})


def _entering(features: Mapping[str, Any], image: tuple[int, int, int]) -> tuple[int, int]:
    """Return height and width of images as they enter a network."""
    size = features["size"]
    return (size, size) if size else image[:2]


def _of_chain(
    network: Mapping[str, Any],
    features: Mapping[str, Any],
    wanted: Iterable[str],
    made_for: tuple[int, int, int],
    image: tuple[int, int, int],
) -> dict[str, Cut]:
    options = {key: network[key] for key in ("channels", "fc", "dropout")}
    try:
        layers = Chain(image=made_for, classes=2, **options).layers()
    except UserError as error:
        raise UserError(f"source.network: {error}") from error
    entering = _entering(features, image)
    shape, parameters, fits = (*entering, made_for[2]), 0, True
    # Before the first layer any image fits.
    cuts = {"input": Cut(_pooled("input", shape, features["pool"]), 0)} if "input" in wanted else {}
    for layer in layers:
        if layer.kind == "dense":
            fits = fits and shape == (layer.options["in_features"],)
        shape, parameters = layer.output(shape), parameters + layer.parameters
        if layer.name in wanted:
            if not fits:
                raise UserError(
                    f"the source network is made for {made_for[0]} x {made_for[1]} pixels, but "
                    f"images of {entering[0]} x {entering[1]} enter it, which do not fit its dense "
                    f"layers before the cut {layer.name}; give source.image the images' height and "
                    "width, or set features.size"
                )
            cuts[layer.name] = Cut(_pooled(layer.name, shape, features["pool"]), parameters)
    for cut in wanted:
        if cut not in cuts:
            raise UserError(
                f"features.cut = {cut}: the source network has no such layer; choose among "
                f"{', '.join(layer.name for layer in layers)}"
            )
    return cuts


def _pooled(cut: str, shape: tuple[int, ...], pool: str) -> int:
    """Return the width of a row that a pooling makes of an output of this shape."""
    if len(shape) == 1 or pool == "flatten":
        return prod(shape)
    if pool == "avg":
        return shape[-1]
    raise UserError(
        f"features.pool = {pool} does not fit the cut layer {cut}, whose output per sample "
        f"is {' x '.join(map(str, shape))}; use flatten or avg"
    )


@cache
def _of_unchanging_library(arguments: str) -> dict[str, Cut]:
    """Return the cuts of a network that is built of its name alone, once for all of a plan."""
    return _of_library(*json.loads(arguments))


def _of_library(
    source: Mapping[str, Any],
    options: Mapping[str, Any],
    features: Mapping[str, Any],
    wanted: Iterable[str],
    image: tuple[int, int, int] | None,
) -> dict[str, Cut]:
    import torch

    from fbftl.models.backbones import build_backbone
    from fbftl.models.cut import front
    from fbftl.models.forward import ChannelAxes, Pool
    from fbftl.models.source.manifest import fill

    with torch.device("meta"):
        model = build_backbone(source["from"], source["name"], options)
    if source.get("weights") == "file":
        shapes = tensor_shapes(source["file"]).items()
        stand_ins = {name: torch.empty(shape, device="meta") for name, shape in shapes}
        fill(model, stand_ins, source["file"])
    entering = _entering_library(source, options, model, features, image)
    with torch.device("meta"), torch.no_grad():
        example = torch.zeros(2, *(entering or (_channels(model), *USUAL)))
        cuts = {}
        for cut in wanted:
            try:
                before = front(model, cut, example)
                with ChannelAxes():
                    output = before(example)
                width = Pool(features["pool"], output)(output).shape[1]
            except UserError:
                raise
            except Exception as error:  # a library's network raises whatever it stumbles over
                if entering is None:
                    return {}
                height, width = example.shape[2:]
                raise UserError(
                    f"source.name = {source['name']} cannot take images of {height} x {width} "
                    f"pixels ({message_of(error)}); set features.size to a side that it takes, or "
                    "take another network"
                ) from error
            parameters = sum(parameter.numel() for parameter in before.parameters())
            cuts[cut] = Cut(width, parameters)
    return cuts if entering else {}


def _entering_library(
    source: Mapping[str, Any],
    options: Mapping[str, Any],
    model: Any,
    features: Mapping[str, Any],
    image: tuple[int, int, int] | None,
) -> tuple[int, ...] | None:
    """Return channels, height and width of what enters a library's network; None if unknown.

    Raises:
        UserError: if mean and deviation are of other channels than the network takes.
    """
    import numpy as np

    from fbftl.data.preprocess import preprocess
    from fbftl.models.source import known_weights

    if source["from"] == "transformers":
        usual = known_weights.transformers_preprocessing(Path(source["name"]), options)
    else:
        usual = known_weights.library_preprocessing(source, model)
    preprocessing, channels = usual.overridden(features), _channels(model)
    if preprocessing.channels != channels:
        raise UserError(
            f"source.name = {source['name']} takes {channels} channels, and mean and std have "
            f"{preprocessing.channels} values; give features.mean and features.std {channels} each"
        )
    guesses = [image] if image is not None else [(64, 48, channels), (96, 80, channels)]
    shapes = {
        tuple(preprocess(np.zeros((1, *guess), np.uint8), preprocessing).shape[1:])
        for guess in guesses
    }
    return shapes.pop() if len(shapes) == 1 else None


def _channels(model: Any) -> int:
    """Return the channels that a network takes: those of its first layer's weights."""
    return next(weight.shape[1] for weight in model.parameters() if weight.ndim == 4)


def summariser(source: Mapping[str, Any], folder: str | Path | None) -> T5Shape | None:
    """Return what a source model is made of; None of one whose config.json is not at hand.

    Args:
        source: config block `source` of a task of dialogues.
        folder: where relative names of folders start.
    """
    if source["kind"] == "pretrain":
        return T5Shape(vocab_size=source["vocabulary"], **source["model"])
    names = {field.name for field in fields(T5Shape)}
    try:
        config = json.loads(Path(folder or "", source["folder"], "config.json").read_bytes())
        return T5Shape(**{name: value for name, value in config.items() if name in names})
    except (OSError, ValueError, TypeError, AttributeError):  # a job says what is wrong with it
        return None


def trained_of_summariser(shape: T5Shape, cuts: Iterable[int]) -> Sizes:
    """Return the parameters that each cut trains, a number of encoder blocks, and of all layers."""
    layers = t5(shape, trained_encoders=1).layers
    embedding = 1
    heads = {str(cut): parameters(layers[embedding + shape.num_layers - cut :]) for cut in cuts}
    return Sizes(heads, {None: parameters(layers)})
