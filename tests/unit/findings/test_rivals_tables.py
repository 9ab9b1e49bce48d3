"""Tables of trust and of uploads: what holds for a sample, names, looks, bits of masked numbers."""

from dataclasses import asdict

import pandas as pd
import plot_rivals
import pytest
import tabulate_attacks
import tabulate_rivals
from fbftl.findings.uploads import Upload, by_upload
from fbftl.privacy import mechanisms
from fbftl.privacy.accounting import gaussian_sigma
from fbftl.privacy.statistics import statistics_guarantee
from fbftl.study.uploads import HEADS_FROM
from unit.findings.made_up import AXES

DELTA = 1e-6


def rows(setting, *records):
    document = {
        "name": "own",
        "setting": {"method": "fbftl", "mechanism": "gaussian"} | setting,
        "repetitions": [{"privacy": [asdict(record) for record in records]}],
    }
    return list(tabulate_rivals.rows_of(document, AXES))


def features(epsilon):
    sigma = gaussian_sigma(epsilon, DELTA)
    return mechanisms.gaussian(clip_norm=1.0, sigma=sigma, delta=DELTA)


def steps(sigma):
    return mechanisms.dp_gd(
        clip_norm=1.0, multipliers=[sigma] * 4, delta=DELTA, adjacency="replace-one"
    )


def test_open_labels_are_no_guarantee_for_a_sample():
    assert rows({"epsilon": 2.0}, *features(2.0)) == []


def test_features_and_labels_add_up_and_cost_no_more_together():
    response = mechanisms.randomised_response(3.0)
    (row,) = rows({"epsilon": 1.0, "label_epsilon": 3.0}, *features(1.0), response)
    assert (row["trust"], row["what"]) == ("local", "FbFTL")
    epsilons = row["epsilon"], row["epsilon_features"], row["epsilon_labels"]
    assert epsilons == (4.0, 1.0, 3.0)
    assert 3.0 < row["composed"] <= 4.0


def test_noise_on_a_sum_stands_under_a_secure_sum_and_under_a_trusted_server():
    guarantee = statistics_guarantee(
        clip_norm=1.0, epsilon=2.0, sigma=None, delta=DELTA, central=True
    )
    axes = {"method": "one_shot", "message": "statistics", "head": "lda", "epsilon": 2.0}
    masked = rows(axes | {"aggregation": "masked"}, guarantee)
    assert [(row["trust"], row["what"]) for row in masked] == [
        ("secure sum", "GH-LDA"),
        ("trusted server", "GH-LDA"),
    ]
    assert [row["trust"] for row in rows(axes, guarantee)] == ["local"]


@pytest.mark.parametrize(("factor", "shown"), [(1.0, True), (0.9, False)])
def test_what_costs_more_than_was_asked_does_not_stand_beside_the_others(factor, shown):
    sigma = factor * gaussian_sigma(2.0, DELTA, "replace-one") * 2
    table_rows = rows({"method": "private_gd", "mechanism": "dp_gd", "epsilon": 2.0}, *steps(sigma))
    assert [row["trust"] for row in table_rows] == ["trusted server"] * shown


def test_uploads_have_their_published_names_and_say_what_is_seen():
    rows = pd.DataFrame(
        [
            ["statistics", "lda", None, 1, "masked"],
            ["projected", "lda", 16.0, 1, "open"],
            ["features", "mlp", None, 1, "open"],
            ["statistics", "lda", None, 1, "masked"],
        ],
        columns=["message", "head", "projection", "components", "aggregation"],
    ).assign(covariance="diagonal", bits=32, means_per_class=1)
    counts = [(upload.label, len(of_upload)) for upload, of_upload in by_upload(rows)]
    assert counts == [
        ("FbFTL", 1),
        ("GH-LDA (masked)", 2),
        ("projected second moments, LDA (k = 16)", 1),
    ]
    assert "sum" in Upload("statistics", "lda", "masked").revealed
    assert not Upload("means", "fedcof").summable
    assert Upload("means", "ncm").summable
    assert not Upload("means", "lda").summable


def test_rings_are_told_beside_a_whole_word():
    masked = {"message": "statistics", "head": "lda", "aggregation": "masked", "projection": None}
    masked |= {"components": 1, "covariance": "diagonal", "bits": 32, "diverged": False}
    masked |= {"means_per_class": 1, "upload_batches": 10, "test_accuracy": 0.5}
    settings = [
        {"setting": "plain", "mechanism": "none", "epsilon": None, "fraction_bits": 24}
        | {"ring_bits": 64, "largest_sum": None, "uplink_payload_bits": 64_000},
        {"setting": "clipped", "mechanism": "gaussian", "epsilon": 4.0, "fraction_bits": 20}
        | {"ring_bits": 32, "largest_sum": 1500.0, "uplink_payload_bits": 32_000},
        {"setting": "open", "aggregation": "open", "ring_bits": None, "fraction_bits": 24},
    ]
    runs = pd.DataFrame([masked | row | {"seed": seed} for row in settings for seed in (0, 1)])
    table = tabulate_rivals.rings_table(runs).set_index("setting")
    assert sorted(table.index) == ["clipped", "plain"]
    assert table["saved"].to_dict() == {"clipped": 0.5, "plain": 0.0}
    assert table["bounded"].to_dict() == {"clipped": "yes", "plain": "no: a whole word"}
    assert table["bits_per_client"].to_dict() == {"clipped": 3200, "plain": 6400}
    assert set(table["name"]) == {"GH-LDA (masked)"}


def test_every_message_and_head_has_a_look():
    uploads = [Upload(m, h) for m, heads in HEADS_FROM.items() for h in heads]
    spherical = [Upload("mixtures", h, covariance="spherical") for h in HEADS_FROM["mixtures"]]
    looks = [upload.look for upload in (*uploads, *spherical)]
    assert len({(colour, marker) for colour, marker, _ in looks}) == len(looks)


def test_a_line_along_an_axis_needs_two_places():
    head = {"message": "means", "projection": None, "components": 1, "covariance": "diagonal",
            "aggregation": "open", "bits": 32, "mechanism": "none", "means_per_class": 1,
            "accuracy": 0.5, "spread": 0.0}  # fmt: skip
    at = [("ncm", 0.1), ("ncm", 1.0), ("fedcof", 0.1)]
    runs = pd.DataFrame([head | {"head": name, "alpha": alpha} for name, alpha in at])
    assert list(plot_rivals.by_axis(runs, [], "alpha")[1]) == ["nearest mean"]
    alone = runs[runs["alpha"] == 0.1]
    assert list(plot_rivals.by_axis(alone, [], "alpha")[1]) == ["FedCOF", "nearest mean"]


def test_readers_see_one_measure_of_each_attack_first(tmp_path):
    kinds = [("inversion", "PSNR (dB)"), ("inversion", "SSIM"), ("unmasking", "correlation")]
    found = pd.DataFrame(kinds, columns=["attack", "measure"])
    found = found.assign(**dict.fromkeys(("adversary", "samples_per_client", "epsilon"), 1.0))
    found = found.assign(value=9.54321, spread=0.25, blind=None)
    found.to_csv(tmp_path / "found.csv", index=False)
    table = tabulate_attacks.attacks([tmp_path / "found.csv"])
    assert table.frame["measure"].tolist() == ["PSNR (dB)", "SSIM", "correlation"]
    assert table.arranged["measure"].tolist() == ["SSIM", "correlation", "PSNR (dB)"]
    page = table.arranged["value"].map(tabulate_attacks.three_decimals)
    assert page.tolist() == ["9.543", "9.543", "9.5"]
