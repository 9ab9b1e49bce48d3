"""Claims: every sentence can be reproduced, can fail, and is not run without its settings."""

import pandas as pd
import pytest
from fbftl.findings.comparison import Claim, Verdict
from fbftl.papers.claims import NEAR, Runs, claims
from unit.papers.test_effects import runs


def verdict(beginning: str, table: pd.DataFrame, uplink: dict[str, float] | None = None) -> Verdict:
    return claim(beginning, table, uplink).verdict


def claim(beginning: str, table: pd.DataFrame, uplink: dict[str, float] | None = None) -> Claim:
    tested = claims(Runs(table.assign(epoch=5), uplink or {}))
    return next(one for one in tested if one.sentence.startswith(beginning))


CLEAN = ({}, [0.9, 0.9])


def test_without_their_settings_claims_are_not_run():
    for one in claims(Runs(runs(CLEAN).assign(epoch=5), {})):
        assert one.verdict is Verdict.NOT_RUN, one.sentence


def test_sentences_are_unique_and_have_a_place_in_the_paper():
    found = claims(Runs(runs(CLEAN).assign(epoch=5), {}))
    assert len({one.sentence for one in found}) == len(found)
    assert all(one.source.startswith("Sec.") for one in found)


@pytest.mark.parametrize(
    ("other", "expected"), [(0.9, Verdict.REPRODUCED), (0.9 - 2 * NEAR / 100, Verdict.DIFFERS)]
)
def test_agreement_is_to_a_point(other, expected):
    table = runs(CLEAN, ({"method": "ftl_c"}, [other, other]))
    assert verdict("FTL_c and FbFTL agree", table) is expected


def test_uplink_is_compared_by_factor():
    assert verdict("FbFTL needs fewer", runs(CLEAN), {"fbftl": 1, "ftl_c": 500}) == "reproduced"
    assert verdict("FbFTL needs at least 1,000 times fewer uplink bits than FTL_c", runs(CLEAN),
                   {"fbftl": 1, "ftl_c": 500}) == "differs"  # fmt: skip


@pytest.mark.parametrize(("far", "expected"), [(0.5, "reproduced"), (0.79, "differs")])
def test_sharp_drop_is_at_the_end(far, expected):
    table = runs(CLEAN, ({"plr": 0.9}, [0.8, 0.8]), ({"plr": 0.99}, [far, far]))
    assert verdict("Accuracy falls sharply only", table) == expected


@pytest.mark.parametrize(("ftl_c", "expected"), [(0.5, "reproduced"), (0.89, "differs")])
def test_quantisation_hurts_ftl_c_more(ftl_c, expected):
    table = runs(
        CLEAN,
        ({"bits": 2}, [0.85, 0.85]),
        ({"method": "ftl_c"}, [0.9, 0.9]),
        ({"method": "ftl_c", "bits": 2}, [ftl_c, ftl_c]),
    )
    assert verdict("FbFTL loses less accuracy than FTL_c from q", table) == expected


def test_block_loss_is_compared_at_the_greatest_shared_rate():
    table = runs(
        CLEAN,
        ({"method": "ftl_c"}, [0.9, 0.9]),
        ({"blr": 0.1}, [0.8, 0.8]),
        ({"method": "ftl_c", "blr": 0.1}, [0.5, 0.5]),
        ({"blr": 0.4}, [0.1, 0.1]),
    )
    found = claim("At the greatest block loss rate", table)
    assert found.verdict == "reproduced"
    assert found.lesser.mean == pytest.approx(10)


def test_privacy_claims_take_the_smallest_and_the_greatest_k():
    def at(samples: int, fbftl: float, ftl_c: float) -> list[tuple[dict, list[float]]]:
        shared = {"samples_per_client": samples, "epsilon": 1.0}
        return [
            ({"mechanism": "gaussian"} | shared, [fbftl] * 2),
            ({"method": "ftl_c", "mechanism": "dp_fedavg"} | shared, [ftl_c] * 2),
        ]

    table = runs(*at(4, 0.6, 0.1), *at(600, 0.6, 0.8))
    assert verdict("At the smallest K", table) == "reproduced"
    assert verdict("At the greatest K", table) == "reproduced"
    assert verdict("At the greatest K", runs(*at(4, 0.6, 0.1))) == "differs"


def test_fbftl_on_the_tasks_own_clients_stands_for_every_k():
    noisy = {"method": "ftl_c", "mechanism": "dp_fedavg", "epsilon": 1.0, "samples_per_client": 4}
    table = runs(
        ({"mechanism": "gaussian", "epsilon": 1.0}, [0.2, 0.2]),
        (noisy, [0.7, 0.7]),
    )
    assert verdict("At the smallest K", table) == "differs"
    assert verdict("At the greatest K", table) == "reproduced"
