"""Settings: one frozen record per training job, and the grid that experiments span.

An experiment is a grid, lists of axis values by axis name; its settings are the product. A
setting that several experiments share is one job, because settings compare by value and a
setting's name holds only the axes that differ from their default.
"""

import itertools
from collections.abc import Iterable, Mapping
from dataclasses import asdict, dataclass, fields
from typing import Any, get_args, get_type_hints

from fbftl.errors import UserError

CLEAN_BITS = 32


@dataclass(frozen=True, order=True)
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
        """The setting's file name: its method, then every axis that differs from its default."""
        axes = [f"{axis}={value}" for axis, value in self.deviations().items() if axis != "method"]
        return ",".join([self.method, *axes])

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
        UserError: if a grid names an axis that does not exist.
    """
    settings = set()
    for grid in grids:
        for axis in grid:
            if axis not in AXES:
                known = ", ".join(AXES)
                raise UserError(f"experiment axis '{axis}' does not exist; choose among {known}")
        for values in itertools.product(*grid.values()):
            settings.add(from_axes(dict(zip(grid, values, strict=True))))
    return sorted(settings, key=lambda setting: setting.name)


def axis_names() -> list[str]:
    """Return the names of all axes in their fixed order."""
    return [field.name for field in fields(Setting)]
