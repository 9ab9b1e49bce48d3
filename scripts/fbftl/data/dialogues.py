"""The language task's data, whatever it comes from, in three splits, and who holds which.

``source`` is public and pre-trains the source model, ``train`` is what the clients hold, ``test``
is what summaries are scored on.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from fbftl.data import dialogue_records
from fbftl.data.clients import SERVER, Client
from fbftl.data.datasets.base import located_splits
from fbftl.data.dialogue_records import FIELDS, Record, read_records
from fbftl.data.partition import deal, members
from fbftl.ground.errors import UserError
from fbftl.ground.files import sha256
from fbftl.ground.hub import fetch, pinned, require_unchanged

Splits = dict[str, list[Record]]


def check(
    spec: Mapping[str, Any],
    data_folder: str | Path | None,
    digest_of: Callable[[str | Path], str] = sha256,
) -> None:
    """Check before any job that files are there, and that pinned ones which are there are those.

    Args:
        spec: the config block ``data``.
        data_folder: where relative file names start.
        digest_of: gives a file's SHA-256.

    Raises:
        UserError: naming the file, or the key `data_folder`.
    """
    if spec["kind"] != "jsonl":
        return
    if hub := spec.get("hub"):
        require_unchanged(pinned(hub), Path(data_folder or ".", hub["folder"]), digest_of)
        return
    located_splits(spec, None if data_folder is None else Path(data_folder))


def files(spec: Mapping[str, Any], data_folder: str | Path | None) -> list[str]:
    """Return the files that the config names, for the workflow to watch.

    What `hub` pins is told by its digests, which `check` compares; it may not be there before it is
    asked for.
    """
    if spec["kind"] != "jsonl" or spec.get("hub"):
        return []
    return [str(Path(data_folder or ".", spec[split])) for split in ("train", "test")]


def training_count(spec: Mapping[str, Any], data_folder: str | Path | None) -> int | None:
    """Return the number of dialogues at the clients, or None for files that are not there yet.

    Args:
        spec: the config block ``data``, checked.
        data_folder: where relative file names start.

    Raises:
        UserError: as `load`, of the file of training dialogues.
    """
    if spec["kind"] == "dialogues":
        return spec["train"]
    path = Path(data_folder or ".", spec["train"])
    if not path.is_file():
        return None
    count = len(read_records(path))
    count -= _public(spec, count, path)
    return min(count, (spec.get("limit") or {}).get("train", count))


def load(spec: Mapping[str, Any], data_folder: str | Path | None) -> Splits:
    """Return the splits ``source``, ``train`` and ``test`` of a task.

    Args:
        spec: the config block ``data``. ``kind: dialogues`` generates ``source``, ``train`` and
            ``test`` dialogues under ``seed``. ``kind: jsonl`` reads the files ``train`` and
            ``test``, takes the first ``source`` of the training dialogues for the public split,
            keeps at most ``limit`` of the others, and downloads what ``hub`` pins into ``folder``
            if the files are not there.
        data_folder: where relative file names start.

    Raises:
        UserError: naming file, line and remedy.
    """
    if spec["kind"] == "dialogues":
        seed = spec.get("seed", 0)
        public = dialogue_records.generate("source", {"source": spec["source"]}, seed)
        counts = {"train": spec["train"], "test": spec["test"]}
        return public | dialogue_records.generate("target", counts, seed)
    return _read(spec, Path(data_folder or "."))


def _read(spec: Mapping[str, Any], data_folder: Path) -> Splits:
    files = {split: data_folder / spec[split] for split in ("train", "test")}
    if spec.get("hub") and not all(path.is_file() for path in files.values()):
        _fetch_and_unpack(spec["hub"], data_folder, files)
    train, test = read_records(files["train"]), read_records(files["test"])
    public = _public(spec, len(train), files["train"])
    splits = {"train": train[public:], "test": test}
    limit = spec.get("limit") or {}
    kept = {split: records[: limit.get(split)] for split, records in splits.items()}
    return {"source": train[:public]} | kept


def _public(spec: Mapping[str, Any], dialogues: int, path: Path) -> int:
    """Return how many of the training dialogues are public."""
    public = spec.get("source", 0)
    if public >= dialogues:
        raise UserError(
            f"data.source takes {public} of the {dialogues} dialogues in {path} and "
            "leaves none to the clients; lower it"
        )
    return public


def _fetch_and_unpack(hub: Mapping[str, Any], data_folder: Path, files: Mapping[str, Path]) -> None:
    """Fetch what is pinned; an archive is unpacked into the folder of the files it holds."""
    wanted = pinned(hub)
    folder = data_folder / hub["folder"]
    places = " and ".join(str(path) for path in files.values())
    try:
        fetch(wanted, folder)
    except UserError as error:
        raise UserError(f"{error}; or place {places} there yourself") from error
    for name in wanted.files:
        if name.endswith(".7z"):
            try:
                import py7zr
            except ModuleNotFoundError:
                raise UserError(
                    f"{folder / name} is packed; unpack it so that {places} exist, "
                    "or pip install py7zr"
                ) from None
            with py7zr.SevenZipFile(folder / name) as archive:
                for path in files.values():
                    archive.extract(path.parent, [path.name])


def dealt_out(
    data: Mapping[str, Any], clients: Mapping[str, Any], data_folder: str | None, seed: int
) -> tuple[dict[str, Iterable[Client]], dict[str, str]]:
    """Return the clients of each split, and what the client file says of the data set: nothing.

    Args:
        data: config block ``data`` of the task.
        clients: config block ``clients`` of the task.
        data_folder: where the data's relative file names start.
        seed: seed of the partition.
    """
    splits = load(data, data_folder)
    train, test = splits["train"], splits["test"]
    rows_by_client = members(deal(np.zeros(len(train), dtype=np.int64), clients, seed))
    digits = len(str(len(rows_by_client) - 1))
    return {
        "train": (holding(f"{u:0{digits}}", rows, train) for u, rows in enumerate(rows_by_client)),
        "test": [holding(SERVER, np.arange(len(test)), test)],
    }, {}


def holding(name: str, rows: np.ndarray, records: Sequence[Record]) -> Client:
    """Return a client that holds the named rows of a split."""
    samples = [records[row] for row in rows]
    arrays = {field: [getattr(record, field) for record in samples] for field in FIELDS}
    return Client(name, rows, arrays)
