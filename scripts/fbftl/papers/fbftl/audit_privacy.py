"""Findings about privacy (Sec. V)."""

import math

from fbftl.cost.architectures import vgg16
from fbftl.cost.payload import numbers_per_batch
from fbftl.findings.comparison import Verdict
from fbftl.findings.published import lookup
from fbftl.papers.audit import AuditRow
from fbftl.papers.fbftl.evidence import Evidence
from fbftl.privacy.accounting import classical_delta
from fbftl.privacy.label_privacy import queried_entropy, uniform

DELTA = 1e-6
"""delta of Fig. 12."""


def a1(evidence: Evidence) -> AuditRow:
    """Label privacy after the query."""
    fig11 = evidence.published["fig11"]
    classes = int(lookup(evidence.published["setup"], task="cifar10", quantity="classes"))
    samples = evidence.cifar10.samples
    sizes = (8, 16)
    curve = fig11[fig11["UK"] == str(samples)].set_index("K")["printed"]
    published = [float(curve[size]) for size in sizes]
    computed = [queried_entropy(uniform(classes), size, samples // size).mean for size in sizes]
    return AuditRow(
        "A1",
        f"Fig. 11, UK = {samples:,}, K = {' and '.join(map(str, sizes))}",
        "; ".join(f"{bits:.2f}" for bits in published),
        "; ".join(f"{bits:.2f}" for bits in computed),
        "bits",
        Verdict.DIFFERS,
        "The published curves sum Eq. (30) over the first U batch types instead of all seen, so "
        "they collapse once U is below their number. That K > 16 leaks all labels does not follow.",
    )


def a10(evidence: Evidence) -> AuditRow:
    """The sensitivity that is none."""
    network = vgg16()
    features, head = (numbers_per_batch(network, method) for method in ("fbftl", "ftl_c"))
    return AuditRow(
        "A10",
        "Sec. V-B, R of FbFTL and FTL_c",
        "1; 1",
        f"{math.sqrt(features):,.0f}; {math.sqrt(head):,.0f}",
        "times the coordinate-wise maximum",
        Verdict.DIFFERS,
        "The theorem cited needs the L2 sensitivity, up to √X times the largest coordinate's; and "
        "std(g) depends on the data, so the noise leaks too.",
    )


def a21(evidence: Evidence) -> AuditRow:
    """The classical rule beyond its range."""
    fig12 = evidence.published["fig12"]
    epsilon = float(fig12["epsilon"].max())
    true = classical_delta(epsilon, DELTA)
    return AuditRow(
        "A21",
        f"Sec. V, Fig. 12 at ε = {epsilon:g}",
        f"{DELTA:.1e}",
        f"{true:.1e}",
        "δ",
        Verdict.DIFFERS,
        f"The classical Gaussian rule holds for ε < 1 only; at ε = {epsilon:g} it is "
        f"{true / DELTA:.0f} times over its δ ({classical_delta(epsilon, 1e-5) / 1e-5:.0f} times "
        "at δ = 1e-5). Calibrate exactly.",
    )


PRIVACY = (a1, a10, a21)
