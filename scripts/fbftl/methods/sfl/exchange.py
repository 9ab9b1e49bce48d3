"""What is exchanged over a split network (SFL, Sec. II-C)."""

from fbftl.exchange.uplink import Traffic
from fbftl.methods.sfl.network import SplitNetwork


def split_exchange(learner: SplitNetwork) -> Traffic:
    """Return what goes up and down: smashed data and the gradient of the clients' own part.

    Down come the clients' part, and to each client its smashed data's gradients, which the paper
    leaves out.
    """
    client_part, width = learner.client_floats, learner.smashed_floats
    return Traffic(
        update=lambda samples: {"activations": samples * width, "update": client_part},
        model={"weights": client_part},
        answer=lambda samples: {"gradients": samples * width},
    )
