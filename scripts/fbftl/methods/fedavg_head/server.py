"""What the server does with a round's average: takes it, or steps towards it with a memory."""

from collections.abc import Callable

import torch
from torch import Tensor

from fbftl.exchange.averaging import Server
from fbftl.study.job import KnownAxes

MOMENTUM = 0.9
"""Of FedAvgM (Hsu et al. 2019), and of the first moment of FedAdam."""

SECOND_MOMENT, ADAPTIVITY = 0.99, 1e-3
"""Of FedAdam, as Reddi et al. (2021) have them: beta_2 and tau."""

Direction = Callable[[Tensor], Tensor]
"""From the way (X,) between a round's weights and its average to the server's step."""


def server_of(setting: KnownAxes) -> Server:
    """Return the server of one repetition."""
    direction = {"average": lambda way: way, "momentum": momentum(), "adam": adam()}
    step, rate = direction[setting.server_optimiser], setting.server_rate
    if (setting.server_optimiser, rate) == ("average", 1.0):
        return Server()
    return Server(move=lambda before, average: before + rate * step(average - before))


def momentum() -> Direction:
    """Return FedAvgM's direction, v <- 0.9 v + way."""
    velocity: Tensor | float = 0.0

    def direction(way: Tensor) -> Tensor:
        nonlocal velocity
        velocity = MOMENTUM * velocity + way
        return velocity

    return direction


def adam() -> Direction:
    """Return FedAdam's direction, m / (sqrt(v) + tau), without correction of the first steps."""
    first: Tensor | float = 0.0
    second: Tensor | float = 0.0

    def direction(way: Tensor) -> Tensor:
        nonlocal first, second
        first = MOMENTUM * first + (1 - MOMENTUM) * way
        second = SECOND_MOMENT * second + (1 - SECOND_MOMENT) * way.square()
        return first / (torch.as_tensor(second).sqrt() + ADAPTIVITY)

    return direction
