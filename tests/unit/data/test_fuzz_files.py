"""Whatever a file holds, it is read as it was written or refused in one sentence.

Messages of the codec are damaged and forged in test_codec_damage.py.
"""

import random
from pathlib import Path

import numpy as np
import pytest
from fbftl.data.clients import Client, ClientFile, write_clients
from fbftl.findings.run_file import read_run
from fbftl.ground.errors import UserError
from hypothesis import HealthCheck, settings
from unit.data.test_mutated_data import damaged
from unit.study.test_fuzz_config import require_sentence

FUZZ = settings(suppress_health_check=list(HealthCheck))


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("fuzz")


@pytest.mark.parametrize(
    "content", ["[" * 100_000, '{"schema": NaN}', "NaN", "", "\x00", "1" * 9999]
)
def test_hostile_run_files(tmp_path: Path, content: str) -> None:
    path = tmp_path / "run.json"
    path.write_text(content)
    with pytest.raises(UserError, match=r"is damaged .* remove it and it is made again"):
        read_run(path)


@pytest.fixture(scope="module")
def clients(folder: Path) -> bytes:
    path = folder / "good.h5"
    arrays = {"pixels": np.arange(48, dtype=np.uint8).reshape(3, 4, 4, 1), "label": np.arange(3)}
    splits = {s: [Client(f"{s}0", np.arange(3), arrays)] for s in ("train", "test")}
    write_clients(path, splits, {"classes": "[]"})
    return path.read_bytes()


def test_damaged_client_files(folder: Path, clients: bytes) -> None:
    path = folder / "clients.h5"
    for seed in range(150):
        path.write_bytes(damaged(clients, random.Random(seed)))
        try:
            with ClientFile(path) as file:
                for split in file.splits:
                    rows = file.rows(split, 0, file.count(split))
                    assert len(rows.sample) == file.count(split)
        except UserError as error:
            require_sentence(error)
