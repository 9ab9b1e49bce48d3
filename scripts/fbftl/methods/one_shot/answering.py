"""A client of a deployed one-shot method: it sends the statistics of its own samples."""

from typing import Any

import numpy as np

from fbftl.exchange.arrivals import ClientPlan, Request
from fbftl.features.store.reader import open_store
from fbftl.messages.codec import Compression
from fbftl.methods.one_shot.messages.statistics import StatisticsMessage


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
