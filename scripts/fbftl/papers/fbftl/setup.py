"""The clients and epochs of paper fbftl's two experiments, from its published setup and tables."""

from fbftl.ground.errors import UserError
from fbftl.models.cost.payload import Federation
from fbftl.papers.record import PaperRecord


def federation(record: PaperRecord, task: str) -> Federation:
    """Return the clients of `cifar10` or `samsum`; UC is the fraction times U, rounded."""
    clients, samples, fraction = (
        record.number("setup", task=task, quantity=quantity)
        for quantity in ("clients", "samples_per_client", "client_fraction")
    )
    return Federation(int(clients), int(samples), round(clients * fraction))


def epochs(record: PaperRecord, table: str, clients: int, **key: object) -> int:
    """Return the epochs behind a published number of upload batches, I U C = epochs × U.

    Raises:
        UserError: if the batches are no whole number of epochs.
    """
    batches = int(record.number(table, quantity="upload_batches", **key))
    if batches % clients:
        raise UserError(f"{batches} published upload batches are no whole epochs of {clients}")
    return batches // clients
