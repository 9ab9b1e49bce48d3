"""Which clients each part of a sum over shards covers, and which parts it is joined from.

Shards are the leaves of a tree. A node of a level joins up to `fan_in` neighbours of the level
below, so that no job reads more files than that, however many shards there are.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

Node = tuple[int, int]
"""Level, 0 for shards, and place on it."""


@dataclass(frozen=True)
class UploadTree:
    """A sum over shards.

    clients: whose uploads are summed.
    shards: stretches of clients that are summed on their own, at most as many as clients.
    fan_in: parts that one job joins at most, two at least.
    """

    clients: int
    shards: int
    fan_in: int

    @classmethod
    def of(cls, block: Mapping[str, Any]) -> "UploadTree":
        """Return the tree that the configuration's block `upload_sums` asks for."""
        return cls(block["clients"], min(block["shards"], block["clients"]), block["fan_in"])

    @property
    def root(self) -> Node:
        """The node that covers all clients."""
        level, nodes = 0, self.shards
        while nodes > 1:
            level, nodes = level + 1, -(-nodes // self.fan_in)
        return level, 0

    def parts(self, node: Node) -> list[Node]:
        """Return the nodes that a node above level 0 is joined from, in order."""
        level, place = node
        first, last = self.fan_in * place, self.fan_in * (place + 1)
        return [(level - 1, part) for part in range(first, min(last, self._nodes(level - 1)))]

    def span(self, node: Node) -> tuple[int, int]:
        """Return first and last + 1 of the clients that a node covers."""
        level, place = node
        leaves = self.fan_in**level
        first, last = leaves * place, min(leaves * (place + 1), self.shards)
        return self.clients * first // self.shards, self.clients * last // self.shards

    def _nodes(self, level: int) -> int:
        return -(-self.shards // self.fan_in**level)
