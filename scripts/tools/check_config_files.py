"""Read the files of `--configfile` strictly before Snakemake does, which says less of a fault.

Called by `./run` with the words that it hands on; prints nothing where all is well.
"""

import argparse
import sys
from collections.abc import Sequence

from fbftl.ground.errors import ending_with_sentence
from fbftl.study.yaml_files import read_config_file


def main(words: Sequence[str]) -> None:
    """Leave with one sentence if a file is missing or malformed.

    Args:
        words: arguments of snakemake.
    """
    parser = argparse.ArgumentParser(add_help=False, allow_abbrev=False)
    parser.add_argument("--configfile", "--configfiles", nargs="+", default=[], dest="files")
    options, _ = parser.parse_known_args(words)
    with ending_with_sentence():
        for path in options.files:
            read_config_file(path)


if __name__ == "__main__":
    main(sys.argv[1:])
