"""Functions of claims on FADE (paper thesis, ch. 3): its optimum and what its messages hold."""

from fbftl.papers.formulas import Decision, FormulaCase

SAME_WEIGHT = 1e-5
"""Up to which two weights in single precision are the same after some steps."""


def as_central(case: FormulaCase) -> Decision:
    """Decide by the weights of FADE and of pooled training after equal steps."""
    # It trains, and nothing else here needs torch.
    from fbftl.papers.thesis.fade_central import ROUNDS, largest_difference

    apart = largest_difference()
    quantity = f"largest difference of a weight after {ROUNDS} rounds of one step each"
    return Decision(quantity, f"{apart:.1e}", apart <= SAME_WEIGHT)


def group_not_sent(case: FormulaCase) -> Decision:
    """Decide by the kinds of message that the ledger knows: none of them is a group."""
    from fbftl.messages.ledger import PARTS

    shown = ", ".join(sorted(PARTS))
    return Decision("what messages may hold", shown, not {"group", "groups"} & PARTS)
