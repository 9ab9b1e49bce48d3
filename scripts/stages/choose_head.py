"""Pick a task's head and every method's epochs by the rule of `fbftl.training.choice`.

The rule sees validation accuracy alone. What FTL_c would upload over FbFTL is beside each head for
the reader, where it stops and where it is as accurate as all become; nothing is decided by it.
"""

from collections.abc import Sequence
from dataclasses import replace
from fractions import Fraction
from functools import partial
from itertools import pairwise
from typing import Any

import numpy as np
import pandas as pd
from fbftl.findings.columns import SEEDS
from fbftl.findings.tables import Column, ResultTable, prefixed
from fbftl.ground import devices
from fbftl.ground.logs import log
from fbftl.methods import by_name
from fbftl.models.cost.layers import Network, dense, parameters, read_network
from fbftl.models.cost.payload import Federation
from fbftl.models.cost.scheme import scheme_cost
from fbftl.study.job import from_params
from fbftl.training.choice import Candidate, epochs_to_common, flat_epochs, smallest_within_error
from fbftl.training.tasks.task import Inputs, Outcome

COLUMNS = [
    Column("method", "Method", page=True),
    Column("head", "Hidden layers of the head", page=True),
    Column("parameters", "Parameters of the head", format="{:,.0f}", page=True),
    Column("epochs", "Epochs until flat", format="{:.0f}", page=True),
    Column("validation", "Best validation accuracy", format="{:.2%}", page=True),
    Column("error", "Standard error", format="{:.2%}"),
    SEEDS,
    Column("times_fbftl", "FTL_c's uplink over FbFTL's", format="{:,.1f}", page=True),
    Column("uplink", "FTL_c's uplink", "bit", prefixed),
    Column("common_epochs", "Epochs to the accuracy of all heads", format="{:.0f}"),
    Column("common_times", "FTL_c's uplink over FbFTL's there", format="{:,.1f}", page=True),
    Column("picked", "Picked", page=True),
]


def main(
    files: dict[str, str], heads: Sequence[Sequence[int]], job: dict[str, Any],
    others: Sequence[dict[str, Any]], axes: dict[str, Any], device: str, threads: int,
) -> ResultTable:  # fmt: skip
    """Return what the rule finds for every head, then for the methods that train the network.

    Args:
        files: paths of all inputs by name, see `fbftl.training.tasks.task.Inputs`.
        heads: widths of the hidden layers of each head.
        job: FbFTL's clean setting, with epochs longer than will be needed and the rule's seeds.
        others: jobs of the methods that train the network, which get the head that is picked.
        axes: the axes that each method knows, with their defaults.
        device: auto, cpu or cuda.
        threads: threads to compute with.
    """
    where = devices.prepare(device, threads)
    inputs = Inputs.at(files, where)
    network = read_network(inputs.network)
    candidates, rows, ratios = [], [], []
    for widths in heads:
        outcome = trained(with_head(job, widths), axes, inputs)
        cut = ending_in(network, widths)
        candidates.append(Candidate(tuple(widths), parameters(cut.head), validation(outcome)))
        clients = outcome.repetitions[0]["clients"]
        federation = Federation(
            clients=clients,
            samples_per_client=Fraction(outcome.repetitions[0]["offered"], clients),
            clients_per_round=job["training"]["clients_per_round"],
        )
        ratios.append(partial(ratio, cut, federation))
        rows.append(row("fbftl", candidates[-1]) | ratios[-1](candidates[-1].epochs))
    for entry, of_head, epochs in zip(rows, ratios, epochs_to_common(candidates), strict=True):
        at_common = of_head(epochs)["times_fbftl"]
        entry |= {"common_epochs": epochs, "common_times": at_common}
    chosen = smallest_within_error(candidates)
    for entry, candidate in zip(rows, candidates, strict=True):
        entry["picked"] = "yes" if candidate is chosen else ""
    for other in others:
        outcome = trained(with_head(other, chosen.widths), axes, inputs)
        measured = Candidate(chosen.widths, chosen.parameters, validation(outcome))
        rows.append(row(other["setting"]["method"], measured) | {"picked": "yes"})
        rows[-1]["epochs"] = flat_epochs(measured.validation)
    for entry in rows:
        if entry["picked"]:
            log.info("%s: head %s, %d epochs", *(entry[k] for k in ("method", "head", "epochs")))
    return ResultTable(pd.DataFrame(rows), COLUMNS)


def trained(params: dict[str, Any], axes: dict[str, Any], inputs: Inputs) -> Outcome:
    """Return what a job finds; a gradient method's messages are none of the rule's business."""
    (outcome,) = by_name.train([from_params(params, axes)], inputs)
    return outcome


def validation(outcome: Outcome) -> np.ndarray:
    """Return the validation accuracy (S, E) by seed and epoch."""
    curves = [repetition["series"]["validation_accuracy"] for repetition in outcome.repetitions]
    return np.array(curves, dtype=float)


def with_head(job: dict[str, Any], widths: Sequence[int]) -> dict[str, Any]:
    """Return a job with another head."""
    return job | {"block": job["block"] | {"head": list(widths)}}


def ending_in(network: Network, widths: Sequence[int]) -> Network:
    """Return a task's network with another head."""
    classes = network.layers[-1].outputs
    sizes = [network.feature_width, *widths, classes]
    head = [dense(f"head{at}", *pair) for at, pair in enumerate(pairwise(sizes), 1)]
    return replace(network, layers=(*network.extractor, *head))


def ratio(network: Network, federation: Federation, epochs: int) -> dict[str, Any]:
    """Return FTL_c's uplink by formula, and over FbFTL's."""
    schemes = ("ftl_c", "fbftl")
    more, less = (scheme_cost(network, federation, s, epochs).uplink_bits for s in schemes)
    return {"uplink": float(more), "times_fbftl": float(more / less)}


def row(name: str, candidate: Candidate) -> dict[str, Any]:
    """Return what is found of one head."""
    best, error = candidate.best
    return {
        "method": name,
        "head": "-".join(map(str, candidate.widths)) or "none",
        "parameters": candidate.parameters,
        "epochs": candidate.epochs,
        "validation": best,
        "error": error,
        "seeds": len(candidate.validation),
    }
