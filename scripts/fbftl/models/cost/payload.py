"""Bits up and down of every scheme (paper fbftl), and of split training (paper eppfl, Sec. 2.3).

One convention throughout: a *batch* is what the paper calls an uploaded batch, one client's update
in one round for the gradient schemes and one sample's features for FbFTL. `rounds` is I and may be
a fraction, because the paper's epoch of 6,250 clients is 781.25 rounds of 8.
"""

import math
from dataclasses import dataclass
from fractions import Fraction

from fbftl.ground.floats import FLOAT_BITS, FLOAT_BYTES, as_written
from fbftl.models.cost.layers import Network, parameters


@dataclass(frozen=True)
class Federation:
    """The clients that take part, and how many of them at a time.

    clients: their number U.
    samples_per_client: K_u, or its exact mean where clients differ.
    clients_per_round: UC, those whose updates the server averages at once.
    """

    clients: int
    samples_per_client: int | Fraction
    clients_per_round: int

    @property
    def samples(self) -> int | Fraction:
        """Sum of K_u over all clients."""
        return self.clients * self.samples_per_client

    def upload_batches(self, epochs: int) -> int:
        """Return I U C, the updates uploaded in so many epochs of a gradient scheme."""
        return epochs * self.clients

    def rounds(self, epochs: int) -> Fraction:
        """Return I as the paper counts it, where an epoch may end inside a round."""
        return Fraction(self.upload_batches(epochs), self.clients_per_round)

    def whole_rounds(self, epochs: int) -> int:
        """Return the rounds in so many epochs if the last one of each takes the clients left."""
        return epochs * math.ceil(Fraction(self.clients, self.clients_per_round))


def numbers_per_batch(network: Network, method: str) -> int:
    """Return the numbers in one uploaded batch of `fl`, `ftl_f`, `ftl_c` or `fbftl`.

    Raises:
        ValueError: for any other method; `sfl` has its own functions below.
    """
    match method:
        case "fl" | "ftl_f":
            return parameters(network.layers)
        case "ftl_c":
            return parameters(network.head)
        case "fbftl":
            return network.feature_width
    raise ValueError(f"no count of numbers per batch for method {method!r}")


def sfl_numbers_per_batch_in_text(
    network: Network, samples_per_client: int | Fraction
) -> int | Fraction:
    """Return K_u N^-(m_c) + sum of T over m >= m_c, as Sec. III-D of paper fbftl states it."""
    return samples_per_client * network.feature_width + parameters(network.head)


def sfl_numbers_per_batch_in_table(network: Network) -> int:
    """Return sum of T over m < m_c + N^-(m_c), which is what Table III of paper fbftl prints."""
    return parameters(network.extractor) + network.feature_width


def sfl_numbers_per_batch(network: Network, samples_per_client: int | Fraction) -> int | Fraction:
    """Return what a client of split federated learning uploads in a round.

    The update of its own part goes to the fed server, the smashed data of its K_u samples to the
    main server: sum of T over m < m_c + K_u N^-(m_c).
    """
    return parameters(network.extractor) + samples_per_client * network.feature_width


def uplink_bits(
    batches: int | Fraction, numbers: int | Fraction, bits: int = FLOAT_BITS
) -> int | Fraction:
    """Return the total uplink, Eq. (2)-(4) and (6): d times batches times numbers per batch."""
    return bits * batches * numbers


def label_bits(samples: int, classes: int) -> int:
    """Return the bits of sending every sample's label once, ceil(log2 N) each.

    The paper leaves them out of Eq. (6). Token ids cost the same, N being the vocabulary.
    """
    return samples * max(1, (classes - 1).bit_length())


def downlink_bits(network: Network, method: str, rounds: Fraction | int) -> int:
    """Return the total downlink as Eq. (10)-(13) print it: one broadcast per round.

    FL and FTL_f broadcast every parameter, FTL_c those of m >= m_c. FbFTL broadcasts the extractor
    once, whatever `rounds` is. A fraction of a bit is rounded up.

    Raises:
        ValueError: for a method without an equation.
    """
    match method:
        case "fl" | "ftl_f":
            return broadcast_bits(parameters(network.layers), rounds)
        case "ftl_c":
            return broadcast_bits(parameters(network.head), rounds)
        case "fbftl":
            return broadcast_bits(parameters(network.extractor), 1)
    raise ValueError(f"no downlink equation for method {method!r}")


def sfl_downlink_bits(
    network: Network, samples_per_client: int | Fraction, rounds: Fraction | int, batches: int
) -> int:
    """Return the downlink of split federated learning, for which paper fbftl prints no equation.

    A round broadcasts the client part once; each of the I U C batches is answered by the gradient
    of its smashed data, K_u N^-(m_c) numbers.
    """
    gradients = samples_per_client * network.feature_width
    return broadcast_bits(parameters(network.extractor), rounds) + broadcast_bits(
        gradients, batches
    )


def broadcast_bits(numbers: int | Fraction, rounds: Fraction | int, bits: int = FLOAT_BITS) -> int:
    """Return the bits of so many numbers broadcast once a round, a fraction rounded up."""
    return math.ceil(Fraction(rounds) * numbers * bits)


def compression_rate_in_text(q: int, keep: float, bits: int = FLOAT_BITS) -> float:
    """Return 2^(d/q) / r, the compression rate as Sec. IV-C of paper fbftl prints it."""
    return 2 ** (bits / q) / keep


def compression_rate(q: int, keep: float, bits: int = FLOAT_BITS) -> float:
    """Return (d/q) / r: d bits of every number against q bits of each kept one, positions free."""
    return bits / q / keep


def compression_rate_with_positions(
    width: int, q: int, keep: float, bits: int = FLOAT_BITS
) -> float:
    """Return the compression rate when the kept positions are sent too.

    The positions cost at least log2 of the ways to choose ceil(r X) of X.

    Args:
        width: X, numbers in the message.
        q: bits per kept value.
        keep: r, the ratio of numbers kept.
        bits: d, bits of a number that is not compressed.
    """
    kept = math.ceil(as_written(keep) * width)
    log_choices = math.lgamma(width + 1) - math.lgamma(kept + 1) - math.lgamma(width - kept + 1)
    return width * bits / (kept * q + log_choices / math.log(2))


@dataclass(frozen=True)
class CutMap:
    """One sample's activations at the layer where a network is split.

    channels: k; activations that are a row make one.
    positions: N_c, activations of each channel.
    """

    channels: int
    positions: int

    @property
    def width(self) -> int:
        """N = k N_c, activations of one sample."""
        return self.channels * self.positions

    def kept(self, share: float) -> int:
        """Return k ⌈θ N_c⌉, what is left of a sample where every channel keeps a share θ."""
        return self.channels * kept_of(self.positions, share)


def kept_of(positions: int, share: float) -> int:
    """Return ⌈θ N⌉, with θ taken as the decimal number written in the config."""
    return math.ceil(as_written(share) * positions)


def printed_uplink_bytes(samples: int, epochs: int, share: float, width: int) -> Fraction:
    """Return 4 D E (θ_a N + 1): activations and labels, as the paper counts them.

    Args:
        samples: D, those of a client.
        epochs: E, local epochs.
        share: θ_a.
        width: N.
    """
    return FLOAT_BYTES * samples * epochs * (as_written(share) * width + 1)


def printed_downlink_bytes(batches: int, epochs: int, share: float, width: int) -> Fraction:
    """Return 4 θ_g T E N: a gradient per batch, as the paper counts them.

    Args:
        batches: T, mini-batches of a local epoch.
        epochs: E, local epochs.
        share: θ_g.
        width: N.
    """
    return FLOAT_BYTES * batches * epochs * as_written(share) * width
