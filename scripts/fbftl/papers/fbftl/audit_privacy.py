"""Findings about privacy (Sec. V)."""

import math

from fbftl.cost.architectures import vgg16
from fbftl.cost.payload import numbers_per_batch
from fbftl.findings.published import lookup
from fbftl.papers.audit import AuditRow, judged
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
    published = [curve[size] for size in sizes]
    computed = [queried_entropy(uniform(classes), size, samples // size).mean for size in sizes]
    return AuditRow(
        "A1",
        f"Fig. 11, UK = {samples:,}, K = {' and '.join(map(str, sizes))}",
        "; ".join(f"{float(bits):.2f}" for bits in published),
        "; ".join(f"{bits:.2f}" for bits in computed),
        "bits",
        judged(published, computed),
        "The published curves sum Eq. (30) over the first U batch types instead of all seen, so "
        "they collapse once U is below their number. That K > 16 leaks all labels does not follow.",
    )


def a10(evidence: Evidence) -> AuditRow:
    """The sensitivity that is none."""
    network = vgg16()
    sizes = [numbers_per_batch(network, method) for method in ("fbftl", "ftl_c")]
    largest = lookup(
        evidence.published["statements"], quantity="sensitivity_over_largest_coordinate"
    )
    published, computed = [largest] * len(sizes), [math.sqrt(size) for size in sizes]
    return AuditRow(
        "A10",
        "Sec. V-B, R of FbFTL and FTL_c",
        "; ".join(map(str, published)),
        "; ".join(f"{times:,.0f}" for times in computed),
        "times the coordinate-wise maximum",
        judged(published, computed),
        "The theorem cited needs the L2 sensitivity, up to √X times the largest coordinate's; and "
        "std(g) depends on the data, so the noise leaks too.",
    )


def a21(evidence: Evidence) -> AuditRow:
    """The classical rule beyond its range."""
    fig12 = evidence.published["fig12"]
    epsilon = float(fig12["epsilon"].max())
    stated = lookup(evidence.published["statements"], quantity="delta")
    delta = float(stated)
    true = classical_delta(epsilon, delta)
    return AuditRow(
        "A21",
        f"Sec. V, Fig. 12 at ε = {epsilon:g}",
        f"{delta:.1e}",
        f"{true:.1e}",
        "δ",
        judged([stated], [true]),
        f"The classical Gaussian rule holds for ε < 1 only; at ε = {epsilon:g} it is "
        f"{true / delta:.0f} times over its δ ({classical_delta(epsilon, 1e-5) / 1e-5:.0f} times "
        "at δ = 1e-5). Calibrate exactly.",
    )


PRIVACY = (a1, a10, a21)
