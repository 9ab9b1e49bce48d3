"""A client of a run: it reads its own rows and answers requests, whatever carries them.

Torch is imported by clients that train, and by those that extract features from images.
"""

from typing import Any

import numpy as np
from fbftl.exchange.arrivals import ClientAnswer, Request
from fbftl.features.store.opening import open_store
from fbftl.privacy.mechanisms import no_mechanism

from fbftl_deploy.dealer import key_of
from fbftl_deploy.plans import ClientPlan

Memory = dict[str, Any]
"""Bytes that stay with a client from request to request."""


UPLOADED = "uploaded"
"""Name of the messages that a client has uploaded."""


def answer(plan: ClientPlan, request: Request, memory: Memory) -> ClientAnswer:
    """Return what a client answers to a request.

    Args:
        plan: what it was told before the run.
        request: as it came.
        memory: what stays with the client; changed in place.

    Raises:
        ValueError: if it is asked for what its setting does not send.
    """
    messages = tuple(_messages(plan, request, memory))
    return ClientAnswer(request.run, request.request_number, plan.client, messages)


def _messages(plan: ClientPlan, request: Request, memory: Memory) -> list[bytes]:
    match plan.setting.job.setting.method, request.kind:
        case "fbftl", "uploads":
            return _uploads(plan, memory)
        case "one_shot", "summary" | "scores" | "sums":
            return _one_shot(plan, request)
        case "ftl_c", "update":
            return _update(plan, request, memory)
        case "fedavg", "weights":
            return _weights(plan, request)
        case method, _:
            raise ValueError(f"a client of {method} answers no request for {request.kind}")


def _uploads(plan: ClientPlan, memory: Memory) -> list[bytes]:
    """Return what a client uploads; whoever asks again gets the same.

    A second draw of noise would be a second release of the same samples.
    """
    from fbftl.exchange.sending import sending
    from fbftl.messages.vectors import Vectors
    from fbftl.methods.fbftl.answering import repeated_uploads, uploads

    if UPLOADED in memory:
        return list(memory[UPLOADED])
    values, labels, sample = samples_of(plan)
    payload = Vectors(values, labels, sample, plan.setting.classes)
    public = None
    if manifest := plan.files.get("public_manifest"):
        public = open_store(manifest).read("train").values
    how = sending(plan.setting.job, payload, public)
    if plan.setting.repeat:
        return repeated_uploads(how, plan.setting.seed)
    memory[UPLOADED] = uploads(how)
    return list(memory[UPLOADED])


def _one_shot(plan: ClientPlan, request: Request) -> list[bytes]:
    from fbftl.methods.one_shot.answering import OneShotClient

    setting = plan.setting
    values, labels, _ = samples_of(plan)
    client = OneShotClient(
        setting.job, setting.seed, plan.client, values, labels, setting.classes,
        setting.taking_part, setting.samples, setting.members, no_mechanism(),
    )  # fmt: skip
    if request.kind == "summary":
        return client.summary()
    if request.kind == "scores":
        return client.scores(request.messages)
    if plan.dealer is None:
        raise ValueError("a client without a dealer masks nothing")
    return client.masked_sums(request.round_or_sum, key_of(plan.dealer, plan.client))


def _update(plan: ClientPlan, request: Request, memory: Memory) -> list[bytes]:
    from fbftl.methods.ftl_c.answering import update
    from fbftl.tasks.party import features_at_client

    values, labels, _ = samples_of(plan)
    client_data = features_at_client(_inputs(plan), values, labels, plan.setting.classes)
    job, seed = plan.setting.job, plan.setting.seed
    return update(job, seed, client_data, request, memory)


def _weights(plan: ClientPlan, request: Request) -> list[bytes]:
    from fbftl.methods.fedavg.answering import weights
    from fbftl.tasks.party import samples_at_client

    client_data = samples_at_client(_inputs(plan), np.array(plan.rows), plan.setting.classes)
    job, seed = plan.setting.job, plan.setting.seed
    return weights(job, seed, client_data, request, plan.position)


def samples_of(plan: ClientPlan) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Return a client's features (n, d) float32, labels (n,) and sample numbers (n,)."""
    rows = np.array(plan.rows, dtype=np.int64)
    if plan.source == "images":
        return _extracted(plan, rows)
    stored = open_store(plan.files["manifest"]).read("train", rows)
    return stored.values, stored.labels.astype(np.int64), stored.sample


def _extracted(plan: ClientPlan, rows: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Return the same of images that go through the extractor here, all of them in one batch."""
    from fbftl.data.clients import ClientFile
    from fbftl.features.images import extraction

    device = str(_inputs(plan).device)
    files, features = plan.files, plan.features
    with ClientFile(files["clients"]) as file:
        parts = [file.rows("train", row, row + 1) for row in rows.tolist()]
        pixels = np.concatenate([np.asarray(part.arrays["pixels"]) for part in parts])
        extractor = extraction(file, files["weights"], files["source"], features, device)
    cut = plan.setting.job.setting.cut or features["cut"]
    outputs = extractor.forward(extractor.stage({"pixels": pixels}))
    values = np.asarray(outputs[cut], dtype=np.float32)
    labels = np.concatenate([np.asarray(part.arrays["label"]) for part in parts])
    return values, labels.astype(np.int64), np.concatenate([part.sample for part in parts])


def _inputs(plan: ClientPlan) -> Any:
    """Return a client's files, and torch prepared as a study's jobs prepare it."""
    from fbftl.ground.devices import prepare
    from fbftl.tasks.task import Inputs

    return Inputs.at(plan.files, prepare("cpu", 1))
