"""Publish a finished task's features, so that others need no samples and extract nothing.

    ./run publish TASK TARGET [--results FOLDER] [--licence SPDX] [--publisher NAME]

TARGET is a new folder: a feature store with `croissant.json`. What is printed goes into a task of
whoever uses it.
"""

import argparse
import json
from pathlib import Path

from fbftl.features.published import publish
from fbftl.ground.errors import UserError, ending_with_sentence


def main(task: str, target: Path, results: Path, licence: str, publisher: str) -> None:
    """Publish.

    Args:
        task: the task's name.
        target: where its features go.
        results: folder in which the task's own is.
        licence: of the features.
        publisher: who publishes them.

    Raises:
        UserError: if there is no finished store, or as `publish`.
    """
    manifest = results / task / "features.json"
    if not manifest.is_file():
        finished = ", ".join(sorted(path.parent.name for path in results.glob("*/features.json")))
        raise UserError(
            f"{manifest} is missing; run the study first, or name a task with features "
            f"({finished or 'none yet'}), or the --results of a study with a folder of its own"
        )
    digest = publish(manifest, target, licence, publisher)
    # A task reads a path relative to its data folder, and JSON is YAML whatever the path holds.
    named = {"kind": "features", "path": str(target.resolve()), "sha256": digest}
    print(f"data: {json.dumps(named)}")


if __name__ == "__main__":
    parser = argparse.ArgumentParser(prog="./run publish", description=__doc__.splitlines()[0])
    parser.add_argument("task", help="name of a task whose features are finished here")
    parser.add_argument("target", type=Path, help="new folder")
    parser.add_argument("--results", type=Path, default="results", help="folder of the results")
    parser.add_argument("--licence", default="unknown", help="of the features, as in CC0-1.0")
    parser.add_argument("--publisher", default="unnamed", help="who publishes")
    with ending_with_sentence():
        main(**vars(parser.parse_args()))
