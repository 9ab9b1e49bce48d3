"""Verify feature stores byte by byte against their manifests."""

from fbftl.features.store.verify import require_sound
from fbftl.ground.binding import run_by_name
from fbftl.ground.logs import log


def main(stores: list[str], manifests: list[str]) -> None:
    """Check stores, folders or URLs, against the manifests that vouch for them.

    Raises:
        UserError: if one is damaged, naming store, array and chunk.
    """
    for store, manifest in zip(stores, manifests, strict=True):
        require_sound(store, manifest)
        log.info("%s: sound", store)


if __name__ == "__main__":
    run_by_name(snakemake, main)
