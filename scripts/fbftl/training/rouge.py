"""ROUGE of generated summaries, and the summaries themselves, for readers to look at."""

import re
import sys
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Any

from fbftl.data.dialogues.jsonl import Record


@contextmanager
def as_if_absent(*names: str) -> Iterator[None]:
    """Let imports inside the block do without optional packages that are not imported yet."""
    hidden = [name for name in names if name not in sys.modules]
    sys.modules.update(dict.fromkeys(hidden))  # type: ignore[arg-type]
    try:
        yield
    finally:
        for name in hidden:
            del sys.modules[name]


# ROUGE needs NLTK's stemmer, which comes with all of NLTK. Its tests of association and its
# classifiers would bring these two, a tenth of a short training job's time, and work without.
with as_if_absent("scipy.stats", "sklearn"):
    from rouge_score.rouge_scorer import RougeScorer

MEASURES = ("rouge1", "rouge2", "rougeL", "rougeLsum")


def rouge(predictions: Sequence[str], references: Sequence[str]) -> dict[str, float]:
    """Return the mean F-measure of ROUGE-1, -2, -L and -Lsum in percent.

    A plain mean over samples, words stemmed, one sentence per line for ROUGE-Lsum; no bootstrap,
    so that equal summaries give equal numbers.
    """
    scorer = RougeScorer(MEASURES, use_stemmer=True)
    scores = [
        scorer.score(one_sentence_per_line(reference), one_sentence_per_line(prediction))
        for prediction, reference in zip(predictions, references, strict=True)
    ]
    return {m: 100 * sum(s[m].fmeasure for s in scores) / len(scores) for m in MEASURES}


def one_sentence_per_line(text: str) -> str:
    """Break a text after ``.``, ``!`` or ``?`` and white space; needs no language model."""
    return re.sub(r"(?<=[.!?])\s+", "\n", text.strip())


def transcript(
    records: Sequence[Record], summaries: Mapping[int, Sequence[str]]
) -> list[dict[str, Any]]:
    """Return each test sample's id, dialogue, reference summary, and every seed's prediction.

    Args:
        records: the test set.
        summaries: seed to generated summaries, in the order of `records`.
    """
    return [
        {
            "id": record.id,
            "dialogue": record.dialogue,
            "summary": record.summary,
            "predictions": {str(seed): texts[row] for seed, texts in summaries.items()},
        }
        for row, record in enumerate(records)
    ]
