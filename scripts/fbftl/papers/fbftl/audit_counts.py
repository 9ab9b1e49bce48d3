"""Findings about counts: parameters, payload and multiplications (Tables III and IV)."""

from collections.abc import Mapping
from decimal import Decimal

from fbftl.cost import compute, payload
from fbftl.cost.architectures import FLAN_T5_SMALL, t5, vgg16
from fbftl.cost.layers import parameters, products
from fbftl.findings.printed import SCALES, at_printed_precision
from fbftl.findings.published import lookup
from fbftl.ground.floats import FLOAT_BITS
from fbftl.papers.audit import AuditRow, finding, judged
from fbftl.papers.fbftl.evidence import Evidence
from fbftl.papers.fbftl.setup import epochs


def a5(evidence: Evidence) -> AuditRow:
    """FTL_f's downlink in Table III."""
    table, clients = evidence.published["table3"], evidence.cifar10
    network = vgg16()
    count = epochs(table, clients.clients, method="ftl_f")
    published = lookup(table, method="ftl_f", quantity="total_downlink")
    computed = payload.downlink_bits(network, "ftl_f", clients.rounds(count))
    per_epoch = payload.downlink_bits(network, "ftl_f", clients.rounds(1))
    fitting = round(published * 10**12 / per_epoch)
    words = {"count": count, "tabulated": published, "fitting": fitting}
    return _in_terabits("A5", published, computed, words)


def a6(evidence: Evidence) -> AuditRow:
    """The numbers in a batch of SFL."""
    network, samples = vgg16(), evidence.cifar10.samples_per_client
    published = lookup(evidence.published["table3"], method="sfl", quantity="numbers_per_batch")
    in_text = payload.sfl_numbers_per_batch_in_text(network, samples)
    in_table = payload.sfl_numbers_per_batch_in_table(network)
    both = payload.sfl_numbers_per_batch(network, samples)
    return finding(
        "A6", [published], [in_text], "{:,}", printed="{:,}", in_table=in_table, both=both
    )


def a7(evidence: Evidence) -> AuditRow:
    """The compression rate."""
    q = int(evidence.stated["quantised_bits"])
    keep = float(evidence.stated["keep_ratio"])
    in_text, rate = payload.compression_rate_in_text(q, keep), payload.compression_rate(q, keep)
    width = vgg16().feature_width
    with_positions = payload.compression_rate_with_positions(width, q, keep)
    return finding(
        "A7",
        [in_text],
        [rate],
        "{:.0f}",
        printed="{:.0f}",
        q=q,
        keep=keep,
        with_positions=with_positions,
    )


def a8(evidence: Evidence) -> AuditRow:
    """What a batch holds in Table IV."""
    table, clients = evidence.published["table4"], evidence.samsum
    model = lookup(table, method="ftl_f", trained_encoders=8, quantity="numbers_per_batch")
    features = lookup(table, method="fbftl", trained_encoders=8, quantity="numbers_per_batch")
    distinct = parameters(t5(FLAN_T5_SMALL, trained_encoders=8).layers)
    width = FLAN_T5_SMALL.d_model
    if evidence.mean_tokens is None:
        # Without dialogues only a bound: one token each.
        true_numbers = [clients.samples_per_client * width]
        true, length = f"{true_numbers[0]:,} per token", ""
    else:
        true_numbers = [round(clients.samples_per_client * evidence.mean_tokens * width)]
        true = f"{true_numbers[0]:,}"
        length = f" (at least {float(evidence.mean_tokens):.1f} in real ones)"
    verdict = judged([features, model], [*true_numbers, distinct])
    shown = f"{features:,}; {model:,}", f"{true}; {distinct:,}"
    return AuditRow("A8", *shown, verdict, {"width": width, "length": length})


def a9(evidence: Evidence) -> AuditRow:
    """The samples that Eqs. (14) to (17) leave out."""
    table, clients = evidence.published["table3"], evidence.cifar10
    network = vgg16()
    printed, texts, corrected = [], [], []
    for method in ("fl", "fbftl"):
        value = lookup(table, method=method, quantity="client_multiplications")
        batches = int(lookup(table, method=method, quantity="upload_batches"))
        text = compute.client_multiplications_in_text(network, method, clients, batches)
        printed.append(_scientific(value))
        texts.append(text)
        corrected.append(
            _scientific(compute.client_multiplications(network, method, clients, batches))
        )
    shown = "; ".join(printed), "; ".join(map(_scientific, texts))
    words = {"corrected": " and ".join(corrected)}
    return AuditRow("A9", *shown, judged(printed, texts), words)


def a12(evidence: Evidence) -> AuditRow:
    """The cut of the released script."""
    frozen = int(evidence.script["frozen_dense_layers"])
    published = lookup(evidence.published["table3"], method="fbftl", quantity="total_downlink")
    released, tabulated = vgg16(frozen_dense=(4096,) * frozen), vgg16()
    broadcast = payload.downlink_bits(released, "fbftl", rounds=1)
    words = {
        "frozen": parameters(released.extractor),
        "cut_at_fc1": parameters(tabulated.extractor),
        "whole": parameters(released.layers),
    }
    shown = str(published), at_printed_precision(broadcast, str(published), "Gb")
    return AuditRow("A12", *shown, judged([published], [broadcast], "Gb"), words)


def a18(evidence: Evidence) -> AuditRow:
    """Uploading the features of a frozen embedding."""
    vocabulary = int(lookup(evidence.published["setup"], task="samsum", quantity="vocabulary"))
    printed = lookup(
        evidence.published["table4"],
        method="fbftl",
        trained_encoders=8,
        quantity="numbers_per_batch",
    )
    feature = FLOAT_BITS * int(printed) // evidence.samsum.samples_per_client
    token = payload.label_bits(1, vocabulary)
    return finding("A18", [feature], [token], "{:,}", printed="{:,}", times=feature / token)


def a22(evidence: Evidence) -> AuditRow:
    """FTL_c's downlink."""
    table, clients = evidence.published["table3"], evidence.cifar10
    network = vgg16()
    rounds = clients.rounds(epochs(table, clients.clients, method="ftl_c"))
    whole = payload.broadcast_bits(parameters(network.layers), rounds)
    published = lookup(table, method="ftl_c", quantity="total_downlink")
    computed = payload.downlink_bits(network, "ftl_c", rounds)
    words = {"whole": at_printed_precision(whole, "0.1", "Tb")}
    return _in_terabits("A22", published, computed, words)


def a23(evidence: Evidence) -> AuditRow:
    """The last digits of the computation."""
    table, clients = evidence.published["table3"], evidence.cifar10
    network = vgg16()
    computed = compute.client_multiplications(network, "fbftl", clients, clients.samples)
    whole = clients.samples * products(network.layers)
    published = lookup(table, method="fbftl", quantity="client_multiplications")
    shown = _scientific(published), _scientific(computed)
    return AuditRow("A23", *shown, judged(shown[:1], [computed]), {"whole": _scientific(whole)})


def a26(evidence: Evidence) -> AuditRow:
    """The saving of uplink that the text promises, against what Table III's equations give.

    What the text says is a bound, which the least ratio reproduces if it is no less.
    """
    table, clients = evidence.published["table3"], evidence.cifar10
    network = vgg16()
    fbftl = payload.uplink_bits(clients.samples, payload.numbers_per_batch(network, "fbftl"))
    times = {}
    for method in ("fl", "ftl_f", "ftl_c"):
        batches = clients.upload_batches(epochs(table, clients.clients, method=method))
        sent = payload.uplink_bits(batches, payload.numbers_per_batch(network, method))
        times[method] = float(sent / fbftl)
    promised, least = evidence.stated["least_saving"], min(times.values())
    terabits = lookup(table, method="ftl_c", quantity="total_uplink")
    gigabits = lookup(table, method="fbftl", quantity="total_uplink")
    words = {**times, "rounded": terabits * SCALES["Tb"] / (gigabits * SCALES["Gb"])}
    verdict = judged([promised], [min(float(promised), least)])
    return AuditRow("A26", f"{promised:,}", f"{least:,.0f}", verdict, words)


def _in_terabits(
    id: str, published: Decimal, computed: int, words: Mapping[str, object]
) -> AuditRow:
    """Return a finding about a number of terabits, of which a tenth is shown."""
    shown = str(published), at_printed_precision(computed, "0.1", "Tb")
    return AuditRow(id, *shown, judged([published], [computed], "Tb"), words)


def _scientific(value: int | Decimal) -> str:
    """Return a number to three digits, e.g. 7.74e14."""
    mantissa, exponent = f"{value:.2e}".split("e")
    return f"{mantissa}e{int(exponent)}"


COUNTS = (a5, a6, a7, a8, a9, a12, a18, a22, a23, a26)
