"""What decides sentences of paper fedfeat that need no runs: its tables and Table I's networks."""

from collections.abc import Mapping

from fbftl.findings.published import by_quantity
from fbftl.papers.exact import Function
from fbftl.papers.fedfeat.backbones import DATASETS, TABLE_I, retraining_share, round_weight
from fbftl.papers.formulas import Decides, Decision, PaperRecord, audited
from fbftl.papers.registry import Sentence


def _features(sentence: Sentence, record: PaperRecord) -> Decision:
    """Decide by the features of a client's shards beside the model's weights."""
    stated = by_quantity(record.published["statements"])
    samples = int(stated["shards_per_client"] * stated["samples_per_shard"])
    shares = {
        f"{kind} on {dataset}": round_weight(kind, dataset, samples).share
        for kind in TABLE_I
        for dataset in DATASETS
    }
    shown = "; ".join(f"{name} {share:.2f}" for name, share in shares.items())
    holds = all(share < 1 for share in shares.values())
    return Decision(f"features of {samples} samples over weights", shown, holds)


def _retraining(sentence: Sentence, record: PaperRecord) -> Decision:
    """Decide by the server's epochs through the classifier beside the clients' through it all."""
    stated, script = (by_quantity(record.published[name]) for name in ("statements", "script"))
    epochs = float(script["server_epochs"] / stated["local_epochs"])
    shares = {
        f"{kind} on {dataset}": epochs * retraining_share(kind, dataset)
        for kind in TABLE_I
        for dataset in DATASETS
    }
    return Decision(
        f"multiplications of {script['server_epochs']} epochs of retraining, the public code's, "
        f"over those of {stated['local_epochs']} local ones",
        "; ".join(f"{name} {share:.3f}" for name, share in shares.items()),
        all(share < 1 for share in shares.values()),
    )


FORMULAS: Mapping[str, Decides] = {
    "fedfeat-04": audited("A8"),
    "fedfeat-15": audited("A6"),
    "fedfeat-27": _features,
    "fedfeat-28": _retraining,
    "fedfeat-29": audited("A12"),
}

FUNCTIONS: Mapping[str, Function] = {}
"""Functions that rows of this paper alone name: none."""
