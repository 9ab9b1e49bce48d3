"""Publish a finished task's features, so that others need no images and extract nothing.

    ./run publish TASK TARGET [--configfile FILE ...] [--licence SPDX] [--backbone-licence SPDX]
        [--publisher NAME] [--noise EPSILON --clip NORM] [--group NAME] [--croissant]

TARGET is a new folder, a new file that ends in .zip, or a URL such as s3://bucket/name. What is
there says what the features are and what they tell of samples: README.md. The digest that is
printed goes into `data: {kind: features, ...}` of whoever uses them.
"""

import argparse
import sys
from collections.abc import Mapping, Sequence
from datetime import UTC, datetime
from functools import partial
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import numpy as np
from fbftl.data.clients import ClientFile
from fbftl.features.publication.about import about_of
from fbftl.features.publication.conform import SOMETIMES
from fbftl.features.publication.sinks import require_free
from fbftl.features.publication.write import PublishedNoise, json_bytes, publish
from fbftl.findings.descriptions.card import card_of, data_line
from fbftl.findings.descriptions.leaks import leaks_of, lines_on
from fbftl.findings.descriptions.metadata import crate_of, croissant_of, require_mlcroissant
from fbftl.ground.errors import UserError
from fbftl.ground.places import is_url
from fbftl.privacy.accounting import gaussian_sigma
from fbftl.study.elsewhere import is_from_elsewhere
from fbftl.study.resolved import folder_of, study_of

GROUP = "group"
"""Array of the group that a row's client is judged by."""


def main(options: argparse.Namespace) -> None:
    """Publish.

    Raises:
        UserError: if the task's features are unfinished, damaged or another configuration's, or
            the target exists or cannot be written.
    """
    task, target = options.task, options.target.rstrip("/")
    require_free(target)
    if options.croissant:
        require_mlcroissant()
    if options.noise is not None and options.clip is None:
        raise UserError("--noise needs --clip, the L2 norm to which a row is clipped; give it")
    study = study_of(Path(), options.configfile)
    if task not in study.config["tasks"]:
        names = ", ".join(study.config["tasks"])
        raise UserError(f"there is no task '{task}'; the tasks are {names}")
    results, block = folder_of(study) / "results" / task, study.task(task)
    if block["kind"] == "dialogues":
        raise UserError(
            f"{task} holds the texts of its dialogues beside their features, which would be "
            "published with them; publish a task of images or tables"
        )
    if is_from_elsewhere(block):
        raise UserError(
            f"{task} has features that were published at {block['data']['store']}; name that place "
            "to whoever needs them"
        )
    noise, promise = None, None
    if options.noise is not None:
        delta = block["privacy"]["delta"]
        noise = PublishedNoise(gaussian_sigma(options.noise, delta), options.clip)
        promise = {"epsilon": options.noise, "delta": delta, "clip_norm": options.clip}
    columns = groups_of(results, task) if options.group else {}
    about = about_of(task, block, results) | {
        "licence": options.licence,
        "publisher": options.publisher,
        "noise": promise,
        "groups": [GROUP] if columns else [],
        "leaks": leaks_of(results, options.noise),
    }
    about["backbone"]["licence"] = options.backbone_licence
    about["warnings"] = warnings_of(about)
    describe = partial(documents, target=target, croissant=options.croissant)
    manifest = publish(results / "features.json", target, about, describe, noise, columns)
    for line in lines_on(about["leaks"]):
        print(line)
    for warning in about["warnings"]:
        print(f"warning: {warning}", file=sys.stderr)
    if not options.croissant and find_spec("mlcroissant") is None:
        print("without croissant.json: the package mlcroissant is not installed", file=sys.stderr)
    print(data_line(target, manifest["digest"]))


def groups_of(results: Path, task: str) -> dict[str, np.ndarray]:
    """Return the group of each row by array.

    Raises:
        UserError: if the task has none.
    """
    with ClientFile(results / "clients.h5") as file:
        found = {f"{split}/{GROUP}": file.groups(split) for split in file.splits}
    columns = {name: groups for name, groups in found.items() if groups is not None}
    if len(columns) < len(found) or GROUP not in SOMETIMES:
        raise UserError(f"--group: the samples of {task} are in no groups; leave it out")
    return columns


def warnings_of(about: Mapping[str, Any]) -> list[str]:
    """Return what of the features' origin is not known."""
    backbone = about["backbone"]
    unknown = {
        "the licence of the backbone is not known": backbone["licence"] is None,
        "the digest of the backbone's weights is not known": not backbone["digest"],
        "the features have no licence": about["licence"] is None,
    }
    return [warning for warning, holds in unknown.items() if holds]


def documents(manifest: Mapping[str, Any], target: str, croissant: bool) -> dict[str, bytes]:
    """Return card and descriptions of published features, by name."""
    day = datetime.now(UTC).date().isoformat()
    place = target if is_url(target) else Path(target).name
    texts = {"README.md": card_of(manifest, place).encode()}
    if croissant or find_spec("mlcroissant") is not None:
        texts["croissant.json"] = json_bytes(croissant_of(manifest, place, day))
    texts["ro-crate-metadata.json"] = json_bytes(crate_of(manifest, texts, day))
    return texts


def parsed(arguments: Sequence[str]) -> argparse.Namespace:
    """Return the options of a call."""
    parser = argparse.ArgumentParser(prog="./run publish", description=__doc__.splitlines()[0])
    parser.add_argument("task", help="name of a task whose features are finished here")
    parser.add_argument("target", help="new folder, new .zip, or URL at which nothing is")
    parser.add_argument("--configfile", nargs="+", default=[], help="files of the study")
    parser.add_argument("--licence", help="SPDX identifier of the features' licence")
    parser.add_argument("--backbone-licence", help="SPDX identifier of the backbone's licence")
    parser.add_argument("--publisher", default="unnamed", help="who publishes, for descriptions")
    parser.add_argument("--noise", type=float, help="epsilon of a row under the Gaussian mechanism")
    parser.add_argument("--clip", type=float, help="L2 norm to which --noise clips a row")
    parser.add_argument("--group", choices=[GROUP], help="publish the groups of people too")
    parser.add_argument("--croissant", action="store_true", help="refuse without croissant.json")
    return parser.parse_args(arguments)


if __name__ == "__main__":
    try:
        main(parsed(sys.argv[1:]))
    except UserError as error:
        sys.exit(str(error))
