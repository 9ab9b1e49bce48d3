"""Attack class means: one decoder draws a sample's picture from the mean of its client's class.

The adversary is the server. A class with one sample at a client is that sample, so that pictures
fade only as a client's classes fill; a mean over many samples shows the class and nobody in it.
"""

from typing import Any

import numpy as np
import pandas as pd
from attack_features import draw
from fbftl.attacks.exposure import guesses
from fbftl.attacks.findings import Finding, summary, write_findings
from fbftl.attacks.inversion import Likeness, likenesses, train_decoder, training_pictures
from fbftl.data.participation import clients_of
from fbftl.features.store.opening import open_store
from fbftl.findings.style import save, use_style
from fbftl.ground import devices
from fbftl.ground.logs import run_job
from fbftl.study.job import from_params
from fbftl.tasks.task import Inputs, held_features

SIZES = (1, 2, 8, 32, 128)
"""Samples per client K, as far as the task has them; at K = 1 a mean is a feature."""

VICTIMS = 400
"""Samples that are drawn."""


def main(
    inputs: Inputs, clients: str, public: str, csv: str, svg: str, params: dict[str, Any],
    axes: dict[str, Any],
) -> None:  # fmt: skip
    """Write the findings, and the figure of originals above pictures from means.

    Args:
        inputs: the feature stores of clients and public, and the description of the network.
        clients: the client file.
        public: the public client file.
        csv: findings to write.
        svg: figure to write; pdf, png and numbers go beside it.
        params: the job whose clients are dealt anew for each K.
        axes: the axes that each method knows, with their defaults.
    """
    held = held_features(from_params(params, axes), inputs)
    payload, known = held.payload, open_store(inputs.public_manifest).read("train").values
    originals, shown = training_pictures(clients)[:VICTIMS], training_pictures(public)
    decoder = train_decoder(
        known, shown, seed=params["seeds"][0], noise_std=0.0, device=inputs.device
    )
    findings, drawn = [], {"original": originals}
    for size in (k for k in SIZES if k <= len(payload.labels)):
        setting = {"method": "fbftl", "message": "means", "head": "ncm", "samples_per_client": size}
        job = from_params(params | {"setting": setting}, axes)
        client = clients_of(job, held.holdings, job.seeds[0])
        told = guesses("means", payload.values, payload.labels, client, payload.classes)
        seen = drawn[f"K = {size}"] = decoder(told[:VICTIMS].astype(np.float32))
        findings += [finding(size, own) for own in likenesses(seen, originals, shown)]
    write_findings(csv, findings)
    use_style()
    save(draw(drawn, findings), svg, pd.DataFrame(findings))


def finding(size: int, found: Likeness) -> Finding:
    """Return how close pictures from means come, beside the public data's mean picture."""
    return Finding(
        attack="inversion",
        method="fbftl",
        adversary="server with public data, on class means",
        mechanism="none",
        unit=None,
        epsilon=None,
        samples_per_client=size,
        measure=found.measure,
        blind=found.blind,
        **summary(found.values),
    )


if __name__ == "__main__":
    run_job(
        snakemake,
        lambda job: main(
            Inputs.at(
                {name: job.input[name] for name in ("manifest", "network", "public_manifest")},
                devices.prepare(job.config["device"], job.threads),
            ),
            job.input.clients,
            job.input.public,
            job.output.findings,
            job.output.svg,
            job.params.job,
            job.config["axes"],
        ),
    )
