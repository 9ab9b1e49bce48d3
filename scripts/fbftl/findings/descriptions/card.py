"""The card of published features: what they are, what they tell, how they are opened.

Names come from data, configuration and command line, so that each is written as YAML, Markdown or
Python has it escaped.
"""

import json
import math
from collections.abc import Mapping
from typing import Any

import yaml

from fbftl.findings.descriptions.leaks import lines_on
from fbftl.findings.tables import escape_markdown
from fbftl.study.elsewhere import KIND, MANIFEST

UNKNOWN = "unknown"

TEXT = """---
{header}---

# {task}: features at {cut}

{rows}.
A row is the output of a frozen network at the layer {cut}, {width} numbers ({dtype}), with
label, client and sample number. There are no images here.

| | |
|---|---|
| digest | {digest} |
| licence | {licence} |
| backbone | {backbone} |
| weights (SHA-256) | {weights} |
| licence of the backbone | {backbone_licence} |
| preprocessing | {preprocessing} |
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

features = zarr.open_group({place}, mode="r")["train/features"][:]
```

or `open_zarr` of xarray with the same name, `group="train"` and `consolidated=False`.
{manifest} has the SHA-256 of every file. As the data of a study:

```yaml
{data}
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
    words = {
        "task": about["task"],
        "cut": store["cut"],
        "rows": ", ".join(
            f"{count:,} rows to {split}" for split, count in counts.items()
        ).capitalize(),
        "width": store["width"],
        "dtype": store["dtype"],
        "digest": manifest["digest"],
        "licence": about["licence"] or UNKNOWN,
        "backbone": backbone["name"],
        "weights": backbone["digest"] or UNKNOWN,
        "backbone_licence": backbone["licence"] or UNKNOWN,
        "preprocessing": json.dumps(store["preprocessing"], sort_keys=True),
        "clients": ", ".join(f"{number:,} ({split})" for split, number in about["clients"].items()),
        "classes": about["classes"] or "none",
        "groups": ", ".join(about["groups"]) or "none",
        "noise": noise_of(about),
        "manifest": MANIFEST,
    }
    return TEXT.format(
        header=header_of(about, store),
        warnings="".join(
            f"\n> **Warning:** {escape_markdown(warning)}.\n" for warning in about["warnings"]
        ),
        leaks="\n".join(f"- {escape_markdown(line)}" for line in lines_on(about["leaks"])),
        place=repr(place),
        data=data_line(place, manifest["digest"]),
        **{name: escape_markdown(str(word)) for name, word in words.items()},
    )


def header_of(about: Mapping[str, Any], store: Mapping[str, Any]) -> str:
    """Return the header that dataset hubs read, as YAML."""
    header = {
        "license": "other" if about["licence"] is None else about["licence"].lower(),
        "pretty_name": f"{about['task']}, features at {store['cut']}",
        "tags": ["features", "federated-learning", "zarr"],
    }
    return yaml.safe_dump(header, sort_keys=False, width=math.inf)


def data_line(place: str, digest: str) -> str:
    """Return the line by which a task of a configuration has features for its data, as YAML."""
    data = {"kind": KIND, "store": place, "digest": digest}
    flow = yaml.safe_dump(data, sort_keys=False, width=math.inf, default_flow_style=True)
    return f"data: {flow.strip()}"


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
