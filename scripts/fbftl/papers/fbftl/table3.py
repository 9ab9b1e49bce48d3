"""Table III of paper fbftl, VGG-16 on CIFAR-10: what each formula gives for each cell."""

from collections.abc import Iterator

from fbftl.cost import compute, payload
from fbftl.cost.architectures import vgg16
from fbftl.cost.layers import Network, parameters, products
from fbftl.cost.payload import Federation
from fbftl.papers.fbftl.readings import (
    AS_PRINTED,
    AS_TABULATED,
    CORRECTED,
    CUT_SHORT,
    EQUATIONS,
    Reading,
    uploads,
)
from fbftl.papers.fbftl.setup import epochs, federation
from fbftl.papers.record import PaperRecord

TRAINED = ("fl", "sfl", "fl_low", "ftl_f", "ftl_f_low", "ftl_c")
"""Columns of methods that train by rounds; `_low` stops where FTL_c's accuracy is reached."""


def image_readings(record: PaperRecord) -> list[Reading]:
    """Return the readings of Table III: VGG-16, cut as there, at the epochs to convergence."""
    network, clients = vgg16(), federation(record, "cifar10")
    counts = {name: epochs(record, "table3", clients.clients, method=name) for name in TRAINED}
    readings: list[Reading] = []
    for row in TRAINED:
        of_row = _sfl if row == "sfl" else _gradient
        readings += of_row(row, network, clients, counts[row])
    return [*readings, *_fbftl(network, clients, counts["ftl_c"])]


def _gradient(row: str, network: Network, clients: Federation, count: int) -> Iterator[Reading]:
    """Yield the cells of one gradient scheme."""
    method = row.removesuffix(CUT_SHORT)
    _, downlink, computation = EQUATIONS[method]
    batches = clients.upload_batches(count)
    rounds = clients.rounds(count)
    scope = "Σ T, m ≥ m_c" if method == "ftl_c" else "Σ T"
    yield Reading(row, "upload_batches", AS_PRINTED, f"I U C: {count} epochs × U", batches)
    numbers = payload.numbers_per_batch(network, method)
    yield from uploads(row, AS_PRINTED, scope, batches, numbers)
    broadcast = payload.downlink_bits(network, method, rounds)
    audit = {"ftl_f": "A5", "ftl_c": "A22"}.get(row, "")
    yield Reading(row, "total_downlink", AS_PRINTED, downlink, broadcast, audit)
    if method == "ftl_c":
        whole = payload.broadcast_bits(parameters(network.layers), rounds)
        yield Reading(row, "total_downlink", AS_TABULATED, "Σ T every round", whole, "A22")
    printed = compute.client_multiplications_in_text(network, method, clients, batches)
    yield Reading(row, "client_multiplications", AS_PRINTED, computation, printed, "A9")
    corrected = compute.client_multiplications(network, method, clients, batches)
    basis = f"{computation} with every sample of a client"
    yield Reading(row, "client_multiplications", CORRECTED, basis, corrected, "A9")


def _sfl(row: str, network: Network, clients: Federation, count: int) -> Iterator[Reading]:
    """Yield the cells of split federated learning, for which the text has one formula."""
    batches = clients.upload_batches(count)
    rounds = clients.rounds(count)
    samples = clients.samples_per_client
    yield Reading(row, "upload_batches", AS_PRINTED, f"I U C: {count} epochs × U", batches)
    numbers = payload.sfl_numbers_per_batch_in_text(network, samples)
    yield from uploads(row, AS_PRINTED, "K_u N⁻ + Σ T, m ≥ m_c", batches, numbers, "A6")
    numbers = payload.sfl_numbers_per_batch(network, samples)
    yield from uploads(row, CORRECTED, "Σ T, m < m_c, + K_u N⁻", batches, numbers, "A6")
    numbers = payload.sfl_numbers_per_batch_in_table(network)
    yield from uploads(row, AS_TABULATED, "Σ T, m < m_c, + N⁻", batches, numbers, "A6")
    downlink = payload.sfl_downlink_bits(network, samples, rounds, batches)
    basis = "d I (Σ T, m < m_c, + U C K_u N⁻)"
    yield Reading(row, "total_downlink", CORRECTED, basis, downlink, "A6")
    tabulated = payload.broadcast_bits(numbers, rounds)
    basis = "d I (Σ T, m < m_c, + N⁻)"
    yield Reading(row, "total_downlink", AS_TABULATED, basis, tabulated, "A6")
    own_part = compute.client_multiplications(network, row, clients, batches)
    basis = "Eq. (14) over m < m_c with every sample of a client"
    yield Reading(row, "client_multiplications", CORRECTED, basis, own_part, "A9")
    whole = compute.client_multiplications(network, "fl", clients, batches)
    basis = "as FL: all layers at the clients"
    yield Reading(row, "client_multiplications", AS_TABULATED, basis, whole, "A9")


def _fbftl(network: Network, clients: Federation, server_epochs: int) -> Iterator[Reading]:
    """Yield the cells of FbFTL, whose batch is one sample."""
    batches = clients.samples
    yield Reading("fbftl", "upload_batches", AS_PRINTED, "Σ K_u", batches)
    numbers = payload.numbers_per_batch(network, "fbftl")
    yield from uploads("fbftl", AS_PRINTED, "N⁻", batches, numbers)
    _, downlink, computation = EQUATIONS["fbftl"]
    broadcast = payload.downlink_bits(network, "fbftl", rounds=1)
    yield Reading("fbftl", "total_downlink", AS_PRINTED, downlink, broadcast)
    printed = compute.client_multiplications_in_text(network, "fbftl", clients, batches)
    yield Reading("fbftl", "client_multiplications", AS_PRINTED, computation, printed, "A9")
    corrected = compute.client_multiplications(network, "fbftl", clients, batches)
    basis = "Eq. (17) with Σ K_u for U"
    yield Reading("fbftl", "client_multiplications", CORRECTED, basis, corrected, "A23")
    whole = batches * products(network.layers)
    basis = "Σ K_u × forward pass of all layers, biases not counted"
    yield Reading("fbftl", "client_multiplications", AS_TABULATED, basis, whole, "A23")
    server = compute.server_multiplications(network, batches, server_epochs)
    basis = f"2 × {server_epochs} epochs × Σ K_u Σ X, m ≥ m_c"
    yield Reading("fbftl", "server_multiplications", AS_PRINTED, basis, server)
