"""Functions of claims of paper survey: counts of work, which need no runs."""

from fbftl.papers.formulas import Decision, FormulaCase
from fbftl.papers.survey import counts


def heaviest(case: FormulaCase) -> Decision:
    """Decide whether encrypted rounds of a client multiply more than plain ones."""
    encrypted = {"FedHealth": counts.fedhealth(), "Secure FTL": counts.paillier()}
    plain = {"FedAvg": counts.fedavg(), "FedMD": counts.fedmd()}
    return Decision(
        "multiplications of a client's round on the simulation's network, of Secure FTL at least",
        "; ".join(f"{name} {count:,}" for name, count in (encrypted | plain).items()),
        min(encrypted.values()) > max(plain.values()),
    )
