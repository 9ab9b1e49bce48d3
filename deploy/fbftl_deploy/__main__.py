"""Run a planned setting as a real federation on this machine.

    ./run deploy SETTING [--task T] [--seed S] [--clients N] [--from features|images] [--repeat]
        [--tls] [--idle] [--patience SECONDS] [--port P] [--plans FOLDER] [--configfile FILE ...]

SETTING is a name as in results/TASK/runs/. A SuperLink and a SuperNode for each client start on the
loopback; clients send the project's own messages, and the server trains the head of the study.
--repeat takes the study's masks and noise, so that the model is the study's; such a run protects
nobody. --tls encrypts; --idle lets the nodes wait as long as the run before, and counts that alone.
--plans writes what each party is told to a new folder, and starts nothing.
"""

import argparse
import signal
import sys
from collections.abc import Sequence
from pathlib import Path

from fbftl.ground.errors import UserError
from fbftl.study.resolved import folder_of, study_of

from fbftl_deploy.planning import PATIENCE_SECONDS, Order
from fbftl_deploy.running import Wire, deploy, only_plans
from fbftl_deploy.table import lines

FIRST_PORT = 42100


def parsed(words: Sequence[str]) -> argparse.Namespace:
    """Return the options of a call."""
    parser = argparse.ArgumentParser("./run deploy", description=(__doc__ or "").split("\n")[0])
    parser.add_argument("setting")
    parser.add_argument("--task", default="digits")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--clients", type=int)
    parser.add_argument("--from", dest="source", choices=("features", "images"), default="features")
    parser.add_argument("--repeat", action="store_true")
    parser.add_argument("--tls", action="store_true")
    parser.add_argument("--idle", action="store_true")
    parser.add_argument("--patience", type=float, default=PATIENCE_SECONDS)
    parser.add_argument("--port", type=int, default=FIRST_PORT)
    parser.add_argument("--plans", type=Path)
    parser.add_argument("--configfile", nargs="+", action="extend", default=[])
    options = parser.parse_args(words)
    if options.clients is not None and options.clients < 1:
        parser.error("--clients is at least 1")
    if not 1 <= options.patience <= 86400:
        parser.error("--patience is from 1 to 86400 seconds")
    if not 1024 <= options.port <= 65000:
        parser.error("--port is from 1024 to 65000")
    return options


def main(words: Sequence[str]) -> int:
    """Deploy; return 0, or 2 with one sentence."""
    options = parsed(words)
    # What was started is ended too when this process is told to end.
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(143))
    order = Order(
        options.task,
        options.setting,
        options.seed,
        options.clients,
        options.source,
        options.repeat,
        options.patience,
    )
    try:
        study = study_of(Path(), options.configfile)
        folder = folder_of(study) / "results"
        if options.plans is not None:
            paths = only_plans(study, order, folder, options.plans, options.port + 1)
            print("\n".join(map(str, paths)))
            return 0
        path, document = deploy(study, order, folder, Wire(options.port, options.tls, options.idle))
    except UserError as error:
        print(error, file=sys.stderr)
        return 2
    print("\n".join([*lines(document), f"written to {path}"]))
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
