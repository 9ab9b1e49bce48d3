"""Seeds by power: textbook values, the normal limit, a simulation of the whole rule."""

import math

import numpy as np
import pytest
from count_seeds import POWER, main, power, seeds_needed, upper_spread
from fbftl.findings.published import LEAST_SEEDS
from fbftl.papers.claim_rows import ClaimForm
from fbftl.papers.claim_rule import ClaimVerdict, Effect, judged, region


@pytest.mark.parametrize(("effect", "seeds"), [(0.5, 44), (0.8, 19), (0.2, 265)])
def test_one_test_needs_what_textbooks_say_of_a_paired_t_test(effect, seeds):
    """At two-sided 0.05 and power 0.9 (Cohen 1988, and programs for sample sizes since)."""
    assert seeds_needed(effect, 1.0) == seeds


@pytest.mark.parametrize("tested", [1, 7, 30])
@pytest.mark.parametrize("ratio", [0.3, 0.6, 1.0, 2.5])
def test_no_fewer_seeds_have_the_power(tested, ratio):
    seeds = seeds_needed(ratio, 1.0, tested)
    assert power(seeds, ratio, 1.0, tested) >= POWER
    assert seeds == LEAST_SEEDS or power(seeds - 1, ratio, 1.0, tested) < POWER


def test_the_rule_decides_as_often_as_said():
    draws = np.random.default_rng(5).normal(0.8, 1.0, size=(4000, 12))
    allowed = region(ClaimForm.MORE, None)
    verdicts = [judged(Effect.of(list(row)), allowed) for row in draws]
    share = np.mean([verdict is ClaimVerdict.CONFIRMED for verdict in verdicts])
    assert share == pytest.approx(power(12, 0.8, 1.0, 1), abs=3 * 0.5 / math.sqrt(4000))


def test_the_upper_limit_of_a_spread():
    assert upper_spread(2.0, 5) == pytest.approx(2 * 1.56, rel=0.002)
    found = np.random.default_rng(1).normal(size=(20000, 5)).std(axis=1, ddof=1)
    covered = np.mean([upper_spread(spread, 5) >= 1 for spread in found])
    assert covered == pytest.approx(0.8, abs=0.01)


def test_what_has_no_spread_needs_three_seeds_and_what_is_all_spread_no_number():
    assert seeds_needed(1.0, 0.0, 10) == LEAST_SEEDS
    assert seeds_needed(1e-6, 1.0, 10) is None


def test_the_answer_is_a_sentence():
    assert main(["--effect", "0.5", "--spread", "1"]).startswith("44 seeds decide 0.5")
    wider = main(["--effect", "0.5", "--spread", "1", "--found-over", "5"])
    assert int(wider.split()[0]) > 44
