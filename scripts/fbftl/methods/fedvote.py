"""FedVote (paper survey, Fig. 13): FedAvg, with one vote for a source model to go on from.

Another method has the same name, which votes on binary weights.
"""

from fbftl.exchange.averaging import weights_or_updates
from fbftl.exchange.repetition import run_rounds
from fbftl.exchange.voting import Voting
from fbftl.study.job import Job
from fbftl.tasks.task import Inputs, Outcome, held_samples


def run(job: Job, inputs: Inputs) -> Outcome:
    """Train the network from scratch with one vote, one repetition per seed."""
    held = held_samples(job, inputs)
    voting = Voting(job, held.source_models(job, related=job.setting.sources != "unrelated"))
    exchanged, scratch = weights_or_updates(job), inputs.room.folder
    return voting.told(run_rounds(job, held, held.local, exchanged, scratch, voting.train))
