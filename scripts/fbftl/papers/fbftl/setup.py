"""The clients and epochs of paper fbftl's two experiments, from its published setup and tables."""

import pandas as pd

from fbftl.cost.payload import Federation
from fbftl.findings.published import lookup
from fbftl.ground.errors import UserError


def federation(setup: pd.DataFrame, task: str) -> Federation:
    """Return the clients of `cifar10` or `samsum`; UC is the fraction times U, rounded.

    Args:
        setup: `published/fbftl/setup.csv`.
        task: value of its column `task`.
    """
    clients = lookup(setup, task=task, quantity="clients")
    fraction = lookup(setup, task=task, quantity="client_fraction")
    return Federation(
        clients=int(clients),
        samples_per_client=int(lookup(setup, task=task, quantity="samples_per_client")),
        clients_per_round=round(clients * fraction),
    )


def epochs(table: pd.DataFrame, clients: int, **key: object) -> int:
    """Return the epochs behind a published number of upload batches, I U C = epochs × U.

    Raises:
        UserError: if the batches are no whole number of epochs.
    """
    batches = int(lookup(table, quantity="upload_batches", **key))
    if batches % clients:
        raise UserError(f"{batches} published upload batches are no whole epochs of {clients}")
    return batches // clients
