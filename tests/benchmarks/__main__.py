"""Run benchmarks, one after the other, and print one table of ratios beside the numbers to reach.

    python tests/benchmarks [--data-folder FOLDER] [NAME ...]

Without names all of them run but that of extraction, which is called by its own file.
"""

import argparse
import os
from importlib import import_module

from ratios import Row, print_table

NAMES = ("store", "cache")
"""Shortest first."""


def main() -> None:
    """Run what the command line names."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("names", nargs="*", metavar="NAME", help=f"of {', '.join(NAMES)}")
    parser.add_argument("--data-folder", help="real data, default FBFTL_DATA or ../shared/data")
    arguments = parser.parse_args()
    if unknown := set(arguments.names) - set(NAMES):
        parser.error(f"there is no benchmark {', '.join(sorted(unknown))}")
    if arguments.data_folder:
        os.environ["FBFTL_DATA"] = arguments.data_folder
    rows: list[Row] = []
    for name in arguments.names or NAMES:
        print(f"\n== {name}", flush=True)
        rows += import_module(name).rows()
    print_table(rows)


if __name__ == "__main__":
    main()
