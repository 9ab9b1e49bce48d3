"""One-shot methods deployed: clients send statistics of their samples, the server solves a head.

Regularisation is chosen by the statistics of held-out clients, as in a study.
"""

from collections.abc import Iterator
from typing import Any

import numpy as np

from fbftl.data.participation import by_first_sample, held_out, participating
from fbftl.exchange.arrivals import (
    ClientPlan,
    Exchange,
    Request,
    Served,
    ServerPlan,
    enter,
    protected_by_a_study,
)
from fbftl.exchange.post import Post
from fbftl.features.store.reader import open_store
from fbftl.ground.errors import UserError
from fbftl.messages.channel import link_of
from fbftl.messages.codec import Compression, CorruptMessage
from fbftl.messages.ledger import Ledger
from fbftl.messages.statistics import Statistics, length
from fbftl.methods.one_shot.message import Summary
from fbftl.methods.one_shot.messages.statistics import StatisticsMessage
from fbftl.privacy.mechanisms import no_mechanism
from fbftl.study.job import Job


def answer(plan: ClientPlan, request: Request, remembered: dict[str, Any]) -> list[bytes]:
    """Return a client's one message.

    Args:
        plan: with the rows of the client's samples.
        request: for it.
        remembered: nothing; a client is asked once.
    """
    store = open_store(plan.files["manifest"]).read("train", np.array(plan.rows))
    message = StatisticsMessage(plan.setting.classes, store.values.shape[1])
    summary = message.summary(plan.client, store.values, store.labels.astype(np.int64))
    return [summary.sent(Compression(plan.setting.job.setting.bits))[0]]


def obstacles(job: Job) -> Iterator[str]:
    """Yield why a setting cannot be deployed."""
    setting = job.setting
    if setting.message != "statistics":
        yield f"its message is {setting.message}, and statistics are what is deployed"
    if setting.gram != "triangle" or setting.levels != "spanning":
        yield "its gram or levels are for studies; give gram triangle and levels spanning"
    yield from protected_by_a_study(job)


def serve(plan: ServerPlan, exchange: Exchange) -> Served:
    """Ask for all messages and solve the head from those that arrive.

    Args:
        plan: who holds which row, and the files of the test split.
        exchange: with the clients.

    Raises:
        UserError: if nothing arrives.
    """
    # Imported here: they import torch, which a client answers without.
    from fbftl.exchange.served_rounds import features_at_server
    from fbftl.methods.one_shot.run import solved_on_features
    from fbftl.methods.one_shot.summaries import Learned
    from fbftl.training.logistic import score_of_linear

    job, seed = plan.setting.job, plan.setting.seed
    server = features_at_server(plan)
    client = server.partition.client
    offered = participating(client, job.setting.fraction, seed)
    owner = by_first_sample(client, np.array(plan.sample))[0]
    taking_part = np.flatnonzero(np.isin(owner, client[offered]))
    message = StatisticsMessage(server.classes, server.width)
    request = Request(owner[taking_part].tolist())
    came = exchange.request(request, lambda _, messages: statistics_of(messages, message))
    if not came:
        raise UserError("no message arrived, so that there is nothing to solve; see the log")
    ledger = Ledger(method=job.setting.method, store=server.provenance["features"])
    link, compression = link_of(job.setting, server.block_bits), Compression(job.setting.bits)
    post = Post(ledger, link, seed, no_mechanism(), compression)
    post.deploy(server.frozen_floats)
    messages = [came[one].messages[0] if one in came else None for one in owner.tolist()]
    numbers = length(server.classes, server.width)
    receipt = enter(post, {"statistics": numbers}, owner, messages)
    received = receipt.client[receipt.arrives]
    training, validation = (
        np.intersect1d(owner[places], received)
        for places in held_out(taking_part, job.training.validation, seed)
    )

    def known(clients: np.ndarray) -> Statistics:
        return message.combined((one, came[one].content) for one in clients.tolist())

    other = known(validation) if len(validation) else None
    none = np.zeros(0, dtype=np.int64)
    learned = Learned(known(training), other, server.classes, none, offered, {})
    solved = solved_on_features(job, learned, seed)
    return Served.of(score_of_linear(server, solved.head).record, ledger)


def statistics_of(messages: list[bytes], message: StatisticsMessage) -> Summary:
    """Return what a client's one message says.

    Raises:
        CorruptMessage: if it is damaged, or holds no statistics of such features.
    """
    if len(messages) != 1:
        raise CorruptMessage(f"it has {len(messages)} messages, not one")
    summary = Summary.of_message(messages[0], message.classes)
    shapes = [summary.counts.shape, *(table.rows.shape for table in summary.tables)]
    upper = message.width * (message.width + 1) // 2
    if shapes != [(message.classes,), (message.classes, message.width), (1, upper)]:
        raise CorruptMessage(f"it has tables of {shapes}, which are no statistics")
    return summary
