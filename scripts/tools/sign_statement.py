"""Sign a statement with a key of the user's own, in a DSSE envelope beside it.

    ./run sign KEY [STATEMENT]

KEY is a private key in PEM without a password, of Ed25519 or an elliptic curve:
`openssl genpkey -algorithm ed25519 -out KEY`.
"""

import json
import sys
from pathlib import Path

from fbftl.findings.statement import TYPE, envelope
from fbftl.ground.errors import UserError
from fbftl.ground.files import write_json


def main(key: str, path: str = "statement.json") -> None:
    """Write the envelope.

    Raises:
        UserError: if a file cannot be read, or the key is none.
    """
    try:
        secret, statement = Path(key).read_bytes(), Path(path).read_bytes()
    except OSError as error:
        raise UserError(f"{error.filename} cannot be read ({error.strerror})") from error
    require_statement(path, statement)
    try:
        signed = envelope(statement, secret)
    except UserError as error:
        raise UserError(f"{key} signs nothing: {error}") from error
    to = Path(path).with_suffix(".dsse.json")
    write_json(to, signed)
    print(f"{to} is signed; `./run verify {to} PUBLIC_KEY` checks it")


def require_statement(path: str, content: bytes) -> None:
    """Refuse whatever is no in-toto statement: a signature says that one is true."""
    try:
        document = json.loads(content)
        is_statement = isinstance(document, dict) and document.get("_type") == TYPE
    except (ValueError, RecursionError):
        is_statement = False
    if not is_statement:
        raise UserError(f"{path} is no statement of `./run statement`; only these are signed")


if __name__ == "__main__":
    if len(sys.argv) not in (2, 3):
        sys.exit("usage: ./run sign KEY [STATEMENT]")
    try:
        main(*sys.argv[1:])
    except UserError as error:
        sys.exit(str(error))
