"""Run files that hold anything else are refused in one sentence."""

import pytest
from fbftl.findings.run_file import read_run
from fbftl.ground.errors import UserError


@pytest.mark.parametrize(
    "content", ["[" * 100_000, '{"schema": NaN}', "NaN", "", "\x00", "1" * 9999]
)
def test_hostile_run_files(tmp_path, content):
    path = tmp_path / "run.json"
    path.write_text(content)
    with pytest.raises(UserError, match=r"is damaged .* remove it and it is made again"):
        read_run(path)
