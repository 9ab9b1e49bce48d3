"""The attack scripts on a toy task: from its files to findings."""

import json
from pathlib import Path
from typing import Any

import attack_features
import attack_labels
import attack_membership
import choose_public
import extract_features
import numpy as np
import pandas as pd
import pytest
from fbftl.attacks.findings import read_findings
from fbftl.features.store import open_store
from fbftl.privacy.noise import row_norms
from fbftl.study.job import from_params
from fbftl.study.methods import axes_by_method
from unit.tasks.toy_task import CLIENTS, FEATURES, HEAD, TRAINING, make_task

CLIP = {"feature_clip": {"quantile": 0.5, "data": "source"}, "delta": 1e-6}
SETTINGS = ({"method": "fbftl"}, {"method": "fbftl", "mechanism": "gaussian", "epsilon": 4.0})
LETTERS = {"kind": "pretrain", "task": "letters", "image": [8, 8, 1], "seed": 0}


def job(setting: dict[str, Any]) -> dict[str, Any]:
    """Return a job's param."""
    private = CLIP if setting.get("mechanism") == "gaussian" else {}
    return {
        "task": "toy",
        "setting": setting,
        "seeds": [0, 1],
        "head": HEAD,
        "clients": CLIENTS,
        "training": TRAINING,
        "privacy": private,
    }


@pytest.fixture(scope="module")
def files(tmp_path_factory) -> dict[str, str]:
    """A toy task with public samples and their features."""
    folder = tmp_path_factory.mktemp("attacks")
    made = make_task(folder)
    names = {"public": "public.h5", "public_manifest": "public.json", "store": "public.zarr"}
    made |= {name: str(folder / file) for name, file in names.items()}
    public = {"samples": 300, "data": None}
    choose_public.main(made["clients"], made["public"], LETTERS, public, None)
    extract_features.main(
        made["public"], made["weights"], made["source"], [made["store"]],
        [made["public_manifest"]], FEATURES, "cpu", 1,
    )  # fmt: skip
    return made


def test_features_are_inverted_at_every_level_of_noise(files, tmp_path, device):
    csv, svg = tmp_path / "features.csv", tmp_path / "inversion.svg"
    attack_features.main(
        files["manifest"], files["public_manifest"], files["clients"], files["public"],
        str(csv), str(svg), [job(setting) for setting in SETTINGS], axes_by_method(), device, 1,
    )  # fmt: skip
    found = read_findings(csv)
    assert found["measure"].tolist() == ["PSNR (dB)", "SSIM"] * 2
    assert found["repetitions"].eq(124).all()
    psnr = found[found["measure"] == "PSNR (dB)"].set_index("mechanism")["value"]
    assert psnr["none"] > psnr["gaussian"]
    assert found.groupby("measure")["blind"].nunique().eq(1).all()
    text = svg.read_text(encoding="utf-8")
    assert all(title in text for title in ("original", "no noise", "ε = 4"))
    pd.testing.assert_frame_equal(pd.read_csv(tmp_path / "inversion.csv"), pd.read_csv(csv))


def test_heads_are_attacked_by_samples_of_clients_that_stayed_away(files, tmp_path, device):
    csv = tmp_path / "membership.csv"
    attack_membership.main(
        files["manifest"], files["network"], files["public_manifest"], str(csv),
        [job(setting) for setting in SETTINGS], axes_by_method(), device, 1,
    )  # fmt: skip
    found = read_findings(csv)
    assert found["adversary"].tolist() == ["loss threshold", "shadow heads"] * 2
    assert found["repetitions"].eq(2).all()
    assert found["value"].between(0, 1).all()
    assert found["blind"].eq(0.5).all()


def test_members_candidates_and_pool_share_no_row(files):
    from fbftl.ground import devices
    from fbftl.methods.fbftl import fit
    from fbftl.tasks.task import Inputs

    inputs = Inputs(
        manifest=Path(files["manifest"]),
        network=Path(files["network"]),
        device=devices.prepare("cpu", 1),
    )
    half = from_params(job({"method": "fbftl", "fraction": 0.5}), axes_by_method())
    (fitted,) = fit([half], inputs)
    others, pool = attack_membership.outsiders(fitted.how, 0)
    together = np.concatenate([fitted.rows[0], others, pool])
    assert len(np.unique(together)) == len(together)
    assert abs(len(others) - len(pool)) <= 1
    assert 0.3 * 124 < len(others) + len(pool) < 0.7 * 124


def test_clean_features_are_those_of_uploads_without_noise(files):
    from fbftl.exchange.sending import sending

    features = open_store(Path(files["manifest"])).read("train")
    public = open_store(Path(files["public_manifest"])).read("train").values
    plain = sending(from_params(job(SETTINGS[0]), axes_by_method()), features, 10, None)
    np.testing.assert_array_equal(attack_membership.clean(plain), features.values)
    noisy = sending(from_params(job(SETTINGS[1]), axes_by_method()), features, 10, public)
    limit = noisy.scale * noisy.clip_norm
    assert row_norms(attack_membership.clean(noisy)).max() <= limit * (1 + 1e-6)


def test_labels_are_recovered_from_updates_and_hidden_by_noise(files, tmp_path):
    run, csv = tmp_path / "run.json", tmp_path / "labels.csv"
    setting = {"method": "ftl_c", "mechanism": "dp_fedavg", "epsilon": 1.0, "samples_per_client": 2}
    privacy = {"sigma": 50.0, "clip_norm": 1.0}
    run.write_text(json.dumps({"repetitions": [{"privacy": [privacy]}]}), encoding="utf-8")
    attack_labels.main(files["manifest"], [str(run)], str(csv), [job(setting)], axes_by_method(), 1)
    found = read_findings(csv)
    exact = found[found["measure"] == "all labels right"]
    plain = exact[exact["mechanism"] == "none"].iloc[0]
    assert plain["value"] == 1.0 > plain["blind"]
    noisy = exact[exact["adversary"] == attack_labels.OUTSIDER].iloc[0]
    assert noisy["value"] < 0.3
    assert exact["samples_per_client"].eq(2).all()


def test_clipping_alone_keeps_an_update_in_line(files):
    features = open_store(Path(files["manifest"])).read("train")
    head = attack_labels.head_of(from_params(job({"method": "ftl_c"}), axes_by_method()), features)
    sent = attack_labels.updates(head, features, 3, seed=0)
    clipped = attack_labels.noised(sent, 0.0, 0.01)
    for before, after in zip(sent, clipped, strict=True):
        assert before.counts.sum() == 3
        assert np.linalg.norm(after.values) == pytest.approx(0.01, rel=1e-4)
        cosine = after.values @ before.values / np.linalg.norm(before.values) / 0.01
        assert cosine == pytest.approx(1, abs=1e-4)
