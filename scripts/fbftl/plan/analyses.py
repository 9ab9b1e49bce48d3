"""What is found on clients' samples in addition to runs: attacks, influence, choices by a rule.

Findings take as long as training, so they lie in the store under keys of their own; what asks for
each seed of a task has a key a seed. Inputs and values are functions of study and task, as those of
`entries.Result`. The settings that attacks look at protect least first.
"""

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from functools import partial
from typing import Any, Literal

from fbftl.methods.by_name import modules as modules_of_method
from fbftl.plan import paths
from fbftl.plan.entries import in_formats, of_task
from fbftl.study.config import INVERTED, Study


def uploads(study: Study, task: str) -> list[str]:
    """Return those whose uploads are attacked: without noise, then under each epsilon."""
    return [*_private(study, task, "fbftl", "none"), *_private(study, task, "fbftl", "gaussian")]


def updates(study: Study, task: str) -> list[str]:
    """Return those whose client updates are attacked."""
    return _private(study, task, "ftl_c", "dp_fedavg")


def _private(study: Study, task: str, method: str, mechanism: str) -> list[str]:
    """Return those of the privacy experiment under a mechanism.

    Labels under randomised response and further cuts are other questions.
    """
    settings = study.settings[task]["privacy"]
    chosen = [
        name
        for name, setting in settings.items()
        if setting.method == method
        and setting.mechanism == mechanism
        and setting.label_epsilon is None
        and setting.cut is None
    ]
    return sorted(chosen, key=lambda name: -(settings[name].epsilon or 0))


def inverted(study: Study, task: str) -> list[str]:
    """Return those whose uploads without noise are inverted in every seed, each at its cut."""
    settings = study.settings[task]
    return [name for of in INVERTED for name in settings.get(of, ())]


def trust(study: Study, task: str) -> list[str]:
    """Return those under three models of trust whose stated epsilon is held against attacks.

    Where features are noised, labels are too, with as much epsilon; of noised statistics one head
    is attacked.
    """
    return [
        name
        for name, setting in study.settings[task]["uploads_privacy"].items()
        if setting.method == "private_gd"
        or (setting.message, setting.head) == ("statistics", "lda")
        or setting.epsilon == (setting.label_epsilon or 0)
    ]


def heads(study: Study, task: str) -> list[str]:
    """Return those whose messages and heads are attacked: solved, plain and open."""
    plain = {"method", "message", "head", "projection"}
    return [
        name
        for name, setting in study.settings[task]["uploads"].items()
        if setting.method == "one_shot"
        and setting.head != "mlp"
        and set(setting.deviations()) <= plain
    ]


OfTask = Callable[[Study, str], Any]


@dataclass(frozen=True, eq=False)
class Analysis:
    """A script that asks something of clients' samples.

    name: of its folder of findings, and of its job.
    script: below the folder of scripts.
    outputs: files below a task's results, by argument.
    inputs: files by argument.
    values: further arguments.
    modules: of the library that its script imports by name.
    settings: whose jobs are its argument `jobs`, if it has one.
    seeds: whether these jobs have the task's first seed, all, or each in turn, with findings of its
        own that are joined in the task's results.
    """

    name: str
    script: str
    outputs: Mapping[str, str]
    inputs: OfTask
    values: Mapping[str, OfTask] = field(default_factory=dict)
    modules: Callable[[Study, str], Iterable[str]] = lambda study, task: ()
    settings: Callable[[Study, str], Iterable[str]] | None = None
    seeds: Literal["first", "all", "each"] = "first"


STORE = ("manifest", "network", "public_manifest")
"""What attacks on heads read: both stores of features, and the layers."""

PICTURES = ("manifest", "clients", "weights", "source", "public_samples")
"""What attacks read that draw pictures of a network's inputs."""


def reading(*names: str, **renamed: str) -> OfTask:
    """Return the function of some of a task's files, by name, some of them under another name."""
    under = {"public_samples": "public"} | {old: new for new, old in renamed.items()}

    def files(study: Study, task: str) -> dict[str, str]:
        every = paths.every_input(task)
        return {under.get(name, name): every[name] for name in names}

    return files


def files_of(chosen: Callable[[Study, str], Iterable[str]]) -> OfTask:
    """Return the function of what any of the chosen settings is trained from, by name."""
    return partial(paths.inputs_of_any, chosen=chosen)


def of_experiment(experiment: str) -> Callable[[Study, str], Iterable[str]]:
    """Return the function of the settings of an experiment."""
    return lambda study, task: list(study.settings[task][experiment])


def figure(name: str) -> dict[str, str]:
    """Return the files of a figure that an analysis draws itself."""
    return in_formats("", f"figures/{name}")


def table(name: str) -> dict[str, str]:
    """Return the numbers of a table whose pages are written with the task's results."""
    return {"csv": f"tables/{name}.csv"}


def images(study: Study, task: str) -> tuple[str, ...]:
    """Return the modules of the kind of task, which scripts import by name."""
    return ("fbftl.training.tasks.images", "fbftl.training.tasks.images_samples")


def on_messages(chosen: Callable[[Study, str], Iterable[str]]) -> OfTask:
    """Return the function of the modules that attack what clients of the chosen settings send."""

    def modules(study: Study, task: str) -> tuple[str, ...]:
        of = {study.setting(task, name).method for name in chosen(study, task)}
        attacks = (f"fbftl.attacks.of_method.{method}" for method in sorted(of))
        return (*images(study, task), *attacks)

    return modules


def fbftl(study: Study, task: str) -> Iterable[str]:
    """Return the modules of FbFTL on images."""
    return modules_of_method("fbftl", "images", "features")


PREPROCESSING = ("size", "mean", "std")
"""Keys of the features block that decide what enters a network."""


def preprocessing(study: Study, task: str) -> dict[str, Any]:
    """Return what the features block says of the network's input."""
    return {key: study.task(task)["features"][key] for key in PREPROCESSING}


def features_of_public(study: Study, task: str) -> dict[str, Any]:
    """Return a task's features block for its public samples."""
    return study.task(task)["features"] | {"store": None, "further_cuts": []}


def noisiest_even_descent(study: Study, task: str) -> dict[str, Any]:
    """Return the job of even noise with the fewest samples, then steps, for their influence."""
    even = [
        setting
        for setting in study.settings[task]["budget"].values()
        if (setting.mechanism, setting.schedule, setting.descent_momentum)
        == ("dp_gd", "uniform", 0)
    ]
    noisiest = min(even, key=lambda axes: (axes.fraction, axes.descent_steps, axes.name))
    return study.job_of(task, noisiest)


SHADOWS = {"models": of_task("privacy", "shadows")}

OF_SEVERAL = [
    Analysis(
        "features", "attacks/attack_features.py",
        figure("inversion") | {"findings": "attacks/features.csv"},
        reading("manifest", "public_manifest", "clients", "public_samples"),
        settings=uploads,
    ),
    Analysis(
        "inverted", "attacks/invert_uploads.py", table("inverted"),
        reading("clients", "public_samples", "weights", "source", model="weights"),
        {"features": features_of_public}, settings=inverted, seeds="each",
    ),
    Analysis(
        "membership", "attacks/attack_membership.py",
        {"csv": "attacks/membership.csv", "by_attack": "attacks/membership_by_attack.csv"},
        reading(*STORE), SHADOWS, fbftl, uploads,
    ),
    Analysis(
        "labels", "attacks/attack_labels.py", {"csv": "attacks/labels.csv"},
        lambda study, task: reading("manifest", "public_manifest")(study, task)
        | {"runs": paths.runs(task, updates(study, task))},
        settings=updates,
    ),
    Analysis(
        "uploads", "attacks/attack_uploads.py",
        {"csv": "attacks/uploads.csv", "by_attack": "attacks/uploads_by_attack.csv"},
        reading(*STORE), SHADOWS, images, heads, "all",
    ),
    Analysis(
        "front_attacks", "attacks/attack_front.py", {"by_attack": "attacks/front_by_attack.csv"},
        files_of(of_experiment("front_attacks")), SHADOWS, images, of_experiment("front_attacks"),
    ),
    Analysis(
        "means", "attacks/attack_means.py",
        figure("means") | {"findings": "attacks/means.csv"},
        reading(*STORE, "clients", "public_samples"),
        {"job": lambda study, task: with_first_seed(study.job(task, "fbftl"))}, images,
    ),
    Analysis(
        "trust", "attacks/attack_trust.py", {"csv": "attacks/trust.csv"}, reading(*STORE), SHADOWS,
        fbftl, trust,
    ),
    Analysis(
        "attacked_seeds", "attacks/attack_seeds.py", table("attacked_seeds"),
        files_of(of_experiment("attacked")), modules=on_messages(of_experiment("attacked")),
        settings=of_experiment("attacked"), seeds="each",
    ),
    Analysis(
        "influence", "stages/measure_influence.py", {"csv": "influence.csv"},
        reading("manifest", "public_manifest"),
        {"job": lambda study, task: with_first_seed(noisiest_even_descent(study, task))},
        images,
    ),
    Analysis(
        "similarity", "stages/compare_similarity.py", table("similarity"),
        reading("manifest", "clients", "weights", "source"), modules=images,
        settings=of_experiment("similarity"), seeds="each",
    ),
]  # fmt: skip
"""Those that are of no one paper; `results/` has the others."""


def with_first_seed(job: dict[str, Any]) -> dict[str, Any]:
    """Return a job with its first seed alone, for what is asked of one."""
    return job | {"seeds": job["seeds"][:1]}
