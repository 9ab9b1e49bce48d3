from pathlib import Path

import pandas as pd
import plot_fbftl_formulas
import pytest
from drawn import unrendered
from fbftl.privacy.label_privacy import batch_entropy, uniform

PUBLISHED = Path(__file__).parents[3] / "published" / "fbftl" / "fig11.csv"
SETTING = {
    "classes": 10,
    "total_samples": [5_000],
    "samples_per_client": [1, 4, 8],
    "lemma_samples_per_client": [4],
    "lemma_clients": [100, 10_000],
    "repetitions": 3,
    "seed": 0,
}


def test_the_figure_and_its_numbers(tmp_path):
    unrendered(plot_fbftl_formulas.label_privacy, PUBLISHED, tmp_path / "figure.svg", SETTING)
    numbers = pd.read_csv(tmp_path / "figure.csv").set_index(["series", "K"]).sort_index()
    assert numbers.loc[("prior", 8), "bits"].item() == pytest.approx(batch_entropy(uniform(10), 8))
    exact, truncated = (numbers.loc[(s, 8), "bits"].item() for s in ("exact", "truncated"))
    assert exact > 9 > 1 > truncated
    published = pd.read_csv(PUBLISHED)
    assert len(numbers.loc["published"]) == (published["series"] == "queried").sum()
    leaked = numbers.loc[("query leakage", 4)].sort_values("U")["bits"]
    assert leaked.is_monotonic_decreasing
