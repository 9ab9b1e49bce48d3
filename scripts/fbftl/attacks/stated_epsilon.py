"""What attacks prove of heads under a stated guarantee: how small its epsilon cannot be.

The adversary sees heads alone, trained or solved as the target's was on halves of the samples. The
attack is chosen on some heads and quoted on the others.
"""

from typing import Any

import numpy as np

from fbftl.attacks.choice import attempt_all, chosen
from fbftl.attacks.head_membership import GUESS
from fbftl.attacks.shadows import Population
from fbftl.ground.errors import required
from fbftl.study.job import Job


def attained(job: Job, models: Population) -> dict[str, Any]:
    """Return what the attack chosen on some heads of a setting attains against the others.

    Without an attack better than a guess nothing is proven.
    """
    attempts = attempt_all(models, required(job.privacy.delta), alarms=())
    best = chosen(attempts)
    return {
        "attack": GUESS if best is None else best.attack,
        "auc": np.nan if best is None else float(best.aucs.mean()),
        "proven": 0.0 if best is None else best.proven,
        "targets": len(attempts[0].aucs),
        "shadows": attempts[0].shadows,
    }
