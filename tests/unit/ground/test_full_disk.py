"""A disk that is full or broken ends in one sentence, whoever writes, and leaves nothing half."""

import errno
import os
from collections.abc import Callable
from pathlib import Path
from types import SimpleNamespace

import pandas as pd
import pytest
from fbftl.ground.artefacts import Store
from fbftl.ground.digests import Digests
from fbftl.ground.errors import UserError
from fbftl.ground.files import replacing, write_durably, write_json, writing
from fbftl.ground.logs import log, run_job

FULL = r"^\S+ could not be written \(No space left on device\); make room for it and run again$"


def weights(path: Path) -> None:
    from fbftl.models.source.manifest import write_weights
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
    "source.safetensors": weights,
    "figure.svg": figure,
}


@pytest.mark.parametrize("name", WRITERS)
def test_every_kind_of_file_on_a_full_disk(tmp_path, name):
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
def test_what_the_file_system_refuses_is_said_and_the_old_file_stays(tmp_path, number, remedy):
    path = tmp_path / "a.csv"
    path.write_text("old")
    with pytest.raises(UserError, match=f"a.csv could not be written .*{remedy}"):
        failing(path, OSError(number, os.strerror(number)))
    assert [(left, left.read_text()) for left in tmp_path.iterdir()] == [(path, "old")]


@pytest.mark.parametrize(
    "error", [OSError(errno.EIO, "", "/elsewhere/data.npz"), FileNotFoundError(2, "", "x")]
)
def test_what_is_no_fault_of_the_file_passes(tmp_path, error):
    with pytest.raises(type(error)):
        failing(tmp_path / "a.csv", error)


def test_a_folder_that_cannot_be_made_is_named(tmp_path):
    denied = OSError(errno.EACCES, "Permission denied", str(tmp_path))
    sentence = r"runs could not .*Permission denied"
    with pytest.raises(UserError, match=sentence), writing(tmp_path / "results" / "runs"):
        raise denied


def test_a_log_that_cannot_be_written_ends_the_job_in_a_sentence(tmp_path, capsys):
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


def test_digests_that_cannot_be_kept_are_made_again(tmp_path, monkeypatch):
    monkeypatch.setattr("fbftl.ground.digests.ALWAYS_READ", 0)
    (tmp_path / "data").write_bytes(b"1")
    kept = tmp_path / "digests.json"
    kept.with_name(f".digests.{os.getpid()}.part.json").symlink_to("/dev/full")
    digests = Digests(kept)
    assert len(digests(tmp_path / "data")) == 64
    digests.keep()
    assert not kept.exists()
