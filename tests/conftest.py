"""Fixtures shared by all tests."""

import gc
import os
from collections.abc import Iterator
from pathlib import Path
from typing import Any

# Two test processes with two threads each on two cores would slow each other down many times.
os.environ.setdefault("OMP_NUM_THREADS", "1")

import pytest
from fbftl.ground.exact import is_pinned, pin, this_machine
from hypothesis import settings
from xdist.remote import Producer
from xdist.scheduler import LoadScopeScheduling

# Tests compute as jobs do, which has to be said before numpy and torch are imported.
pin(os.environ, is_pinned("auto", "auto", this_machine()))

# A busy machine is no failure: no example has a deadline, and every run draws the same examples.
settings.register_profile("project", deadline=None, derandomize=True)
settings.load_profile("project")

ROOT = Path(__file__).resolve().parent.parent

WHOLE = {f"tests/workflow/test_{name}.py" for name in ("language", "report", "site", "your_own")}
"""Files of the workflow's tests that look at what one fixture makes."""


def pytest_xdist_auto_num_workers() -> int:
    """Return one more than the cores, since some tests wait, most of all for a cluster."""
    return (os.cpu_count() or 1) + 1


LONGEST = ("test_slurm.py", "test_emulated.py", "test_your_own.py", "test_faults.py")
"""Files of the workflow's tests that take minutes, the longest first."""


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Begin with the longest, so that no process is left alone with one of them at the end."""

    def place(item: pytest.Item) -> tuple[bool, int]:
        path = item.path
        rank = LONGEST.index(path.name) if path.name in LONGEST else len(LONGEST)
        return path.parent.name != "workflow", rank

    items.sort(key=place)


class ByFile(LoadScopeScheduling):
    """Gives all of a unit file to one process, which pays its fixtures once, and so for `WHOLE`.

    Of other files each test goes to whichever process is free.
    """

    def _split_scope(self, nodeid: str) -> str:
        path, _, _ = nodeid.partition("::")
        return path if path.startswith("tests/unit/") or path in WHOLE else nodeid


def pytest_xdist_make_scheduler(config: pytest.Config, log: Producer) -> ByFile:
    """Return what tells the processes which tests to run.

    xdist's own groups (`--dist loadgroup`) are none with this pytest, whose names of tests no mark
    changes.
    """
    return ByFile(config, log)


def pytest_collection_finish() -> None:
    """Keep modules, a million objects that stay to the end, out of every later collection."""
    gc.collect()
    gc.freeze()


@pytest.fixture(scope="session", autouse=True)
def no_waiting_for_disks() -> Iterator[None]:
    """Skip what only a power cut would show; tests make torn files by hand."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(os, "fsync", lambda descriptor: None)
        yield


@pytest.fixture(scope="session")
def root() -> Path:
    """The project's root folder."""
    return ROOT


@pytest.fixture(scope="session")
def data_folder() -> Path:
    """The folder with real data (CIFAR-10, MNIST, SAMSum); tests skip where it is absent."""
    folder = Path(os.environ.get("FBFTL_DATA", ROOT.parent / "shared" / "data"))
    if not folder.is_dir():
        pytest.skip(f"no data folder at {folder}; set FBFTL_DATA to one")
    return folder


@pytest.fixture(params=["cpu", "cuda"])
def device(request: pytest.FixtureRequest) -> str:
    """Each kind of device; a test with it runs on a GPU too where there is one."""
    torch = pytest.importorskip("torch")
    if request.param == "cuda" and not torch.cuda.is_available():
        pytest.skip("there is no GPU")
    return request.param


@pytest.fixture(scope="module")
def bucket() -> Iterator[Any]:
    """A client of a local S3 server with an empty bucket `features`; the environment names it."""
    pytest.importorskip("obstore")
    boto3 = pytest.importorskip("boto3")
    running = pytest.importorskip("moto.server").ThreadedMotoServer(port=0, verbose=False)
    running.start()
    host, port = running.get_host_and_port()
    environment = {
        "AWS_ENDPOINT_URL": f"http://{host}:{port}",
        "AWS_ALLOW_HTTP": "true",
        "AWS_ACCESS_KEY_ID": "test",
        "AWS_SECRET_ACCESS_KEY": "test",
        "AWS_REGION": "us-east-1",
    }
    with pytest.MonkeyPatch.context() as patch:
        for name, value in environment.items():
            patch.setenv(name, value)
        client = boto3.client("s3", region_name="us-east-1", endpoint_url=f"http://{host}:{port}")
        client.create_bucket(Bucket="features")
        yield client
    running.stop()
