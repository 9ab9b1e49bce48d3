"""What attacks look at: names of settings of a task, those that protect least first."""

from fbftl.study.config import Study


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
    """Return those whose plain uploads are inverted in every seed, each at its cut."""
    settings = study.settings[task]
    return [name for of in ("inverted", "rival_inverted") for name in settings.get(of, ())]


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
