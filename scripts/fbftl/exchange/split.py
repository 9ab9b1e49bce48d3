"""What is exchanged over a split network (SFL, Sec. II-C)."""

from fbftl.exchange.uplink import Traffic
from fbftl.tasks.task import SplitLearner


def split_exchange(learner: SplitLearner) -> Traffic:
    """Return what goes up and down: smashed data and the gradient of the clients' own part.

    Down come the clients' part, and to each client its smashed data's gradients, which the paper
    leaves out.
    """
    own, width = learner.client_floats, learner.smashed_floats
    return Traffic(
        update=lambda samples: {"activations": samples * width, "update": own},
        model={"weights": own},
        answer=lambda samples: {"gradients": samples * width},
    )
