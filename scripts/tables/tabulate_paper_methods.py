"""Table III of the paper for VGG-16 on CIFAR-10: every published number beside its formula."""

from pathlib import Path
from typing import Any

from fbftl.cost.architectures import vgg16
from fbftl.findings import published
from fbftl.findings.shown import shown
from fbftl.findings.tables import ResultTable
from fbftl.papers.fbftl.readings import against_published, columns
from fbftl.papers.fbftl.setup import epochs, federation
from fbftl.papers.fbftl.table3 import image_readings

TRAINED = ("fl", "sfl", "fl_low", "ftl_f", "ftl_f_low", "ftl_c")


def main(table3: str | Path, setup: str | Path, methods: list[dict[str, Any]]) -> ResultTable:
    """Return the table.

    Args:
        table3: `published/fbftl/table3.csv`.
        setup: `published/fbftl/setup.csv`.
        methods: those of the published table.
    """
    table = published.read(table3)
    clients = federation(published.read(setup), "cifar10")
    counts = {method: epochs(table, clients.clients, method=method) for method in TRAINED}
    readings = image_readings(vgg16(), clients, counts)
    return ResultTable(
        against_published(table, readings, keys={}), columns(shown(methods).values())
    )
