"""Repair feature stores: extract again what is damaged, chunk by chunk, and nothing else."""

from typing import Any

from fbftl.data.clients import ClientFile
from fbftl.features.extract import rows_again
from fbftl.features.images import extraction
from fbftl.features.store import repair
from fbftl.ground import devices
from fbftl.ground.logs import log, run_job


def main(
    clients: str, weights: str, source: str, stores: list[str], manifests: list[str],
    features: dict[str, Any], device: str,
) -> None:  # fmt: skip
    """Mend every damaged chunk of a task's stores with the same bytes as before.

    Args:
        clients: path of the client file.
        weights: path of the source model's weights.
        source: path of the source model's manifest.
        stores: the stores, folders or URLs, the task's own cut first, then its further cuts.
        manifests: their manifests.
        features: config block `features` of the task.
        device: `cpu` or `cuda`, as the extraction had.
    """
    with ClientFile(clients) as samples:
        asked = extraction(samples, weights, source, features, device)
        for cut, store, manifest in zip(asked.provenances, stores, manifests, strict=True):
            again = rows_again(samples, asked.forward, cut, features["batch"])
            mended = repair(store, again, manifest)
            log.info("%s: %d damaged files mended", store, len(mended))


def main_of_tasks(job: Any) -> None:
    """Repair the stores of every task of the study."""
    where = devices.prepare(job.config["device"], job.threads)
    tasks = zip(
        job.input.clients,
        job.input.weights,
        job.input.sources,
        job.params.stores,
        job.params.manifests,
        job.params.features,
        strict=True,
    )
    for task in tasks:
        main(*task, where.type)


if __name__ == "__main__":
    run_job(snakemake, main_of_tasks)
