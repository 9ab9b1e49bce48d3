"""Tables of sentences and hypotheses: what every sentence of a paper comes to, task by task.

A task of a full study gets verdicts. One of a quick study shows its numbers without:
`study.sizes` says which is which.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass

import pandas as pd

from fbftl.findings.columns import DIVERGED, SEEDS, VERDICT
from fbftl.findings.sentence_rule import Judgement, over_parts, over_tasks
from fbftl.findings.tables import Column
from fbftl.papers.claims import Examined
from fbftl.papers.comparisons import NO_VERDICT, NOT_RUN, ByTask, diverged, readable
from fbftl.papers.formulas import Decides, Decision, PaperRecord
from fbftl.papers.registry import BY_FORMULA, TESTED, Sentence
from fbftl.study.sizes import Size, size_of

COLUMNS = (
    Column("sentence", "Sentence", page=True),
    Column("says", "Says", width="6cm", page=True),
    Column("place", "Place"),
    Column("printed", "Printed", width="3cm", page=True),
    Column("task", "Task", page=True),
    Column("size", "Size", page=True),
    Column("measured", "Ours", width="6cm", page=True),
    Column("parts", "Parts"),
    SEEDS,
    DIVERGED,
    VERDICT,
    Column("overall", "All tasks", page=True),
    Column("tested", "Sentences tested"),
    Column("note", "Note", width="4cm"),
)

FORMULA = {True: "by formula: holds", False: "by formula: does not hold"}
NOT_COMPUTED = "by formula: not computed"


@dataclass(frozen=True)
class OnTask:
    """What a task finds of one sentence.

    parts: those of its claims that were run there.
    claims: how many claims the sentence has.
    """

    task: str
    parts: Sequence[Examined]
    claims: int

    @property
    def size(self) -> Size:
        """The task's size."""
        return size_of(self.task)

    def judgements(self, tested: int) -> dict[str, Judgement]:
        """Return what each part comes to, whatever the task's size."""
        return {
            examined.claim.part: judgement
            for examined in self.parts
            if (judgement := examined.judged(tested)) is not None
        }

    def verdict(self, tested: int) -> str:
        """Return what the task says of the sentence; one of a full study alone says anything."""
        if self.size is not Size.FULL:
            return NO_VERDICT
        return str(over_parts(self.judgements(tested).values()))

    def shown(self, tested: int) -> str:
        """Return what was measured of every part, with its interval, in one line."""
        return "; ".join(
            f"{part.claim.compares}: {_with_interval(part, tested)}" for part in self.parts
        )

    @property
    def seeds(self) -> int:
        """The fewest seeds of a part."""
        return min(part.compared.seeds for part in self.parts if part.compared is not None)

    @property
    def diverged(self) -> int:
        """Repetitions behind any part that diverged."""
        return len(frozenset().union(*map(diverged, self.parts)))


def _with_interval(examined: Examined, tested: int) -> str:
    bounds = examined.bounds(tested)
    if bounds is None:
        return NOT_RUN
    mean, lower, upper = map(readable, bounds)
    unit = "times" if examined.claim.ratio else examined.claim.unit
    return f"{mean} [{lower}, {upper}] {unit}"


def on_tasks(sentence: str, by_task: ByTask) -> list[OnTask]:
    """Return what each task that ran any claim of a sentence finds of it."""
    found = []
    for task, examined in by_task.items():
        parts = [part for part in examined if part.claim.sentence == sentence]
        run = [part for part in parts if part.compared is not None]
        if run:
            found.append(OnTask(task, run, len(parts)))
    return found


def overall(tasks: Sequence[OnTask], tested: int) -> str:
    """Return what a sentence comes to over all tasks of full studies."""
    full = [task for task in tasks if task.size is Size.FULL]
    if not full:
        return NO_VERDICT if tasks else NOT_RUN
    judgements = [task.judgements(tested) for task in full]
    return str(over_tasks(judgements, full[0].claims))


def sentences_table(
    sentences: Iterable[Sentence],
    tested: Mapping[str, int],
    by_task: ByTask,
    decisions: Mapping[str, Decision],
) -> pd.DataFrame:
    """Return every sentence of a paper as rows, one for each task that it was run on.

    Columns: those of the registry that say what is claimed, and `task`, its `size`, `measured` (our
    number with its interval, part by part), `parts` that were run of how many, fewest `seeds`,
    `diverged`, `verdict` on the task, `overall` over all tasks, `tested` (m), and `note`.

    Args:
        sentences: the registry.
        tested: how many sentences of each system are tested.
        by_task: what each task finds of the paper's claims.
        decisions: what decides sentences by formula, by id.
    """
    return pd.DataFrame(
        {
            "system": sentence.system,
            "sentence": sentence.id,
            "says": sentence.says,
            "place": sentence.place,
            "printed": sentence.margin,
        }
        | row
        | {"tested": tested.get(sentence.system, 0)}
        for sentence in sentences
        for row in _rows(sentence, tested, by_task, decisions)
    )


def _rows(
    sentence: Sentence,
    tested: Mapping[str, int],
    by_task: ByTask,
    decisions: Mapping[str, Decision],
) -> Iterator[dict[str, object]]:
    """Yield what follows the sentence's own words in its rows."""
    if sentence.status == TESTED:
        yield from _tested(sentence, tested[sentence.system], on_tasks(sentence.id, by_task))
    elif sentence.status == BY_FORMULA:
        decision = decisions.get(sentence.id)
        verdict = NOT_COMPUTED if decision is None else FORMULA[decision.holds]
        computed = "" if decision is None else decision.computed
        quantity = sentence.reason if decision is None else decision.quantity
        yield _untested(verdict, quantity, computed)
    else:
        yield _untested(sentence.status, sentence.reason)


def _tested(
    sentence: Sentence, tested: int, tasks: Sequence[OnTask]
) -> Iterator[dict[str, object]]:
    verdict = overall(tasks, tested)
    if not tasks:
        yield _untested(verdict, sentence.reason)
    for task in tasks:
        yield {
            "task": task.task,
            "size": str(task.size),
            "measured": task.shown(tested),
            "parts": f"{len(task.parts)} of {task.claims}",
            "seeds": task.seeds,
            "diverged": task.diverged,
            "verdict": task.verdict(tested),
            "overall": verdict,
            "note": sentence.reason,
        }


def _untested(verdict: str, note: str, computed: str = "") -> dict[str, object]:
    nothing: dict[str, object] = dict.fromkeys(("task", "size"), "")
    measured = {"measured": computed, "parts": "", "seeds": None, "diverged": None}
    return nothing | measured | {"verdict": verdict, "overall": verdict, "note": note}


def decided(
    sentences: Iterable[Sentence], formulas: Mapping[str, Decides], record: PaperRecord
) -> dict[str, Decision]:
    """Return what decides the sentences that need no test, by id, as far as anything computes it.

    Args:
        sentences: the registry.
        formulas: what decides a sentence, by id.
        record: what it is decided by.
    """
    decisions = {
        sentence.id: formulas[sentence.id](sentence, record)
        for sentence in sentences
        if sentence.id in formulas
    }
    return {name: decision for name, decision in decisions.items() if decision is not None}
