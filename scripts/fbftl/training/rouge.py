"""ROUGE of generated summaries, and the file in which a reader can look at them."""

import json
import re
from collections.abc import Mapping, Sequence
from pathlib import Path

from rouge_score.rouge_scorer import RougeScorer

from fbftl.data.dialogues.records import Record
from fbftl.ground.files import write_text

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


def write_predictions(
    path: str | Path, records: Sequence[Record], predictions: Mapping[int, Sequence[str]]
) -> None:
    """Write one JSON object per line: id, dialogue, reference summary, and each seed's prediction.

    Args:
        path: the file to write.
        records: the test set.
        predictions: seed to generated summaries, in the order of `records`.
    """
    lines = [
        json.dumps(
            {
                "id": record.id,
                "dialogue": record.dialogue,
                "summary": record.summary,
                "predictions": {str(seed): texts[row] for seed, texts in predictions.items()},
            },
            ensure_ascii=False,
        )
        for row, record in enumerate(records)
    ]
    write_text(path, "".join(line + "\n" for line in lines))
