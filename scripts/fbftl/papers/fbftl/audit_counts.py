"""Findings about counts: parameters, payload and multiplications (Tables III and IV)."""

from decimal import Decimal

from fbftl.findings.published import SCALES, at_printed_precision
from fbftl.ground.floats import FLOAT_BITS
from fbftl.models.cost import compute, payload
from fbftl.models.cost.architectures import FLAN_T5_SMALL, t5, vgg16
from fbftl.models.cost.layers import parameters, products
from fbftl.papers.audit import AuditFinding, finding
from fbftl.papers.fbftl.setup import epochs, federation
from fbftl.papers.record import PaperRecord


def a5(record: PaperRecord) -> AuditFinding:
    """FTL_f's downlink in Table III."""
    network, clients = vgg16(), federation(record, "cifar10")
    count = epochs(record, "table3", clients.clients, method="ftl_f")
    published = record.number("table3", method="ftl_f", quantity="total_downlink")
    computed = payload.downlink_bits(network, "ftl_f", clients.rounds(count))
    per_epoch = payload.downlink_bits(network, "ftl_f", clients.rounds(1))
    fitting = round(published * 10**12 / per_epoch)
    words = {"count": count, "tabulated": published, "fitting": fitting}
    return finding([published], [computed], _in_terabits, unit="Tb", **words)


def a6(record: PaperRecord) -> AuditFinding:
    """The numbers in a batch of SFL."""
    network, samples = vgg16(), federation(record, "cifar10").samples_per_client
    published = record.number("table3", method="sfl", quantity="numbers_per_batch")
    in_text = payload.sfl_numbers_per_batch_in_text(network, samples)
    in_table = payload.sfl_numbers_per_batch_in_table(network)
    both = payload.sfl_numbers_per_batch(network, samples)
    return finding([published], [in_text], "{:,}", printed="{:,}", in_table=in_table, both=both)


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
    printed, texts, corrected = [], [], []
    for method in ("fl", "fbftl"):
        value = record.number("table3", method=method, quantity="client_multiplications")
        batches = int(record.number("table3", method=method, quantity="upload_batches"))
        of = vgg16(), method, federation(record, "cifar10"), batches
        printed.append(_scientific(value))
        texts.append(compute.client_multiplications_in_text(*of))
        corrected.append(_scientific(compute.client_multiplications(*of)))
    return finding(printed, texts, _scientific, corrected=" and ".join(corrected))


def a12(record: PaperRecord) -> AuditFinding:
    """The cut of the released script."""
    frozen = int(record.number("script", quantity="frozen_dense_layers"))
    published = record.number("table3", method="fbftl", quantity="total_downlink")
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
    network, clients = vgg16(), federation(record, "cifar10")
    rounds = clients.rounds(epochs(record, "table3", clients.clients, method="ftl_c"))
    whole = payload.broadcast_bits(parameters(network.layers), rounds)
    published = record.number("table3", method="ftl_c", quantity="total_downlink")
    computed = payload.downlink_bits(network, "ftl_c", rounds)
    return finding([published], [computed], _in_terabits, unit="Tb", whole=_in_terabits(whole))


def a23(record: PaperRecord) -> AuditFinding:
    """The last digits of the computation."""
    network, clients = vgg16(), federation(record, "cifar10")
    computed = compute.client_multiplications(network, "fbftl", clients, clients.samples)
    whole = clients.samples * products(network.layers)
    published = record.number("table3", method="fbftl", quantity="client_multiplications")
    return finding([_scientific(published)], [computed], _scientific, whole=_scientific(whole))


def a26(record: PaperRecord) -> AuditFinding:
    """The saving of uplink that the text promises, against what Table III's equations give.

    What the text says is a bound, which the least ratio reproduces if it is no less.
    """
    network, clients = vgg16(), federation(record, "cifar10")
    fbftl = payload.uplink_bits(clients.samples, payload.numbers_per_batch(network, "fbftl"))
    times = {}
    for method in ("fl", "ftl_f", "ftl_c"):
        count = epochs(record, "table3", clients.clients, method=method)
        numbers = payload.numbers_per_batch(network, method)
        sent = payload.uplink_bits(clients.upload_batches(count), numbers)
        times[method] = float(sent / fbftl)
    promised = record.number("statements", quantity="least_saving")
    terabits = record.number("table3", method="ftl_c", quantity="total_uplink")
    gigabits = record.number("table3", method="fbftl", quantity="total_uplink")
    rounded, least = terabits * SCALES["Tb"] / (gigabits * SCALES["Gb"]), min(times.values())
    shown = f"{promised:,}", f"{least:,.0f}"
    reached = [min(float(promised), least)]
    return finding([promised], reached, shown=shown, rounded=rounded, **times)


def _in_terabits(bits: int) -> str:
    """Return a number of terabits, of which a tenth is shown."""
    return at_printed_precision(bits, "0.1", "Tb")


def _scientific(value: int | Decimal) -> str:
    """Return a number to three digits, e.g. 7.74e14."""
    mantissa, exponent = f"{value:.2e}".split("e")
    return f"{mantissa}e{int(exponent)}"
