"""Make the source model: pre-train it on the source task, or load given weights."""

from typing import Any

from fbftl.source import write_source


def main(
    safetensors: str,
    manifest: str,
    source: dict[str, Any],
    image: tuple[int, int, int],
    data_folder: str | None,
    device: str,
) -> None:
    """Write weights and manifest of the source model that the config's `source` block asks for.

    Args:
        safetensors: where the weights go.
        manifest: where what is known of them goes, JSON.
        source: the block, with `kind: pretrain` or `kind: load`.
        image: height, width and channels of the target's images.
        data_folder: where the data set of a source task lies; null for letters.
        device: `cpu` or `cuda`, where to pre-train.
    """
    if source["kind"] == "pretrain":
        from fbftl.pretrain import pretrain_source

        made = pretrain_source(source, image, data_folder, device)
    else:
        from fbftl.load import load_given

        made = load_given(source)
    write_source(safetensors, manifest, made)
