"""Settings: one frozen record per training job, and the grid that experiments span.

An experiment is a grid, lists of axis values by axis name; its settings are the product. A
setting that several experiments share is one job, because settings compare by value and a
setting's name holds only the axes that differ from their default.
"""

import itertools
from collections.abc import Iterable, Mapping
from dataclasses import asdict, dataclass, fields
from typing import Any, get_args, get_type_hints

from fbftl.ground.errors import UserError

CLEAN_BITS = 32


@dataclass(frozen=True, order=True, slots=True)
class Setting:
    """The axes of one server-training job; the defaults are the clean, complete upload."""

    method: str = "fbftl"
    """How the model is trained: fbftl, ftl_c, ftl_f, fl, sfl, or released (the public script)."""
    cut: str | None = None
    """Cut layer m_c; none takes the task's own."""
    fraction: float = 1.0
    """Fraction of the clients' samples that take part."""
    samples_per_client: int | None = None
    """Samples per client K; none takes the task's own partition."""
    plr: float = 0.0
    """Packet loss rate PLR, given directly."""
    blr: float = 0.0
    """Block loss rate BLR, from which the packet loss rate follows by Eq. (18)."""
    burst: float = 1.0
    """Mean length of a loss burst in blocks; 1 loses blocks independently."""
    retransmissions: int = 0
    """Retransmissions n_r that a lost block gets at most."""
    loss: str = "persistent"
    """persistent: a lost upload stays lost. reshuffled: the public script's mask over positions."""
    bits: int = CLEAN_BITS
    """Bits q per sent element; 32 sends the float itself."""
    keep: float = 1.0
    """Keep ratio r of the sparsifier."""
    feedback: bool = True
    """Error feedback of the gradient methods under compression, Eq. (20)-(21)."""
    mechanism: str = "none"
    """Noise on uploads: none, relative, gaussian, or dp_fedavg."""
    sigma: float | None = None
    """Noise multiplier; none has it calibrated from epsilon."""
    epsilon: float | None = None
    """Privacy loss epsilon that the mechanism is calibrated to."""
    noise: str = "once"
    """once: one draw per upload. redrawn: the public script's fresh draw every epoch."""
    label_epsilon: float | None = None
    """Epsilon of randomised response on the labels; none sends them as they are."""

    @property
    def name(self) -> str:
        """The setting's file name: its method, then every axis that differs from its default.

        The parts are joined by a plus: commas separate wildcards where Snakemake hands a job to
        another machine, and a name that held one would be taken for another setting's.
        """
        axes = [f"{axis}={value}" for axis, value in self.deviations().items() if axis != "method"]
        return "+".join([self.method, *axes])

    def deviations(self) -> dict[str, Any]:
        """Return the axes that differ from their default, in the fixed order of the axes."""
        default = Setting()
        return {k: v for k, v in asdict(self).items() if v != getattr(default, k)}

    def simplified(self) -> "Setting":
        """Return the setting without axes that have no effect, so that equal jobs are one job."""
        changes: dict[str, Any] = {}
        if self.plr == 0 and self.blr == 0:
            changes["loss"] = "persistent"
        if self.blr == 0:
            changes |= {"burst": 1.0, "retransmissions": 0}
        if self.method == "fbftl" or (self.bits == CLEAN_BITS and self.keep == 1):
            changes["feedback"] = True
        if self.mechanism == "none":
            changes |= {"sigma": None, "epsilon": None, "noise": "once"}
        return Setting(**(asdict(self) | changes))


MECHANISMS = {
    "fbftl": ("none", "relative", "gaussian"),
    "ftl_c": ("none", "relative", "dp_fedavg"),
    "ftl_f": ("none", "relative", "dp_fedavg"),
    "fl": ("none", "relative", "dp_fedavg"),
    "sfl": ("none",),
    "released": ("none",),
}
"""Privacy mechanisms that each method knows."""


def require_sensible(setting: Setting) -> None:
    """Refuse a setting whose axes contradict each other.

    Raises:
        UserError: naming the setting and the axes.
    """
    faults = {
        "gives both plr and blr, two ways to say what is lost; keep one": (
            setting.plr > 0 and setting.blr > 0
        ),
        f"asks for bursts of {setting.burst} blocks at BLR {setting.blr}, which are too short; "
        "give burst at least blr / (1 - blr)": (
            setting.burst > 1 and setting.burst < setting.blr / (1 - setting.blr)
        ),
        "is reshuffled, which is for fbftl under a packet loss rate; use loss: persistent": (
            setting.loss == "reshuffled"
            and (setting.method not in ("fbftl", "released") or setting.plr == 0)
        ),
        "is as released, where losses come back; give plr with loss: reshuffled": (
            setting.method == "released"
            and (setting.blr > 0 or (setting.plr > 0 and setting.loss != "reshuffled"))
        ),
        "is as released, with the task's own clients; leave samples_per_client out": (
            setting.method == "released" and setting.samples_per_client is not None
        ),
        "is not compressed here; use bits 32 and keep 1": (
            setting.method in ("sfl", "released")
            and (setting.bits != CLEAN_BITS or setting.keep != 1)
        ),
        f"is not possible: mechanism {setting.mechanism} is for "
        f"{' and '.join(m for m, known in MECHANISMS.items() if setting.mechanism in known)}": (
            setting.mechanism not in MECHANISMS[setting.method]
        ),
        "gives both sigma and epsilon; keep one": (
            setting.sigma is not None and setting.epsilon is not None
        ),
        f"has mechanism {setting.mechanism}, which needs sigma or epsilon; give one": (
            setting.mechanism in ("gaussian", "dp_fedavg")
            and setting.sigma is None
            and setting.epsilon is None
        ),
        "has mechanism relative, which has no epsilon (audit row A10); give sigma": (
            setting.mechanism == "relative" and setting.sigma is None
        ),
        "redraws noise or flips labels, which is for fbftl; leave noise and label_epsilon out": (
            setting.method != "fbftl"
            and (setting.noise == "redrawn" or setting.label_epsilon is not None)
        ),
        "compresses noisy updates, which is not offered; use bits 32 and keep 1": (
            setting.method != "fbftl"
            and setting.mechanism != "none"
            and (setting.bits != CLEAN_BITS or setting.keep != 1)
        ),
    }
    for fault, holds in faults.items():
        if holds:
            raise UserError(f"config: the setting '{setting.name}' {fault}")


AXES: dict[str, type] = {
    name: next(t for t in (*get_args(hint), hint) if t is not type(None))
    for name, hint in get_type_hints(Setting).items()
}
"""Type of each axis by its name, in the fixed order of the axes."""


def from_axes(values: Mapping[str, Any]) -> Setting:
    """Build a simplified setting from axis values as a config gives them (1 reads as 1.0)."""
    typed = {k: v if v is None else AXES[k](v) for k, v in values.items()}
    return Setting(**typed).simplified()


def expand(grids: Iterable[Mapping[str, list[Any]]]) -> list[Setting]:
    """Return the settings that grids span: each grid's product, duplicates once, sorted by name.

    Raises:
        UserError: if a grid names an axis that does not exist, or a setting makes no sense.
    """
    settings = set()
    for grid in grids:
        for axis in grid:
            if axis not in AXES:
                known = ", ".join(AXES)
                raise UserError(f"experiment axis '{axis}' does not exist; choose among {known}")
        for values in itertools.product(*grid.values()):
            setting = from_axes(dict(zip(grid, values, strict=True)))
            require_sensible(setting)
            settings.add(setting)
    return sorted(settings, key=lambda setting: setting.name)


def axis_names() -> list[str]:
    """Return the names of all axes in their fixed order."""
    return [field.name for field in fields(Setting)]
