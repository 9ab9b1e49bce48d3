"""A disk that is full or broken ends in one sentence, whoever writes, and leaves nothing half."""

import ast
import errno
import os
import resource
from collections.abc import Callable
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pandas as pd
import pytest
from fbftl.data.clients import Client, write_clients
from fbftl.ground.artefacts import Store
from fbftl.ground.digests import Digests
from fbftl.ground.durable import write_durably
from fbftl.ground.errors import UserError
from fbftl.ground.files import replacing, write_json, writing
from fbftl.ground.logs import log, run_job
from fbftl.messages.ledger import Ledger

FULL = r"^\S+ could not be written \(No space left on device\); make room for it and run again$"

ROWS = np.random.default_rng(0).integers(0, 255, (40, 8, 8, 1), dtype=np.uint8)


def clients(path: Path) -> None:
    train = [Client(str(u), np.arange(10), {"pixels": ROWS[10 * u :][:10]}) for u in range(4)]
    write_clients(path, {"train": train})


def ledger(path: Path) -> None:
    sent = Ledger(method="fbftl")
    sent.add(9, part="features", direction="up", round=0, seed=0, bits=64, payload_bits=32)
    sent.write(path)


def weights(path: Path) -> None:
    from fbftl.models.source.weights import write_weights
    from torch import nn

    write_weights(path, nn.Linear(30, 30))


def figure(path: Path) -> None:
    import matplotlib.pyplot as plt
    from fbftl.findings.style import save

    picture, axes = plt.subplots()
    axes.plot([1, 2])
    save(picture, path, pd.DataFrame({"x": [1, 2]}), "A line")


WRITERS: dict[str, Callable[[Path], object]] = {
    "a.json": lambda path: write_json(path, {"a": 1}),
    "a.bin": lambda path: write_durably(path, b"chunk"),
    "clients.h5": clients,
    "run.parquet": ledger,
    "source.safetensors": weights,
    "figure.svg": figure,
}


@pytest.mark.parametrize("name", WRITERS)
def test_every_kind_of_file_on_a_full_disk(tmp_path: Path, name: str) -> None:
    """The system's own full device stands where the temporary file would."""
    path = tmp_path / name
    path.with_name(f".{path.stem}.{os.getpid()}.part{path.suffix}").symlink_to("/dev/full")
    with pytest.raises(UserError, match=FULL) as refused:
        WRITERS[name](path)
    assert str(refused.value).startswith(str(path))
    assert list(tmp_path.iterdir()) == []
    WRITERS[name](path)
    assert path.stat().st_size > 0


def failing(path: Path, error: OSError) -> None:
    with replacing(path) as temporary:
        temporary.write_text("half")
        raise error


@pytest.mark.parametrize(
    ("number", "remedy"),
    [(errno.EIO, "whether its disk is sound"), (errno.EDQUOT, "room"), (errno.EROFS, "be written")],
)
def test_what_the_file_system_refuses_is_said_with_a_remedy(
    tmp_path: Path, number: int, remedy: str
) -> None:
    with pytest.raises(UserError, match=f"a.csv could not be written .*{remedy}"):
        failing(tmp_path / "a.csv", OSError(number, os.strerror(number)))
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize(
    "error", [OSError(errno.EIO, "", "/elsewhere/data.npz"), FileNotFoundError(2, "", "x")]
)
def test_what_is_no_fault_of_the_file_passes(tmp_path: Path, error: OSError) -> None:
    with pytest.raises(type(error)):
        failing(tmp_path / "a.csv", error)


def test_a_folder_that_cannot_be_made_is_named(tmp_path: Path) -> None:
    denied = OSError(errno.EACCES, "Permission denied", str(tmp_path))
    sentence = r"runs could not .*Permission denied"
    with pytest.raises(UserError, match=sentence), writing(tmp_path / "results" / "runs"):
        raise denied


def test_a_log_that_cannot_be_written_ends_the_job_in_a_sentence(tmp_path: Path, capsys) -> None:
    kept = list(log.handlers)
    try:
        Store(tmp_path).put_note("notes", "a", {"study": {"exact": False}})
        params = SimpleNamespace(store=str(tmp_path), note="a")
        job = SimpleNamespace(log=["/dev/full"], threads=1, params=params)
        with pytest.raises(SystemExit) as ended:
            run_job(job, lambda *_: log.info("epoch 1"))
    finally:
        log.handlers[:] = kept
    assert str(ended.value.code).startswith("/dev/full could not be written (No space left")
    assert "Traceback" not in capsys.readouterr().err


def test_digests_that_cannot_be_kept_are_made_again(tmp_path: Path, monkeypatch) -> None:
    monkeypatch.setattr("fbftl.ground.digests.ALWAYS_READ", 0)
    (tmp_path / "data").write_bytes(b"1")
    kept = tmp_path / "digests.json"
    kept.with_name(f".digests.{os.getpid()}.part.json").symlink_to("/dev/full")
    digests = Digests(kept)
    assert len(digests(tmp_path / "data")) == 64
    digests.keep()
    assert not kept.exists()


DOORS = {"replacing", "self.putting", "writing"}
"""What a write stands in, so that a refusal is said in words."""

WRITERS_BY_NAME = {"write_text", "write_bytes", "savefig", "to_parquet", "save_file", "mkdir"}
"""Methods that write the file they are called on or given."""


def unsaid_writes(tree: ast.Module) -> list[int]:
    """Return the lines that write a file or make a folder outside of every door."""
    lines: list[int] = []

    def look(node: ast.AST, inside: bool) -> None:
        if isinstance(node, ast.With):
            called = {ast.unparse(item.context_expr).split("(")[0] for item in node.items}
            inside = inside or bool(called & DOORS)
        if isinstance(node, ast.Call) and not inside and writes(node):
            lines.append(node.lineno)
        for child in ast.iter_child_nodes(node):
            look(child, inside)

    look(tree, False)
    return lines


def writes(call: ast.Call) -> bool:
    name = ast.unparse(call.func).rsplit(".", 1)[-1]
    values = [*call.args, *(keyword.value for keyword in call.keywords)]
    modes = {value.value for value in values if isinstance(value, ast.Constant)}
    if name in ("open", "File", "FileHandler"):
        return bool(modes & {"w", "wb", "a", "a+", "r+", "x"})
    return isinstance(call.func, ast.Attribute) and name in WRITERS_BY_NAME


def test_every_write_goes_through_a_door(root: Path) -> None:
    """So a writer that nobody has thought of yet ends in the same sentence."""
    unguarded = {
        f"{path.relative_to(root)}:{line}"
        for path in (root / "scripts").rglob("*.py")
        for line in unsaid_writes(ast.parse(path.read_text(encoding="utf-8")))
    }
    # The traceback of a failed job goes to its log if that can be written.
    assert {line_of_file.split(":")[0] for line_of_file in unguarded} == {
        "scripts/fbftl/ground/logs.py",
    }
    assert unsaid_writes(ast.parse("Path(p).write_text('x')\nopen(p, 'wb')")) == [1, 2]


@pytest.mark.parametrize("share", [0, 0.1, 0.5, 0.99])
def test_a_client_file_cut_off_anywhere_is_refused_and_the_process_lives(
    tmp_path: Path, share: float
) -> None:
    """The HDF5 library itself ends in a segmentation fault."""
    clients(tmp_path / "whole.h5")
    _, most = resource.getrlimit(resource.RLIMIT_FSIZE)
    size = int(share * (tmp_path / "whole.h5").stat().st_size)
    resource.setrlimit(resource.RLIMIT_FSIZE, (size, most))
    try:
        with pytest.raises(UserError, match=r"clients.h5 could not be written \(File too large\)"):
            clients(tmp_path / "clients.h5")
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, (most, most))
    assert {path.name for path in tmp_path.iterdir()} == {"whole.h5", "whole.h5.sha256"}
