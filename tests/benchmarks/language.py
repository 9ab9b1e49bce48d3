"""The language task's part of the default study: seconds per stage and ROUGE, on one thread.

Run as a script; it prints one table and asserts nothing.
"""

import sys
import time
from pathlib import Path

import numpy as np

sys.path.insert(0, str(Path(__file__).parents[2] / "scripts"))

from fbftl.data.dialogues.splits import load
from fbftl.data.participation import grouped, held_out
from fbftl.features.dialogues import forward_fn
from fbftl.ground import devices
from fbftl.ground.randomness import stream
from fbftl.models.t5.generate import generate
from fbftl.models.t5.head import ALL, Cut
from fbftl.models.t5.sequences import Sequences
from fbftl.study.job import FineTuning
from fbftl.training.pretrain_t5 import prepare_source
from fbftl.training.rouge import rouge
from fbftl.training.t5 import SequencePairs, TrainedT5, train_at_server

DATA = {"kind": "dialogues", "source": 4000, "train": 600, "test": 150, "seed": 0}
SOURCE = {
    "kind": "pretrain",
    "vocabulary": 640,
    "longest": 128,
    "model": {
        "d_model": 48,
        "d_kv": 16,
        "d_ff": 96,
        "num_heads": 4,
        "num_layers": 2,
        "num_decoder_layers": 2,
    },
    "training": {
        "learning_rate": 4.0e-3,
        "batch": 16,
        "epochs": 5,
        "warmup": 0.05,
        "weight_decay": 0.01,
    },
}
PLAN = FineTuning(learning_rate=4e-3, batch=8, epochs=4, least_updates=280, warmup=0.05)
CUTS = (2, 1, 0)
SEEDS = (0, 1, 2)
SETTINGS: list[tuple[str, Cut, float, float]] = [
    ("ftl_f", ALL, 1.0, 0.0),
    *(("fbftl = ftl_c", cut, 1.0, 0.0) for cut in CUTS),
    *(("fbftl", 1, fraction, 0.0) for fraction in (0.3, 0.1, 0.03)),
    *(("fbftl", 1, 1.0, plr) for plr in (0.5, 0.9, 0.99)),
]


def main() -> None:
    """Make everything once and print the table."""
    devices.prepare("cpu", threads=1)
    start = time.perf_counter()
    splits = load(DATA, ".")
    start = _report("data", start)
    source = prepare_source(SOURCE, splits["source"], ".", seed=0)
    start = _report("tokenizer and pre-training", start)
    forward = forward_fn(source.model, CUTS)
    columns = {}
    for split in ("train", "test"):
        tokens, labels = (
            source.tokenizer.encode([getattr(r, field) for r in splits[split]], SOURCE["longest"])
            for field in ("dialogue", "summary")
        )
        columns[split] = forward({"tokens": tokens}) | {"tokens": tokens, "labels": labels}
    start = _report("extraction at every cut", start)
    lengths = {
        name: np.mean([len(row) for row in columns["train"][name]]) for name in ("tokens", "labels")
    }
    print(f"mean tokens per dialogue and summary: {lengths['tokens']:.1f}, {lengths['labels']:.1f}")
    n = len(splits["train"])
    labels = Sequences.of(columns["train"]["labels"])
    references = [record.summary for record in splits["test"]]
    print(f"{'setting':42s}{'R-1':>14s}{'R-2':>14s}{'R-L':>14s}{'updates':>9s}{'s/seed':>8s}")
    for method, cut, fraction, plr in SETTINGS:
        name = "tokens" if cut == ALL else str(cut)
        samples = SequencePairs(Sequences.of(columns["train"][name]), labels, np.arange(n) // 2)
        test = Sequences.of(columns["test"][name])
        start, scores_by_seed = time.perf_counter(), []
        for seed in SEEDS:
            chosen = stream(seed, "subset").permutation(n)[: round(fraction * n)]
            received = np.sort(chosen[stream(seed, "loss").random(len(chosen)) >= plr])
            training, validation = held_out(received, PLAN.validation, seed)
            _, clients = grouped(training, samples.clients)
            learner = train_at_server(
                TrainedT5(source.model, cut, samples, clients, validation, PLAN, seed)
            )
            summaries = source.tokenizer.decode(generate(learner.best(), cut, test, 48))
            scores_by_seed.append(rouge(summaries, references))
        seconds = (time.perf_counter() - start) / len(SEEDS)
        scores = [
            f"{np.mean(values):.1f} ± {np.std(values, ddof=1):.1f}"
            for measure in ("rouge1", "rouge2", "rougeL")
            for values in [[scores_of_seed[measure] for scores_of_seed in scores_by_seed]]
        ]
        label = f"{method}, cut {cut}, fraction {fraction}, plr {plr}"
        print(
            f"{label:42s}"
            + "".join(f"{score:>14s}" for score in scores)
            + f"{learner.curve[-1].updates:9d}{seconds:8.1f}",
            flush=True,
        )
    for record, prediction in list(zip(splits["test"], summaries, strict=True))[:3]:
        print(f"reference:  {record.summary}\nprediction: {prediction}")


def _report(stage: str, start: float) -> float:
    now = time.perf_counter()
    print(f"{stage}: {now - start:.1f} s", flush=True)
    return now


if __name__ == "__main__":
    main()
