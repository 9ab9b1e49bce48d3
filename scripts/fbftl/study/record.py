"""What the plan knows of one method: its record, which a module of `study/methods/` has.

Jobs, tables and figures never import a record: what they need of it reaches them as params, so that
one more method makes no old result again.
"""

import math
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any

from fbftl.ground.errors import UserError, suggestion
from fbftl.study.axes import (
    COMPRESSION,
    NOISE,
    SCHEDULE,
    SHARED,
    Axes,
    Axis,
    AxisValues,
    Needs,
    axes_in,
)
from fbftl.study.clients import taking_part
from fbftl.study.dealing_faults import Dealt

Block = Mapping[str, Any]
"""A task's block of the configuration, or a part of it."""


def nothing(*_: Any) -> tuple[str, ...]:
    """Return no sentence: nothing speaks against a setting, or against a task for it."""
    return ()


def keys(*names: str) -> Callable[[AxisValues, Block], dict[str, Any]]:
    """Return what takes some keys of a task's block, for jobs that read them beside the rest."""
    return lambda _setting, task: {name: task[name] for name in names}


NO_KEY = keys()
"""A method's jobs read nothing more of the task's block."""


def alike_in(*axes: str) -> Callable[[AxisValues], tuple[Any, ...]]:
    """Return what takes the values on some axes, in which settings that train together agree."""
    return lambda setting: tuple(getattr(setting, axis) for axis in axes)


def nobody_to_learn_from(setting: AxisValues, _task: Block, dealt: Dealt) -> Iterator[str]:
    """Yield that one client takes part, of methods whose clients learn from each other."""
    if dealt.clients is not None and taking_part(dealt.clients, setting.fraction) < 2:
        yield (
            f"has one client take part, which has nobody to learn from; give {setting.method} "
            "clients at least 2, or a larger fraction"
        )


def normalised_faults(setting: AxisValues, task: Block, training: Block) -> Iterator[str]:
    """Yield what bases lack of a task so that their layers can be rescaled."""
    named = task.get("networks", {}).get(setting.network) or {}
    if setting.rescaled_layers and (
        named.get("norm") != "batch" or training["batch_norm"] != "batch"
    ):
        yield (
            "divides outputs that batches normalise by rescaled_layers: name a network with norm: "
            "batch, and set training.batch_norm: batch"
        )


@dataclass(frozen=True)
class MethodRecord:
    """What the plan knows of one method; `fbftl.methods.<name>` trains it.

    label: as its paper writes it, an index behind an underscore.
    paper: the page of the paper that it is from, below `docs/papers/`.
    place: among the methods in tables and figures, which show it from the least on; without one
        it is last.
    reads: what it trains on: features, or clients and source.
    sends: once is before training, rounds is an update of each client every round, local is what
        clients have after local epochs (weights, scores or logits), nothing is no message at all.
    axes: axes that its run reads: names of shared ones, and the block of its own.
    needs: what shared axes need beside what all methods need for them.
    named: axes that a grid of it says the values of, so that none goes by its default unsaid.
    fixed: further axes that the code reads which it shares, always at their default.
    mechanisms: privacy mechanisms that it offers.
    public: whether it takes statistics from features of public samples.
    compresses: whether its messages may have fewer bits and fewer elements.
    cost: the scheme in `fbftl.models.cost.compute` that counts it; none has no formula.
    kinds: kinds of task that it runs on.
    further: what it reads that everybody may: open data, source models or several architectures,
        each by the key of the task's block that tells of it.
    privacy: values of the task's block `privacy` that it needs whatever the mechanism.
    faults: yields what a setting says against itself, each with its remedy: "has X; give Y".
    task_faults: yields what a task lacks for a setting, each as a remedy, from the setting, the
        task's block and the training values of the setting.
    size_faults: yields what a task has too little of for a setting, from the setting, the task's
        block and what clients hold.
    anneals: whether a head that its server trains follows the training value `annealing`.
    ignores: training values that it makes nothing of, though methods that send like it read them.
    parts: returns the modules below its folder that a setting names, dotted.
    block: returns what its jobs read of the task's block beside what all read.
    together: returns what settings have in common that train in one process, beside what they read.
        Without it each setting has a process of its own.
    whole_at_full_width: whether a width of 1 is one network that everybody trains, budgets or not.
    """

    name: str
    label: str
    colour: str
    marker: str
    paper: str
    reads: str
    sends: str
    axes: tuple[str | type[Axes], ...]
    needs: Mapping[str, Needs] = field(default_factory=dict)
    named: tuple[str, ...] = ()
    fixed: tuple[str, ...] = ()
    mechanisms: tuple[str, ...] = ("none",)
    public: bool = False
    compresses: bool = True
    cost: str | None = None
    kinds: tuple[str, ...] = ("images",)
    further: tuple[str, ...] = ()
    privacy: tuple[str, ...] = ()
    faults: Callable[[AxisValues], Iterable[str]] = nothing
    task_faults: Callable[[AxisValues, Block, Block], Iterable[str]] = nothing
    size_faults: Callable[[AxisValues, Block, Dealt], Iterable[str]] = nothing
    anneals: bool = False
    ignores: tuple[str, ...] = ()
    parts: Callable[[AxisValues], tuple[str, ...]] = nothing
    block: Callable[[AxisValues, Block], dict[str, Any]] = NO_KEY
    together: Callable[[AxisValues], tuple[Any, ...]] | None = None
    place: float = math.inf
    whole_at_full_width: bool = False

    @property
    def by_rounds(self) -> bool:
        """Whether clients send in rounds."""
        return self.sends in ("rounds", "local")

    @property
    def trains_network(self) -> bool:
        """Whether its clients train a network, so that dropout and batch normalisation matter."""
        return self.by_rounds and (self.reads == "clients and source" or "network" in self.by_name)

    @cached_property
    def by_name(self) -> dict[str, Axis]:
        """Its axes by their names; one of its own may narrow a shared one.

        Raises:
            UserError: if it names a shared axis that does not exist.
        """
        axes: dict[str, Axis] = {}
        for each in self.axes:
            if not isinstance(each, str):
                axes |= {
                    name: replace(axis, doc=axis.doc or SHARED.get(name, axis).doc)
                    for name, axis in axes_in(each).items()
                }
            elif each not in SHARED:
                raise UserError(
                    f"scripts/fbftl/study/methods: {self.name} has among its axes '{each}', "
                    f"which is none of study/axes.py{suggestion(each, SHARED)}"
                )
            else:
                further = (self.needs[each],) if each in self.needs else ()
                axes[each] = replace(SHARED[each], needs=(*SHARED[each].needs, *further))
        return axes

    def knows(self, axis: str) -> bool:
        """Tell whether a setting of this method may deviate in an axis."""
        return axis == "method" or axis in self._known

    def lacks(self, axis: str, setting: AxisValues) -> Needs | None:
        """Return what a setting lacks for an axis to have an effect, None if it has one.

        An axis that this method does not know is refused, whatever its effect.
        """
        reads = self.knows(axis) and axis in self.by_name
        return self.by_name[axis].lacks(setting) if reads else None

    def offers(self, axis: str, value: Any) -> bool:
        """Tell whether a setting of this method may have a value on an axis that it knows."""
        if axis == "mechanism":
            return value in self.mechanisms
        known = self.by_name.get(axis)
        return known is None or not known.listed or value in (*known.listed, known.default)

    @cached_property
    def _known(self) -> frozenset[str]:
        """The axes that it reads, without those that only what it does not offer would read."""
        unknown: frozenset[str] = frozenset()
        if self.mechanisms == ("none",):
            unknown |= {*NOISE}
        if not {"dp_fedavg", "dp_gd"} & {*self.mechanisms}:
            unknown |= {*SCHEDULE}
        if not self.compresses:
            unknown |= {*COMPRESSION, "feedback"}
        return frozenset(self.by_name) - unknown
