"""What solving a head of one-shot uploads costs, in closed form."""


def solving(head: str, width: int, classes: int, training: int | None = None) -> int | None:
    """Return the multiplications to solve a head once its statistics are there.

    A Cholesky factorisation takes d³/6, two triangular solutions d² for each class. What a message
    does not hold and the server forms of rows, n d² / 2, is not among them.

    Args:
        head: its name.
        width: dimensions d in which it is solved.
        classes: number of classes N.
        training: of the perceptron that is trained instead.
    """
    match head:
        case "mlp":
            return training
        case "logistic":
            return None
        case "ncm" | "fedncm":
            return width * classes
        case "ridge":
            width += 1
    return width**3 // 6 + width**2 * classes
