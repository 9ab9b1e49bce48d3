"""A task with images as the plan sees it: its settings, their jobs, the cuts and networks there."""

from collections.abc import Callable, Iterator, Mapping
from typing import Any

from fbftl.ground.errors import UserError
from fbftl.study import methods
from fbftl.study.clients import Dealing
from fbftl.study.model.training import ImageTraining
from fbftl.study.record import MethodRecord
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


def needed(setting: Setting) -> list[str]:
    """Return the values of the block `privacy` that a setting's mechanism needs."""
    printed = setting.mechanism == "relative" and setting.epsilon is not None
    return [*NEEDED[setting.mechanism], *(["delta"] if printed else [])]


PROTECTING_UPDATES = ("dp_fedavg", "update_gaussian")
"""Mechanisms whose noise is on what clients make of their samples, not on samples."""

READERS: dict[str, Callable[[MethodRecord], bool]] = {
    **dict.fromkeys(("dropout", "batch_norm"), lambda of: of.trains_network),
    **dict.fromkeys(
        ("rounds", "local_batch", "optimiser", "decay", "absent_classes"),
        lambda of: of.sends == "local",
    ),
    "annealing": lambda of: of.sends == "local" or of.anneals,
    **dict.fromkeys(("server_learning_rate", "server_batch"), lambda of: of.knows("server_epochs")),
}
"""Which methods read a training value that not all do; the jobs of others are not told."""

MANY_CLIENTS = 1000
"""Clients that have every budget of a law, where the number is not known yet."""


def settled(setting: Setting, block: Mapping[str, Any]) -> Setting:
    """Return a setting as a task with images runs it: the task's own cut needs no naming."""
    if _on_features(setting) and setting.cut == block["features"]["cut"]:
        return setting.with_axes(cut=None)
    return setting


def faults(
    setting: Setting, task: str, block: Mapping[str, Any], dealing: Dealing
) -> Iterator[str]:
    """Yield why a task cannot run a setting, each with its remedy.

    Args:
        setting: what an experiment asks for.
        task: the task's name.
        block: its block of the configuration.
        dealing: of its samples to clients, under the setting.
    """
    record, training = methods.record(setting.method), _training(setting, block)
    if setting.cut is not None and _on_features(setting):
        if setting.cut not in block["features"]["further_cuts"]:
            yield f"add its cut to tasks.{task}.features.further_cuts"
        if setting.mechanism == "gaussian" and "norm" not in block["privacy"]["feature_clip"]:
            yield (
                f"give tasks.{task}.privacy.feature_clip a norm, public features are extracted at "
                "the task's own cut only"
            )
    known = ", ".join(block["networks"]) or "none"
    if setting.network is not None and setting.network not in block["networks"]:
        yield f"the networks in tasks.{task}.networks are: {known}"
    masked = record.trains_network and setting.aggregation != "open"
    if masked and training["clients_per_round"] < 2:
        yield (
            "a masked sum of one client shows what it sent: give clients_per_round at least 2, or "
            "aggregation: open"
        )
    yield from _width_faults(setting, block, dealing)
    for key in ("source_models", "architectures"):
        if key in record.further and not block[key]:
            yield f"give tasks.{task}.{key}, which {setting.method} needs"
    for name in _named(record.further, block):
        if name not in block["networks"]:
            yield f"it has no network '{name}', those it has are: {known}"
    if "source_models" in record.further and setting.network != block["source_models"]["network"]:
        yield (
            f"its source models have the network '{block['source_models']['network']}', which no "
            "other can take over: give the setting that network"
        )
    if setting.mechanism in PROTECTING_UPDATES and (
        training["selection"] == "validation" or training["validation"] > 0
    ):
        # What features under noise are trained to is judged by uploads under noise, no release.
        yield (
            f"{setting.mechanism} protects updates, and an epoch chosen on samples that clients "
            "hold out is outside of its guarantee: give privacy.training or the task's training "
            "selection: last and validation: 0"
        )
    yield from record.task_faults(setting, block, training)
    if setting.clients_per_round and not _samples(setting, block) and record.sends == "once":
        yield (
            "a step takes the samples of clients_per_round clients, but those of a client are "
            "unknown: give samples_per_client"
        )
    for key, why in _without_effect(setting.method, block):
        yield f"tasks.{task}.methods.{setting.method}.{key} has no effect: leave it out, {why}"
    for key in ("annealing", "absent_classes"):
        if key in record.ignores and training[key] != ImageTraining.model_fields[key].default:
            yield (
                f"{setting.method} makes nothing of training.{key}: leave it out, or give it to "
                f"those who read it, under tasks.{task}.methods"
            )


def _width_faults(setting: Setting, block: Mapping[str, Any], dealing: Dealing) -> Iterator[str]:
    """Yield widths that the network does not have, and budgets below the narrowest."""
    record = methods.record(setting.method)
    budgeted = record.knows("budgets")
    if setting.width == 1 and (record.whole_at_full_width or not budgeted):
        return
    if setting.network is None:
        yield "widths are for a network of its own: give the axis network"
        return
    try:
        narrowed(block["networks"][setting.network], setting.width)
        if budgeted:
            clients = dealing.spec["clients"] or MANY_CLIENTS
            budgets(setting.budgets, clients, bases_in(setting.width))
    except UserError as error:
        yield str(error)


def _without_effect(method: str, block: Mapping[str, Any]) -> Iterator[tuple[str, str]]:
    """Yield training values that a method is given and makes nothing of, and whom they are for."""
    readers = READERS | {"epochs": lambda of: of.sends != "local"}
    for key in block["methods"].get(method, ()):
        reading = filter(readers.get(key, bool), methods.RECORDS)
        names = [each.name for each in reading if key not in each.ignores]
        if method not in names:
            yield key, f"it is for {', '.join(names)}"


def job(setting: Setting, block: Mapping[str, Any]) -> dict[str, Any]:
    """Return what a job depends on beside task, setting and seeds, in builtin types."""
    record, privacy = methods.record(setting.method), block["privacy"]
    training = {
        key: value
        for key, value in _training(setting, block).items()
        if key not in READERS or (READERS[key](record) and key not in record.ignores)
    }
    # Only features of a frozen extractor have a public quantile; others have the axis of that name.
    kept = [k for k in needed(setting) if k != "feature_clip" or _on_features(setting)]
    named = {} if setting.network is None else {"network": _network(setting, block)}
    named |= record.block(setting, block) | _noised_features(setting, block)
    return {
        # Groups are for who judges; nothing that sends may know them.
        "clients": {key: value for key, value in block["clients"].items() if key != "groups"},
        "training": training,
        "privacy": {key: privacy[key] for key in dict.fromkeys([*kept, *record.privacy])},
        "block": {"head": block["head"], **named},
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
    client_part = setting.deviations().get("client_part")
    return described | ({} if client_part is None else {"cut": client_part})


def _named(keys: tuple[str, ...], block: Mapping[str, Any]) -> list[str]:
    """Return the networks that are named by what everybody may read."""
    architectures = block["architectures"] if "architectures" in keys else ()
    sources = [block["source_models"]["network"]] if "source_models" in keys else ()
    return [*architectures, *sources]


def reads(setting: Setting) -> tuple[str, ...]:
    """Return the names of the files that a setting is trained from."""
    read = ("features", "network") if _on_features(setting) else ("clients", "weights", "source")
    further = methods.record(setting.method).further
    return (*read, *(key for key in ("open_data", "source_models") if key in further))


def _training(setting: Setting, block: Mapping[str, Any]) -> dict[str, Any]:
    """Return the training values of a setting: FbFTL steps by samples of clients of a round."""
    sends = methods.record(setting.method).sends
    training = block["training"] | block["methods"].get(setting.method, {})
    if setting.mechanism == "dp_fedavg":
        training |= block["privacy"]["training"]
    clients, samples = setting.clients_per_round, _samples(setting, block)
    if clients is not None:
        training["clients_per_round"] = clients
        training |= {"batch": clients * samples} if samples and sends == "once" else {}
    return training


def _samples(setting: Setting, block: Mapping[str, Any]) -> int:
    """Return the samples of a client; 0 where the number of clients is given instead."""
    return setting.samples_per_client or block["clients"]["samples_per_client"] or 0


def _on_features(setting: Setting) -> bool:
    return methods.record(setting.method).reads == "features"
