"""Run a setting of a finished study as a Flower federation on this machine.

    ./run deploy SETTING [--task T] [--seed S] [--clients N] [--repeat] [--patience SECONDS]
        [--configfile FILE ...]

SETTING is a name as in results/TASK/runs.csv. A SuperLink and a SuperNode for each client start on
the loopback; clients send the project's own messages, and the server trains the head of the study.
--repeat takes the study's noise, so that the model is the study's; such a run protects nobody.
"""

import argparse
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from fbftl.ground.errors import UserError
from fbftl.plan.opened import Prepared

from fbftl_deploy.planning import Order
from fbftl_deploy.running import deploy


def parsed(words: Sequence[str]) -> dict[str, Any]:
    """Return the options of a call, by name."""
    parser = argparse.ArgumentParser("./run deploy", description=(__doc__ or "").split("\n")[0])
    parser.add_argument("setting")
    parser.add_argument("--task", default="digits")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--clients", type=int)
    parser.add_argument("--repeat", action="store_true")
    parser.add_argument("--patience", type=float, default=600.0)
    parser.add_argument("--configfile", nargs="+", action="extend", default=[])
    options = parser.parse_args(words)
    if options.clients is not None and options.clients < 1:
        parser.error("--clients is at least 1")
    if not 1 <= options.patience <= 86400:
        parser.error("--patience is from 1 to 86400 seconds")
    return vars(options)


def lines(document: Mapping[str, Any]) -> list[str]:
    """Return what a run comes to, as lines to read."""
    study = document["study"]
    verdict = "the study has no run with these clients"
    if study is not None:
        equal = "equals" if study["models_equal"] else "differs from"
        verdict = f"the model {equal} the study's, accuracy {study['accuracy']:.4f} there"
    bytes_are = "are" if document["messages_are_ledger"] else "are NOT"
    return [
        f"{document['setting']} on {document['task']}, seed {document['seed']}, "
        f"{document['clients']} clients, {document['seconds']:.0f} s: accuracy "
        f"{document['accuracy']:.4f}; {verdict}",
        f"the bytes of every client's messages {bytes_are} the ledger's; the SuperLink counts "
        + ", ".join(f"{name} {number:,}" for name, number in document["superlink"].items()),
        f"protection: {document['protection']}",
        *document["refused"],
        *document["failed"],
    ]


def main(words: Sequence[str]) -> int:
    """Deploy; return 0, or 2 with one sentence."""
    options = parsed(words)
    configfile = options.pop("configfile")
    try:
        prepared = Prepared.of_files(Path(), configfile)
        folder, document = deploy(prepared, Order(**options), Path("results"))
    except UserError as error:
        print(error, file=sys.stderr)
        return 2
    print("\n".join([*lines(document), f"written to {folder}"]))
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
