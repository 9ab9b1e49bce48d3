"""A run of ECOS, all its seeds."""

from collections.abc import Iterator, Sequence

from fbftl.ground.errors import required
from fbftl.methods.ecos.public_rows import public_rows
from fbftl.methods.ecos.sampling import PublicPool, guarantees_of, outsourced
from fbftl.privacy.mechanisms import PrivacyRecord
from fbftl.study.job import Job
from fbftl.tasks.task import Inputs, Outcome, labelled_features


def run_together(jobs: Sequence[Job], inputs: Inputs) -> Iterator[Outcome]:
    """Train settings of one task in one process, which clusters the public rows once for all."""
    client_data = labelled_features(jobs[0], inputs)
    pool = PublicPool(client_data, public_rows(required(inputs.public_manifest)))
    yield from (outsourced(job, pool) for job in jobs)


def guarantees(job: Job, clients: int) -> tuple[PrivacyRecord, ...]:
    """Return what a job with so many clients will guarantee."""
    return guarantees_of(job)
