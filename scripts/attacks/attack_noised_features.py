"""Attack the features that FedFeat+'s clients send: who was in them, and what did they look like?

One seed of each setting, from no noise to the most; what the server does is in
`fbftl.attacks.noised_features`.
"""

from collections.abc import Sequence
from typing import Any

from fbftl.attacks.attained import Finding, found_of, write_findings
from fbftl.attacks.inversion import AttackedImages, found_in_pictures
from fbftl.attacks.noised_features import BY_DECODER, read_by_server
from fbftl.ground import devices
from fbftl.ground.errors import UserError
from fbftl.study.job import from_params, name_of
from fbftl.training.tasks.task import Inputs, client_samples


def main(
    files: dict[str, str], csv: str, jobs: Sequence[dict[str, Any]],
    axes: dict[str, Any], device: str, threads: int,
) -> None:  # fmt: skip
    """Write the findings.

    Args:
        files: paths of the method's input files by name, see `fbftl.training.tasks.task.Inputs`.
        csv: findings to write.
        jobs: the FedFeat+ jobs that are attacked, without noise first; one seed of each.
        axes: the axes that each method knows, with their defaults.
        device: auto, cpu or cuda.
        threads: threads to compute with.
    """
    inputs = Inputs.at(files, devices.prepare(device, threads))
    images = AttackedImages.of(files)
    findings: list[Finding] = []
    for params in jobs:
        job = from_params(params | {"seeds": params["seeds"][:1]}, axes)
        read = read_by_server(job, client_samples(job, inputs), images)
        if read is None:
            raise UserError(
                f"{name_of(params['setting'])} on {job.task} diverges, so that its features have "
                "nothing to attack; lower training.learning_rate"
            )
        under = {
            "method": "fedfeat",
            "mechanism": job.setting.mechanism,
            "unit": "sample" if job.setting.mechanism == "gaussian" else None,
            "epsilon": job.setting.epsilon,
        }
        findings += [
            found_of(read.members, **under),
            *found_in_pictures(read.drawn, adversary=BY_DECODER, **under),
        ]
    write_findings(csv, findings)
