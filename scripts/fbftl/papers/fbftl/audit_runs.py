"""Findings about the published runs and the script behind them."""

from decimal import Decimal
from fractions import Fraction

from fbftl.cost.architectures import vgg16
from fbftl.cost.layers import parameters
from fbftl.findings.published import lookup
from fbftl.papers.audit import AuditRow, finding, judged
from fbftl.papers.fbftl.dropout import cosine_of_two_uploads
from fbftl.papers.fbftl.evidence import Evidence


def seen_share(samples: int, batch_size: int, epochs: int, plr: float) -> float:
    """Return the share of the samples that a mask over batch positions lets through in the end.

    The script drops the same floor(plr × batches) positions of every epoch while the loader
    reshuffles, so each epoch shows a fresh draw of the samples.
    """
    batches = -(-samples // batch_size)
    kept = batches - int(batches * plr)
    per_epoch = min(1.0, kept * batch_size / samples)
    return 1 - (1 - per_epoch) ** epochs


def a2(evidence: Evidence) -> AuditRow:
    """Lost samples that come back."""
    script = evidence.script
    batch_size, epochs = (int(script[quantity]) for quantity in ("batch_size", "epochs"))
    # The losses of Fig. 8 that leave the shares of its other curves.
    published = [share for share in _shares(evidence) if share < 1]
    rates = [float(1 - share) for share in published]
    seen = [seen_share(evidence.cifar10.samples, batch_size, epochs, plr) for plr in rates]
    return finding(
        "A2",
        published,
        seen,
        "{:.1%}",
        printed="{:.1%}",
        rates=", ".join(map(str, rates)),
        epochs=epochs,
    )


def a3(evidence: Evidence) -> AuditRow:
    """Noise that is drawn afresh."""
    noise = evidence.published["notebook_noise"]
    draws = evidence.stated["noise_draws_per_sample"]
    epochs = noise[(noise["method"] == "fbftl") & (noise["sigma"].astype(float) > 0)]["epoch"]
    first, last = int(epochs.min()), int(epochs.max())
    verdict = judged([draws] * 2, [first, last])
    words = {"most": last, "left": last**-0.5}
    return AuditRow("A3", str(draws), f"{first} to {last}", verdict, words)


def a4(evidence: Evidence) -> AuditRow:
    """Dropout in the frozen backbone."""
    script = evidence.script
    rate = float(script["dropout"])
    published = evidence.stated["cosine_of_two_uploads"]
    cosine = cosine_of_two_uploads(rate, int(script["frozen_dense_layers"]))
    return finding("A4", [published], [cosine], "{:.2f}", cosine_of_one=1 - rate)


def a11(evidence: Evidence) -> AuditRow:
    """FL from scratch that is not."""
    first = int(evidence.script["first_reset_feature"])
    published = evidence.stated["pretrained_parameters_of_fl"]
    convolutions = [layer for layer in vgg16().layers if layer.kind == "convolution"]
    kept = [
        layer for layer, index in zip(convolutions, feature_indices(), strict=True) if index < first
    ]
    return finding(
        "A11",
        [published],
        [parameters(kept)],
        "{:,}",
        kept=len(kept),
        convolutions=len(convolutions),
        share=parameters(kept) / parameters(convolutions),
    )


def feature_indices() -> list[int]:
    """Return where each convolution is in torchvision's VGG-16: each has a ReLU behind it."""
    indices, index, block = [], 0, "1"
    for layer in vgg16().layers:
        if layer.kind != "convolution":
            break
        if layer.name[len("conv")] != block:
            block = layer.name[len("conv")]
            index += 1
        indices.append(index)
        index += 2
    return indices


def a13(evidence: Evidence) -> AuditRow:
    """Sparsification."""
    table = evidence.published["table5"]
    implemented = evidence.script["keep_ratios_implemented"]
    ratios = sorted({keep for keep in table["keep"] if keep < 1})
    return finding("A13", [len(ratios)], [int(implemented)], ratios=", ".join(map(str, ratios)))


def a14(evidence: Evidence) -> AuditRow:
    """Epochs picked on the test set."""
    published = evidence.stated["validation_sets"]
    images = evidence.script["validation_images"]
    sets = int(images > 0)
    return finding("A14", [published], [sets])


def a19(evidence: Evidence) -> AuditRow:
    """Two clean accuracies."""
    plotted = lookup(evidence.published["fig8"], series="plotted", plr=0.0)
    noise = lookup(evidence.published["notebook_noise"], method="fbftl", sigma=0.0)
    sides = [100 * plotted], [100 * Fraction(noise)]
    return finding("A19", *sides, "{:.2f}", printed="{:.2f}")


def a20(evidence: Evidence) -> AuditRow:
    """Data that the model has seen."""
    fig9, clients = evidence.published["fig9"], evidence.samsum
    plr = float(fig9["plr"].max())
    score = lookup(fig9, plr=plr)
    return finding(
        "A20", [score], [], printed="{:.2f}", plr=plr, dialogues=clients.samples * (1 - plr)
    )


def a24(evidence: Evidence) -> AuditRow:
    """The loss curve that was not printed."""
    fig8, plr = evidence.published["fig8"], 0.999
    plotted = lookup(fig8, series="plotted", plr=plr)
    other = lookup(fig8, series="commented out", plr=plr)
    start = lookup(fig8, series="commented out", plr=0.0)
    sides = [100 * plotted], [100 * Fraction(other)]
    return finding("A24", *sides, "{:.2f}", printed="{:.2f}", plr=plr, start=100 * start)


def a25(evidence: Evidence) -> AuditRow:
    """Curves that are one sweep."""
    fig8 = evidence.published["fig8"]
    points = fig8[fig8["series"] == "plotted"]
    starts = [float(1 - share) for share in _shares(evidence)]
    plotted = sum(int((points["plr"] >= start).sum()) for start in starts)
    return finding("A25", [plotted], [len(points)])


def _shares(evidence: Evidence) -> list[Decimal]:
    """Return the shares of the samples that Fig. 8 draws a curve for."""
    statements = evidence.published["statements"]
    is_share = statements["quantity"].str.startswith("share_of_samples_")
    return list(map(Decimal, statements.loc[is_share, "printed"]))


RUNS = (a2, a3, a4, a11, a13, a14, a19, a20, a24, a25)
