"""Import torchvision beside a torch it was not compiled for.

PyPI's torchvision is compiled for one GPU build of torch. Beside a CPU torch its compiled
operators do not load, and the import dies because `torchvision::nms` and `torchvision::qnms` are
given a meta kernel although nobody declared them. Models, datasets and transforms never call
them, so declaring their schemas is enough. This module can go once torchvision guards these two
registrations as it guards the others (`torchvision/_meta_registrations.py`).
"""

import importlib
import sys
from functools import cache
from types import ModuleType

import torch

_UNDECLARED = ("nms", "qnms")
_SCHEMA = "(Tensor dets, Tensor scores, float iou_threshold) -> Tensor"


@cache
def import_torchvision() -> ModuleType:
    """Return torchvision; call this before anything that imports it, such as transformers or timm.

    Raises:
        ImportError: if torchvision is not installed.
    """
    try:
        return importlib.import_module("torchvision")
    except RuntimeError as error:
        if "torchvision::" not in str(error):
            raise
    for name in [name for name in sys.modules if name.partition(".")[0] == "torchvision"]:
        del sys.modules[name]
    for name in _UNDECLARED:
        torch.library.define(f"torchvision::{name}", _SCHEMA)
    return importlib.import_module("torchvision")
