"""A frozen network as a function, by each of the kinds that `features.compute` names.

All take a batch of inputs and return the same features but for rounding; how far they are apart and
how fast is measured by `tests/benchmarks/extraction.py` (docs/cost.md).
"""

from collections.abc import Callable, Mapping, Sequence
from io import BytesIO
from typing import Any

import numpy as np
import torch
from torch import Tensor, nn

from fbftl.ground.errors import UserError
from fbftl.ground.exact import this_machine
from fbftl.models.computes import (
    BFLOAT16,
    COMPILED,
    FLOAT32,
    ONNXRUNTIME,
    require_computable,
)

LARGEST_DEVIATION = {COMPILED: 1e-3, ONNXRUNTIME: 1e-3, BFLOAT16: 0.1}
"""How far features may be from those of float32, as a share of the largest."""

Network = Callable[[Tensor], Mapping[str, Tensor]]
"""Inputs (n, channels, height, width) to the output at each cut, on the same device."""


def network_fn(frozen: nn.Module, cuts: Sequence[str], kind: str, example: Tensor) -> Network:
    """Return the function that a frozen network computes, by a kind.

    Args:
        frozen: maps inputs to `{cut: output}`; in eval mode, on the device, channels last.
        cuts: names of its outputs.
        kind: float32, compiled, bfloat16 or onnxruntime.
        example: some inputs on the device, on which the kind is compared with float32.

    Raises:
        UserError: if this machine cannot compute so, or gives other features.
    """
    if kind == FLOAT32:
        return frozen
    device = example.device.type
    require_computable(kind, "features.compute", device, this_machine())
    with torch.no_grad():
        network = {
            COMPILED: lambda: _compiled(frozen),
            BFLOAT16: lambda: _in_bfloat16(frozen, device),
            ONNXRUNTIME: lambda: _by_onnxruntime(frozen, cuts, example[:2]),
        }[kind]()
    _require_alike(network, frozen, kind, example)
    return network


@torch.inference_mode()
def _require_alike(network: Network, frozen: Network, kind: str, example: Tensor) -> None:
    """Refuse a network whose features are not those of float32 but for rounding."""
    plain = frozen(example)
    for cut, features in network(example).items():
        apart = (features.float() - plain[cut]).abs().max() / plain[cut].abs().max().clamp(1e-6)
        if not apart <= LARGEST_DEVIATION[kind]:
            raise UserError(
                f"features.compute is {kind}, which on this machine gives features at {cut} that "
                f"differ from those of float32 by {apart:.1g} of the largest; use float32"
            )


def _in_bfloat16(frozen: nn.Module, device: str) -> Network:
    """Return the network under torch's autocast: products in bfloat16 of float32 weights."""

    def compute(inputs: Tensor) -> Mapping[str, Tensor]:
        with torch.autocast(device, torch.bfloat16):
            return frozen(inputs)

    return compute


def _compiled(frozen: nn.Module) -> Network:
    """Return the network as torch's compiler makes it, once for batches of two and more."""
    # Freezing folds normalisations into the weights of the layer before, and lays weights out once.
    compiled = torch.compile(frozen, options={"freezing": True})

    def compute(inputs: Tensor) -> Mapping[str, Tensor]:
        alone = len(inputs) == 1
        if alone:  # would be compiled for itself
            inputs = torch.cat([inputs, inputs])
        torch._dynamo.mark_dynamic(inputs, 0)
        outputs = compiled(inputs)
        return {cut: rows[:1] for cut, rows in outputs.items()} if alone else outputs

    return compute


def _by_onnxruntime(frozen: nn.Module, cuts: Sequence[str], example: Tensor) -> Network:
    """Return the network as ONNX Runtime computes it, with as many threads as torch has."""
    import onnxruntime

    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = torch.get_num_threads()
    session = onnxruntime.InferenceSession(
        _exported(frozen, cuts, example), options, providers=["CPUExecutionProvider"]
    )
    (inputs_name,) = (argument.name for argument in session.get_inputs())

    def compute(inputs: Tensor) -> Mapping[str, Tensor]:
        images = np.ascontiguousarray(inputs.numpy())
        outputs = session.run(None, {inputs_name: images})
        return dict(zip(cuts, map(torch.from_numpy, outputs), strict=True))

    return compute


def _exported(frozen: nn.Module, cuts: Sequence[str], example: Tensor) -> bytes:
    """Return a network as an ONNX model with an output per cut, for batches of any size."""
    rows: Any = torch.export.Dim("rows", min=1)
    program = torch.onnx.export(
        _InOrder(frozen, cuts).eval(),
        (example.contiguous(),),
        dynamo=True,
        dynamic_shapes=({0: rows},),
        verbose=False,
    )
    model = BytesIO()
    program.save(model)
    return model.getvalue()


class _InOrder(nn.Module):
    """A network whose outputs are a tuple, in the order of its cuts."""

    def __init__(self, frozen: nn.Module, cuts: Sequence[str]) -> None:
        super().__init__()
        self.frozen = frozen
        self.cuts = list(cuts)

    def forward(self, inputs: Tensor) -> tuple[Tensor, ...]:
        outputs = self.frozen(inputs)
        return tuple(outputs[cut] for cut in self.cuts)
