"""What holds of any torch module: what acts otherwise while it trains, and its digest.

Everywhere else networks are in eval mode: no dropout, and batch normalisation by the running
statistics that came with the weights, which no client changes.
"""

import hashlib
from collections.abc import Iterable, Iterator
from contextlib import contextmanager

import torch
from torch import Tensor, nn
from torch.nn.modules.batchnorm import _BatchNorm


def normalise_by_batch(model: nn.Module) -> None:
    """Let batch normalisation use the statistics of whatever batch enters, in testing too.

    A network that starts at random has no running statistics worth the name, and averaging them
    over clients would be a message of its own.
    """
    for layer in _norms(model):
        layer.running_mean = layer.running_var = layer.num_batches_tracked = None
        layer.track_running_stats = False


def couples_samples(model: nn.Module) -> bool:
    """Tell whether a sample's output depends on the batch that it is in."""
    return any(layer.running_mean is None for layer in _norms(model))


@contextmanager
def dropping(*models: nn.Module) -> Iterator[None]:
    """Put models into train mode for the block, their frozen normalisations left out."""
    for model in models:
        model.train()
        for layer in _norms(model):
            layer.eval()
    try:
        yield
    finally:
        for model in models:
            model.eval()


def _norms(model: nn.Module) -> list[_BatchNorm]:
    return [layer for layer in model.modules() if isinstance(layer, _BatchNorm)]


def digest(numbers: Iterable[Tensor]) -> str:
    """Return the SHA-256 in hex of tensors' bytes, one after the other."""
    running = hashlib.sha256()
    for tensor in numbers:
        running.update(tensor.detach().cpu().contiguous().numpy())
    return running.hexdigest()


def digest_of(model: nn.Module) -> str:
    """Return the SHA-256 in hex of a network's parameters and buffers."""
    return digest(model.state_dict().values())


def digests(stacked: Iterable[Tensor]) -> list[str]:
    """Return the digest of each of H models whose numbers are stacked, tensors of (H, ...)."""
    return [digest(model) for model in zip(*(torch.unbind(part) for part in stacked), strict=True)]
