"""Trees of sums: every client once on every level, no job with too many parts."""

from itertools import pairwise

from fbftl.study.upload_tree import UploadTree
from hypothesis import given
from hypothesis import strategies as st


@given(st.integers(1, 10**10), st.integers(1, 200), st.integers(2, 9))
def test_each_level_covers_every_client_once(clients, shards, fan_in):
    tree = UploadTree.of({"clients": clients, "shards": shards, "fan_in": fan_in})
    nodes = [tree.root]
    while nodes[0][0] > 0:
        joined = [tree.parts(node) for node in nodes]
        assert all(1 <= len(parts) <= fan_in for parts in joined)
        for node, parts in zip(nodes, joined, strict=True):
            spans = [tree.span(part) for part in parts]
            assert (spans[0][0], spans[-1][1]) == tree.span(node)
            assert all(a[1] == b[0] for a, b in pairwise(spans))
        nodes = [part for parts in joined for part in parts]
    assert len(nodes) == min(shards, clients)
    assert tree.span(tree.root) == (0, clients)
    assert all(first < last for first, last in map(tree.span, nodes))
