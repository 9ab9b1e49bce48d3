"""Audit rows of the survey: its frameworks, its simulation of one, DP-SGD (experiment 2)."""

from fbftl.ground.floats import FLOAT_BITS
from fbftl.papers.audit import AuditFinding, finding
from fbftl.papers.record import PaperRecord
from fbftl.privacy.accounting import rounds_epsilon

OPEN_SAMPLES, CLASSES = 1000, 10
"""Of an example: open samples that FedMD's clients score, and classes."""

LABELS_HELD = 2
"""Labels that each of the example's clients holds, of FD's non-iid clients."""


def a10(record: PaperRecord) -> AuditFinding:
    """The federation's first round at chance."""
    published = record.number("table1", model="Fed", round=1)
    return finding([published], f"{100 / CLASSES:g} by chance")


def a11(record: PaperRecord) -> AuditFinding:
    """A lead that is smaller than its standard error."""
    last = max(record.published["table1"]["round"])
    both = [record.number("table1", model=model, round=last) for model in ("Fed", "Net")]
    shares = [float(value) / 100 for value in both]
    images = float(record.number("frameworks", quantity="test_images"))
    error = 100 * sum(share * (1 - share) / images for share in shares) ** 0.5
    ahead, chance = f"{both[0] - both[1]} ahead", f"± {error:.2f} (standard error)"
    return finding(ahead, chance, last=last)


def a12(record: PaperRecord) -> AuditFinding:
    """A message that is not constant."""
    published = record.number("frameworks", quantity="fedmd_message")
    return finding([published], [OPEN_SAMPLES * CLASSES], "{:,}", samples=OPEN_SAMPLES)


def a13(record: PaperRecord) -> AuditFinding:
    """A download that is left out."""
    words = record.numbers("frameworks")
    models = words["fedvote_models"]
    return finding([models], [int(models + words["fedvote_sources"])])


def a14(record: PaperRecord) -> AuditFinding:
    """Security that scores do not give."""
    published = record.number("frameworks", quantity="fedmd_leak")
    return finding([published], [FLOAT_BITS * OPEN_SAMPLES * CLASSES], "{:,}")


def a15(record: PaperRecord) -> AuditFinding:
    """A mean over clients that lack the label."""
    published = record.number("frameworks", quantity="fd_divisor")
    clients = int(published) + 1
    holding = clients * LABELS_HELD // CLASSES - 1
    return finding([published], [holding], clients=clients, labels=LABELS_HELD)


SAMPLES, BATCH, EPOCHS, DELTA = 60_000, 600, 10, 1e-5
"""One plausible reading: all of MNIST, a hundredth of it per round, ten passes."""

SIGMAS = (0.7, 1.1, 2.0)


def a1(record: PaperRecord) -> AuditFinding:
    """An accuracy under privacy without its epsilon."""
    accuracy = record.number("dpsgd", noise="dp")
    sampling = {"rate": BATCH / SAMPLES, "rounds": EPOCHS * SAMPLES // BATCH}
    computed = "; ".join(
        f"{rounds_epsilon(sigma, DELTA, **sampling):.2g} at σ = {sigma:g}" for sigma in SIGMAS
    )
    return finding(f"{accuracy}% at an ε that is not told", computed)
