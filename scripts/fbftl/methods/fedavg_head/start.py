"""The head that round 1 starts from: random, zero, or solved from one upload of class means."""

from collections.abc import Sequence
from dataclasses import replace

import numpy as np
import torch
from torch import nn

from fbftl.exchange.uplink import Uplink
from fbftl.ground.errors import UserError
from fbftl.messages.codec import Compression, compress, encode
from fbftl.messages.encoded import digested_messages
from fbftl.messages.statistics import ClassMeans
from fbftl.training.closed_form import LinearHead


def uploaded_means(uplink: Uplink, means: ClassMeans, compression: Compression) -> ClassMeans:
    """Send each client's class means in one message; return what the server reads.

    A message has plain counts, then the means of the classes that the client has, labelled.

    Args:
        uplink: of the repetition; its client numbers are those of the means.
        means: of all clients, in the order of these numbers.
        compression: q and r of the means.
    """
    clients = np.arange(len(uplink.owners))
    first = np.searchsorted(means.client, clients)
    of_client = list(map(slice, first, [*first[1:], len(means.client)]))
    messages = digested_messages(
        encode(means.counts[places])
        + encode(means.means[places], means.label[places], means.classes, compression)
        for places in of_client
    )
    floats = np.array([means.means[places].size for places in of_client])
    receipt = uplink.post.up(
        {"statistics": floats}, uplink.owners, content=messages, compression=compression
    )
    read = replace(means, means=compress(means.means, compression).values)
    return read.at(receipt.arrives[read.client])


@torch.no_grad()
def hold(layers: Sequence[nn.Linear], solved: LinearHead) -> None:
    """Give a perceptron the scores of a linear head, less their mean over the classes.

    No softmax tells them from the scores z = w x + b, and smaller ones are tuned at larger rates.
    Two hidden units a class hold relu(z) and relu(-z), whose difference is z and which further
    layers hand on. What the other units give begins with weight zero, so that they can be learned.

    Args:
        layers: the perceptron's, with ReLU between them; hidden ones have two units a class.
        solved: the linear head; a class that it never predicts gets the least bias.

    Raises:
        UserError: if a hidden layer is too narrow.
    """
    units = min((layer.out_features for layer in layers[:-1]), default=2 * len(solved.bias))
    if units < 2 * len(solved.bias):
        raise UserError(
            f"a solved head of {len(solved.bias)} classes takes two units of each hidden layer for "
            f"each, and one has {units}; give head wider layers, or use start: random"
        )
    *hidden, last = layers
    finite = np.isfinite(solved.bias)
    finite_bias = np.where(finite, solved.bias, solved.bias[finite].min(initial=0.0))
    weights, bias = (
        torch.from_numpy(values - values.mean(axis=0)).to(last.weight)
        for values in (solved.weights, finite_bias)
    )
    both_signs = torch.eye(len(bias)).to(weights).repeat(1, 2)
    both_signs[:, len(bias) :].neg_()
    for layer in hidden:
        weights, bias = both_signs.T @ weights, both_signs.T @ bias
        layer.weight[: len(bias)], layer.bias[: len(bias)] = _widened(weights, layer), bias
        weights, bias = both_signs, torch.zeros_like(bias[len(both_signs) :])
    last.weight.copy_(_widened(weights, last))
    last.bias.copy_(bias)


def _widened(weights: torch.Tensor, layer: nn.Linear) -> torch.Tensor:
    """Return weights (m, k) of a layer's first k inputs with zeros for the others."""
    return nn.functional.pad(weights, (0, layer.in_features - weights.shape[1]))
