"""A task with images as the plan sees it: its settings, their jobs, the cuts and networks there."""

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from fbftl.ground.errors import UserError
from fbftl.study import methods
from fbftl.study.clients import dealing
from fbftl.study.game import require_game
from fbftl.study.settings import Setting
from fbftl.study.uploads import is_plain
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

OF_SCALE = ("public_scale",)
"""Those that methods need which scale their inputs by public samples."""


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
        setting = replace(setting, cut=None)
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
        known = ", ".join(block["networks"]) or "none"
        raise UserError(f"{where}; the networks in tasks.{task}.networks are: {known}")
    if methods.record(setting.method).trains_network:
        _require_statistics(where, setting, block)
        _require_company(where, setting, block)
    if methods.record(setting.method).knows("norms"):
        _require_robust(where, setting, block)
    _require_widths(where, setting, block)
    _require_further(where, setting, task, block)
    if methods.record(setting.method).knows("adversary"):
        require_game(where, setting, block, _training(setting, block))
    _require_meaning(setting, task, block)


def _require_meaning(setting: Setting, task: str, block: Mapping[str, Any]) -> None:
    """Refuse training values that a method is given and makes nothing of."""
    own = block["methods"].get(setting.method, {})
    if not own:
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
        if key in own and setting.method not in names:
            raise UserError(
                f"config: tasks.{task}.methods.{setting.method}.{key} says nothing; leave it out, "
                f"it is for methods {which}: {', '.join(names)}"
            )


def _require_further(where: str, setting: Setting, task: str, block: Mapping[str, Any]) -> None:
    """Refuse a method whose source models or architectures the task does not tell of."""
    further = methods.record(setting.method).further
    for key in ("sources", "architectures"):
        if key in further and not block[key]:
            raise UserError(f"{where}; tell tasks.{task}.{key}, which {setting.method} needs")
    named = list(block["architectures"]) if "architectures" in further else []
    if "sources" in further:
        named.append(block["sources"]["network"])
    for name in named:
        if name not in block["networks"]:
            known = ", ".join(block["networks"]) or "none"
            raise UserError(f"{where}: it has no network '{name}'; those it has are: {known}")
    if "sources" in further and setting.network != block["sources"]["network"]:
        raise UserError(
            f"{where}: its source models have the network '{block['sources']['network']}', which "
            "no other can take over; give the setting that network"
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
    dealt = dealing(block["clients"], setting)
    training, local = _training(setting, block), methods.record(setting.method).sends == "local"
    alone = dealt["clients"] is None and dealt["samples_per_client"] == 1
    alone = alone or (local and (setting.local_batch or training.get("local_batch")) == 1)
    if normalises and alone and training["batch_norm"] == "batch":
        raise UserError(
            f"{where}; a batch of one sample has no statistics: give samples_per_client and "
            "local_batch at least 2, or training.batch_norm: frozen"
        )


def _require_robust(where: str, setting: Setting, block: Mapping[str, Any]) -> None:
    """Refuse what training on disturbed inputs cannot do."""
    if block["source"]["kind"] == "vectors":
        raise UserError(
            f"{where}; what is disturbed are pixels, and columns or features would be another "
            "threat: give the task images"
        )
    normalised = setting.network and block["networks"][setting.network]["norm"] == "batch"
    training = _training(setting, block)
    if not normalised or training["batch_norm"] != "batch":
        raise UserError(
            f"{where}; disturbed inputs are normalised apart: name a network with norm: batch, and "
            "set training.batch_norm: batch"
        )
    if training["selection"] != "last" or block["features"]["size"] is not None:
        raise UserError(
            f"{where}; robustness is measured after the last round on images of their own size: "
            "set training.selection: last and features.size: null"
        )


MANY_CLIENTS = 1000
"""Clients that have every budget of a law, where the number is not known yet."""


def _require_widths(where: str, setting: Setting, block: Mapping[str, Any]) -> None:
    """Refuse widths that the network does not have, and budgets below the narrowest."""
    budgeted = methods.record(setting.method).knows("budgets")
    if setting.width == 1 and not budgeted:
        return
    if setting.network is None:
        raise UserError(f"{where}; widths are for a network of its own, give the axis network")
    try:
        narrowed(block["networks"][setting.network], setting.width)
        if budgeted:
            clients = dealing(block["clients"], setting)["clients"] or MANY_CLIENTS
            budgets(setting.budgets, clients, bases_in(setting.width))
    except UserError as error:
        raise UserError(f"{where}: {error}") from error


def _require_company(where: str, setting: Setting, block: Mapping[str, Any]) -> None:
    """Refuse masked rounds of one client, whose sum is its message."""
    masked = setting.aggregation == "masked"
    if masked and _training(setting, block)["clients_per_round"] < 2:
        raise UserError(
            f"{where}; a masked sum of one client shows what it sent: give clients_per_round at "
            "least 2, or aggregation: open"
        )


def job(setting: Setting, block: Mapping[str, Any]) -> dict[str, Any]:
    """Return what a job depends on beside task, setting and seeds, in builtin types."""
    training, privacy = _training(setting, block), block["privacy"]
    record = methods.record(setting.method)
    untold = () if record.trains_network else IN_NETWORKS
    untold += () if record.sends == "local" else IN_LOCAL_EPOCHS
    untold += () if record.knows("server_epochs") else IN_RETRAINING
    training = {key: value for key, value in training.items() if key not in untold}
    # Only features of a frozen extractor have a public quantile; others have the axis of that name.
    needed = [k for k in NEEDED[setting.mechanism] if k != "feature_clip" or _on_features(setting)]
    needed += OF_SCALE if "dp_gd" in record.mechanisms else ()
    # A client that gives labels protects them, whatever its counts.
    needed += ("delta",) if record.knows("labels") and "delta" not in needed else ()
    named = {} if setting.network is None else {"network": _network(setting, block)}
    plain = setting.method != "fbftl" or is_plain(setting)
    solved = {} if plain else {"one_shot": block["one_shot"]}
    named |= {"game": block["game"]} if record.knows("adversary") else {}
    named |= _of_cloud(block) if record.knows("purchase") else {}
    named |= _noised_features(setting, block)
    return {
        # Groups are for who judges; nothing that sends may know them.
        "clients": {key: value for key, value in block["clients"].items() if key != "groups"},
        "training": training,
        "privacy": {key: privacy[key] for key in needed},
        "block": {"head": block["head"], **named, **solved, **_further(record.further, block)},
    }


def _noised_features(setting: Setting, block: Mapping[str, Any]) -> dict[str, Any]:
    """Return what features rest on, which the noise on them is keyed by; nothing without noise."""
    if not _on_features(setting) or (setting.mechanism == "none" and setting.label_epsilon is None):
        return {}
    features = {key: block["features"].get(key) for key in ("cut", "size")}
    return {"source": {"model": block["source"], "features": features}}


def _of_cloud(block: Mapping[str, Any]) -> dict[str, Any]:
    """Return what a job is told of the public samples that are sold, and of heads on them."""
    sources = [{"domains": one["domains"]} for one in block["public"]["sources"]]
    told = {key: block[key] for key in ("one_shot", "outsourcing")}
    return {"public": {"sources": sources}, **told}


def _network(setting: Setting, block: Mapping[str, Any]) -> dict[str, Any]:
    """Return the network that a job is told, cut where the setting says.

    It is whole where its clients train several widths of it.
    """
    network = block["networks"][setting.network]
    several = methods.record(setting.method).knows("budgets")
    told = network if several or setting.width == 1 else narrowed(network, setting.width)
    return told | ({} if setting.client_part is None else {"cut": setting.client_part})


def _further(keys: tuple[str, ...], block: Mapping[str, Any]) -> dict[str, Any]:
    """Return what a job is told of what everybody may read; open data lie in a file."""
    told: dict[str, Any] = {}
    if "sources" in keys:
        told["sources"] = block["sources"]["models"]
    if "architectures" in keys:
        told["architectures"] = [block["networks"][name] for name in block["architectures"]]
    return told


def reads(setting: Setting) -> tuple[str, ...]:
    """Return the names of the files that a setting is trained from."""
    read = ("features", "network") if _on_features(setting) else ("clients", "weights", "source")
    further = methods.record(setting.method).further
    return (*read, *(key for key in ("open", "sources") if key in further))


def _training(setting: Setting, block: Mapping[str, Any]) -> dict[str, Any]:
    training = block["training"] | block["methods"].get(setting.method, {})
    under_privacy = setting.mechanism == "dp_fedavg"
    return training | block["privacy"]["training"] if under_privacy else training


def _on_features(setting: Setting) -> bool:
    return methods.record(setting.method).reads == "features"
