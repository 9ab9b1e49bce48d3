"""The commands of README and docs/: each is run, as a dry run where it takes more than a minute.

Those of docs/your-own.md are run for real by test_your_own.py.
"""

import re
import shlex
import subprocess
from pathlib import Path

import pytest
from preloaded import interpreter
from project import Project, environment

ROOT = Path(__file__).parents[2]
PAGES = [ROOT / "README.md", *sorted(ROOT.glob("docs/**/*.md"))]
BLOCK = re.compile(r"^ *```(\w*)\n(.*?)^ *```$", re.MULTILINE | re.DOTALL)
INLINE = re.compile(r"`((?:\./run|snakemake|python) [^`\n]+)`")
STUDY = re.compile(r"^ *```yaml\n( *# ([\w-]+\.yaml)\b.*?)^ *```", re.MULTILINE | re.DOTALL)

DRY = ("study", "report", "papers", "snakemake")
"""What plans a study, and so has a dry run."""

ELSEWHERE = {
    "./run papers ants": "tests/workflow/test_extending.py",
    "./run papers fbftl": "tests/workflow/test_report.py",
    "./run report": "tests/unit/test_profiles.py",
    "./run ask": "tests/unit/tools/test_ask_uploads.py",
    "./run crate": "tests/unit/findings/test_crate.py",
    "./run publish": "tests/workflow/test_published_features.py",
    "./run docs": "tests/workflow/test_site.py",
    "./run deploy": "tests/workflow/test_deployed_federation.py",
    "./run clean": "tests/unit/tools/test_clean_store.py",
    "PYTHONPATH=scripts python scripts/tools/renew_results.py": (
        "tests/unit/findings/test_numbers.py"
    ),
}
"""How commands begin that another test runs, with that test."""


def commands(text: str) -> list[str]:
    """Return the commands of a page, in code blocks and in the text; placeholders have values."""
    joined = "".join(block for kind, block in BLOCK.findall(text) if kind in ("", "sh"))
    joined = re.sub(r"\\\n *", "", joined)
    lines = [re.sub(r"\s+#.*", "", line).strip() for line in joined.splitlines()]
    commands = [
        line
        for line in lines
        if re.match(r"(\./run|snakemake|(PYTHONPATH=scripts )?python) ", line)
    ]
    commands += INLINE.findall(BLOCK.sub("", text))
    return [re.sub(r"<\w+>", "some", command) for command in commands if "{" not in command]


COMMANDS = sorted(
    {
        command.removesuffix(" --dry-run")
        for page in PAGES
        if page.name != "your-own.md"
        for command in commands(page.read_text(encoding="utf-8"))
    }
)


def give_environment(project: Project) -> None:
    """Make this process's environment the one that a project's `./run` finds."""
    environment = project.folder / ".venv"
    (environment / "bin").mkdir(parents=True)
    installed = [ROOT / "envs" / name for name in ("requirements.txt", "requirements.lock")]
    content = b"".join(path.read_bytes() for path in installed)
    (environment / "installed.lock").write_bytes(content)
    modules = {"python": "", "snakemake": "-m snakemake", "pytest": "-m pytest"}
    for program, module in modules.items():
        script = f'#!/bin/sh\nexec {shlex.quote(interpreter())} {module} "$@"\n'
        (environment / "bin" / program).write_text(script)
        (environment / "bin" / program).chmod(0o755)


@pytest.fixture(scope="module")
def copy(untouched: Project) -> Project:
    """A copy whose `./run` finds this environment, with the studies that pages tell."""
    give_environment(untouched)
    for page in PAGES:
        for study, name in STUDY.findall(page.read_text(encoding="utf-8")):
            indent = re.match(" *", study)[0]
            text = re.sub(f"^{indent}", "", study, flags=re.MULTILINE)
            (untouched.folder / name).write_text(text, encoding="utf-8")
    return untouched


def test_pages_have_commands():
    assert {"./run study", "./run tests", "./run papers"} <= set(COMMANDS)
    assert len(COMMANDS) > 15


def test_after_plain_snakemake_run_has_nothing_to_do(finished):
    """A key is the digest of all that decides a result, so both make the same results."""
    give_environment(finished)
    done = subprocess.run(
        ["sh", "run", "study", "--verbose", *finished.command()[3:]],
        cwd=finished.folder,
        env=environment(),
        capture_output=True,
        text=True,
    )
    assert done.returncode == 0, done.stderr
    assert "Nothing to be done" in done.stdout + done.stderr


@pytest.fixture
def data(copy: Project, data_folder: Path) -> None:
    """The real data where studies expect them: beside the project."""
    shared = copy.folder.parent / "shared"
    if not shared.exists():
        shared.symlink_to(data_folder.parent)


@pytest.mark.parametrize("command", COMMANDS)
def test_a_command_does_what_its_page_says(copy, command, request):
    if re.search("studies/|--full", command):
        request.getfixturevalue("data")
    for start, test in ELSEWHERE.items():
        if command.startswith(start):
            assert (ROOT / test).exists()
            return
    words = shlex.split(command)
    if words[0] == "python" and words[1] != "tests/benchmarks":
        compile((ROOT / words[1]).read_text(encoding="utf-8"), words[1], "exec")
        return
    if words[:2] == ["python", "tests/benchmarks"]:
        assert all((ROOT / "tests" / "benchmarks" / f"{name}.py").exists() for name in words[2:])
        words.append("--help")
    elif words[:2] == ["./run", "tests"]:
        words.append("--version")
    elif {words[0], words[1]} & set(DRY):
        words += ["--dry-run", "--quiet", "rules"]
    done = subprocess.run(
        ["sh", *words] if words[0] == "./run" else words,
        cwd=copy.folder,
        env=environment() | {"PATH": f"{copy.folder / '.venv/bin'}:{environment()['PATH']}"},
        capture_output=True,
        text=True,
    )
    assert done.returncode == 0, done.stdout + done.stderr
