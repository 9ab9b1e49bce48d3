"""Findings about the published runs and the script behind them."""

from decimal import Decimal
from fractions import Fraction

from fbftl.cost.architectures import vgg16
from fbftl.cost.layers import parameters
from fbftl.findings.published import lookup
from fbftl.papers.audit import AuditRow, judged
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
    script = evidence.published["script"]
    batch_size, epochs = (
        int(lookup(script, quantity=quantity)) for quantity in ("batch_size", "epochs")
    )
    # The losses of Fig. 8 that leave the shares of its other curves.
    published = [share for share in _shares(evidence) if share < 1]
    rates = [float(1 - share) for share in published]
    seen = [seen_share(evidence.cifar10.samples, batch_size, epochs, plr) for plr in rates]
    return AuditRow(
        "A2",
        f"Fig. 8 and the script, PLR {', '.join(map(str, rates))}",
        "; ".join(f"{float(share):.1%}" for share in published),
        "; ".join(f"{share:.1%}" for share in seen),
        "samples seen in training",
        judged(published, seen),
        f"The script masks batch positions while the loader reshuffles, so over {epochs} epochs "
        "'lost' samples are seen after all. Which version drew Fig. 8 cannot be proven.",
    )


def a3(evidence: Evidence) -> AuditRow:
    """Noise that is drawn afresh."""
    noise = evidence.published["notebook_noise"]
    draws = lookup(evidence.published["statements"], quantity="noise_draws_per_sample")
    epochs = noise[(noise["method"] == "fbftl") & (noise["sigma"].astype(float) > 0)]["epoch"]
    return AuditRow(
        "A3",
        "Fig. 12, the noise sweep and the script",
        str(draws),
        f"{epochs.min()} to {epochs.max()}",
        "noise draws per sample",
        judged([draws] * 2, [int(epochs.min()), int(epochs.max())]),
        "The script pairs noise with batch positions, so each epoch shows a sample under another "
        f"draw; averaging {epochs.max()} draws leaves {epochs.max() ** -0.5:.0%} of σ.",
    )


def a4(evidence: Evidence) -> AuditRow:
    """Dropout in the frozen backbone."""
    script = evidence.published["script"]
    rate = float(lookup(script, quantity="dropout"))
    published = lookup(evidence.published["statements"], quantity="cosine_of_two_uploads")
    cosine = cosine_of_two_uploads(rate, int(lookup(script, quantity="frozen_dense_layers")))
    return AuditRow(
        "A4",
        "all FbFTL runs of the script",
        str(published),
        f"{cosine:.2f}",
        "cosine of two uploads of one image",
        judged([published], [cosine]),
        "The backbone stays in train mode, so its dropout changes the features every epoch; the "
        f"last dropout layer alone makes the expected cosine {1 - rate:g}. Measured on dense "
        "layers of random weights.",
    )


def a11(evidence: Evidence) -> AuditRow:
    """FL from scratch that is not."""
    first = int(lookup(evidence.published["script"], quantity="first_reset_feature"))
    published = lookup(evidence.published["statements"], quantity="pretrained_parameters_of_fl")
    convolutions = [layer for layer in vgg16().layers if layer.kind == "convolution"]
    kept = [
        layer for layer, place in zip(convolutions, feature_places(), strict=True) if place < first
    ]
    return AuditRow(
        "A11",
        "the script, FL from scratch",
        str(published),
        f"{parameters(kept):,}",
        "pre-trained parameters",
        judged([published], [parameters(kept)]),
        f"Only later layers are re-initialised: {len(kept)} of {len(convolutions)} convolutions "
        f"({parameters(kept) / parameters(convolutions):.0%} of their parameters) stay trained.",
    )


def feature_places() -> list[int]:
    """Return where each convolution stands in torchvision's VGG-16: each has a ReLU behind it."""
    places, place, block = [], 0, "1"
    for layer in vgg16().layers:
        if layer.kind != "convolution":
            break
        if layer.name[len("conv")] != block:
            block = layer.name[len("conv")]
            place += 1
        places.append(place)
        place += 2
    return places


def a13(evidence: Evidence) -> AuditRow:
    """Sparsification."""
    table = evidence.published["table5"]
    implemented = lookup(evidence.published["script"], quantity="keep_ratios_implemented")
    ratios = sorted({keep for keep in table["keep"] if keep < 1})
    return AuditRow(
        "A13",
        "Table V and the script",
        str(len(ratios)),
        str(implemented),
        "keep ratios below 1",
        judged([len(ratios)], [int(implemented)]),
        "The public script accepts a keep ratio and does nothing with it, so it cannot give the "
        f"columns r = {', '.join(map(str, ratios))}.",
    )


def a14(evidence: Evidence) -> AuditRow:
    """Epochs picked on the test set."""
    published = lookup(evidence.published["statements"], quantity="validation_sets")
    images = lookup(evidence.published["script"], quantity="validation_images")
    sets = int(images > 0)
    return AuditRow(
        "A14",
        "paper fbftl, every accuracy",
        str(published),
        str(sets),
        "validation sets apart from the test set",
        judged([published], [sets]),
        "The accuracy called validation is the best epoch's on the test set: no images are held "
        "out to pick the epoch. Paper fedfeat prints maxima over the rounds.",
    )


def a19(evidence: Evidence) -> AuditRow:
    """Two clean accuracies."""
    plotted = lookup(evidence.published["fig8"], series="plotted", plr=0.0)
    noise = lookup(evidence.published["notebook_noise"], method="fbftl", sigma=0.0)
    return AuditRow(
        "A19",
        "Table III and Fig. 8 against the noise and quantisation sweeps",
        f"{100 * plotted:.2f}",
        f"{100 * noise:.2f}",
        "% clean accuracy of FbFTL",
        judged([plotted], [Fraction(noise)]),
        "The same run without loss, noise or compression has one accuracy in the table and the "
        "loss curve and another in the noise and quantisation curves.",
    )


def a20(evidence: Evidence) -> AuditRow:
    """Data that the model has seen."""
    fig9, clients = evidence.published["fig9"], evidence.samsum
    plr = float(fig9["plr"].max())
    score = lookup(fig9, plr=plr)
    return AuditRow(
        "A20",
        "Table IV and Fig. 9",
        f"{score:.2f}",
        "",
        "ROUGE-1 points",
        judged([score], []),
        f"At PLR {plr:g} about {clients.samples * (1 - plr):.0f} dialogues are left, but FLAN's "
        "instruction mixture contains SAMSum: the far end of the curve is not unseen data.",
    )


def a24(evidence: Evidence) -> AuditRow:
    """The loss curve that was not printed."""
    fig8, plr = evidence.published["fig8"], 0.999
    plotted = lookup(fig8, series="plotted", plr=plr)
    other = lookup(fig8, series="commented out", plr=plr)
    start = lookup(fig8, series="commented out", plr=0.0)
    return AuditRow(
        "A24",
        f"Fig. 8 and its notebook, PLR {plr}",
        f"{100 * plotted:.2f}",
        f"{100 * other:.2f}",
        "% accuracy of FbFTL",
        judged([plotted], [Fraction(other)]),
        "The plotting notebook holds a second array, commented out, that starts at the "
        f"{100 * start:.2f} % of A19 and falls much faster.",
    )


def a25(evidence: Evidence) -> AuditRow:
    """Curves that are one sweep."""
    fig8 = evidence.published["fig8"]
    points = fig8[fig8["series"] == "plotted"]
    starts = [float(1 - share) for share in _shares(evidence)]
    drawn = sum(int((points["plr"] >= start).sum()) for start in starts)
    return AuditRow(
        "A25",
        "Figs. 8 and 9, curves for fewer samples",
        str(drawn),
        str(len(points)),
        "points of Fig. 8 that are runs",
        judged([drawn], [len(points)]),
        "The plotting notebook draws the curves for fewer samples from the tail of the one loss "
        "sweep, its axis rescaled; it holds no runs of fewer clients.",
    )


def _shares(evidence: Evidence) -> list[Decimal]:
    """Return the shares of the samples that Fig. 8 draws a curve for."""
    statements = evidence.published["statements"]
    drawn = statements["quantity"].str.startswith("share_of_samples_")
    return list(map(Decimal, statements.loc[drawn, "printed"]))


RUNS = (a2, a3, a4, a11, a13, a14, a19, a20, a24, a25)
