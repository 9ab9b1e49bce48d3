"""Table IV of paper fbftl, FLAN-T5-small on SAMSum: what each formula gives for each cell."""

from collections.abc import Iterator
from fractions import Fraction

from fbftl.cost import payload
from fbftl.cost.architectures import FLAN_T5_SMALL, t5
from fbftl.cost.layers import Network, parameters
from fbftl.cost.payload import Federation
from fbftl.ground.floats import FLOAT_BITS
from fbftl.papers.fbftl.readings import (
    AS_PRINTED,
    AS_TABULATED,
    CORRECTED,
    EQUATIONS,
    TOKEN_IDS,
    Reading,
    uploads,
)
from fbftl.papers.fbftl.setup import epochs, federation
from fbftl.papers.record import PaperRecord

TRAINED = {8: ("ftl_f", "ftl_c"), 4: ("ftl_c",), 2: ("ftl_c",)}
"""Methods that train by rounds, by the number of trained encoders."""


def language_readings(record: PaperRecord, trained_encoders: int) -> list[Reading]:
    """Return the readings of Table IV for one number of trained encoders, of `TRAINED`."""
    clients = federation(record, "samsum")
    printed = t5(FLAN_T5_SMALL, trained_encoders, embedding_copies=3)
    distinct = t5(FLAN_T5_SMALL, trained_encoders)
    readings: list[Reading] = []
    for method in TRAINED[trained_encoders]:
        key = {"method": method, "trained_encoders": trained_encoders}
        count = epochs(record, "table4", clients.clients, **key)
        readings += _gradient_language(method, printed, distinct, clients, count)
    return [*readings, *_fbftl_language(printed, distinct, clients, record.mean_tokens)]


def _gradient_language(
    method: str, printed: Network, distinct: Network, clients: Federation, count: int
) -> Iterator[Reading]:
    """Yield the cells of one gradient scheme of Table IV."""
    batches = clients.upload_batches(count)
    rounds = clients.rounds(count)
    _, downlink, _ = EQUATIONS[method]
    yield Reading(method, "upload_batches", AS_PRINTED, f"I U C: {count} epochs × U", batches)
    thrice = "embedding counted three times"
    if method == "ftl_f":
        numbers = parameters(printed.layers)
        yield from uploads(method, AS_PRINTED, f"Σ T, {thrice}", batches, numbers, "A8")
        numbers = parameters(distinct.layers)
        yield from uploads(method, CORRECTED, "Σ T, distinct", batches, numbers, "A8")
        whole = payload.broadcast_bits(parameters(printed.layers), rounds)
        yield Reading(method, "total_downlink", AS_PRINTED, f"{downlink}, {thrice}", whole, "A22")
        broadcast = payload.broadcast_bits(parameters(distinct.layers), rounds)
        yield Reading(method, "total_downlink", CORRECTED, f"{downlink}, distinct", broadcast, "A8")
        yield _rounded_broadcast(method, printed, rounds)
        return
    numbers = parameters(distinct.head)
    yield from uploads(method, AS_PRINTED, "Σ T, m ≥ m_c", batches, numbers)
    broadcast = payload.broadcast_bits(numbers, rounds)
    yield Reading(method, "total_downlink", AS_PRINTED, downlink, broadcast, "A22")
    yield _rounded_broadcast(method, printed, rounds)


def _rounded_broadcast(method: str, printed: Network, rounds: Fraction) -> Reading:
    """Return the downlink that Table IV prints: d Σ T, rounded to 0.1 Gb, every round."""
    gigabits = Fraction(FLOAT_BITS * parameters(printed.layers), 10**9)
    broadcast = round(round(gigabits, 1) * 10**9 * rounds)
    basis = "d Σ T rounded to 0.1 Gb, every round"
    return Reading(method, "total_downlink", AS_TABULATED, basis, broadcast, "A22")


def _fbftl_language(
    printed: Network, distinct: Network, clients: Federation, mean_tokens: Fraction | None
) -> Iterator[Reading]:
    """Yield the cells of FbFTL in Table IV, whose batch is one client's K_u dialogues."""
    batches = clients.clients
    dialogues = clients.samples_per_client
    width = printed.feature_width
    yield Reading("fbftl", "upload_batches", AS_PRINTED, "U", batches)
    basis = "K_u vectors, one per dialogue"
    yield from uploads("fbftl", AS_PRINTED, basis, batches, dialogues * width, "A8")
    if mean_tokens is not None:
        per_batch = round(dialogues * mean_tokens * width)
        basis = f"one vector per token, at least {float(mean_tokens):.1f} a dialogue"
        yield from uploads("fbftl", CORRECTED, basis, batches, per_batch, "A8")
        tokens = round(clients.samples * mean_tokens)
        ids = payload.label_bits(tokens, FLAN_T5_SMALL.vocab_size)
        yield Reading("fbftl", "total_uplink", TOKEN_IDS, "⌈log2 V⌉ bits per token", ids, "A18")
    basis = "Eq. (13), embedding counted three times"
    broadcast = payload.broadcast_bits(parameters(printed.extractor), 1)
    yield Reading("fbftl", "total_downlink", AS_PRINTED, basis, broadcast, "A8")
    broadcast = payload.broadcast_bits(parameters(distinct.extractor), 1)
    yield Reading("fbftl", "total_downlink", CORRECTED, "Eq. (13), distinct", broadcast, "A8")
