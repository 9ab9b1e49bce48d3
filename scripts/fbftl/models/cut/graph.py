"""Cut a model at any node of its graph, traced by torchvision's feature-extraction tracer.

A node is named as torchvision names it (`layer3.1.add`); a module's name (`layer3`) stands for the
last node inside it. A layer is one node, also if a library composes it of functions as timm does
its normalisations. The graph is traced in eval mode and only split, so that both parts agree to the
last bit; what a model decides by `self.training` outside of layers stays as in eval mode.
"""

import copy
from collections import Counter
from collections.abc import Collection, Iterable, Sequence
from typing import Any

import torch
from torch import fx, nn

from fbftl.ground.torchvision_ops import import_torchvision


class UntraceableError(Exception):
    """torch.fx cannot trace this model, for example because control flow depends on the input."""


class GraphCutter:
    """Cuts a model that torch.fx can trace; see `cut.Cutter`."""

    def __init__(self, model: nn.Module) -> None:
        """Trace `model`.

        Raises:
            UntraceableError: if that fails.
        """
        import_torchvision()
        from torchvision.models.feature_extraction import NodePathTracer

        class LayerTracer(NodePathTracer):
            """Takes every layer as a whole, not torch's own alone."""

            def is_leaf_module(self, m: nn.Module, module_qualname: str) -> bool:
                return _is_layer(m) or super().is_leaf_module(m, module_qualname)

        tracer = LayerTracer()
        try:
            # A copy, since models keep what they computed, here stand-ins, for their next call.
            traced = copy.deepcopy(model, tensors_of(model))
            self.graph = tracer.trace(traced)
        # A tracer runs the model's own code on stand-ins for tensors: anything can be raised.
        except Exception as error:
            raise UntraceableError(str(error)) from error
        for node in self.graph.nodes:
            if node.op == "get_attr" and not hasattr(model, node.target.partition(".")[0]):
                setattr(model, node.target, getattr(traced, node.target))  # a constant
            # An in-place ReLU would overwrite the output of the node before it, maybe a cut.
            if node.kwargs.get("inplace"):
                node.update_kwarg("inplace", False)
        self.model = model
        self.nodes = {name: node for node, name in _names(self.graph, tracer).items()}
        self.input = next(node for node in self.graph.nodes if node.op == "placeholder")
        self.output = next(node for node in self.graph.nodes if node.op == "output")

    def cuttable(self, example: torch.Tensor) -> list[str]:
        """Return the names of the nodes that every path goes through, in order of execution."""
        narrow = self._rows(example).intersection(self._bottlenecks()) - {self.input}
        return [name for name, node in self.nodes.items() if node in narrow]

    def allows(self, cut: str, example: torch.Tensor) -> bool:
        """Return whether every path goes through node or module `cut`."""
        node = self._node(cut)
        return node is not None and node in map(self._node, self.cuttable(example))

    def extractor(self, cuts: Sequence[str], example: torch.Tensor) -> nn.Module:
        """Return the graph from the input to `cuts`, see `cut.Cutter`."""
        return self._between(self.input, {cut: self._node(cut) for cut in cuts})

    def rest(self, cut: str, example: torch.Tensor) -> nn.Module:
        """Return the graph from `cut` to the output."""
        return self._between(self._node(cut), self.output.args[0])

    def _node(self, name: str) -> fx.Node | None:
        if name in self.nodes:
            return self.nodes[name]
        inside = [node for path, node in self.nodes.items() if path.startswith(f"{name}.")]
        return inside[-1] if inside else None

    def _bottlenecks(self) -> list[fx.Node]:
        """Return the nodes that no edge between other nodes of a path jumps over."""
        ahead = {self.input}
        for node in self.graph.nodes:
            if ahead.intersection(node.all_input_nodes):
                ahead.add(node)
        behind = _ancestors([self.output], stop=self.input)
        on_path = [node for node in self.graph.nodes if node in ahead & behind]
        position = {node: index for index, node in enumerate(on_path)}
        bottlenecks, farthest = [], 0
        for index, node in enumerate(on_path[:-1]):
            if farthest <= index:
                bottlenecks.append(node)
            users = (position[user] for user in node.users if user in position)
            farthest = max(farthest, *users)
        return bottlenecks

    def _rows(self, example: torch.Tensor) -> set[fx.Node]:
        """Return the nodes whose value is a float tensor with one row per sample."""
        recorder = _Recorder(fx.GraphModule(self.model, self.graph), len(example))
        with torch.no_grad():
            recorder.run(example)
        # The module holds a copy of the graph, with the same names.
        return {node for node in self.graph.nodes if node.name in recorder.rows}

    def _between(self, start: fx.Node, wanted: Any) -> fx.GraphModule:
        """Return the part of the graph that computes `wanted`, nodes in any nest, from `start`."""
        part = fx.Graph()
        copies = {start: part.placeholder("inputs")}
        ends: list[fx.Node] = []
        fx.node.map_arg(wanted, ends.append)
        needed = _ancestors(ends, stop=start)
        for node in self.graph.nodes:
            if node in needed and node is not start:
                copies[node] = part.node_copy(node, copies.__getitem__)
        part.output(fx.node.map_arg(wanted, copies.__getitem__))
        return fx.GraphModule(self.model, part)


def tensors_of(model: nn.Module) -> dict[int, Any]:
    """Return a model's tensors by their ids, which a deep copy then shares with it."""
    return {id(tensor): tensor for tensor in [*model.parameters(), *model.buffers()]}


def _is_layer(module: nn.Module) -> bool:
    """Tell whether a module has parameters and none of its parts has."""
    first_parameter = next(module.parameters(recurse=False), None)
    return first_parameter is not None and len(list(module.parameters())) == len(
        list(module.parameters(recurse=False))
    )


def _names(graph: fx.Graph, tracer: Any) -> dict[fx.Node, str]:
    """Return torchvision's names, but a module called once keeps its own.

    Torchvision takes a number at the end for a counter and calls module `conv1_1` `conv1`.
    """
    modules = [node for node in graph.nodes if node.op == "call_module"]
    calls = Counter(node.target for node in modules)
    called_once = {node: node.target for node in modules if calls[node.target] == 1}
    return {**tracer.node_to_qualname, **called_once}


def _ancestors(nodes: Iterable[fx.Node], stop: fx.Node) -> Collection[fx.Node]:
    """Return `nodes` and all that they depend on, going no further back than `stop`."""
    ancestors, open_ = set(), list(nodes)
    while open_:
        node = open_.pop()
        if node not in ancestors:
            ancestors.add(node)
            open_.extend([] if node is stop else node.all_input_nodes)
    return ancestors


class _Recorder(fx.Interpreter):
    """Runs a graph and remembers which nodes gave a float tensor with one row per sample."""

    def __init__(self, module: fx.GraphModule, samples: int) -> None:
        super().__init__(module)
        self.samples = samples
        self.rows: set[str] = set()

    def run_node(self, n: fx.Node) -> Any:
        """Run one node as `fx.Interpreter` does."""
        value = super().run_node(n)
        if isinstance(value, torch.Tensor) and value.is_floating_point() and value.ndim > 1:
            self.rows |= {n.name} if len(value) == self.samples else set()
        return value
