"""Functions of claims of paper eppfl: counts that need no runs."""

from fbftl.models.cost.compute import training_products
from fbftl.papers.eppfl.published import setup_of
from fbftl.papers.formulas import Decision, FormulaCase


def client_multiplications(case: FormulaCase) -> Decision:
    """Decide by what a client multiplies of a sample in an epoch, over the whole network."""
    layers = setup_of(case.record).layers
    share = training_products(layers[:1]) / training_products(layers)
    return Decision("a client's multiplications over FedAvg's", f"{share:.4f}", share < 1)
