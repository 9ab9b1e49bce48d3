"""Attack class means: one decoder draws a sample's picture from the mean of its client's class.

The adversary is the server. A class with one sample at a client is that sample, so that pictures
fade only as a client's classes fill; a mean over many samples shows the class and nobody in it.
"""

from typing import Any

import numpy as np
import pandas as pd
from fbftl.attacks.attained import write_findings
from fbftl.attacks.inversion import found_in_pictures, likenesses, train_decoder, training_pictures
from fbftl.attacks.label_recovery import guesses
from fbftl.data.participation import clients_of
from fbftl.features.store.reader import open_store
from fbftl.findings.reconstructions import draw
from fbftl.findings.style import save
from fbftl.ground import devices
from fbftl.study.job import from_params
from fbftl.training.tasks.task import Inputs, client_features

SIZES = (1, 2, 8, 32, 128)
"""Samples per client K, as far as the task has them; at K = 1 a mean is a feature."""

VICTIMS = 400
"""Samples that are drawn."""


def main(
    files: dict[str, str], clients: str, public: str, findings: str, svg: str,
    job: dict[str, Any], axes: dict[str, Any], device: str, threads: int,
) -> None:  # fmt: skip
    """Write the findings, and the figure of originals above pictures from means.

    Args:
        files: the feature stores of clients and public, and the description of the network.
        clients: the client file.
        public: the public client file.
        findings: what to write them to.
        svg: figure to write; pdf, png and numbers go beside it.
        job: the one whose clients are dealt anew for each K.
        axes: the axes that each method knows, with their defaults.
        device: auto, cpu or cuda.
        threads: threads to compute with.
    """
    names = ("manifest", "network", "public_manifest")
    where = devices.prepare(device, threads)
    inputs = Inputs.at({name: files[name] for name in names}, where)
    client_data = client_features(from_params(job, axes), inputs)
    payload = client_data.payload
    public_features = open_store(inputs.public_manifest).read("train").values
    originals, shown = training_pictures(clients)[:VICTIMS], training_pictures(public)
    decoder = train_decoder(
        public_features, shown, seed=job["seeds"][0], noise_std=0.0, device=inputs.device
    )
    rows, pictures = [], {"original": originals}
    for size in (k for k in SIZES if k <= len(payload.labels)):
        setting = {"method": "fbftl", "samples_per_client": size}
        of_size = from_params(job | {"setting": setting}, axes)
        client = clients_of(of_size, client_data.partition, of_size.seeds[0])
        guessed = guesses("means", payload.values, payload.labels, client, payload.classes)
        seen = pictures[f"K = {size}"] = decoder(guessed[:VICTIMS].astype(np.float32))
        rows += found_in_pictures(
            likenesses(seen, originals, shown),
            method="fbftl",
            adversary="server with public data, on class means",
            samples_per_client=size,
        )
    write_findings(findings, rows)
    numbers = pd.DataFrame(rows).assign(seeds=1)
    save(draw(pictures, rows), svg, numbers, "Images reconstructed from class means; mean PSNR")
