"""Findings about counts: parameters, payload and multiplications (Tables III and IV)."""

from decimal import Decimal

from fbftl.cost import compute, payload
from fbftl.cost.architectures import FLAN_T5_SMALL, t5, vgg16
from fbftl.cost.layers import parameters, products
from fbftl.findings.printed import at_printed_precision
from fbftl.findings.published import lookup
from fbftl.ground.floats import FLOAT_BITS
from fbftl.papers.audit import AuditRow, judged
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
    return AuditRow(
        "A5",
        "Table III, downlink of FTL_f",
        str(published),
        at_printed_precision(computed, "0.1", "Tb"),
        "Tb",
        judged([published], [computed], "Tb"),
        f"Eq. (11) with the {count} epochs that the same column uploads; {published} Tb is what "
        f"{fitting} epochs would broadcast.",
    )


def a6(evidence: Evidence) -> AuditRow:
    """The numbers in a batch of SFL."""
    network, samples = vgg16(), evidence.cifar10.samples_per_client
    published = lookup(evidence.published["table3"], method="sfl", quantity="numbers_per_batch")
    in_text = payload.sfl_numbers_per_batch_in_text(network, samples)
    in_table = payload.sfl_numbers_per_batch_in_table(network)
    both = payload.sfl_numbers_per_batch(network, samples)
    return AuditRow(
        "A6",
        "Table III and Sec. III-D, SFL",
        f"{published:,}",
        f"{in_text:,}",
        "numbers per batch",
        judged([published], [in_text]),
        f"The formula in the text adds the server's part; the client's part and one feature vector "
        f"give the printed {in_table:,}, and with all K_u vectors {both:,}.",
    )


def a7(evidence: Evidence) -> AuditRow:
    """The compression rate."""
    statements = evidence.published["statements"]
    q = int(lookup(statements, quantity="quantised_bits"))
    keep = float(lookup(statements, quantity="keep_ratio"))
    in_text, rate = payload.compression_rate_in_text(q, keep), payload.compression_rate(q, keep)
    width = vgg16().feature_width
    with_positions = payload.compression_rate_with_positions(width, q, keep)
    return AuditRow(
        "A7",
        f"Sec. IV-C, compression rate at q = {q}, r = {keep}",
        f"{in_text:.0f}",
        f"{rate:.0f}",
        "times",
        judged([in_text], [rate]),
        f"d bits of every number against q of each kept one is (d/q)/r, not 2^(d/q)/r; sending the "
        f"kept positions leaves {with_positions:.1f}.",
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
    return AuditRow(
        "A8",
        "Table IV, FbFTL and FTL_f",
        f"{features:,}; {model:,}",
        f"{true}; {distinct:,}",
        "numbers per batch",
        judged([features, model], [*true_numbers, distinct]),
        f"Encoder features are one {width}-vector per token of a dialogue{length}, not per "
        "dialogue; the embedding that encoder and decoder share is counted three times.",
    )


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
    return AuditRow(
        "A9",
        "Eqs. (14)-(17), FL and FbFTL",
        "; ".join(printed),
        "; ".join(map(_scientific, texts)),
        "multiplications",
        judged(printed, texts),
        "The equations count one sample per client; with all K_u samples they give "
        f"{' and '.join(corrected)}, which the printed numbers need.",
    )


def a12(evidence: Evidence) -> AuditRow:
    """The cut of the released script."""
    frozen = int(lookup(evidence.published["script"], quantity="frozen_dense_layers"))
    published = lookup(evidence.published["table3"], method="fbftl", quantity="total_downlink")
    released, tabulated = vgg16(frozen_dense=(4096,) * frozen), vgg16()
    broadcast = payload.downlink_bits(released, "fbftl", rounds=1)
    return AuditRow(
        "A12",
        "Table III and the script, cut layer",
        str(published),
        at_printed_precision(broadcast, str(published), "Gb"),
        "Gb of downlink",
        judged([published], [broadcast], "Gb"),
        f"The script freezes fc2 too: its extractor has {parameters(released.extractor):,} "
        f"parameters instead of {parameters(tabulated.extractor):,}, and its whole network "
        f"{parameters(released.layers):,}.",
    )


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
    return AuditRow(
        "A18",
        "Table IV, 8 trained encoders",
        f"{feature:,}",
        f"{token:,}",
        "bits per token",
        judged([feature], [token]),
        "With only the embedding frozen a feature is a table look-up of the token id: sending the "
        f"id takes {feature / token:,.0f} times fewer bits and tells as much, the text itself.",
    )


def a22(evidence: Evidence) -> AuditRow:
    """FTL_c's downlink."""
    table, clients = evidence.published["table3"], evidence.cifar10
    network = vgg16()
    rounds = clients.rounds(epochs(table, clients.clients, method="ftl_c"))
    whole = payload.broadcast_bits(parameters(network.layers), rounds)
    published = lookup(table, method="ftl_c", quantity="total_downlink")
    computed = payload.downlink_bits(network, "ftl_c", rounds)
    return AuditRow(
        "A22",
        "Tables III and IV, downlink of FTL_c",
        str(published),
        at_printed_precision(computed, "0.1", "Tb"),
        "Tb",
        judged([published], [computed], "Tb"),
        "Eq. (12) broadcasts the trained layers only; the printed number broadcasts the whole "
        f"network every round ({at_printed_precision(whole, '0.1', 'Tb')} Tb), in Table IV too.",
    )


def a23(evidence: Evidence) -> AuditRow:
    """The last digits of the computation."""
    table, clients = evidence.published["table3"], evidence.cifar10
    network = vgg16()
    computed = compute.client_multiplications(network, "fbftl", clients, clients.samples)
    whole = clients.samples * products(network.layers)
    published = lookup(table, method="fbftl", quantity="client_multiplications")
    return AuditRow(
        "A23",
        "Table III, computation of FbFTL",
        _scientific(published),
        _scientific(computed),
        "multiplications",
        judged([_scientific(published)], [computed]),
        "Eq. (17) with every sample, biases counted as in Sec. III-C; a forward pass of all "
        f"layers without biases gives the printed {_scientific(whole)}.",
    )


def _scientific(value: int | Decimal) -> str:
    """Return a number to three digits, e.g. 7.74e14."""
    mantissa, exponent = f"{value:.2e}".split("e")
    return f"{mantissa}e{int(exponent)}"


COUNTS = (a5, a6, a7, a8, a9, a12, a18, a22, a23)
