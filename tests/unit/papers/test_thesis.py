"""The thesis's formulas and Table 4.1 by closed forms, by torch and by hand; ECOS's tables."""

from fractions import Fraction

import pytest
from fbftl.findings import published
from fbftl.models.chain import Chain, described
from fbftl.models.cost.architectures import alexnet, digits_cnn, preact_resnet18
from fbftl.models.cost.layers import parameters, products
from fbftl.models.networks import build
from fbftl.papers.thesis.audit_ecos import recipe
from fbftl.papers.thesis.fade_central import largest_difference
from fbftl.privacy.accounting import rounds_epsilon


@pytest.fixture(scope="module")
def printed(root):
    folder = root / "published" / "thesis"
    return {name: published.read(folder / f"{name}.csv") for name in ("tables5", "ch5")}


def test_averages_of_the_tables_are_those_of_their_domains_to_a_tenth(printed):
    table = printed["tables5"]
    table = table[table["quantity"] == "accuracy"].assign(value=table["printed"].astype(float))
    for _, group in table.groupby(["table", "data", "budget", "method"]):
        average = group["domain"] == "avg"
        assert average.sum() == 1
        assert group[~average]["value"].mean() == pytest.approx(
            group[average]["value"].item(), abs=0.1
        )


def test_the_recipe_bounds_what_distributions_give():
    exact = rounds_epsilon(25 / 2**0.5, 1e-5, rate=0.8, rounds=1)
    assert exact < recipe(25, 0.8, 1e-5) < 2 * exact


def test_all_users_at_once_are_as_one():
    assert largest_difference() < 1e-5


WIDTHS = [Fraction(1, 8), Fraction(3, 8), Fraction(1)]


def cnn(share: Fraction) -> Chain:
    def units(*widths: int) -> list[int]:
        return [int(width * share) for width in widths]

    channels = [units(64), units(64), units(128)]
    return Chain(
        (28, 28, 3), 10, units(2048, 512), channels, kernel=5, pool=[2, 2, 1], norm="batch"
    )


@pytest.mark.parametrize("share", WIDTHS[:2])
def test_the_cnn_of_table_c_1_is_the_chain_and_torchs(share):
    layers = digits_cnn(share)
    assert parameters(layers) == parameters(described(cnn(share)))
    assert products(layers) == products(described(cnn(share)))
    built = sum(weights.numel() for weights in build(cnn(share)).parameters())
    assert parameters(layers) == built


def test_multiplications_of_a_chain_by_hand():
    layers = described(Chain((4, 4, 1), 3, [5], [[2]]))
    # 16 places of 9 products for 2 maps, 2 x 2 x 2 to 5, 5 to 3
    assert [layer.products for layer in layers] == [16 * 9 * 2, 8 * 5, 5 * 3]
    assert [layer.name for layer in layers] == ["conv1_1", "fc1", "output"]


def test_whole_networks_have_the_counts_of_their_papers():
    assert parameters(digits_cnn(Fraction(1))) == 14_219_210
    # torchvision's AlexNet has 57,044,810 with ten classes and without normalisation.
    assert parameters(alexnet(Fraction(1))) == 57_044_810 + 2 * (1152 + 2 * 4096)
    assert parameters(preact_resnet18(Fraction(1))) == 11_172_170
