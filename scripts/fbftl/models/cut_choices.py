"""Where a task's source model can be cut, and how wide an upload would be there."""

from collections.abc import Mapping
from typing import Any

import pandas as pd
import torch

from fbftl.ground.errors import UserError
from fbftl.models.axes import ChannelAxes
from fbftl.models.cut import cuttable, extractor
from fbftl.models.describe import entering
from fbftl.models.forward import POOLINGS, Pool
from fbftl.models.source.manifest import build


def cut_choices(
    source: Mapping[str, Any], features: Mapping[str, Any], image: tuple[int, int, int]
) -> pd.DataFrame:
    """Return the layers that can be cut, in the order of execution.

    Args:
        source: the source model's manifest; its weights do not matter here.
        features: `size`, `mean` and `std` of the task's config block `features`.
        image: height, width and channels of the clients' images.

    Returns:
        Columns `layer` (what `features.cut` takes), `output` (its shape per sample), and one per
        `features.pool` with the width of an upload, empty where the pooling does not fit.
    """
    example = entering(source, features, image)
    model = build(source["architecture"]).eval()
    layers = cuttable(model, example)
    with torch.inference_mode(), ChannelAxes():
        outputs = extractor(model, layers, example)(example)
    return pd.DataFrame([_choice(layer, outputs[layer]) for layer in layers]).astype(
        {how: "Int64" for how in POOLINGS}
    )


def _choice(layer: str, output: torch.Tensor) -> dict[str, Any]:
    shape = " x ".join(map(str, output.shape[1:]))
    return {"layer": layer, "output": shape} | {how: _width(output, how) for how in POOLINGS}


def _width(output: torch.Tensor, how: str) -> int | None:
    try:
        return Pool(how, output)(output).shape[1]
    except UserError:
        return None
