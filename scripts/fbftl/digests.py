"""Whether a weights file is the one that the config means; light enough to ask before any job."""

from pathlib import Path

from fbftl.errors import UserError
from fbftl.files import sha256


def check_digest(path: str | Path, digest: str | None) -> str:
    """Return the SHA-256 of `path` if it is the expected one.

    Raises:
        UserError: if the file is missing or its digest is not `digest`.
    """
    if not Path(path).is_file():
        raise UserError(f"weights file {path} does not exist; put it there or correct source.file")
    found = sha256(path)
    if digest is not None and found != digest.lower():
        raise UserError(
            f"{path} has sha256 {found}, not {digest} as expected; fetch the file again, or "
            "correct source.sha256 if this is the file you mean"
        )
    return found
