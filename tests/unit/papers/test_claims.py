"""Claims: every sentence can be reproduced, can fail, and is not run without its settings."""

import pandas as pd
import pytest
from fbftl.findings.comparison import Verdict
from fbftl.findings.printed import NEAR
from fbftl.findings.uplink import COMMON, SELECTED
from fbftl.papers.claims import Examined, Runs, claims_table, examine
from fbftl.papers.fbftl.claims import CLAIMS
from unit.papers.test_effects import runs

NO_UPLINK = pd.DataFrame()


def claim(beginning: str, table: pd.DataFrame, uplink: pd.DataFrame = NO_UPLINK) -> Examined:
    found = examine(CLAIMS, Runs(table.assign(epoch=5), uplink))
    return next(one for one in found if one.claim.sentence.startswith(beginning))


def verdict(beginning: str, table: pd.DataFrame, uplink: pd.DataFrame = NO_UPLINK) -> Verdict:
    return claim(beginning, table, uplink).verdict


def sent(until: str = SELECTED, **bits: list[float]) -> pd.DataFrame:
    return pd.DataFrame(
        {"method": m, "until": until, "seed": seed, "payload_bits": b, "diverged": False}
        for m, values in bits.items()
        for seed, b in enumerate(values)
    )


CLEAN = ({}, [0.9] * 3)


def test_without_their_settings_claims_are_not_run():
    for one in examine(CLAIMS, Runs(runs(CLEAN).assign(epoch=5))):
        assert one.verdict is Verdict.NOT_RUN, one.claim.sentence


def test_sentences_are_unique_and_have_a_place_in_the_paper():
    assert len({one.sentence for one in CLAIMS}) == len(CLAIMS)
    assert all(one.source.startswith("Sec.") for one in CLAIMS)


@pytest.mark.parametrize(
    ("other", "expected"), [(0.9, Verdict.REPRODUCED), (0.9 - 2 * NEAR / 100, Verdict.DIFFERS)]
)
def test_agreement_is_to_a_point(other, expected):
    table = runs(CLEAN, ({"method": "ftl_c"}, [other] * 3))
    assert verdict("FTL_c and FbFTL agree", table) is expected


def test_dialogues_are_judged_by_rouge_and_what_they_send():
    table = runs(({}, [0.3] * 3), ({"method": "ftl_c"}, [0.3] * 3), ({"plr": 0.9}, [0.29] * 3))
    bits = table["method"].map({"fbftl": 10.0, "ftl_c": 50_000.0})
    scored = table.assign(rouge1=100 * table.pop("test_accuracy"), uplink_payload_bits=bits)
    assert verdict("FTL_c and FbFTL agree", scored) is Verdict.REPRODUCED
    assert verdict("FbFTL needs at least 1,000 times fewer uplink bits than FTL_c", scored) is (
        Verdict.REPRODUCED
    )
    assert verdict("FbFTL at q = 2", scored) is Verdict.NOT_RUN


def test_two_seeds_leave_a_claim_undecided():
    table = runs(({}, [0.9] * 2), ({"method": "ftl_c"}, [0.9] * 2))
    assert verdict("FTL_c and FbFTL agree", table) is Verdict.UNDECIDED


@pytest.mark.parametrize(
    ("ftl_c", "expected"),
    [
        ([2000.0, 2100.0, 1900.0], "reproduced"),
        ([500.0, 500.0, 500.0], "differs"),
        # The mean is above a thousand, and one seed says another thing.
        ([1905.0, 1872.0, 267.0], "undecided"),
    ],
)
def test_uplink_is_compared_by_factor_seed_by_seed(ftl_c, expected):
    uplink = sent(fbftl=[1.0] * 3, ftl_c=ftl_c)
    sentence = "FbFTL needs at least 1,000 times fewer uplink bits than FTL_c"
    assert verdict(sentence, runs(CLEAN), uplink) == expected
    assert verdict("FbFTL needs fewer", runs(CLEAN), uplink) == "reproduced"
    assert verdict("To the same accuracy", runs(CLEAN), uplink) == "not run"


def test_uplink_to_the_same_accuracy_is_a_claim_of_its_own():
    uplink = sent(COMMON, fbftl=[1.0] * 3, ftl_c=[200.0, 210.0, 190.0])
    assert verdict("To the same accuracy FbFTL", runs(CLEAN), uplink) == "differs"
    assert verdict("FbFTL needs fewer", runs(CLEAN), uplink) == "not run"


@pytest.mark.parametrize(("far", "expected"), [(0.5, "reproduced"), (0.79, "differs")])
def test_sharp_drop_is_at_the_end(far, expected):
    table = runs(CLEAN, ({"plr": 0.9}, [0.8] * 3), ({"plr": 0.99}, [far] * 3))
    assert verdict("Accuracy falls sharply only", table) == expected


@pytest.mark.parametrize(("ftl_c", "expected"), [(0.5, "reproduced"), (0.89, "differs")])
def test_quantisation_hurts_ftl_c_more(ftl_c, expected):
    table = runs(
        CLEAN,
        ({"bits": 2}, [0.85] * 3),
        ({"method": "ftl_c"}, [0.9] * 3),
        ({"method": "ftl_c", "bits": 2}, [ftl_c] * 3),
    )
    assert verdict("FbFTL loses less accuracy than FTL_c from q", table) == expected


def test_block_loss_is_compared_at_the_greatest_shared_rate():
    table = runs(
        CLEAN,
        ({"method": "ftl_c"}, [0.9] * 3),
        ({"blr": 0.1}, [0.8] * 3),
        ({"method": "ftl_c", "blr": 0.1}, [0.5] * 3),
        ({"blr": 0.4}, [0.1] * 3),
    )
    found = claim("At the greatest block loss rate", table)
    assert found.verdict == "reproduced"
    assert found.first.values.mean() == pytest.approx(10)


def test_privacy_claims_take_the_smallest_and_the_greatest_k():
    def at(samples: int, fbftl: float, ftl_c: float) -> list[tuple[dict, list[float]]]:
        shared = {"samples_per_client": samples, "epsilon": 1.0}
        return [
            ({"mechanism": "gaussian"} | shared, [fbftl] * 3),
            ({"method": "ftl_c", "mechanism": "dp_fedavg"} | shared, [ftl_c] * 3),
        ]

    table = runs(*at(4, 0.6, 0.1), *at(600, 0.6, 0.8))
    assert verdict("At the smallest K", table) == "reproduced"
    assert verdict("At the greatest K", table) == "reproduced"
    assert verdict("At the greatest K", runs(*at(4, 0.6, 0.1))) == "differs"


def test_fbftl_on_the_tasks_own_clients_stands_for_every_k():
    noisy = {"method": "ftl_c", "mechanism": "dp_fedavg", "epsilon": 1.0, "samples_per_client": 4}
    table = runs(
        ({"mechanism": "gaussian", "epsilon": 1.0}, [0.2] * 3),
        (noisy, [0.7] * 3),
    )
    assert verdict("At the smallest K", table) == "differs"
    assert verdict("At the greatest K", table) == "reproduced"


def test_a_diverged_seed_counts_as_nothing_and_is_counted():
    table = runs(CLEAN, ({"method": "ftl_c"}, [0.9, 0.9, None]))
    found = claim("FTL_c and FbFTL agree", table)
    assert list(found.first.values) == [90, 90, 0]
    frame = claims_table({"toy": [found]})
    assert frame["diverged"].item() == 1
    assert frame["verdict"].item() == "undecided"


def test_claims_become_rows_that_say_how_many_were_tested():
    table = runs(CLEAN, ({"method": "ftl_c"}, [0.8, 0.8, 0.8]))
    found = examine(CLAIMS, Runs(table.assign(epoch=5)))
    frame = claims_table({"toy": found}).set_index("claim")
    row = frame.loc["FTL_c and FbFTL agree in accuracy, to a point"]
    assert row["compared"] == row["lower"] == row["upper"] == pytest.approx(10)
    assert (row["verdict"], row["tested"]) == ("differs", 1)
    assert row["test"].startswith("difference by seed between -1 and 1 points")
    assert frame.drop(row.name)["verdict"].eq("not run").all()


def test_a_claim_has_a_row_for_each_task_that_it_was_run_on():
    one = runs(CLEAN, ({"method": "ftl_c"}, [0.8] * 3))
    other = runs(CLEAN, ({"method": "ftl_c"}, [0.9] * 3), ({"method": "ftl_f"}, [0.95] * 3))
    found = {"one": one, "other": other, "third": runs(CLEAN)}
    frame = claims_table(
        {task: examine(CLAIMS, Runs(t.assign(epoch=5))) for task, t in found.items()}
    )
    agree = frame[frame["claim"].str.startswith("FTL_c and FbFTL agree")].set_index("task")
    assert agree["verdict"].to_dict() == {"one": "differs", "other": "reproduced"}
    better = frame[frame["claim"].str.startswith("FTL_f, which trains every layer")]
    assert list(better["task"]) == ["other"]
    equal = frame[frame["claim"].str.startswith("SFL reaches")]
    assert list(zip(equal["task"], equal["verdict"], strict=True)) == [("", "not run")]
    assert frame["tested"].eq(3).all()
