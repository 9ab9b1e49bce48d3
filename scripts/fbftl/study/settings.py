"""Settings: one frozen record per training job, its axes and its name.

Settings compare by value, and a setting's name holds only the axes that differ from their default:
a setting that several experiments share is one job, and a new axis renames none. Jobs, tables and
figures never import this module; what they need of it reaches them as params.
"""

from dataclasses import asdict, dataclass, fields
from typing import Any, get_args, get_type_hints

from fbftl.study.job import name_of

CLEAN_BITS = 32


@dataclass(frozen=True, order=True, slots=True)
class Setting:
    """The axes of one server-training job; the defaults are the clean, complete upload.

    Names rest on the defaults: none ever changes.
    """

    method: str = "fbftl"
    """How the model is trained; `study/methods.py` has a record of each."""
    cut: str | None = None
    """Cut layer m_c; none takes the task's own."""
    fraction: float = 1.0
    """Fraction of the clients' samples that take part."""
    samples_per_client: int | None = None
    """Samples per client K; none takes the task's own."""
    partition: str | None = None
    """How the task's samples are dealt anew; none takes the task's own partition."""
    alpha: float | None = None
    """Concentration of a Dirichlet partition; none takes the task's own."""
    clients: int | None = None
    """Number of clients U; none takes the task's own."""
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
    network: str | None = None
    """Name of the network that starts at random; none takes source architecture and head."""

    @property
    def name(self) -> str:
        """The setting's file name."""
        return name_of(self.deviations())

    @property
    def compressed(self) -> bool:
        """Whether messages have fewer bits or fewer elements than plain ones."""
        return self.bits != CLEAN_BITS or self.keep != 1

    def deviations(self) -> dict[str, Any]:
        """Return the method and the axes that differ from their default, in the fixed order."""
        values = asdict(self)
        return {k: v for k, v in values.items() if k == "method" or v != DEFAULTS[k]}


DEFAULTS: dict[str, Any] = {field.name: field.default for field in fields(Setting)}
"""Default of each axis by its name, in the fixed order of the axes; the method is the first."""

TYPES: dict[str, type] = {
    name: next(t for t in (*get_args(hint), hint) if t is not type(None))
    for name, hint in get_type_hints(Setting).items()
}
"""Type of each axis by its name."""
