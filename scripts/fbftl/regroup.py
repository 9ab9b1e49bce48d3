"""Clients of another size: a setting's own number of samples per client K."""

import numpy as np

from fbftl.job import Job
from fbftl.partition import partition


def clients_of(job: Job, client: np.ndarray, labels: np.ndarray) -> np.ndarray:
    """Return the client of every sample under a setting.

    Args:
        job: a setting without its own K keeps the task's clients.
        client: (n,) client of each sample in the task's partition.
        labels: (n,) labels, for partitions that depend on them.
    """
    if job.setting.samples_per_client is None:
        return client
    own = {"samples_per_client": job.setting.samples_per_client, "clients": None}
    spec = dict(job.clients) | own
    return partition(labels, spec, job.clients["seed"])
