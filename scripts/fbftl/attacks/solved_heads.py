"""Heads solved from messages, as a population that membership attacks look at."""

from fbftl.attacks.head_membership import test_split
from fbftl.attacks.shadows import Population, population
from fbftl.methods.one_shot.run import seen, send_all_seeds, solve_each
from fbftl.study.job import Job
from fbftl.tasks.task import LabelledFeatures


def solved(job: Job, client_data: LabelledFeatures) -> Population:
    """Return a setting's heads as a population; samples that none has seen are the test split."""
    sent = send_all_seeds(job, client_data)
    test, labels_of_test = test_split(client_data)
    scores, unseen = zip(
        *(
            (solution.head.scores(client_data.payload.values), solution.head.scores(test))
            for solution in solve_each(job, client_data, sent)
        ),
        strict=True,
    )
    members, offered = zip(
        *((seen(job, learned), learned.offered) for learned in sent.learned), strict=True
    )
    labels = client_data.payload.labels
    return population(scores, labels, members, offered, unseen, labels_of_test)
