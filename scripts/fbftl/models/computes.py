"""How extractors compute: what `features.compute` may say, and what a machine can do of it."""

import os
import shutil
from collections.abc import Mapping
from importlib.util import find_spec
from typing import Any

from fbftl.ground.errors import UserError
from fbftl.ground.exact import Machine

FLOAT32 = "float32"
"""Plain float32, operator by operator: what every other kind is compared with."""

COMPILED, BFLOAT16, ONNXRUNTIME = "compiled", "bfloat16", "onnxruntime"
"""Operators fused by torch's compiler; float32 weights with products in bfloat16; ONNX Runtime."""

BFLOAT16_FEATURES = ("avx512_bf16", "amx_bf16")
"""What an x86-64 processor has that multiplies in bfloat16, as Linux lists it; others only imitate
it and are slower than in float32."""

ONNX_PACKAGES = ("onnxruntime", "onnx", "onnxscript")
"""What a network is exported with, and runs in."""


def computed_otherwise(tasks: Mapping[str, Mapping[str, Any]]) -> str | None:
    """Return what of a study does not compute in plain float32, in words; None if all does.

    Args:
        tasks: blocks of the tasks that are extracted, by name.
    """
    for task, block in tasks.items():
        if (kind := block["features"]["compute"]) != FLOAT32:
            return f"tasks.{task}.features.compute is {kind}"
    return None


def require_computable(kind: str, where: str, device: str, machine: Machine) -> None:
    """Refuse a kind of computing that a machine cannot do.

    Args:
        kind: as `features.compute` says it.
        where: what asks for it, as in ``config: tasks.digits.features.compute``.
        device: cpu or cuda.
        machine: the one that extracts.

    Raises:
        UserError: naming what is missing and what to do.
    """
    if (fault := _fault(kind, device, machine)) is not None:
        raise UserError(f"{where} is {kind}, but {fault}")


def _fault(kind: str, device: str, machine: Machine) -> str | None:
    if kind == ONNXRUNTIME:
        if device == "cuda":
            return "ONNX Runtime computes on the CPU here and device is cuda; use bfloat16"
        if missing := [name for name in ONNX_PACKAGES if find_spec(name) is None]:
            return (
                f"the package {missing[0]} is not installed; install envs/onnx.txt, or use float32"
            )
    if device == "cuda":
        return None
    if kind == COMPILED and shutil.which(compiler := os.environ.get("CXX", "g++")) is None:
        return (
            f"torch compiles with a C++ compiler and there is no {compiler}; install one, name it "
            "in the environment variable CXX, or use float32"
        )
    x86 = machine.architecture in ("x86_64", "AMD64")
    if kind == BFLOAT16 and x86 and not machine.features & set(BFLOAT16_FEATURES):
        return (
            f"the processor has none of {', '.join(BFLOAT16_FEATURES)}, without which bfloat16 is "
            "slower than float32; use compiled or onnxruntime"
        )
    return None
