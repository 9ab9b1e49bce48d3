"""List where a task's source model can be cut, with the width of an upload there."""

import json
from pathlib import Path
from typing import Any

from fbftl.data.clients import ClientFile
from fbftl.ground.files import write_text
from fbftl.models.cut_choices import cut_choices


def main(clients: str, source: str, layers: str, features: dict[str, Any]) -> None:
    """Write the list.

    Args:
        clients: path of the client file, for the images' shape.
        source: path of the source model's manifest.
        layers: path of the list to write, csv.
        features: `size`, `mean` and `std` of the task's config block `features`.
    """
    with ClientFile(clients) as samples:
        image = samples.image()
    manifest = json.loads(Path(source).read_text(encoding="utf-8"))
    choices = cut_choices(manifest, features, image)
    write_text(layers, choices.to_csv(index=False, lineterminator="\n"))
