"""ROUGE of generated summaries, and the summaries themselves, for readers to look at."""

import re
from collections.abc import Mapping, Sequence
from typing import Any

from rouge_score.rouge_scorer import RougeScorer

from fbftl.data.dialogues.records import Record

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
    records: Sequence[Record], said: Mapping[int, Sequence[str]]
) -> list[dict[str, Any]]:
    """Return each test sample's id, dialogue, reference summary, and every seed's prediction.

    Args:
        records: the test set.
        said: seed to generated summaries, in the order of `records`.
    """
    return [
        {
            "id": record.id,
            "dialogue": record.dialogue,
            "summary": record.summary,
            "predictions": {str(seed): texts[row] for seed, texts in said.items()},
        }
        for row, record in enumerate(records)
    ]
