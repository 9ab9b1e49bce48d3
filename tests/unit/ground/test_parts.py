"""A job of several settings: a record for each, and what was finished when it died."""

import json
from collections.abc import Callable
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from fbftl.ground.digests import digest_of_value
from fbftl.ground.parts import make, parts

NAMES = ("a", "b+plr=0.5", "c")


@pytest.fixture
def job_of(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Callable[..., SimpleNamespace]:
    """Return what makes a job of settings by their names, in a folder of its own."""
    monkeypatch.chdir(tmp_path)
    Path("read.json").write_text("{}")

    class Files(list[str]):
        """Files of one name or of several, as scripts are handed them."""

        def __init__(self, **named: Any) -> None:
            self.named = named
            super().__init__(
                file
                for files in named.values()
                for file in ([files] if isinstance(files, str) else files)
            )

        def items(self) -> Any:
            return self.named.items()

    def make_job(*names: str, rate: float = 0.1) -> SimpleNamespace:
        folder = "results/digits/runs"
        output = {
            kind: [f"{folder}/{name}.{kind}" for name in names] for kind in ("json", "parquet")
        }
        alone = {kind: files[0] for kind, files in output.items()}
        return SimpleNamespace(
            log=[f"results/digits/logs/runs/{names[0] if len(names) == 1 else 'process'}.log"],
            rule="train",
            wildcards={},
            input=Files(manifest="read.json"),
            output=Files(**(alone if len(names) == 1 else output)),
            params=_Params(code="1", jobs=[{"name": name, "rate": rate} for name in names]),
            config={"kept_in": "kept"},
            threads=1,
        )

    return make_job


class _Params(SimpleNamespace):
    def items(self) -> Any:
        return vars(self).items()


class KilledError(Exception):
    """What ends a job from outside."""


def train(done: list[str], until: str | None = None) -> Callable[[Any], None]:
    """Return a script that writes each of its settings, and dies after one of them."""

    def main(job: Any) -> None:
        lists = [[files] if isinstance(files, str) else files for _, files in job.output.items()]
        for index, (params, *files) in enumerate(zip(job.params.jobs, *lists, strict=True)):
            for file in files:
                Path(file).parent.mkdir(parents=True, exist_ok=True)
                Path(file).write_text(f"{params}")
            done.append(params["name"])
            if hasattr(job, "keep"):
                job.keep(index)
            if params["name"] == until:
                raise KilledError

    return main


def clean(job: Any) -> None:
    """Remove what a job that died has written, as Snakemake does."""
    for file in job.output:
        Path(file).unlink(missing_ok=True)


def records() -> dict[str, dict[str, Any]]:
    return {
        path.stem: json.loads(path.read_text()) for path in Path("results").rglob("records/runs/*")
    }


def test_each_setting_leaves_the_record_that_it_leaves_alone(job_of) -> None:
    assert make(job_of(*NAMES), train([])) == 0
    together = records()
    assert together.keys() == set(NAMES)
    for name in NAMES:
        make(job_of(name), train([]))
    assert records() == together


def test_what_was_finished_is_linked_by_whoever_makes_it_next(job_of) -> None:
    done: list[str] = []
    with pytest.raises(KilledError):
        make(job_of(*NAMES), train(done, until=NAMES[1]))
    clean(job_of(*NAMES))
    assert not records()
    assert make(job_of(NAMES[2], NAMES[1]), train(done)) == 1
    assert make(job_of(NAMES[0]), train(done)) == 1
    assert done == list(NAMES)
    assert records().keys() == set(NAMES)
    assert not [path for path in Path("kept").rglob("*") if path.is_file()]


def test_a_setting_that_changed_or_a_damaged_file_is_not_linked(job_of) -> None:
    done: list[str] = []
    with pytest.raises(KilledError):
        make(job_of(*NAMES), train(done, until=NAMES[1]))
    clean(job_of(*NAMES))
    Path("kept", "results/digits/runs/a.json").write_text("damaged")
    assert make(job_of(*NAMES[:2], rate=0.2), train(done)) == 0
    assert done == [*NAMES[:2], *NAMES[:2]]


def test_what_writes_one_file_for_many_jobs_is_one_part(job_of) -> None:
    """An attack reads the jobs of several settings and writes one table."""
    job = job_of(*NAMES)
    job.output = job_of("a").output
    (part,) = parts(job)
    assert part.outputs == list(job.output)
    assert part.record["params"]["jobs"] == [digest_of_value(params) for params in job.params.jobs]
