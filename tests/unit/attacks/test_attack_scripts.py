"""The attack scripts on a toy task: from its files to findings."""

import json
from pathlib import Path
from typing import Any

import attack_features
import attack_labels
import attack_means
import attack_membership
import choose_public
import extract_features
import numpy as np
import pandas as pd
import pytest
from fbftl.attacks.findings import read_findings
from fbftl.features.store.opening import open_store
from fbftl.ground import devices
from fbftl.privacy.noise import row_norms
from fbftl.study.job import from_params
from fbftl.study.methods import axes_by_method
from fbftl.tasks.task import Inputs
from unit.tasks.toy_task import CLIENTS, FEATURES, HEAD, TRAINING, make_task

CLIP = {"feature_clip": {"quantile": 0.5, "data": "source"}, "delta": 1e-6}
SETTINGS = ({"method": "fbftl"}, {"method": "fbftl", "mechanism": "gaussian", "epsilon": 4.0})
LETTERS = {"kind": "pretrain", "task": "letters", "image": [8, 8, 1], "seed": 0}


def job(setting: dict[str, Any]) -> dict[str, Any]:
    """Return a job's param."""
    private = CLIP if setting.get("mechanism") == "gaussian" else {}
    return {
        "task": "toy",
        "kind": "images",
        "setting": setting,
        "seeds": [0, 1],
        "block": {"head": HEAD},
        "clients": CLIENTS,
        "training": TRAINING,
        "privacy": private,
    }


def inputs_of(files: dict[str, str], device: str) -> Inputs:
    """Return the files that attacks on heads read."""
    named = {name: files[name] for name in ("manifest", "network", "public_manifest")}
    return Inputs.at(named, devices.prepare(device, 1))


def below_blind(table: pd.DataFrame) -> pd.Series:
    """Tell which findings lie below what needs no attack, by more than two standard errors.

    An adversary could have guessed instead, so such a row is a fault of the attack.
    """
    error = table["spread"] / np.sqrt(table["repetitions"])
    return table["value"] < table["blind"] - 2 * error


@pytest.fixture(scope="module")
def files(tmp_path_factory) -> dict[str, str]:
    """A toy task with public samples and their features."""
    folder = tmp_path_factory.mktemp("attacks")
    made = make_task(folder)
    names = {"public": "public.h5", "public_manifest": "public.json", "store": "public.zarr"}
    made |= {name: str(folder / file) for name, file in names.items()}
    source = {"samples": 300, "data": None, "split": "test", "domains": None}
    choose_public.main(made["clients"], made["public"], LETTERS, {"sources": [source]}, None)
    extract_features.main(
        "fbftl.features.images", made["public"], made["weights"], made["source"],
        [made["store"]], [made["public_manifest"]], FEATURES, "code", "cpu", 1,
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


def test_the_mean_of_one_sample_is_drawn_as_its_feature_is(files, tmp_path):
    csv, svg = tmp_path / "means.csv", tmp_path / "means.svg"
    attack_means.main(
        inputs_of(files, "cpu"), files["clients"], files["public"], str(csv), str(svg),
        job(SETTINGS[0]), axes_by_method(),
    )  # fmt: skip
    assert "K = 32" in svg.read_text(encoding="utf-8")
    found = read_findings(csv)
    assert found["samples_per_client"].unique().tolist() == [1, 2, 8, 32]
    features = tmp_path / "features.csv"
    attack_features.main(
        files["manifest"], files["public_manifest"], files["clients"], files["public"],
        str(features), str(svg), [job(SETTINGS[0])], axes_by_method(), "cpu", 1,
    )  # fmt: skip
    columns = ["measure", "value", "blind"]
    alone = found.loc[found["samples_per_client"] == 1, columns]
    pd.testing.assert_frame_equal(alone, read_findings(features)[columns])


def test_heads_are_attacked_by_heads_trained_as_they_were(files, tmp_path, device):
    csv = tmp_path / "membership.csv"
    attack_membership.main(
        inputs_of(files, device), str(csv), [job(setting) for setting in SETTINGS],
        axes_by_method(), 6,
    )  # fmt: skip
    found = read_findings(csv)
    auc = found[found["measure"] == "AUC"]
    assert auc["adversary"].tolist() == ["loss threshold", "LiRA, offline", "LiRA, online"] * 2
    assert auc["repetitions"].eq(6).all()
    assert auc["value"].between(0, 1).all()
    # 6 models and some 60 others each: 1 % of them are fewer than ten.
    assert found.loc[found["measure"].str.startswith("true"), "value"].isna().all()
    bound = found[found["measure"].str.startswith("ε")].set_index("mechanism")["value"]
    assert bound["gaussian"] <= 4.0
    assert not below_blind(found).any()


def test_members_and_others_share_no_sample_and_are_those_of_the_draw(files, monkeypatch):
    from fbftl.methods.fbftl import fit
    from fbftl.tasks.task import held_features

    inputs = Inputs(
        manifest=Path(files["manifest"]),
        network=Path(files["network"]),
        device=devices.prepare("cpu", 1),
    )
    half = from_params(job({"method": "fbftl", "fraction": 0.5}), axes_by_method())
    held = held_features(half, inputs)
    (fitted,) = fit([half], held)
    models, own = attack_membership.trained(half, held)
    assert models.confidence.shape == models.member.shape == own.shape == (2, 124)
    assert not (models.member & models.other).any()
    assert 0.3 < models.other.mean() < 0.7
    for (rows, _), member in zip(fitted.sent.split(), models.member, strict=True):
        assert np.array_equal(np.flatnonzero(member), np.sort(rows))
    # Heads that do not fit memory together are trained in groups, and are the same.
    monkeypatch.setattr(attack_membership, "AT_ONCE", 1)
    grouped, alone = attack_membership.trained(half, held)
    np.testing.assert_allclose(alone, own, rtol=1e-5, atol=1e-6)
    assert np.array_equal(grouped.member, models.member)
    assert np.array_equal(grouped.other, models.other)


def test_clean_features_are_those_of_uploads_without_noise(files):
    from fbftl.exchange.sending import sending
    from fbftl.tasks.images import uploads_of

    features = open_store(Path(files["manifest"])).read("train")
    public = open_store(Path(files["public_manifest"])).read("train").values
    payload = uploads_of(features, 10)
    plain = sending(from_params(job(SETTINGS[0]), axes_by_method()), payload, None)
    np.testing.assert_array_equal(attack_membership.clean(plain), features.values)
    noisy = sending(from_params(job(SETTINGS[1]), axes_by_method()), payload, public)
    limit = noisy.scale(payload.numbers) * noisy.clip_norm
    assert row_norms(attack_membership.clean(noisy)).max() <= limit * (1 + 1e-6)


def test_labels_are_recovered_from_updates_and_hidden_by_noise(files, tmp_path):
    run, csv = tmp_path / "run.json", tmp_path / "labels.csv"
    setting = {"method": "ftl_c", "mechanism": "dp_fedavg", "epsilon": 1.0, "samples_per_client": 2}
    privacy = {"sigma": 50.0, "clip_norm": 1.0}
    run.write_text(json.dumps({"repetitions": [{"privacy": [privacy]}]}), encoding="utf-8")
    attack_labels.main(
        files["manifest"], files["public_manifest"], [str(run)], str(csv), [job(setting)],
        axes_by_method(), 1,
    )  # fmt: skip
    found = read_findings(csv)
    exact = found[found["measure"] == "all labels right"]
    plain = exact[exact["mechanism"] == "none"].iloc[0]
    assert plain["value"] == 1.0 > plain["blind"]
    noisy = exact[exact["adversary"] == attack_labels.OUTSIDER].iloc[0]
    assert noisy["value"] < 0.3
    assert exact["samples_per_client"].eq(2).all()
    assert not below_blind(found).any()


def test_clipping_alone_keeps_an_update_in_line(files):
    features = open_store(Path(files["manifest"])).read("train")
    head = attack_labels.head_of(from_params(job({"method": "ftl_c"}), axes_by_method()), features)
    sent = attack_labels.updates(head, features.values, features.labels, 3, 100, seed=0)
    clipped = attack_labels.noised(sent, 0.0, 0.01)
    for before, after in zip(sent, clipped, strict=True):
        assert before.counts.sum() == 3
        assert np.linalg.norm(after.values) == pytest.approx(0.01, rel=1e-4)
        cosine = after.values @ before.values / np.linalg.norm(before.values) / 0.01
        assert cosine == pytest.approx(1, abs=1e-4)
