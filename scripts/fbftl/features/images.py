"""The features of images: which extractor a task asks for, and what identifies its output."""

from collections.abc import Mapping
from typing import Any

from fbftl.data.clients import ClientFile
from fbftl.data.preprocess import Preprocessing
from fbftl.features.extract import Extraction
from fbftl.features.store.provenance import provenances_of
from fbftl.ground.files import read_json
from fbftl.ground.floats import FLOAT32
from fbftl.models.forward import forward_fn, stage_fn
from fbftl.models.source.manifest import load_source

LIBRARIES = ("torch", "numpy", "zarr")


def extraction(
    samples: ClientFile, weights: str, source: str, features: Mapping[str, Any], device: str
) -> Extraction:
    """Return the extraction that a task's `features` block asks for, all its cuts in one pass.

    Args:
        samples: the client file, open.
        weights: path of the source model's weights.
        source: path of the source model's manifest.
        features: the block.
        device: `cpu` or `cuda`.

    Raises:
        UserError: if the cut cannot be made, or the weights are not the manifest's.
    """
    described = read_json(source, "source model's manifest")
    preprocessing = Preprocessing.of(described["preprocessing"]).overridden(features)
    image = samples.image()
    model = load_source(weights, described)
    cuts = [features["cut"], *features["further_cuts"]]
    compute = features.get("compute", FLOAT32)
    of_pixels = preprocessing.document() | {"pool": features["pool"]}
    return Extraction(
        samples=samples,
        stage=stage_fn(device, preprocessing),
        forward=forward_fn(model, cuts, preprocessing, image, features["pool"], device, compute),
        provenances=provenances_of(
            cuts, described["sha256"], of_pixels, samples.path, features, LIBRARIES
        ),
    )
