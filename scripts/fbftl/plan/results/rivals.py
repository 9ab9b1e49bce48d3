"""Rivals: what a client may upload instead of its features, and what a user gets for it."""

from typing import Any

from fbftl.plan import paths
from fbftl.plan.call import Call
from fbftl.plan.entries import Entry, Result, WrittenOut, axes, findings, of_task, printed, setup
from fbftl.plan.paths import EXPERIMENT, TASK
from fbftl.plan.results.fbftl import INVERTED
from fbftl.study.config import Study
from fbftl.study.uploads import READ

OF_EXPERIMENT: dict[str, list[Entry]] = {}

UPLOADED = (*READ, "epsilon")
"""Axes that tell an upload apart."""

UNTIL = (
    "local_epochs", "clients_per_round", "client_rate", "server_optimiser", "server_rate", "bits",
    "keep", "feedback", "start", "start_bits", "start_keep",
)  # fmt: skip
"""Axes that tell training by rounds apart."""

CODEC = ("keep", "levels", "gram", "test_features")
"""Axes of the codec beside its bits."""

DEALT = ("samples_per_client", "partition", "alpha")
"""Axes by which clients are dealt their samples."""


FRONTS = {
    "front": "bits and client sizes",
    "front_heads": "heads",
    "front_codec": "codec",
    "front_skew": "label skew",
    "front_second": "a second backbone",
    "front_elements": "few elements, few samples",
}
"""Experiments whose table sets every upload beside all others, and what each varies."""


def radio(study: Study, task: str, *_: str) -> dict[str, Any]:
    """Return what sending costs over the air."""
    return study.config["radio"]


def studies_with_uploads(call: Call) -> dict[str, Study]:
    """Return, by task, the study of each on which uploads are compared, made or finished here."""
    tasks = [task for task, experiments in call.finished.items() if "uploads" in experiments]
    studies = {task: call.study_of(task) for task in tasks}
    return {t: study for t, study in studies.items() if "uploads" in study.settings.get(t, {})}


def tidy_tables_of_uploads(call: Call) -> list[str]:
    """Return the tidy table of the uploads on every task that has one."""
    return [paths.tidy(task, "uploads") for task in studies_with_uploads(call)]


def axes_of_uploads(call: Call) -> dict[str, Any]:
    """Return the axes in which uploads of any task deviate, with their defaults."""
    deviating: dict[str, Any] = {}
    for task, study in studies_with_uploads(call).items():
        deviating |= study.axes_of(task, "uploads", read=UPLOADED)
    return deviating


def setups_with_uploads(call: Call) -> dict[str, dict[str, str]]:
    """Return the setup of each of these tasks."""
    return {task: setup(study, task) for task, study in studies_with_uploads(call).items()}


def figure_by_axis(chapter: str, title: str, axis: str, *further: str) -> Result:
    """Return the figure of uploads along an axis, with what the task itself has of it."""
    of_own = {"samples_per_client": of_task("clients", "samples_per_client")}
    params = {"axis": axis, "task_value": of_own.get(axis)} | axes(*UPLOADED, axis, *further)
    return Result("plot_rivals.uploads_by", chapter, title, params=params, stem=EXPERIMENT)


OF_EXPERIMENT["uploads"] = [
    Result(
        "tabulate_rivals.uploads", "cost", "What to upload",
        params=axes(*UPLOADED) | {"radio": radio, "training": of_task("training")},
    ),
    Result("plot_rivals.uploads", "cost", "Accuracy against uplink"),
]  # fmt: skip

OF_EXPERIMENT |= {
    name: [
        Result(
            "tabulate_front.front", "cost", f"What a client should upload: {what}",
            params=axes(*UPLOADED, *CODEC, *DEALT) | {"client_block": of_task("clients")},
            stem=EXPERIMENT,
        )
    ]
    for name, what in FRONTS.items()
}  # fmt: skip

OF_EXPERIMENT["front"] += [
    Result("plot_front.upload_sizes", "cost", "Uplink for raw accuracy"),
    Result("plot_front.upload_front", "cost", "Accuracy against uplink"),
]

OF_EXPERIMENT["uploads_clients"] = [
    figure_by_axis("cost", "Uploads by client size", "samples_per_client"),
]

OF_EXPERIMENT["uploads_skew"] = [figure_by_axis("cost", "Uploads by label skew", "alpha")]

OF_EXPERIMENT["uploads_loss"] = [figure_by_axis("loss", "Accuracy by packet loss", "plr", "blr")]

OF_EXPERIMENT["uploads_ring"] = [
    Result(
        "tabulate_rivals.rings", "cost", "Bits of masked numbers",
        params=axes(*UPLOADED, "fraction_bits"),
    )
]  # fmt: skip

OF_EXPERIMENT["uploads_privacy"] = [
    Result(
        "tabulate_rivals.trust", "privacy", "Accuracy by trust model",
        {"tidy": paths.tidy(TASK, EXPERIMENT), "attacked": paths.findings(TASK, "trust")},
        axes(*UPLOADED, "label_epsilon"),
    ),
    Result(
        "plot_rivals.trust", "privacy", "Accuracy by trust model",
        {"table": paths.table(TASK, "trust")},
    ),
    WrittenOut("figures/means", "privacy", "Images reconstructed from class means"),
    Result(
        "tabulate_attacks.upload_attacks", "privacy", "Attacks on uploads",
        findings("uploads", "means"),
    ),
    Result(
        "tabulate_attacks.membership", "privacy", "Membership attacks on solved heads",
        {"attempts": paths.findings(TASK, "uploads_by_attack")}, stem="upload_membership",
    ),
]  # fmt: skip

OF_EXPERIMENT["rounds"] = [
    Result(f"{script}.rounds", "cost", "Rounds on the head", params=axes(*UNTIL))
    for script in ("tabulate_rounds", "plot_rounds")
]  # fmt: skip

OF_EXPERIMENT["rounds_tuning"] = [
    Result(
        "tabulate_rounds.rounds", "cost", "Rates picked for rounds",
        params=axes(*UNTIL), stem="rounds_tuning",
    )
]  # fmt: skip

OF_EXPERIMENT["rival_inverted"] = [INVERTED]

OF_EXPERIMENT["front_inverted"] = [INVERTED]

OF_EXPERIMENT["front_attacks"] = [
    Result(
        "tabulate_attacks.membership", "privacy", "Membership attacks on short uploads",
        {"attempts": paths.findings(TASK, "front_by_attack")}, stem="short_membership",
    )
]  # fmt: skip

OF_PAPER: list[Entry] = [
    Result(
        "tabulate_rivals.published_rivals", "audit", "Published accuracies of baselines",
        {"runs": tidy_tables_of_uploads} | printed(printed="rivals/accuracy.csv"),
        {"axes": axes_of_uploads, "tasks": setups_with_uploads}, stem="published",
    ),
]  # fmt: skip
