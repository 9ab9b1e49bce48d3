"""The messages of a first round are each client's own, by whatever the round trains."""

from hashlib import sha256

import numpy as np
import pyarrow.parquet as pq
import pytest
import torch
from fbftl.data.participation import held_out
from fbftl.features.store.reader import open_store
from fbftl.messages.codec import encode
from fbftl.models.heads import head_module
from fbftl.training.tasks.images_samples import client_samples
from fbftl.training.tasks.task import Inputs
from torch import nn
from unit.training.tasks.toy_task import HEAD, TRAINING, job, train

SEED = 1


def parts(files: dict[str, str], method: str) -> tuple[nn.Module, nn.Module, torch.Tensor, ...]:
    """Return extractor, head, inputs, labels and clients of what a method trains."""
    inputs = Inputs.at(files, torch.device("cpu"))
    of_method = job({"method": method}, None, (SEED,), privacy={})
    client_data = client_samples(of_method, inputs)
    samples, target = client_data.samples, client_data.target
    if method == "ftl_c":
        store = open_store(inputs.manifest).read("train")
        head = head_module([store.values.shape[1], *HEAD, client_data.classes], SEED)
        values, labels = torch.from_numpy(store.values), torch.from_numpy(store.labels).long()
        return nn.Identity(), head, values, labels, store.client
    if method == "ftl_f":
        network = target.transferred(), target.head(of_method, SEED)
    else:
        network = target.random(of_method, SEED)
    whole = samples.at(np.arange(len(samples.labels)))
    return *network, whole.inputs, whole.labels, client_data.partition.client


@pytest.mark.parametrize("method", ["fl", "sfl", "ftl_f", "ftl_c"])
def test_digests_of_the_first_round_are_of_each_clients_own_gradient(files, tmp_path, method):
    _, ledger = train(files, tmp_path, method)
    rows = pq.read_table(ledger).to_pandas().query("seed == @SEED and direction == 'up'")
    first, later = rows[rows["round"] == 1], rows[rows["round"] > 1]
    assert (first["encoded"] == "made").all()
    assert (later["encoded"] == "counted").all()
    assert later["sha256"].isna().all()
    extractor, head, inputs, labels, client = parts(files, method)
    training, _ = held_out(np.arange(len(labels)), TRAINING["validation"], SEED)
    messages = first[first["lost"].notna()]
    assert len(messages) == TRAINING["clients_per_round"]
    for _, row in messages.iterrows():
        client_rows = training[client[training] == row["client"]]
        # Samples of a round by client: how they lie in memory decides the last bit.
        smashed = extractor(inputs[client_rows[None]].flatten(0, 1))
        loss = nn.functional.cross_entropy(head(smashed), labels[client_rows], reduction="sum")
        trained = list(extractor.parameters())
        trained += [] if method == "sfl" else list(head.parameters())
        sent = [smashed.detach()] if method == "sfl" else []
        sent += torch.autograd.grad(loss, trained)
        message = encode(torch.cat([values.flatten() for values in sent]).numpy())
        assert sha256(message).digest() == row["sha256"]
        of_parts = first[first["client"] == row["client"]]
        assert of_parts["bits"].sum() == 8 * len(message)
