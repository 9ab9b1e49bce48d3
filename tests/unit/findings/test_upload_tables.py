"""Uploads in tables: names, looks and bits of masked numbers."""

import pandas as pd
import tabulate_rivals
from fbftl.findings.uploads import Upload, by_upload
from fbftl.study.uploads import HEADS_FROM


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
