"""Hold what noise states against membership attacks: what epsilon they prove it to be at least.

Every client has one sample, so that a member is a sample and not the eight that a client sends.
The adversary sees heads alone, trained or solved as the target's was on halves of the samples. The
attack is chosen on some heads and quoted on the others.
"""

from collections.abc import Sequence
from typing import Any

import pandas as pd
from fbftl.attacks.heads import heads_of, on_halves, proven
from fbftl.findings.runs import write_tidy
from fbftl.ground import devices
from fbftl.study.job import from_params, name_of
from fbftl.training.tasks.task import Inputs, labelled_features


def main(
    files: dict[str, str], csv: str, jobs: Sequence[dict[str, Any]], axes: dict[str, Any],
    models: int, device: str, threads: int,
) -> None:  # fmt: skip
    """Write a row per setting: its name, the attack chosen, its AUC and the epsilon that it proves.

    Args:
        files: feature stores of clients and public, and the description of the network.
        csv: table to write.
        jobs: the jobs whose mechanisms are attacked.
        axes: the axes that each method knows, with their defaults.
        models: heads that are made under each, at least four.
        device: auto, cpu or cuda.
        threads: threads to compute with.
    """
    inputs = Inputs.at(files, devices.prepare(device, threads))
    client_data = labelled_features(from_params(jobs[0], axes), inputs)
    rows = []
    for job_params in jobs:
        one_shot = job_params["block"].get("one_shot")
        # Masks change no sum, so that no more than one message need be made.
        block = job_params["block"] | (
            {} if one_shot is None else {"one_shot": one_shot | {"made": 1}}
        )
        job = on_halves(job_params | {"block": block}, axes, models, samples_per_client=1)
        rows.append(
            {"setting": name_of(job_params["setting"]), **proven(job, heads_of(job, client_data))}
        )
    write_tidy(csv, pd.DataFrame(rows))
