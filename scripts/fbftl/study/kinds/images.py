"""A task with images as the plan sees it: its settings, their jobs, the cuts and networks there."""

from collections.abc import Mapping
from typing import Any

from fbftl.ground.errors import UserError
from fbftl.study import methods
from fbftl.study.clients import partition_of
from fbftl.study.job import VALIDATED, most_epochs
from fbftl.study.settings import Setting
from fbftl.study.widths import bases_in, budgets, narrowed

NEEDED: dict[str, tuple[str, ...]] = {
    "none": (),
    "relative": (),
    "gaussian": ("delta", "feature_clip"),
    "dp_fedavg": ("delta", "update_clip"),
    "feature_gaussian": ("delta",),
    "feature_laplace": (),
    "dp_gd": ("delta", "gradient_clip"),
    "laplace": ("activation_clip",),
    "update_gaussian": ("delta", "update_clip"),
    "counts": ("delta",),
}
"""The values of the block `privacy` that each mechanism needs; a job is given no others."""

PROTECTING_UPDATES = ("dp_fedavg", "update_gaussian")
"""Mechanisms whose noise is on what clients make of their samples, not on samples."""

IN_NETWORKS = ("dropout", "batch_norm")
"""Training values for methods whose clients train a network; the jobs of others are not told."""

IN_LOCAL_EPOCHS = ("rounds", "local_batch", "optimiser", "decay", "annealing", "absent_classes")
"""Training values that only methods with local epochs read."""

IN_RETRAINING = ("server_learning_rate", "server_batch")
"""Training values that only methods read whose server retrains the classifier."""


def settled(setting: Setting, task: str, block: Mapping[str, Any]) -> Setting:
    """Return a setting as a task with images runs it: the task's own cut needs no naming.

    Args:
        setting: what an experiment asks for.
        task: the task's name.
        block: its block of the configuration.

    Raises:
        UserError: naming task, setting and remedy, as `check`.
    """
    if _on_features(setting) and setting.cut == block["features"]["cut"]:
        setting = setting.with_axes(cut=None)
    check(setting, task, block)
    return setting


def check(setting: Setting, task: str, block: Mapping[str, Any]) -> None:
    """Refuse a cut or network that the task does not have, and training values without effect.

    Raises:
        UserError: naming task, setting and remedy.
    """
    where = f"config: task '{task}' cannot run the setting '{setting.name}'"
    if setting.cut is not None and _on_features(setting):
        _require_features(where, setting, task, block)
    if setting.network is not None and setting.network not in block["networks"]:
        names = ", ".join(block["networks"]) or "none"
        raise UserError(f"{where}; the networks in tasks.{task}.networks are: {names}")
    if methods.record(setting.method).trains_network:
        _require_statistics(where, setting, block)
        _require_company(where, setting, block)
    _require_widths(where, setting, block)
    _require_further(where, setting, task, block)
    training = _training(setting, block)
    _require_no_open_choice(where, setting, training)
    _require_settling(where, setting, task, training)
    for fault in methods.record(setting.method).task_faults(setting, block, training):
        raise UserError(f"{where}; {fault}")
    if _clients_of_round(setting) and not _samples(setting, block) and _sends_once(setting):
        raise UserError(
            f"{where}; a step takes the samples of clients_per_round clients, but those of a "
            "client are unknown: give samples_per_client"
        )
    _require_meaning(setting, task, block)


def _require_no_open_choice(where: str, setting: Setting, training: Mapping[str, Any]) -> None:
    """Refuse to choose an epoch by clients' samples that no noise protects.

    What features under noise are trained to is judged by uploads under noise, which is no release.
    """
    if setting.mechanism not in PROTECTING_UPDATES:
        return
    if training["selection"] == "validation" or training["validation"] > 0:
        raise UserError(
            f"{where}; {setting.mechanism} protects updates, and an epoch chosen on samples that "
            "clients hold out is outside of its guarantee: give privacy.training or the task's "
            "training selection: last and validation: 0"
        )


def _require_meaning(setting: Setting, task: str, block: Mapping[str, Any]) -> None:
    """Refuse training values that a method is given and makes nothing of."""
    values = block["methods"].get(setting.method, {})
    if not values:
        return
    record = methods.record(setting.method)
    trained = [r.name for r in methods.RECORDS if r.trains_network]
    local = methods.names(sends="local")
    meant = {
        **dict.fromkeys(IN_NETWORKS, ("whose clients train a network", trained)),
        **dict.fromkeys(IN_LOCAL_EPOCHS, ("with local epochs", local)),
        **dict.fromkeys(
            IN_RETRAINING,
            ("whose server retrains the classifier", methods.knowing("server_epochs")),
        ),
    }
    if record.sends == "local":
        others = [r.name for r in methods.RECORDS if r.sends != "local"]
        meant["epochs"] = "that count epochs, where this one has rounds", others
    for key, (which, names) in meant.items():
        if key in values and setting.method not in names:
            raise UserError(
                f"config: tasks.{task}.methods.{setting.method}.{key} has no effect; leave it out, "
                f"it is for methods {which}: {', '.join(names)}"
            )


def _require_further(where: str, setting: Setting, task: str, block: Mapping[str, Any]) -> None:
    """Refuse a method whose source models or architectures the task lacks."""
    further = methods.record(setting.method).further
    for key in ("source_models", "architectures"):
        if key in further and not block[key]:
            raise UserError(f"{where}; give tasks.{task}.{key}, which {setting.method} needs")
    named = list(block["architectures"]) if "architectures" in further else []
    if "source_models" in further:
        named.append(block["source_models"]["network"])
    for name in named:
        if name not in block["networks"]:
            names = ", ".join(block["networks"]) or "none"
            raise UserError(f"{where}: it has no network '{name}'; those it has are: {names}")
    if "source_models" in further and setting.network != block["source_models"]["network"]:
        raise UserError(
            f"{where}: its source models have the network '{block['source_models']['network']}', "
            "which no other can take over; give the setting that network"
        )


def _require_features(where: str, setting: Setting, task: str, block: Mapping[str, Any]) -> None:
    """Refuse a cut at which there are no features; who runs the network itself has any."""
    if setting.cut not in block["features"]["further_cuts"]:
        raise UserError(f"{where}; add its cut to tasks.{task}.features.further_cuts")
    if setting.mechanism == "gaussian" and "norm" not in block["privacy"]["feature_clip"]:
        raise UserError(
            f"{where}; give tasks.{task}.privacy.feature_clip a norm, public features are "
            "extracted at the task's own cut only"
        )


def _require_statistics(where: str, setting: Setting, block: Mapping[str, Any]) -> None:
    """Refuse batches of one sample under normalisation by the batch, where that can be known.

    Of the source's architecture only the job knows whether it normalises.
    """
    normalises = setting.network and block["networks"][setting.network]["norm"] == "batch"
    partition = partition_of(block["clients"], setting)
    training, local = _training(setting, block), methods.record(setting.method).sends == "local"
    alone = partition["clients"] is None and partition["samples_per_client"] == 1
    alone = alone or (local and (setting.local_batch or training.get("local_batch")) == 1)
    if normalises and alone and training["batch_norm"] == "batch":
        raise UserError(
            f"{where}; a batch of one sample has no statistics: give samples_per_client and "
            "local_batch at least 2, or training.batch_norm: frozen"
        )


MANY_CLIENTS = 1000
"""Clients that have every budget of a law, where the number is not known yet."""


def _require_widths(where: str, setting: Setting, block: Mapping[str, Any]) -> None:
    """Refuse widths that the network does not have, and budgets below the narrowest."""
    record = methods.record(setting.method)
    budgeted = record.knows("budgets")
    if setting.width == 1 and (record.whole_at_full_width or not budgeted):
        return
    if setting.network is None:
        raise UserError(f"{where}; widths are for a network of its own, give the axis network")
    try:
        narrowed(block["networks"][setting.network], setting.width)
        if budgeted:
            clients = partition_of(block["clients"], setting)["clients"] or MANY_CLIENTS
            budgets(setting.budgets, clients, bases_in(setting.width))
    except UserError as error:
        raise UserError(f"{where}: {error}") from error


def _require_company(where: str, setting: Setting, block: Mapping[str, Any]) -> None:
    """Refuse masked rounds of one client, whose sum is its message."""
    if setting.aggregation != "open" and _training(setting, block)["clients_per_round"] < 2:
        raise UserError(
            f"{where}; a masked sum of one client shows what it sent: give clients_per_round at "
            "least 2, or aggregation: open"
        )


def job(setting: Setting, block: Mapping[str, Any]) -> dict[str, Any]:
    """Return what a job depends on beside task, setting and seeds, in builtin types."""
    training, privacy = _training(setting, block), block["privacy"]
    record = methods.record(setting.method)
    unread: tuple[str, ...] = () if record.trains_network else IN_NETWORKS
    unread += () if record.sends == "local" else IN_LOCAL_EPOCHS
    unread += () if record.knows("server_epochs") else IN_RETRAINING
    training = {key: value for key, value in training.items() if key not in unread}
    # Only features of a frozen extractor have a public quantile; others have the axis of that name.
    needed = [k for k in NEEDED[setting.mechanism] if k != "feature_clip" or _on_features(setting)]
    needed += ["delta"] if setting.mechanism == "relative" and setting.epsilon is not None else []
    needed += [key for key in record.privacy if key not in needed]
    named = {} if setting.network is None else {"network": _network(setting, block)}
    named |= record.block(setting, block) | _noised_features(setting, block)
    return {
        # Groups are for who judges; nothing that sends may know them.
        "clients": {key: value for key, value in block["clients"].items() if key != "groups"},
        "training": training,
        "privacy": {key: privacy[key] for key in needed},
        "block": {"head": block["head"], **named, **_further(record.further, block)},
    }


def _noised_features(setting: Setting, block: Mapping[str, Any]) -> dict[str, Any]:
    """Return what features rest on, which the noise on them is keyed by; nothing without noise."""
    if not _on_features(setting) or (setting.mechanism == "none" and setting.label_epsilon is None):
        return {}
    features = {key: block["features"].get(key) for key in ("cut", "size")}
    return {"source": {"model": block["source"], "features": features}}


def _network(setting: Setting, block: Mapping[str, Any]) -> dict[str, Any]:
    """Return the network that a job is told, cut where the setting says.

    It is whole where its clients train several widths of it.
    """
    network = block["networks"][setting.network]
    several = methods.record(setting.method).knows("budgets")
    described = network if several or setting.width == 1 else narrowed(network, setting.width)
    return described | ({} if setting.client_part is None else {"cut": setting.client_part})


def _further(keys: tuple[str, ...], block: Mapping[str, Any]) -> dict[str, Any]:
    """Return what a job is told of what everybody may read; open data lie in a file."""
    described: dict[str, Any] = {}
    if "source_models" in keys:
        described["source_models"] = block["source_models"]["models"]
    if "architectures" in keys:
        described["architectures"] = [block["networks"][name] for name in block["architectures"]]
    return described


def reads(setting: Setting) -> tuple[str, ...]:
    """Return the names of the files that a setting is trained from."""
    read = ("features", "network") if _on_features(setting) else ("clients", "weights", "source")
    further = methods.record(setting.method).further
    return (*read, *(key for key in ("open_data", "source_models") if key in further))


def _training(setting: Setting, block: Mapping[str, Any]) -> dict[str, Any]:
    training = block["training"] | block["methods"].get(setting.method, {})
    if setting.mechanism == "dp_fedavg":
        training = training | block["privacy"]["training"]
    if training["epochs"] == VALIDATED:
        counting = methods.record(setting.method).sends != "local"
        epochs = most_epochs(VALIDATED)
        training = training | {"epochs": epochs} | ({"until_settled": True} if counting else {})
    return training | _of_rounds(setting, block)


def _require_settling(where: str, setting: Setting, task: str, training: Mapping[str, Any]) -> None:
    """Refuse epochs that validation finds where no server trains on held-out features by them."""
    record = methods.record(setting.method)
    if not training.get("until_settled"):
        return
    if record.reads != "features" or record.sends != "once":
        raise UserError(
            f"{where}; epochs: {VALIDATED} is for heads that a server trains on features: give "
            f"tasks.{task}.methods.{setting.method}.epochs a number"
        )
    if training["validation"] == 0 or training["selection"] != "validation":
        raise UserError(
            f"{where}; epochs: {VALIDATED} goes by held-out samples: give training.validation "
            "above 0 and selection: validation, or a number of epochs"
        )
    if getattr(setting, "loss", "persistent") == "reshuffled":
        raise UserError(
            f"{where}; loss: reshuffled has other samples in every epoch, so that epochs: "
            f"{VALIDATED} would change what is lost: give a number of epochs"
        )


def _of_rounds(setting: Setting, block: Mapping[str, Any]) -> dict[str, Any]:
    """Return what a setting's own number of clients in a round changes: FbFTL steps by samples."""
    clients, samples = _clients_of_round(setting), _samples(setting, block)
    if clients is None:
        return {}
    by_samples = samples > 0 and _sends_once(setting)
    return {"clients_per_round": clients} | ({"batch": clients * samples} if by_samples else {})


def _sends_once(setting: Setting) -> bool:
    return methods.record(setting.method).sends == "once"


def _clients_of_round(setting: Setting) -> int | None:
    """Return the clients of a round where a setting has a number of its own."""
    known = methods.record(setting.method).knows("clients_per_round")
    return setting.clients_per_round if known else None


def _samples(setting: Setting, block: Mapping[str, Any]) -> int:
    """Return the samples of a client; 0 where the number of clients is given instead."""
    return setting.samples_per_client or block["clients"]["samples_per_client"] or 0


def _on_features(setting: Setting) -> bool:
    return methods.record(setting.method).reads == "features"
