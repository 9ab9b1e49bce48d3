"""SHA-256 of a model's numbers, by which it is seen at which point two trainings part."""

import hashlib
from collections.abc import Iterable

import torch
from torch import Tensor, nn


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
