"""Run benchmarks, one after the other, and print one table of ratios beside the numbers to reach.

    python tests/benchmarks [--data-folder FOLDER] [NAME ...]

Without names those of speed and growth run; `python tests/benchmarks --help` lists the others.
"""

import argparse
import os
import subprocess
import sys
from importlib import import_module
from pathlib import Path

from ratios import Row, print_table

HERE = Path(__file__).resolve().parent
WITH_ROWS = ("training", "local_epochs", "startup", "growth", "cache")
"""Those that end in rows of the common table, shortest first; they run without being named."""
OTHERS = tuple(
    sorted(
        path.stem
        for path in HERE.glob("*.py")
        if path.stem
        not in (*WITH_ROWS, "__main__", "ratios", "project", "small_task", "summed_uploads")
    )
)


def main() -> None:
    """Run what the command line names."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument(
        "names", nargs="*", metavar="NAME", help=f"of {', '.join(WITH_ROWS + OTHERS)}"
    )
    parser.add_argument("--data-folder", help="real data, default FBFTL_DATA or ../shared/data")
    arguments = parser.parse_args()
    unknown = set(arguments.names) - {*WITH_ROWS, *OTHERS}
    if unknown:
        parser.error(f"there is no benchmark {', '.join(sorted(unknown))}")
    if arguments.data_folder:
        os.environ["FBFTL_DATA"] = arguments.data_folder
    rows: list[Row] = []
    for name in arguments.names or WITH_ROWS:
        print(f"\n== {name}", flush=True)
        if name in WITH_ROWS:
            rows += import_module(name).rows()
        else:
            subprocess.run([sys.executable, HERE / f"{name}.py"], check=True)
    if rows:
        print_table(rows)


if __name__ == "__main__":
    main()
