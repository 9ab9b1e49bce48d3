"""torch's layers as the networks of the study call them, forwards and backwards."""

from collections.abc import Callable
from functools import partial
from typing import Any

import torch
from torch import Tensor, nn
from torch.nn import functional
from torch.nn.modules.batchnorm import _BatchNorm

from fbftl.findings.probe.inputs import integers
from fbftl.findings.probe.tensor_inputs import labels, tensor

LAST = torch.channels_last


def _with_gradients(module: nn.Module, inputs: Tensor) -> list[Tensor]:
    """Return a module's outputs, and the gradients of inputs and parameters."""
    _fill(module)
    inputs = inputs.requires_grad_()
    outputs = module(inputs)
    slope = tensor(*outputs.shape, draw=9)
    return [outputs, *torch.autograd.grad(outputs, [inputs, *module.parameters()], slope)]


def _fill(module: nn.Module) -> None:
    """Give parameters and running statistics exact values."""
    with torch.no_grad():
        for number, parameter in enumerate(module.parameters()):
            parameter.copy_(tensor(*parameter.shape, draw=number + 20, reach=1))
        for layer in module.modules():
            if isinstance(layer, _BatchNorm) and layer.running_mean is not None:
                assert layer.running_var is not None
                layer.running_mean.copy_(tensor(layer.num_features, draw=3))
                layer.running_var.copy_(tensor(layer.num_features, draw=4).abs() + 0.25)


def _convolution(channels: int, outputs: int, side: int, size: int, **options: Any) -> list[Tensor]:
    """Return a convolution's outputs and gradients for a few images, and for one alone."""
    layer = nn.Conv2d(channels, outputs, side, **options)
    batch = tensor(5, channels, size, size, reach=1)
    alone = batch[:1].clone()
    return [*_with_gradients(layer, batch), *_with_gradients(layer, alone)]


def _extracted(module: nn.Module, inputs: Tensor) -> list[Tensor]:
    """Return what a frozen layer gives in channels last, of a batch and of one image alone."""
    _fill(module)
    module = module.eval().to(memory_format=LAST)  # type: ignore[call-overload]  # torch's stubs
    with torch.inference_mode():
        inputs = inputs.contiguous(memory_format=LAST)
        return [module(inputs), module(inputs[:1])]


def _inverted_bottleneck() -> list[Tensor]:
    """The block of an EfficientNet: 1x1 wide, depthwise 3x3 and 5x5, 1x1 narrow."""
    block = nn.Sequential(
        nn.Conv2d(16, 96, 1, bias=False), nn.BatchNorm2d(96, eps=1e-3), nn.ReLU6(),
        nn.Conv2d(96, 96, 3, padding=1, stride=2, groups=96, bias=False),
        nn.BatchNorm2d(96, eps=1e-3), nn.ReLU6(),
        nn.Conv2d(96, 96, 5, padding=2, groups=96, bias=False),
        nn.Conv2d(96, 24, 1, bias=False), nn.BatchNorm2d(24, eps=1e-3),
    )  # fmt: skip
    return _extracted(block, tensor(3, 16, 14, 14, reach=1))


def _wide_last_layer() -> list[Tensor]:
    """The 1x1 convolution to 1280 channels and the average that features are taken from."""
    block = nn.Sequential(nn.Conv2d(320, 1280, 1, bias=False), nn.ReLU6(), nn.AdaptiveAvgPool2d(1))
    return _extracted(block, tensor(2, 320, 4, 4, reach=1))


def _stem() -> list[Tensor]:
    """The first layer of an extractor, a strided 3x3 convolution of colours."""
    block = nn.Sequential(nn.Conv2d(3, 32, 3, stride=2, padding=1), nn.ReLU(), nn.MaxPool2d(2))
    return _extracted(block, tensor(2, 3, 33, 33, reach=1))


def _grouped() -> list[Tensor]:
    """Stacked networks as one grouped convolution, in channels last."""
    layer = nn.Conv2d(3 * 4, 3 * 8, 3, padding=1, groups=3)
    return _with_gradients(layer, tensor(6, 12, 8, 8).contiguous(memory_format=LAST))


def _normalised() -> list[Tensor]:
    rows, maps = tensor(17, 24), tensor(5, 12, 7, 7)
    in_eval = nn.BatchNorm2d(12).eval()
    return [
        *_with_gradients(nn.BatchNorm1d(24), rows),
        *_with_gradients(nn.BatchNorm2d(12), maps.clone()),
        *_with_gradients(in_eval, maps.clone()),
        *_with_gradients(nn.LayerNorm(24), rows.detach().clone()),
        *_with_gradients(nn.RMSNorm(24, eps=1e-6), rows.detach().clone()),
        functional.normalize(rows.detach(), dim=1),
    ]


def _pooled() -> list[Tensor]:
    maps = tensor(3, 6, 9, 9)
    layers = nn.MaxPool2d(2, ceil_mode=True), nn.AvgPool2d(3), nn.AdaptiveAvgPool2d(7)
    return [part for layer in layers for part in _with_gradients(layer, maps.detach().clone())]


def _attended() -> list[Tensor]:
    """Attention with a bias and hidden padding, unscaled, as in T5."""
    query, key, value = (
        tensor(3, 4, length, 16, draw=length).requires_grad_() for length in (11, 23, 23)
    )
    bias = tensor(1, 4, 11, 23).expand(3, -1, -1, -1).clone()
    bias[1, :, :, 17:] = -torch.inf
    outputs = functional.scaled_dot_product_attention(query, key, value, attn_mask=bias, scale=1.0)
    gradients = torch.autograd.grad(outputs.square().sum(), [query, key, value])
    return [outputs, *gradients]


def _unfolded() -> Tensor:
    return functional.unfold(tensor(3, 4, 9, 9), 3, padding=1)


def _small_network() -> list[Tensor]:
    """Loss and gradients of a small network of images in training."""
    network = nn.Sequential(
        nn.Conv2d(1, 8, 3, padding=1), nn.BatchNorm2d(8), nn.ReLU(),
        nn.MaxPool2d(2, ceil_mode=True), nn.Conv2d(8, 16, 3, padding=1), nn.ReLU(),
        nn.MaxPool2d(2, ceil_mode=True), nn.Flatten(), nn.Linear(64, 33), nn.ReLU(),
        nn.Linear(33, 10),
    )  # fmt: skip
    _fill(network)
    pixels = torch.from_numpy(integers(256, 9, 1, 8, 8)).float() / 255
    loss = functional.cross_entropy(network(pixels), labels(9, 10))
    return [loss, *torch.autograd.grad(loss, list(network.parameters()))]


OPERATIONS: dict[str, Callable[[], Any]] = {
    "convolution-3x3": partial(_convolution, 16, 32, 3, 8, padding=1),
    "convolution-3x3-wide": partial(_convolution, 64, 64, 3, 4, padding=1),
    "convolution-3x3-grey": partial(_convolution, 1, 8, 3, 8, padding=1),
    "convolution-3x3-valid": partial(_convolution, 6, 10, 3, 9),
    "convolution-5x5": partial(_convolution, 3, 6, 5, 12),
    "convolution-1x1": partial(_convolution, 48, 24, 1, 6),
    "convolution-depthwise": partial(_convolution, 24, 24, 3, 9, padding=1, groups=24),
    "convolution-grouped": _grouped,
    "extractor-stem": _stem,
    "extractor-inverted-bottleneck": _inverted_bottleneck,
    "extractor-wide-1x1": _wide_last_layer,
    "normalisation": _normalised,
    "pooling": _pooled,
    "attention": _attended,
    "unfold": _unfolded,
    "small-network": _small_network,
}
"""Every operation by its name."""
