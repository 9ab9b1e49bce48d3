"""Make the source model: pre-train it on the source task, or load published weights."""

from pathlib import Path
from typing import Any

import torch
from fbftl.logs import run_job
from fbftl.source import prepare, write_source


def main(
    safetensors: str,
    manifest: str,
    source: dict[str, Any],
    image: tuple[int, int, int],
    data_folder: str | Path | None,
    device: str,
    threads: int,
) -> None:
    """Write weights and manifest of the source model that the `source` block asks for."""
    torch.set_num_threads(threads)
    torch.use_deterministic_algorithms(True)
    write_source(safetensors, manifest, prepare(source, image, data_folder, device))


if __name__ == "__main__":
    run_job(
        snakemake,
        lambda job: main(
            job.output.model,
            job.output.manifest,
            job.params.source,
            tuple(job.params.source["image"]),
            job.config["data_folder"],
            job.config["device"],
            job.threads,
        ),
    )
