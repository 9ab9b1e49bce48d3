"""The attack scripts on a toy task: from its files to findings."""

import json
from pathlib import Path
from typing import Any

import attack_features
import attack_front
import attack_labels
import attack_means
import attack_membership
import choose_public
import extract_features
import invert_uploads
import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
import pytest
import tabulate_attacks
import torch
from drawn import unrendered
from fbftl.attacks import heads
from fbftl.attacks.choice import ATTACKS, OFFLINE_RMIA
from fbftl.features.store.reader import open_store
from fbftl.findings.runs import read_tidy
from fbftl.findings.tables import read_table
from fbftl.ground import devices
from fbftl.privacy.noise import row_norms
from fbftl.study.job import from_params
from fbftl.study.methods import axes_by_method
from fbftl.training.tasks.task import Inputs
from unit.methods.method_toys import ONE_SHOT
from unit.training.tasks.toy_task import FEATURES, params

CLIP = {"feature_clip": {"quantile": 0.5, "data": "source"}, "delta": 1e-6}
SETTINGS = ({"method": "fbftl"}, {"method": "fbftl", "mechanism": "gaussian", "epsilon": 4.0})
LONG = {"method": "one_shot", "message": "batch", "head": "mlp"}
SHORT = LONG | {"bits": 2, "keep": 0.25, "levels": "fitted"}
LETTERS = {"kind": "pretrain", "task": "letters", "image": [8, 8, 1], "seed": 0}


def job(setting: dict[str, Any]) -> dict[str, Any]:
    """Return a job's param."""
    private = CLIP if setting.get("mechanism") == "gaussian" else {}
    return params(setting, None, (0, 1), privacy=private)


def read_by_heads(paths: dict[str, str]) -> dict[str, str]:
    """Return the files that attacks on heads read."""
    return {name: paths[name] for name in ("manifest", "network", "public_manifest")}


def below_blind(table: pd.DataFrame) -> pd.Series:
    """Tell which findings lie below what needs no attack, by more than two standard errors.

    An adversary could have guessed instead, so such a row is a fault of the attack.
    """
    error = table["spread"] / np.sqrt(table["repetitions"])
    return table["value"] < table["blind"] - 2 * error


@pytest.fixture(scope="module")
def paths(files, tmp_path_factory) -> dict[str, str]:
    """A toy task with public samples and their features."""
    folder = tmp_path_factory.mktemp("attacks")
    names = {"public": "public.h5", "public_manifest": "public.json", "store": "public.zarr"}
    paths = files | {name: str(folder / file) for name, file in names.items()}
    source = {"samples": 300, "data": None, "split": "test", "domains": None}
    choose_public.main(paths["clients"], paths["public"], LETTERS, {"sources": [source]}, None)
    extract_features.main(
        "fbftl.features.images", paths["public"], paths["weights"], paths["source"],
        [paths["store"]], [paths["public_manifest"]], FEATURES, "code", "cpu", 1,
    )  # fmt: skip
    return paths


def inverted(paths, folder: Path, device: str = "cpu") -> pd.DataFrame:
    """Return what is found in features at every level of noise, and draw it in a folder."""
    csv, svg = folder / "features.csv", folder / "inversion.svg"
    unrendered(
        attack_features.main,
        paths["manifest"], paths["public_manifest"], paths["clients"], paths["public"],
        str(csv), str(svg), [job(setting) for setting in SETTINGS], axes_by_method(), device, 1,
    )  # fmt: skip
    pd.testing.assert_frame_equal(
        pd.read_csv(folder / "inversion.csv"), pd.read_csv(csv).assign(seeds=1)
    )
    assert {"original", "no noise", "ε = 4"} <= set(names_of_rows())
    return read_table(csv)


@pytest.fixture(scope="module")
def found(paths, tmp_path_factory) -> pd.DataFrame:
    return inverted(paths, tmp_path_factory.mktemp("inverted"))


def names_of_rows() -> list[str]:
    """Return the names of the rows of pictures that were drawn last."""
    texts = [text.get_text() for axes in plt.gcf().axes for text in axes.texts]
    return [text.partition("\n")[0] for text in texts]


def test_features_are_inverted_at_every_level_of_noise(paths, found, tmp_path, device):
    table = found if device == "cpu" else inverted(paths, tmp_path, device)
    assert table["measure"].tolist() == ["PSNR (dB)", "SSIM"] * 2
    assert table["repetitions"].eq(124).all()
    psnr = table[table["measure"] == "PSNR (dB)"].set_index("mechanism")["value"]
    assert psnr["none"] > psnr["gaussian"]
    assert table.groupby("measure")["blind"].nunique().eq(1).all()


def test_plain_uploads_are_inverted_in_every_seed_and_at_every_cut(paths, found, tmp_path):
    """At the task's own cut as the attack on one seed does, and better the nearer the input."""
    csv = tmp_path / "inverted.csv"
    jobs = [job(SETTINGS[0]), job({"method": "fbftl", "cut": "pool1"})]
    block = FEATURES | {"pool": "flatten"}
    inverted_uploads(paths, jobs, block).write(csv)
    table = pd.read_csv(csv).set_index(["setting", "seed"])
    assert list(table.index) == [(s, n) for s in ("fbftl", "fbftl+cut=pool1") for n in (0, 1)]
    of_first = found[found["mechanism"] == "none"].set_index("measure").loc["PSNR (dB)"]
    assert table.loc[("fbftl", 0), "inversion_psnr"] == pytest.approx(of_first["value"], rel=1e-6)
    assert table["inversion_blind"].tolist() == pytest.approx([of_first["blind"]] * 4)
    by_cut = table["inversion_psnr"].groupby("setting").mean()
    assert by_cut["fbftl+cut=pool1"] > by_cut["fbftl"]


def inverted_uploads(paths: dict[str, str], jobs: list[dict[str, Any]], block: dict[str, Any]):
    """Return what a decoder makes of uploads in every seed."""
    return invert_uploads.main(
        paths["clients"], paths["public"], paths["weights"], paths["source"], jobs, block,
        axes_by_method(), "cpu", 1,
    )  # fmt: skip


def test_short_uploads_are_inverted_by_decoders_that_know_how_they_were_shortened(paths):
    """Whole ones are as FbFTL's to the last bit; few bits and elements leave less to draw from."""
    jobs = [job(setting) for setting in (SETTINGS[0], LONG, SHORT)]
    block = FEATURES | {"pool": "flatten", "cut": "pool1"}
    found = inverted_uploads(paths, jobs, block).frame.set_index("setting").drop(columns="task")
    fbftl, whole, short = (found.loc[name].reset_index() for name in found.index.unique())
    pd.testing.assert_frame_equal(fbftl.drop(columns="setting"), whole.drop(columns="setting"))
    assert (whole["feature_error"] == 0).all()
    assert short["feature_error"].between(0.1, 0.9).all()
    assert (short["inversion_psnr"] < whole["inversion_psnr"]).all()


def test_perceptrons_of_short_uploads_are_attacked(paths, tmp_path):
    by_attack = str(tmp_path / "by_attack.csv")
    jobs = [job(setting) for setting in (LONG, SHORT)]
    jobs = [each | {"block": each["block"] | {"one_shot": ONE_SHOT}} for each in jobs]
    attack_front.main(read_by_heads(paths), by_attack, jobs, axes_by_method(), 6, "cpu", 1)
    rows = read_tidy(by_attack)
    assert list(rows["head"].unique()) == ["batch, mlp", "batch, mlp, 2 bits, 25% of the elements"]
    assert rows["auc"].between(0, 1).all()
    assert rows["targets"].eq(3).all()
    words = tabulate_attacks.membership(by_attack).frame["head"].map(tabulate_attacks.upload_words)
    assert "features in one message, MLP, 2 bits, 25% of the elements" in set(words)


def test_the_mean_of_one_sample_is_drawn_as_its_feature_is(paths, found, tmp_path):
    csv, svg = tmp_path / "means.csv", tmp_path / "means.svg"
    unrendered(
        attack_means.main,
        paths, paths["clients"], paths["public"], str(csv), str(svg), job(SETTINGS[0]),
        axes_by_method(), "cpu", 1,
    )  # fmt: skip
    assert "K = 32" in names_of_rows()
    table = read_table(csv)
    assert table["samples_per_client"].unique().tolist() == [1, 2, 8, 32]
    columns = ["measure", "value", "blind"]
    alone = table.loc[table["samples_per_client"] == 1, columns]
    of_features = found.loc[found["mechanism"] == "none", columns]
    pd.testing.assert_frame_equal(alone, of_features)


def test_heads_are_attacked_by_heads_trained_as_they_were(paths, tmp_path, device):
    csv, by_attack = tmp_path / "membership.csv", tmp_path / "by_attack.csv"
    attack_membership.main(
        read_by_heads(paths), str(csv), str(by_attack), [job(setting) for setting in SETTINGS],
        axes_by_method(), 6, device, 1,
    )  # fmt: skip
    attempts = read_tidy(by_attack)
    names = [*ATTACKS, OFFLINE_RMIA]
    assert attempts["attack"].tolist() == names * 2
    assert attempts["mechanism"].tolist() == ["none"] * len(names) + ["gaussian"] * len(names)
    assert attempts[["targets", "shadows"]].drop_duplicates().to_numpy().tolist() == [[3, 5]]
    assert attempts["auc"].between(0, 1).all()
    # 5 shadows and some 60 others each: 1 % of them are fewer than ten.
    assert attempts["hits_0.01"].isna().all()
    assert attempts.loc[attempts["mechanism"] == "gaussian", "proven"].max() <= 4.0
    table = read_table(csv)
    quoted = attempts[attempts["quoted"]].set_index("mechanism")
    for mechanism, auc in table[table["measure"] == "AUC"].groupby("mechanism"):
        row = quoted.loc[mechanism]
        best = attempts[attempts["mechanism"] == mechanism]["tuning_auc"].max()
        assert (row["tuning_auc"], auc["value"].item()) == (best, row["auc"])
        assert auc["adversary"].item() == f"{row['attack']}; 5 shadows"
        assert auc["repetitions"].item() == 3
    shown = tmp_path / "membership_table.csv"
    tabulate_attacks.membership(str(by_attack)).write(shown)
    assert len(pd.read_csv(shown)) == len(attempts)


def test_members_and_others_share_no_sample_and_are_those_of_the_draw(paths, monkeypatch):
    from fbftl.exchange.uploads import send
    from fbftl.training.stacked import train_on_received
    from fbftl.training.tasks.task import client_features

    inputs = Inputs.at(read_by_heads(paths), devices.prepare("cpu", 1))
    half = from_params(job({"method": "fbftl", "fraction": 0.5}), axes_by_method())
    client_data = client_features(half, inputs)
    sent = send(half, heads.taking_part(half, client_data), client_data, {})
    ((_, fit),) = train_on_received(client_data, [sent.received()])
    models = heads.trained(half, client_data)
    assert models.confidence.shape == models.member.shape == models.other.shape == (2, 124)
    assert not (models.member & models.other).any()
    assert 0.3 < models.other.mean() < 0.7
    for uploads, member in zip(sent.uploads, models.member, strict=True):
        assert np.array_equal(np.flatnonzero(member), uploads.training)
    # Samples that no head has seen are the test split, under the head's softmax.
    test = client_data.test
    with torch.no_grad():
        logits = fit.head(test.inputs[None])[0]
    right = logits.double().log_softmax(-1).gather(1, test.labels[:, None])[:, 0].exp()
    np.testing.assert_allclose(models.unseen_probability[1], right, rtol=1e-5)
    # Heads that do not fit memory together are trained in groups, and are the same.
    monkeypatch.setattr(heads, "AT_ONCE", 1)
    grouped = heads.trained(half, client_data)
    for alone, together in (
        (grouped.confidence, models.confidence),
        (grouped.unseen, models.unseen),
    ):
        np.testing.assert_allclose(alone, together, rtol=1e-4, atol=1e-5)
    assert np.array_equal(grouped.member, models.member)
    assert np.array_equal(grouped.other, models.other)


def test_clean_features_are_those_of_uploads_without_noise(paths):
    from fbftl.exchange.sending import sending
    from fbftl.training.tasks.images import uploads_of

    features = open_store(Path(paths["manifest"])).read("train")
    public = open_store(Path(paths["public_manifest"])).read("train").values
    payload = uploads_of(features, 10)
    plain = sending(from_params(job(SETTINGS[0]), axes_by_method()), payload, None)
    np.testing.assert_array_equal(heads.clean(plain, features.values), features.values)
    noisy = sending(from_params(job(SETTINGS[1]), axes_by_method()), payload, public)
    limit = noisy.scale(payload.numbers) * noisy.clip_norm
    assert row_norms(heads.clean(noisy, features.values)).max() <= limit * (1 + 1e-6)


def test_labels_are_recovered_from_updates_and_hidden_by_noise(paths, tmp_path):
    run, csv = tmp_path / "run.json", tmp_path / "labels.csv"
    setting = {"method": "ftl_c", "mechanism": "dp_fedavg", "epsilon": 1.0, "samples_per_client": 2}
    privacy = {"sigma": 50.0, "clip_norm": 1.0}
    run.write_text(json.dumps({"repetitions": [{"privacy": [privacy]}]}), encoding="utf-8")
    attack_labels.main(
        paths["manifest"], paths["public_manifest"], [str(run)], str(csv), [job(setting)],
        axes_by_method(), 1,
    )  # fmt: skip
    table = read_table(csv)
    exact = table[table["measure"] == "all labels right"]
    plain = exact[exact["mechanism"] == "none"].iloc[0]
    assert plain["value"] == 1.0 > plain["blind"]
    noisy = exact[exact["adversary"] == attack_labels.OUTSIDER].iloc[0]
    assert noisy["value"] < 0.3
    assert exact["samples_per_client"].eq(2).all()
    assert not below_blind(table).any()
