"""Rounds and clients that the data cannot fill are refused before any job."""

from pathlib import Path

import pytest
from fbftl.ground.errors import UserError
from fbftl.study.feasibility import Sizes, require_feasible
from unit.study.test_refused_settings import study


def test_memories_are_known_by_cut_and_network() -> None:
    """The paper's head behind 4,096 features: 892 GB, and not the 472 of its hidden widths."""
    paper = {"head": [4096, 4096, 512], "clients": {"samples_per_client": 8}}
    paper_study = study(paper, method=["ftl_c"], bits=[2])
    with pytest.raises(UserError, match=r"ftl_c\+bits=2' .* 6,250 clients remember 892 GB tog"):
        require_feasible(paper_study, "digits", 50_000, sizes=Sizes(heads={"relu_fc1": 35_668_490}))
    few = study(paper, method=["ftl_c"], bits=[2], fraction=[0.001])
    require_feasible(few, "digits", 50_000, sizes=Sizes(heads={"relu_fc1": 35_668_490}))
    whole = study({}, method=["fl"], bits=[2])
    require_feasible(whole, "digits", 1438, sizes=Sizes(networks={None: 10**6}))
    with pytest.raises(UserError, match="180 clients remember 7 GB"):
        require_feasible(whole, "digits", 1438, sizes=Sizes(networks={None: 10**7}))


def test_memories_may_go_to_a_scratch_folder_that_exists(tmp_path: Path) -> None:
    large = study({"head": [4096, 4096]}, method=["fl"], bits=[8])
    large.config["scratch_folder"] = str(tmp_path)
    require_feasible(large, "digits", 1438)
    large.config["scratch_folder"] = str(tmp_path / "missing")
    with pytest.raises(UserError, match="missing', which is no folder; make it first"):
        require_feasible(large, "digits", 1438)
