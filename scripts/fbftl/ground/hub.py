"""Files of a Hugging Face repository, pinned by revision and digest, for machines with or without.

A file that already lies in its place is checked and used; only a missing one is downloaded.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from fbftl.ground.errors import UserError
from fbftl.ground.files import sha256, writing

DOWNLOAD_TIMEOUT_S = 10.0


@dataclass(frozen=True)
class Pinned:
    """What to fetch.

    repository: e.g. ``google/flan-t5-small``.
    type: ``model`` or ``dataset``.
    revision: commit of the repository, 40 hex digits.
    files: file name in the repository to its SHA-256.
    """

    repository: str
    type: str
    revision: str
    files: Mapping[str, str]

    def url(self, name: str) -> str:
        """Return the address of a file."""
        kind = "datasets/" if self.type == "dataset" else ""
        return f"https://huggingface.co/{kind}{self.repository}/resolve/{self.revision}/{name}"


def pinned(spec: Mapping[str, Any]) -> Pinned:
    """Return what a config block ``hub`` asks for: repository, type, revision, files."""
    return Pinned(
        spec["repository"], spec.get("type", "model"), spec["revision"], dict(spec["files"])
    )


def fetch(wanted: Pinned, folder: Path) -> None:
    """Make sure that every file lies in `folder` under its name in the repository.

    Raises:
        UserError: if a file has another digest, or is missing and cannot be downloaded; the latter
            message says where to get each file and where to place it; if the disk is full.
    """
    missing = [name for name in wanted.files if not (folder / name).is_file()]
    for name in missing:
        try:
            with writing(folder / name):
                _download(wanted, name, folder)
        except UserError:
            raise
        except Exception as error:  # no hub, no network, no such revision: one remedy for all
            raise UserError(_by_hand(wanted, folder)) from error
    require_unchanged(wanted, folder)


def require_unchanged(
    wanted: Pinned, folder: Path, digest_of: Callable[[str | Path], str] = sha256
) -> None:
    """Compare the files that already lie in `folder` with their pins.

    Args:
        wanted: what is pinned.
        folder: where the files go.
        digest_of: gives a file's SHA-256.

    Raises:
        UserError: naming the first file that differs.
    """
    for name, digest in wanted.files.items():
        path = folder / name
        if path.is_file() and (actual := digest_of(path)) != digest:
            raise UserError(
                f"{path} has sha256 {actual} where the study pins {digest}; "
                f"delete it and fetch {wanted.url(name)} again"
            )


def require_repository_name(name: str) -> None:
    """Refuse what cannot name a repository, as a folder that is not there.

    Raises:
        UserError: naming it.
    """
    from huggingface_hub.utils import HFValidationError, validate_repo_id

    try:
        validate_repo_id(name)
    except HFValidationError as error:
        raise UserError(
            f"'{name}' is no folder here and no name of a repository on Hugging Face's hub; "
            "correct it, or put the folder there"
        ) from error


def _download(wanted: Pinned, name: str, folder: Path) -> None:
    from huggingface_hub import hf_hub_download

    hf_hub_download(
        wanted.repository,
        name,
        repo_type=wanted.type,
        revision=wanted.revision,
        local_dir=folder,
        etag_timeout=DOWNLOAD_TIMEOUT_S,
    )


def _by_hand(wanted: Pinned, folder: Path) -> str:
    lines = [
        f"  {wanted.url(name)}\n    as {folder / name} (sha256 {digest})"
        for name, digest in wanted.files.items()
    ]
    return (
        f"{wanted.repository} cannot be downloaded here; on a machine that can, fetch\n"
        + "\n".join(lines)
        + "\nand run the workflow again"
    )
