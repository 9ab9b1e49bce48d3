"""Make the source model: pre-train it on the source task, or load given weights."""

from typing import Any

from fbftl.ground import devices
from fbftl.ground.logs import run_job
from fbftl.models.source.manifest import write_source


def main(
    safetensors: str,
    manifest: str,
    source: dict[str, Any],
    data_folder: str | None,
    device: str,
    threads: int,
) -> None:
    """Write weights and manifest of the source model that the config's `source` block asks for.

    Args:
        safetensors: where the weights go.
        manifest: where what is known of them goes, JSON.
        source: the block, with `kind: pretrain` or `kind: load`.
        data_folder: where the data set of a source task lies; null for letters.
        device: auto, cpu or cuda, where to pre-train.
        threads: threads to compute with.
    """
    where = devices.prepare(device, threads)
    if source["kind"] == "pretrain":
        from fbftl.training.pretrain import pretrain_source

        made = pretrain_source(source, tuple(source["image"]), data_folder, where.type)
    else:
        from fbftl.models.source.load import load_given

        made = load_given(source)
    write_source(safetensors, manifest, made)


if __name__ == "__main__":
    run_job(
        snakemake,
        lambda job: main(
            job.output.model,
            job.output.manifest,
            job.params.source,
            job.config["data_folder"],
            job.config["device"],
            job.threads,
        ),
    )
