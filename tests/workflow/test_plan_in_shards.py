"""A study in shards: the same runs, and one table that holds them all."""

import pandas as pd
from project import Project


def test_shards_make_the_runs_of_the_whole_study(finished: Project) -> None:
    missing = finished.call("--dry-run", "--config", "shard=all/2")
    assert missing.returncode != 0
    assert "shard 1/2 has not been made" in missing.stderr
    assert finished.planned("--config", "shard=2/2") == {"all": 1, "collect_shard": 1}
    for part in ("1/2", "2/2", "all/2"):
        finished.finish("--config", f"shard={part}")
    whole, joined = (
        pd.read_csv(finished.results / "digits" / folder / "scarcity.csv")
        for folder in ("experiments", "shards")
    )
    order = ["setting", "seed"]
    pd.testing.assert_frame_equal(
        *(table.sort_values(order, ignore_index=True) for table in (whole, joined[whole.columns]))
    )
