"""Attack the features that FedFeat+'s clients send: who was in them, and what did they look like?

One seed of each setting, from no noise to the most; what the server does is in
`fbftl.attacks.noised_features`.
"""

from collections.abc import Sequence
from typing import Any

from fbftl.attacks.findings import Finding, summary, write_findings
from fbftl.attacks.inversion import trained_from
from fbftl.attacks.noised_features import (
    BY_DECODER,
    AttackedImages,
    drawn_by_server,
    members_by_distance,
    noise_of,
    views,
)
from fbftl.ground import devices
from fbftl.methods.fedfeat.run import retrain
from fbftl.study.job import Job, from_params
from fbftl.tasks.task import Inputs, client_samples


def main(
    files: dict[str, str], public: str, csv: str, jobs: Sequence[dict[str, Any]],
    axes: dict[str, Any], device: str, threads: int,
) -> None:  # fmt: skip
    """Write the findings.

    Args:
        files: paths of the method's input files by name, see `fbftl.tasks.task.Inputs`.
        public: the public client file.
        csv: findings to write.
        jobs: the FedFeat+ jobs that are attacked, without noise first; one seed of each.
        axes: the axes that each method knows, with their defaults.
        device: auto, cpu or cuda.
        threads: threads to compute with.
    """
    inputs = Inputs.at(trained_from(files), devices.prepare(device, threads))
    images = AttackedImages.of(files["clients"], public)
    findings: list[Finding] = []
    for params in jobs:
        job = from_params(params | {"seeds": params["seeds"][:1]}, axes)
        client_data = client_samples(job, inputs)
        (network,) = retrain(job, client_data).networks
        seen = views(network, images, client_data.preprocessing)
        members = members_by_distance(seen)
        findings.append(
            finding(job, "membership", members.adversary, "AUC", members.blind, members.values)
        )
        findings += [
            finding(job, "inversion", BY_DECODER, drawn.measure, drawn.blind, drawn.values)
            for drawn in drawn_by_server(seen[0], images, job.seeds[0], noise_of(network))
        ]
    write_findings(csv, findings)


def finding(
    job: Job, attack: str, adversary: str, measure: str, blind: float, values: Sequence[float]
) -> Finding:
    """Return one number that the adversary attains under a setting."""
    return Finding(
        attack=attack,
        method="fedfeat",
        adversary=adversary,
        mechanism=job.setting.mechanism,
        unit="sample" if job.setting.mechanism == "gaussian" else None,
        epsilon=job.setting.epsilon,
        samples_per_client=None,
        measure=measure,
        blind=blind,
        **summary(values),
    )
