"""Backbones by name from torchvision, timm and transformers: built with random weights, offline.

`published` gives them weights. Models come out with out-of-place activations: an in-place ReLU
would overwrite the output of the layer before it, which may be a cut.
"""

from collections.abc import Mapping
from typing import Any

import torch
from torch import nn

from fbftl.ground.errors import UserError
from fbftl.ground.torchvision_ops import import_torchvision


def build_backbone(library: str, name: str, options: Mapping[str, Any]) -> nn.Module:
    """Return the model with random weights from torch's global generator, in eval mode.

    Args:
        library: torchvision, timm or transformers.
        name: the model's name in torchvision or timm. For transformers any name for messages;
            the model is what `options` describe.
        options: arguments of the model's constructor (torchvision, timm), such as `num_classes`
            or timm's `img_size`; for transformers the whole `config.json`.

    Raises:
        UserError: if the library has no such model or does not take the options.
    """
    import_torchvision()
    makers = {"torchvision": _torchvision, "timm": _timm, "transformers": _transformers}
    try:
        model = makers[library](name, dict(options))
    except Exception as error:  # these libraries raise errors of their own too
        raise UserError(
            f"{library} cannot build source.name = {name} with source.options = {dict(options)}: "
            f"{str(error).splitlines()[0]}"
        ) from error
    return out_of_place(model).eval()


def out_of_place(model: nn.Module) -> nn.Module:
    """Make every layer of `model` keep its input; return the model."""
    for module in model.modules():
        if getattr(module, "inplace", False):
            module.inplace = False
    return model


class VisionBackbone(nn.Module):
    """A transformers vision model from pixels to its pooled output or its last hidden state.

    A part called `pooler` is left out: checkpoints of classifiers lack it. Of a model that pools by
    others, as SigLIP by its head and CLIP by a normalisation, these can be cut too.
    """

    def __init__(self, model: nn.Module) -> None:
        super().__init__()
        self.model = model

    def forward(self, pixels: torch.Tensor) -> torch.Tensor:
        """Return rows (n, width), tokens (n, t, width) or a map (n, width, h, w)."""
        outputs = self.model(pixel_values=pixels)
        pooled = None if hasattr(self.model, "pooler") else outputs.get("pooler_output")
        return outputs.last_hidden_state if pooled is None else pooled


def _torchvision(name: str, options: dict[str, Any]) -> nn.Module:
    models = import_torchvision().models
    return models.get_model(name, weights=None, **options)


def _timm(name: str, options: dict[str, Any]) -> nn.Module:
    import timm

    return timm.create_model(name, pretrained=False, **options)


def _transformers(name: str, options: dict[str, Any]) -> nn.Module:
    from transformers import AutoConfig, AutoModel

    config = AutoConfig.for_model(**options)
    return VisionBackbone(AutoModel.from_config(config, dtype=torch.float32))
