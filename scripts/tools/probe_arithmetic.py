"""Print a digest for every kind of arithmetic that the study rests on, one `name digest` a line.

    PYTHONPATH=scripts python scripts/tools/probe_arithmetic.py [operation or kind ...]

Machines that print the same lines compute the same bytes. The variables of `fbftl.ground.exact` are
the caller's to set: without them the lines are those of this processor alone.
"""

import sys

from fbftl.findings.probe.operations import digests
from fbftl.ground.errors import UserError


def main(*wanted: str) -> None:
    """Print the lines, each as soon as it is there.

    Args:
        wanted: operations, or kinds of them; none means all.

    Raises:
        UserError: if there is no operation or kind of a name.
    """
    for name, digest in digests(wanted):
        print(name, digest, flush=True)


if __name__ == "__main__":
    try:
        main(*sys.argv[1:])
    except UserError as error:
        sys.exit(str(error))
