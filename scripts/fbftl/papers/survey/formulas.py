"""Functions of claims of paper survey: counts of work, which need no runs."""

from fbftl.papers.formulas import Decision, FormulaCase
from fbftl.papers.survey import counts


def heaviest(case: FormulaCase) -> Decision:
    """Decide whether a client's round of an encrypted framework multiplies more than plain ones."""
    encrypted = {"FedHealth": counts.fedhealth, "Secure FTL": counts.paillier}
    plain = {"FedAvg": counts.fedavg(), "FedMD": counts.fedmd()}
    count = encrypted[case.a]()
    return Decision(
        f"multiplications of a client's round of {case.a} on the simulation's network",
        "; ".join(f"{name} {each:,}" for name, each in ({case.a: count} | plain).items()),
        count > max(plain.values()),
    )
