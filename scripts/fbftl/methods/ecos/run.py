"""A run of ECOS, all its seeds."""

from collections.abc import Iterator, Sequence

from fbftl.ground.errors import required
from fbftl.methods.ecos.public_rows import PublicPool, public_rows
from fbftl.methods.ecos.sampling import outsourced
from fbftl.study.job import Job
from fbftl.training.tasks.task import Inputs, Outcome, labelled_features


def run_together(jobs: Sequence[Job], inputs: Inputs) -> Iterator[Outcome]:
    """Train settings of one task in one process, which orders the public rows once for all."""
    client_data = labelled_features(jobs[0], inputs)
    rows = public_rows(required(inputs.public_manifest))
    by_order = [job.setting.purchase for job in jobs if job.setting.purchase_rule == "kcenter"]
    pool = PublicPool(client_data, rows, min(max(by_order, default=0), len(rows.labels)))
    yield from (outsourced(job, pool) for job in jobs)
