"""Seeds by power: textbook values, the normal limit, a simulation of the whole rule."""

import math
import re

import numpy as np
import pandas as pd
import plan_seeds
import pytest
from fbftl.findings.comparison import LEAST_SEEDS, Measured
from fbftl.findings.power import (
    MOST_SEEDS,
    POWER,
    Pilot,
    of_study,
    power,
    report,
    seeds_needed,
    spread_within,
    upper_spread,
)
from fbftl.findings.sentence_rule import Judgement, Stated, interval, judged
from fbftl.ground.errors import UserError
from scipy.stats import norm


@pytest.mark.parametrize(("effect", "seeds"), [(0.5, 44), (0.8, 19), (0.2, 265)])
def test_one_sentence_needs_what_textbooks_say_of_a_paired_t_test(effect, seeds):
    """At two-sided 0.05 and power 0.9 (Cohen 1988, and programs for sample sizes since)."""
    assert seeds_needed(effect, 1.0, 1) == seeds


@pytest.mark.parametrize("tested", [1, 20])
def test_many_seeds_follow_the_normal_law(tested):
    quantiles = norm.ppf(1 - 0.05 / tested / 2) + norm.ppf(POWER)
    assert seeds_needed(0.05, 1.0, tested) == pytest.approx((quantiles / 0.05) ** 2, rel=0.01)


@pytest.mark.parametrize("tested", [1, 7, 30])
@pytest.mark.parametrize("ratio", [0.3, 0.6, 1.0, 2.5])
def test_no_fewer_seeds_have_the_power(tested, ratio):
    seeds = seeds_needed(ratio, 1.0, tested)
    assert power(seeds, ratio, 1.0, tested) >= POWER
    assert seeds == LEAST_SEEDS or power(seeds - 1, ratio, 1.0, tested) < POWER


def test_the_rule_decides_as_often_as_said():
    draws = np.random.default_rng(5).normal(0.8, 1.0, size=(4000, 12))
    verdicts = [judged(Measured.of(list(row)), Stated(half=0.8), 4) for row in draws]
    share = np.mean([verdict is Judgement.HOLDS for verdict in verdicts])
    assert share == pytest.approx(power(12, 0.8, 1.0, 4), abs=3 * 0.5 / math.sqrt(4000))


def test_units_do_not_matter_and_more_sentences_need_more_seeds():
    assert seeds_needed(3.0, 4.0, 5) == seeds_needed(0.75, 1.0, 5) > seeds_needed(3.0, 4.0, 1)


def test_the_upper_limit_of_a_spread():
    assert upper_spread(2.0, 5) == pytest.approx(2 * 1.56, rel=0.002)
    found = np.random.default_rng(1).normal(size=(20000, 5)).std(axis=1, ddof=1)
    covered = np.mean([upper_spread(spread, 5) >= 1 for spread in found])
    assert covered == pytest.approx(0.8, abs=0.01)


def test_what_has_no_spread_needs_three_seeds_and_what_is_all_spread_no_number():
    assert seeds_needed(1.0, 0.0, 10) == LEAST_SEEDS
    assert seeds_needed(1e-6, 1.0, 10) is None


def pilot(name, spread, half=1.0):
    return Pilot(name, half, spread, seeds=5, tested=3)


def test_a_study_has_as_many_as_its_neediest_sentence_up_to_forty():
    few, some, many = (pilot(name, spread) for name, spread in (("a", 0.5), ("b", 0.9), ("c", 5.0)))
    assert few.needed < some.needed == of_study([few.needed, some.needed])
    assert some.needed == seeds_needed(1.0, upper_spread(0.9, 5), 3)
    assert of_study([few.needed, many.needed]) == MOST_SEEDS < many.needed
    assert of_study([None]) == MOST_SEEDS


def test_a_report_names_what_forty_seeds_cannot_decide():
    few, many, never = pilot("a", 0.5), pilot("b", 5.0), pilot("c", 1.0, half=1e-6)
    *rows, header = report([few])
    assert [row.split()[-1] for row in rows] == [str(few.needed)]
    assert header.startswith(f"# Seeds: {few.needed}, because a needs as many for a power of 90%")
    *rows, undecided, header = report([few, many, never])
    assert len(rows) == 3
    assert undecided.endswith(f"too seldom: b ({many.needed}), c (more than 1,000,000)")
    assert header.startswith("# Seeds: 40, because that is the most, and 2 of 3 comparisons need")


def test_the_spread_is_read_off_the_interval():
    found = Measured.of([3.0, 4.5, 2.0, 3.5, 5.0])
    assert spread_within(*interval(found, 7), 5, 7) == pytest.approx(found.spread)


POINTS = Measured.of([3.0, 3.5, 2.8, 3.2, 3.9])
"""Differences in points, for which h is 1 where nothing is printed."""

TIMES = Measured.of([math.log(times) for times in (9, 12, 10, 8, 11)])
"""Logarithms of ratios, of which 4 times are printed: h is log 2."""


def row(sentence, task, size, found, **cells):
    """Return a row of the table of comparisons, with three sentences tested."""
    bounds = np.exp(interval(found, 3)) if "unit" in cells else interval(found, 3)
    return {
        "sentence": sentence, "part": "first", "task": task, "size": size, "form": "more",
        "margin": "", "printed_size": "", "unit": "points", "first_mean": 80.0,
        "first_seeds": found.seeds, "second_seeds": found.seeds + 1, "lower": bounds[0],
        "upper": bounds[1], "tested": 3,
    } | cells  # fmt: skip


@pytest.fixture
def folder(tmp_path):
    """A project in which the pilot of the system fade is finished, and none of another."""
    tables, registry = tmp_path / plan_seeds.TABLE.format("thesis"), tmp_path / "published/thesis"
    tables.parent.mkdir(parents=True)
    registry.mkdir(parents=True)
    text = "id,system\nc3-01,fade\nc3-02,fade\nc3-03,fade\nc5-01,ecos\n"
    (registry / "sentences.csv").write_text(text)
    rows = [
        row("c3-01", "people-pilot", "pilot", POINTS),
        row("c3-01", "people", "quick", POINTS),
        row("c3-02", "people-pilot", "pilot", TIMES, unit="times", printed_size=4.0),
        row("c3-03", "people", "quick", POINTS),
        row("c5-01", "cloud", "quick", POINTS),
        row("ours", "people-pilot", "pilot", POINTS),
    ]
    pd.DataFrame(rows).to_csv(tables, index=False)
    return tmp_path


def test_seeds_come_from_pilot_rows_alone(folder):
    points, times, missing, header = plan_seeds.main("fade", folder)
    assert points.startswith("c3-01, first, people-pilot  spread ")
    assert float(points.split()[4]) == pytest.approx(POINTS.spread, rel=0.01)
    assert float(times.split()[4]) == pytest.approx(TIMES.spread, rel=0.01)
    halves = (1.0, math.log(2))
    needed = [
        seeds_needed(half, upper_spread(found.spread, 5), 3)
        for half, found in zip(halves, (POINTS, TIMES), strict=True)
    ]
    assert [int(line.split()[-1]) for line in (points, times)] == needed
    assert missing == "no pilot of: c3-03"
    assert header.startswith(f"# Seeds: {max(needed)}, because c3-01")


@pytest.mark.parametrize(
    ("system", "sentence"),
    [
        ("fate", "'fate' is no system; did you mean 'fade'?"),
        ("ecos", "no pilot of ecos is finished here; run ./run papers --pilot ecos"),
        ("rivals", "no pilot of rivals is finished here"),
    ],
)
def test_a_system_without_a_pilot_is_refused(folder, system, sentence):
    with pytest.raises(UserError, match=re.escape(sentence)):
        plan_seeds.main(system, folder)
