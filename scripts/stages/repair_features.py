"""Repair feature stores: extract again what is damaged, chunk by chunk, and nothing else."""

from collections.abc import Sequence
from importlib import import_module
from typing import Any

from fbftl.data.clients import ClientFile
from fbftl.features.again import rows_again
from fbftl.features.store.repair import repair
from fbftl.ground import devices
from fbftl.ground.binding import run_by_name
from fbftl.ground.logs import log


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
    for block in extractions:
        with ClientFile(block["clients"]) as file:
            files = block["weights"], block["source"]
            extraction = import_module(block["module"]).extraction(
                file, *files, block["features"], where
            )
            places = zip(extraction.provenances, block["stores"], block["manifests"], strict=True)
            for cut, store, manifest in places:
                again = rows_again(
                    extraction.samples, extraction.forward, cut, block["features"]["batch"]
                )
                mended = repair(store, again, manifest)
                log.info("%s: %d damaged files mended", store, len(mended))


if __name__ == "__main__":
    run_by_name(snakemake, main)
