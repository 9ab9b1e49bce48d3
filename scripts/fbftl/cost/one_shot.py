"""What one-shot messages and heads cost, in closed form: numbers sent and multiplications.

Sizes are numbers of one client with K samples in d dimensions and N classes; labels are left out.
"""

from fractions import Fraction


def numbers(
    message: str, width: int, classes: int, samples: int | Fraction, present: float, k: int = 0,
    components: float = 1, covariance: str = "diagonal",
) -> int | Fraction | float:  # fmt: skip
    """Return the numbers of one client's message.

    Args:
        message: features, means, statistics, projected or mixtures.
        width: dimensions d.
        classes: number of classes N.
        samples: samples K of the client.
        present: classes that it has samples of; see `expected_present`.
        k: dimensions of a projection.
        components: components G of a mixture for each of these classes.
        covariance: of the components, diagonal or spherical.
    """
    match message:
        case "features":
            return samples * width
        case "means":
            return present * (width + 1)
        case "mixtures":
            spreads = 1 if covariance == "spherical" else width
            return present * (components * (1 + width + spreads) + 1)
    dimensions = k if message == "projected" else width
    return dimensions * (dimensions + 1) // 2 + dimensions * classes + classes


def expected_present(classes: int, samples: int) -> float:
    """Return how many of N equally frequent classes K samples are of on average."""
    return classes * (1 - (1 - 1 / classes) ** samples)


def crossover(width: int, classes: int) -> Fraction:
    """Return the K below which a client's features are fewer numbers than its statistics.

    K d < d (d + 1) / 2 + d N + N, so K < (d + 1) / 2 + N, and N / d more for the counts.
    """
    return Fraction(width + 1, 2) + classes + Fraction(classes, width)


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
