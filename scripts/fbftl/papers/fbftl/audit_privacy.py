"""Findings about privacy (Sec. V)."""

import math
from decimal import Decimal

from fbftl.models.cost.architectures import vgg16
from fbftl.models.cost.payload import numbers_per_batch
from fbftl.papers.audit import AuditFinding, finding
from fbftl.papers.fbftl.setup import federation
from fbftl.papers.record import PaperRecord
from fbftl.privacy.accounting import classical_delta
from fbftl.privacy.label_privacy import queried_entropy, uniform


def a1(record: PaperRecord) -> AuditFinding:
    """Label privacy after the query."""
    fig11, sizes = record.published["fig11"], (8, 16)
    classes = int(record.number("setup", task="cifar10", quantity="classes"))
    samples = federation(record, "cifar10").samples
    curve = fig11[fig11["UK"] == str(samples)].set_index("K")["printed"]
    published = [Decimal(curve[size]) for size in sizes]
    computed = [queried_entropy(uniform(classes), size, samples // size).mean for size in sizes]
    words = {"samples": samples, "sizes": " and ".join(map(str, sizes))}
    return finding(published, computed, "{:.2f}", printed="{:.2f}", **words)


def a10(record: PaperRecord) -> AuditFinding:
    """The sensitivity that is none."""
    sizes = [numbers_per_batch(vgg16(), method) for method in ("fbftl", "ftl_c")]
    largest = record.number("statements", quantity="sensitivity_over_largest_coordinate")
    return finding([largest] * len(sizes), [math.sqrt(size) for size in sizes], "{:,.0f}")


def a21(record: PaperRecord) -> AuditFinding:
    """The classical rule beyond its range."""
    epsilon = float(record.published["fig12"]["epsilon"].max())
    delta = float(record.number("statements", quantity="delta"))
    true, usual = classical_delta(epsilon, delta), classical_delta(epsilon, 1e-5) / 1e-5
    words = {"epsilon": epsilon, "times": true / delta, "usual_times": usual}
    return finding([delta], [true], "{:.1e}", printed="{:.1e}", **words)
