"""Audit rows of paper 000 (FbFTL): its counts, its runs and the script behind them, its privacy."""

import math
from decimal import Decimal
from fractions import Fraction

import numpy as np

from fbftl.findings.published import SCALES, at_printed_precision
from fbftl.ground.floats import FLOAT_BITS
from fbftl.ground.randomness import stream
from fbftl.models.cost import payload
from fbftl.models.cost.architectures import FLAN_T5_SMALL, VGG16_CHANNELS, t5, vgg16
from fbftl.models.cost.layers import parameters
from fbftl.models.cost.payload import numbers_per_batch
from fbftl.papers.audit import AuditFinding, finding
from fbftl.papers.fbftl.readings import AS_PRINTED, AS_TABULATED, CORRECTED, table3
from fbftl.papers.fbftl.setup import epochs, federation
from fbftl.papers.record import PaperRecord
from fbftl.privacy.accounting import classical_delta
from fbftl.privacy.label_privacy import queried_entropy, uniform


def a5(record: PaperRecord) -> AuditFinding:
    """FTL_f's downlink in Table III."""
    published = _printed(record, "ftl_f", "total_downlink")
    computed = table3(record, "ftl_f", "total_downlink")
    count = epochs(record, "table3", federation(record, "cifar10").clients, method="ftl_f")
    fitting = round(published * SCALES["Tb"] * count / computed)
    words = {"count": count, "tabulated": published, "fitting": fitting}
    return finding([published], [computed], _in_terabits, unit="Tb", **words)


def a6(record: PaperRecord) -> AuditFinding:
    """The numbers in a batch of SFL."""
    of = "sfl", "numbers_per_batch"
    in_text, both, in_table = (
        table3(record, *of, reading) for reading in (AS_PRINTED, CORRECTED, AS_TABULATED)
    )
    words = {"in_table": in_table, "both": both}
    return finding([_printed(record, *of)], [in_text], "{:,}", printed="{:,}", **words)


def a7(record: PaperRecord) -> AuditFinding:
    """The compression rate."""
    stated = record.numbers("statements")
    q, keep = int(stated["quantised_bits"]), float(stated["keep_ratio"])
    in_text, rate = payload.compression_rate_in_text(q, keep), payload.compression_rate(q, keep)
    with_positions = payload.compression_rate_with_positions(vgg16().feature_width, q, keep)
    words = {"q": q, "keep": keep, "with_positions": with_positions}
    return finding([in_text], [rate], "{:.0f}", printed="{:.0f}", **words)


def a8(record: PaperRecord) -> AuditFinding:
    """What a batch holds in Table IV."""
    of_batch = {"trained_encoders": 8, "quantity": "numbers_per_batch"}
    printed = [record.number("table4", method=name, **of_batch) for name in ("fbftl", "ftl_f")]
    distinct = parameters(t5(FLAN_T5_SMALL, trained_encoders=8).layers)
    samples, width = federation(record, "samsum").samples_per_client, FLAN_T5_SMALL.d_model
    # Without dialogues only a bound: one token each.
    true, of_token, length = samples * width, " per token", ""
    if record.mean_tokens is not None:
        true, of_token = round(samples * record.mean_tokens * width), ""
        length = f" (at least {float(record.mean_tokens):.1f} in real ones)"
    shown = "; ".join(f"{number:,}" for number in printed), f"{true:,}{of_token}; {distinct:,}"
    return finding(printed, [true, distinct], shown=shown, width=width, length=length)


def a9(record: PaperRecord) -> AuditFinding:
    """The samples that Eqs. (14) to (17) leave out."""
    cells = [(method, "client_multiplications") for method in ("fl", "fbftl")]
    printed = [_scientific(_printed(record, *cell)) for cell in cells]
    corrected = [_scientific(table3(record, *cell, CORRECTED)) for cell in cells]
    texts = [table3(record, *cell) for cell in cells]
    return finding(printed, texts, _scientific, corrected=" and ".join(corrected))


def a12(record: PaperRecord) -> AuditFinding:
    """The cut of the released script."""
    frozen = int(record.number("script", quantity="frozen_dense_layers"))
    published = _printed(record, "fbftl", "total_downlink")
    released, tabulated = vgg16(frozen_dense=(4096,) * frozen), vgg16()
    broadcast = payload.downlink_bits(released, "fbftl", rounds=1)
    counts = {
        "frozen": parameters(released.extractor),
        "cut_at_fc1": parameters(tabulated.extractor),
        "whole": parameters(released.layers),
    }
    shown = str(published), at_printed_precision(broadcast, str(published), "Gb")
    return finding([published], [broadcast], unit="Gb", shown=shown, **counts)


def a18(record: PaperRecord) -> AuditFinding:
    """Uploading the features of a frozen embedding."""
    vocabulary = int(record.number("setup", task="samsum", quantity="vocabulary"))
    of_batch = {"method": "fbftl", "trained_encoders": 8, "quantity": "numbers_per_batch"}
    printed = int(record.number("table4", **of_batch))
    feature = FLOAT_BITS * printed // federation(record, "samsum").samples_per_client
    token = payload.label_bits(1, vocabulary)
    return finding([feature], [token], "{:,}", printed="{:,}", times=feature / token)


def a22(record: PaperRecord) -> AuditFinding:
    """FTL_c's downlink."""
    cell = "ftl_c", "total_downlink"
    published, whole = _printed(record, *cell), table3(record, *cell, AS_TABULATED)
    shown = {"whole": _in_terabits(whole)}
    return finding([published], [table3(record, *cell)], _in_terabits, unit="Tb", **shown)


def a23(record: PaperRecord) -> AuditFinding:
    """The last digits of the computation."""
    cell = "fbftl", "client_multiplications"
    published, whole = _printed(record, *cell), table3(record, *cell, AS_TABULATED)
    computed = table3(record, *cell, CORRECTED)
    return finding([_scientific(published)], [computed], _scientific, whole=_scientific(whole))


def a26(record: PaperRecord) -> AuditFinding:
    """The saving of uplink that the text promises, against what Table III's equations give.

    What the text says is a bound, which the least ratio reproduces if it is no less.
    """
    fbftl = table3(record, "fbftl", "total_uplink")
    sent = {method: table3(record, method, "total_uplink") for method in ("fl", "ftl_f", "ftl_c")}
    times = {method: bits / fbftl for method, bits in sent.items()}
    promised = record.number("statements", quantity="least_saving")
    terabits, gigabits = (_printed(record, of, "total_uplink") for of in ("ftl_c", "fbftl"))
    rounded, least = terabits * SCALES["Tb"] / (gigabits * SCALES["Gb"]), min(times.values())
    shown = f"{promised:,}", f"{least:,.0f}"
    reached = [min(float(promised), least)]
    return finding([promised], reached, shown=shown, rounded=rounded, **times)


def _printed(record: PaperRecord, method: str, quantity: str) -> Decimal:
    """Return a cell of Table III as it is printed."""
    return record.number("table3", method=method, quantity=quantity)


def _in_terabits(bits: int) -> str:
    """Return a number of terabits, of which a tenth is shown."""
    return at_printed_precision(bits, "0.1", "Tb")


def _scientific(value: int | Decimal) -> str:
    """Return a number to three digits, e.g. 7.74e14."""
    mantissa, exponent = f"{value:.2e}".split("e")
    return f"{mantissa}e{int(exponent)}"


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


WIDTH = 1024
"""Of every layer; the released network's is 4,096, which changes the mean little."""

IMAGES = 64


def cosine_of_two_uploads(rate: float, layers: int) -> float:
    """Return the mean cosine of two uploads of one image, measured on a network with dropout.

    Dense layers with random weights, each with a ReLU and dropout behind it as in VGG-16, see the
    same inputs twice in train mode; what the last one gives is what is uploaded.

    Args:
        rate: probability that dropout clears a number, in [0, 1).
        layers: dense layers that are frozen.
    """
    generator = stream(0, "dropout_of_uploads")
    inputs = np.maximum(generator.standard_normal((IMAGES, WIDTH)), 0)
    deviation = (2 / WIDTH) ** 0.5
    weights = generator.standard_normal((layers, WIDTH, WIDTH)) * deviation

    def upload() -> np.ndarray:
        values = inputs
        for matrix in weights:
            kept = generator.random(values.shape) >= rate
            values = np.maximum(values @ matrix, 0) * kept / (1 - rate)
        return values

    first, second = upload(), upload()
    lengths = np.linalg.norm(first, axis=1) * np.linalg.norm(second, axis=1)
    return float(np.mean((first * second).sum(axis=1) / lengths))
