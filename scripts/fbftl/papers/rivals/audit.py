"""Findings about the papers of the one-shot rivals."""

from fbftl.ground.floats import FLOAT_BITS
from fbftl.papers.audit import AuditFinding, finding
from fbftl.papers.record import PaperRecord

MEGABYTE = 10**6


def a1(record: PaperRecord) -> AuditFinding:
    """Fed3R's uplink, which counts both halves of a symmetric matrix."""
    printed, sums = (
        record.number("accuracy", setup="cifar100_vit_b16", quantity="uplink", name=name)
        for name in ("Fed3R", "FedCOF")
    )
    stated = record.numbers("statements")
    width, clients = int(stated["vit_b16_width"]), int(stated["clients"])

    def uplink(numbers: int) -> float:
        """Return the megabytes of a matrix for each client, and of the sums beside it."""
        return clients * numbers * (FLOAT_BITS // 8 / MEGABYTE) + float(sums)

    halved = uplink(width * (width + 1) // 2)
    return finding([printed], [halved], "{:.1f}", whole=uplink(width**2))
