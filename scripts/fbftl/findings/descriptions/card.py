"""The card of published features: what they are, what they tell, how they are opened."""

import json
from collections.abc import Mapping
from typing import Any

from fbftl.findings.descriptions.leaks import lines_on
from fbftl.study.elsewhere import MANIFEST

UNKNOWN = "unknown"

TEXT = """---
license: {tag}
pretty_name: {task}, features at {cut}
tags: [features, federated-learning, zarr]
---

# {task}: features at {cut}

{rows}.
A row is the output of a frozen network at the layer `{cut}`, {width} numbers ({dtype}), with
label, client and sample number. There are no images here.

| | |
|---|---|
| digest | `{digest}` |
| licence | {licence} |
| backbone | {backbone} |
| weights (SHA-256) | {weights} |
| licence of the backbone | {backbone_licence} |
| preprocessing | `{preprocessing}` |
| clients | {clients} |
| classes | {classes} |
| groups of people | {groups} |
| noise | {noise} |
{warnings}
## What the features tell

{leaks}

## Opening them

```python
import zarr

features = zarr.open_group("{place}", mode="r")["train/features"][:]
```

or `xarray.open_zarr("{place}", group="train", consolidated=False)`.
`{manifest}` has the SHA-256 of every file. As the data of a study:

```yaml
data: {{kind: features, store: {place}, digest: {digest}}}
```
"""


def card_of(manifest: Mapping[str, Any], place: str) -> str:
    """Return the card, Markdown with the header that dataset hubs read.

    Args:
        manifest: finished, of the features.
        place: how readers may name where they lie.
    """
    about, store = manifest["about"], manifest["store"]
    backbone = about["backbone"]
    counts = about["counts"]
    return TEXT.format(
        tag="other" if about["licence"] is None else about["licence"].lower(),
        task=about["task"],
        cut=store["cut"],
        rows=", ".join(
            f"{count:,} rows to {split}" for split, count in counts.items()
        ).capitalize(),
        width=store["width"],
        dtype=store["dtype"],
        digest=manifest["digest"],
        licence=about["licence"] or UNKNOWN,
        backbone=backbone["name"],
        weights=f"`{backbone['digest']}`" if backbone["digest"] else UNKNOWN,
        backbone_licence=backbone["licence"] or UNKNOWN,
        preprocessing=json.dumps(store["preprocessing"], sort_keys=True),
        clients=", ".join(f"{number:,} ({split})" for split, number in about["clients"].items()),
        classes=about["classes"] or "none",
        groups=", ".join(about["groups"]) or "none",
        noise=noise_of(about),
        warnings="".join(f"\n> **Warning:** {warning}.\n" for warning in about["warnings"]),
        leaks="\n".join(f"- {line}" for line in lines_on(about["leaks"])),
        place=place,
        manifest=MANIFEST,
    )


def noise_of(about: Mapping[str, Any]) -> str:
    """Return what noise the features are published under, in words."""
    noise = about["noise"]
    if noise is None:
        return "none"
    return (
        f"Gaussian mechanism, ε = {noise['epsilon']:g} at δ = {noise['delta']:g} for each row's "
        f"features (one row replaced), clipped to L2 norm {noise['clip_norm']:g}; labels are not "
        "covered"
    )
