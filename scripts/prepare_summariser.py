"""Make the language task's source model: pre-train a T5 on public dialogues, or load one."""

from typing import Any

from fbftl.data.dialogues.splits import load
from fbftl.ground import devices
from fbftl.ground.logs import log, run_job
from fbftl.models.t5.source import write_source
from fbftl.training.pretrain_t5 import prepare_source
from fbftl.training.t5 import CurvePoint


def main(
    safetensors: str, manifest: str, source: dict[str, Any], data: dict[str, Any],
    data_folder: str | None, device: str, threads: int,
) -> None:  # fmt: skip
    """Write weights and manifest of the source model that the config's `source` block asks for.

    Args:
        safetensors: where the weights go.
        manifest: where architecture, tokenizer and origin go, JSON.
        source: the block.
        data: config block `data` of the task, for the public dialogues.
        data_folder: where relative names of files and folders start.
        device: auto, cpu or cuda, where to pre-train.
        threads: threads to compute with.
    """
    where = devices.prepare(device, threads)
    public = load(data, data_folder)["source"] if source["kind"] == "pretrain" else []
    made = prepare_source(source, public, data_folder or ".", source["seed"], where, log_epoch)
    write_source(safetensors, manifest, made)


def log_epoch(epoch: CurvePoint) -> None:
    """Log how pre-training goes."""
    log.info("epoch %d, %d updates: loss %.3f", epoch.epoch, epoch.updates, epoch.training_loss)


if __name__ == "__main__":
    run_job(
        snakemake,
        lambda job: main(
            job.output.model,
            job.output.manifest,
            job.params.source,
            job.params.data,
            job.config["data_folder"],
            job.config["device"],
            job.threads,
        ),
    )
