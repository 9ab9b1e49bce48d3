"""Findings about privacy (Sec. V)."""

import math
from decimal import Decimal

from fbftl.cost.architectures import vgg16
from fbftl.cost.payload import numbers_per_batch
from fbftl.findings.published import lookup
from fbftl.papers.audit import AuditRow, finding, judged
from fbftl.papers.fbftl.evidence import Evidence
from fbftl.privacy.accounting import classical_delta
from fbftl.privacy.label_privacy import queried_entropy, uniform


def a1(evidence: Evidence) -> AuditRow:
    """Label privacy after the query."""
    fig11 = evidence.published["fig11"]
    classes = int(lookup(evidence.published["setup"], task="cifar10", quantity="classes"))
    samples = evidence.cifar10.samples
    sizes = (8, 16)
    curve = fig11[fig11["UK"] == str(samples)].set_index("K")["printed"]
    published = [Decimal(curve[size]) for size in sizes]
    computed = [queried_entropy(uniform(classes), size, samples // size).mean for size in sizes]
    return finding(
        "A1",
        published,
        computed,
        "{:.2f}",
        printed="{:.2f}",
        samples=samples,
        sizes=" and ".join(map(str, sizes)),
    )


def a10(evidence: Evidence) -> AuditRow:
    """The sensitivity that is none."""
    network = vgg16()
    sizes = [numbers_per_batch(network, method) for method in ("fbftl", "ftl_c")]
    largest = evidence.stated["sensitivity_over_largest_coordinate"]
    published, computed = [largest] * len(sizes), [math.sqrt(size) for size in sizes]
    return finding("A10", published, computed, "{:,.0f}")


def a21(evidence: Evidence) -> AuditRow:
    """The classical rule beyond its range."""
    fig12 = evidence.published["fig12"]
    epsilon = float(fig12["epsilon"].max())
    stated = evidence.stated["delta"]
    delta = float(stated)
    true = classical_delta(epsilon, delta)
    usual = classical_delta(epsilon, 1e-5) / 1e-5
    words = {"epsilon": epsilon, "times": true / delta, "usual_times": usual}
    return AuditRow("A21", f"{delta:.1e}", f"{true:.1e}", judged([stated], [true]), words)


PRIVACY = (a1, a10, a21)
