"""Repair feature stores: extract again what is damaged, chunk by chunk, and nothing else."""

from collections.abc import Sequence
from importlib import import_module
from typing import Any

from fbftl.data.clients import ClientFile
from fbftl.features.again import rows_again
from fbftl.features.store.repair import repair
from fbftl.ground import devices
from fbftl.ground.logs import log, run_job


def main(extractions: Sequence[dict[str, Any]], device: str, threads: int) -> None:
    """Mend every damaged chunk of a study's stores with the same bytes as before.

    Args:
        extractions: the passes that filled them: `module` (as in ``extract_features.py``), the
            paths `clients`, `weights` and `source`, the config block `features`, and `stores` with
            their `manifests`, the task's own cut first, then its further cuts.
        device: auto, cpu or cuda, as the extraction had.
        threads: to compute with, as the extraction had.
    """
    where = devices.prepare(device, threads).type
    for made in extractions:
        with ClientFile(made["clients"]) as file:
            files = made["weights"], made["source"]
            asked = import_module(made["module"]).extraction(file, *files, made["features"], where)
            places = zip(asked.provenances, made["stores"], made["manifests"], strict=True)
            for cut, store, manifest in places:
                again = rows_again(asked.samples, asked.forward, cut, made["features"]["batch"])
                mended = repair(store, again, manifest)
                log.info("%s: %d damaged files mended", store, len(mended))


if __name__ == "__main__":
    run_job(
        snakemake,
        lambda job: main(job.params.extractions, job.config["device"], job.threads),
    )
