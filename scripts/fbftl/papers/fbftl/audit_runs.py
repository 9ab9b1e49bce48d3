"""Findings about the published runs and the script behind them."""

from decimal import Decimal
from fractions import Fraction

from fbftl.models.cost.architectures import VGG16_CHANNELS, vgg16
from fbftl.models.cost.layers import parameters
from fbftl.papers.audit import AuditFinding, finding
from fbftl.papers.fbftl.dropout import cosine_of_two_uploads
from fbftl.papers.fbftl.setup import federation
from fbftl.papers.record import PaperRecord


def seen_share(samples: int, batch_size: int, epochs: int, plr: float) -> float:
    """Return the share of the samples that a mask over batch positions lets through in the end.

    The script drops the same floor(plr × batches) positions of every epoch while the loader
    reshuffles, so each epoch shows a fresh draw of the samples.
    """
    batches = -(-samples // batch_size)
    kept = batches - int(batches * plr)
    per_epoch = min(1.0, kept * batch_size / samples)
    return 1 - (1 - per_epoch) ** epochs


def a2(record: PaperRecord) -> AuditFinding:
    """Lost samples that come back."""
    script, samples = record.numbers("script"), federation(record, "cifar10").samples
    batch_size, epochs = int(script["batch_size"]), int(script["epochs"])
    # The losses of Fig. 8 that leave the shares of its other curves.
    published = [share for share in _shares(record) if share < 1]
    rates = [float(1 - share) for share in published]
    seen = [seen_share(samples, batch_size, epochs, plr) for plr in rates]
    words = {"rates": ", ".join(map(str, rates)), "epochs": epochs}
    return finding(published, seen, "{:.1%}", printed="{:.1%}", **words)


def a3(record: PaperRecord) -> AuditFinding:
    """Noise that is drawn afresh."""
    noise = record.published["notebook_noise"]
    draws = record.number("statements", quantity="noise_draws_per_sample")
    epochs = noise[(noise["method"] == "fbftl") & (noise["sigma"].astype(float) > 0)]["epoch"]
    first, last = int(epochs.min()), int(epochs.max())
    shown = str(draws), f"{first} to {last}"
    return finding([draws] * 2, [first, last], shown=shown, most=last, left=last**-0.5)


def a4(record: PaperRecord) -> AuditFinding:
    """Dropout in the frozen backbone."""
    script = record.numbers("script")
    rate, published = float(script["dropout"]), record.numbers("statements")
    cosine = cosine_of_two_uploads(rate, int(script["frozen_dense_layers"]))
    return finding([published["cosine_of_two_uploads"]], [cosine], "{:.2f}", cosine_of_one=1 - rate)


def a11(record: PaperRecord) -> AuditFinding:
    """FL from scratch that is not."""
    first = record.number("script", quantity="first_reset_feature")
    published = record.number("statements", quantity="pretrained_parameters_of_fl")
    convolutions = [layer for layer in vgg16().layers if layer.kind == "convolution"]
    kept = [
        layer for layer, index in zip(convolutions, feature_indices(), strict=True) if index < first
    ]
    share = parameters(kept) / parameters(convolutions)
    words = {"kept": len(kept), "convolutions": len(convolutions), "share": share}
    return finding([published], [parameters(kept)], "{:,}", **words)


def feature_indices() -> list[int]:
    """Return where each convolution is in torchvision's VGG-16.

    Each has a ReLU behind it, and each block a pooling.
    """
    indices, index = [], 0
    for widths in VGG16_CHANNELS:
        indices += range(index, index + 2 * len(widths), 2)
        index += 2 * len(widths) + 1
    return indices


def a13(record: PaperRecord) -> AuditFinding:
    """Sparsification."""
    implemented = record.number("script", quantity="keep_ratios_implemented")
    ratios = sorted({keep for keep in record.published["table5"]["keep"] if keep < 1})
    return finding([len(ratios)], [int(implemented)], ratios=", ".join(map(str, ratios)))


def a14(record: PaperRecord) -> AuditFinding:
    """Epochs picked on the test set."""
    published = record.number("statements", quantity="validation_sets")
    images = record.number("script", quantity="validation_images")
    return finding([published], [int(images > 0)])


def a19(record: PaperRecord) -> AuditFinding:
    """Two clean accuracies."""
    plotted = record.number("fig8", series="plotted", plr=0.0)
    noise = record.number("notebook_noise", method="fbftl", sigma=0.0)
    return finding([100 * plotted], [100 * Fraction(noise)], "{:.2f}", printed="{:.2f}")


def a20(record: PaperRecord) -> AuditFinding:
    """Data that the model has seen."""
    plr = float(record.published["fig9"]["plr"].max())
    dialogues = federation(record, "samsum").samples * (1 - plr)
    score = record.number("fig9", plr=plr)
    return finding([score], [], printed="{:.2f}", plr=plr, dialogues=dialogues)


def a24(record: PaperRecord) -> AuditFinding:
    """The loss curve that was not printed."""
    plr = 0.999
    plotted = record.number("fig8", series="plotted", plr=plr)
    other = record.number("fig8", series="commented out", plr=plr)
    words = {"plr": plr, "start": 100 * record.number("fig8", series="commented out", plr=0.0)}
    return finding([100 * plotted], [100 * Fraction(other)], "{:.2f}", printed="{:.2f}", **words)


def a25(record: PaperRecord) -> AuditFinding:
    """Curves that are one sweep."""
    fig8 = record.published["fig8"]
    points = fig8[fig8["series"] == "plotted"]
    starts = [float(1 - share) for share in _shares(record)]
    plotted = sum(int((points["plr"] >= start).sum()) for start in starts)
    return finding([plotted], [len(points)])


def _shares(record: PaperRecord) -> list[Decimal]:
    """Return the shares of the samples that Fig. 8 draws a curve for."""
    stated = record.numbers("statements").items()
    return [share for quantity, share in stated if quantity.startswith("share_of_samples_")]
