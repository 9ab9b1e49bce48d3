"""How extractors compute: what `features.compute` may say, and what a machine can do of it."""

from collections.abc import Mapping
from typing import Any

from fbftl.ground.errors import UserError
from fbftl.ground.exact import Machine

FLOAT32, BFLOAT16 = "float32", "bfloat16"
"""Plain float32, operator by operator; float32 weights with products in bfloat16."""

BFLOAT16_FEATURES = ("avx512_bf16", "amx_bf16")
"""What an x86-64 processor has that multiplies in bfloat16, as Linux lists it; others only imitate
it and are slower than in float32."""


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
    x86 = machine.architecture in ("x86_64", "AMD64")
    lacks = x86 and not machine.features & set(BFLOAT16_FEATURES)
    if kind == BFLOAT16 and device == "cpu" and lacks:
        raise UserError(
            f"{where} is {kind}, but the processor has none of {', '.join(BFLOAT16_FEATURES)}, "
            "without which bfloat16 is slower than float32; use float32"
        )
