"""Publishing a store: the same bytes in every place, noise that is fresh, targets left clean."""

import json
import zipfile
from dataclasses import asdict
from pathlib import Path

import numpy as np
import pytest
import zarr
from fbftl.features.extract import extract
from fbftl.features.publication.place import open_published
from fbftl.features.publication.write import PublishedNoise, publish
from fbftl.features.store.location import AlteredChunkError, Folder
from fbftl.features.store.opening import open_store
from fbftl.findings.descriptions.leaks import leaks_of, lines_on
from fbftl.ground.errors import UserError
from fbftl.ground.files import sha256
from fbftl.ground.staleness import JobRecord
from fbftl.privacy.system_noise import system_noise
from fbftl.study.elsewhere import MANIFEST, PARTS, TAKEN, manifest_at, with_published
from unit.features import store_toys as toys

ABOUT = {"format": "fbftl-features", "version": 1}


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("published")
    extract(toys.ToySource(), toys.toy_forward, toys.toy_targets(path), batch=toys.BATCH)
    return path


def published(folder: Path, target: str, **options: object) -> dict:
    """Publish the toy store with a file beside it."""
    return publish(folder / "dense.json", target, ABOUT, lambda _: {"README.md": b"toy"}, **options)


def test_folder_zip_and_url_hold_the_same(folder: Path, tmp_path: Path, bucket: object) -> None:
    there = open_store(folder / "dense.json").read("train")
    targets = [str(tmp_path / "out" / "folder"), str(tmp_path / "out.zip"), "s3://features/out"]
    digests = {published(folder, target)["digest"] for target in targets}
    assert len(digests) == 1
    for number, target in enumerate(targets):
        document = manifest_at(target, *digests)
        kept = tmp_path / str(number) / "features.json"
        read = open_published(target, document, kept).read("train")
        assert np.array_equal(read.values, there.values)
        assert np.array_equal(read.client, there.client)
        with pytest.raises(UserError, match=r"exists|not empty"):
            published(folder, target)
        with pytest.raises(UserError, match="have the digest"):
            manifest_at(target, "0" * 64)
    assert np.array_equal(zarr.open_group(targets[0], mode="r")["train/features"][:], there.values)
    with zipfile.ZipFile(targets[1]) as archive:
        assert archive.namelist()[-1] == MANIFEST


def test_what_fails_leaves_nothing(folder: Path, tmp_path: Path, bucket: object) -> None:
    def fail(manifest: object) -> dict[str, bytes]:
        raise UserError("no card")

    for target in (str(tmp_path / "folder"), str(tmp_path / "one.zip"), "s3://features/failed"):
        with pytest.raises(UserError, match="no card"):
            publish(folder / "dense.json", target, ABOUT, fail)
    assert list(tmp_path.iterdir()) == []
    assert "Contents" not in bucket.list_objects_v2(Bucket="features", Prefix="failed")
    (tmp_path / "file").touch()
    with pytest.raises(UserError):
        published(folder, str(tmp_path / "file" / "below"))


def test_a_damaged_store_is_not_published(folder: Path, tmp_path: Path) -> None:
    extract(toys.ToySource(), toys.toy_forward, toys.toy_targets(tmp_path), batch=toys.BATCH)
    chunk = tmp_path / "dense.zarr" / "train" / "features" / "c" / "1" / "0"
    chunk.write_bytes(chunk.read_bytes()[:-1] + b"\0")
    with pytest.raises(UserError, match=r"train/features/c/1/0 is damaged"):
        published(tmp_path, str(tmp_path / "out"))
    assert not (tmp_path / "out").exists()


def test_noise_is_as_large_as_said_and_never_the_same(folder: Path, tmp_path: Path) -> None:
    there = open_store(folder / "dense.json").read("train").values
    noised = []
    for name in ("one", "other"):
        document = published(folder, str(tmp_path / name), noise=PublishedNoise(0.5, 2.0))
        kept = tmp_path / f"{name}.kept" / "features.json"
        noised.append(open_published(str(tmp_path / name), document, kept).read("train").values)
    assert not np.isclose(noised[0], noised[1]).any(axis=1).all()
    lengths = np.linalg.norm(there, axis=1, keepdims=True)
    clipped = there * np.minimum(1, 2.0 / np.maximum(lengths, 1e-9))
    assert np.std(noised[0] - clipped) == pytest.approx(1.0, rel=0.1)
    # The second moment of a square of normals, over many draws.
    assert np.mean(np.square(system_noise((200, 500)))) == pytest.approx(1, abs=0.03)


def test_rows_of_unequal_length_are_published_without_noise_alone(
    folder: Path, tmp_path: Path
) -> None:
    with pytest.raises(UserError, match="unequal length"):
        publish(folder / "ragged.json", str(tmp_path / "out"), ABOUT, dict, PublishedNoise(1, 1))
    document = publish(folder / "ragged.json", str(tmp_path / "out"), ABOUT, lambda _: {})
    read = open_published(str(tmp_path / "out"), document, tmp_path / "k" / "features.json")
    there = open_store(folder / "ragged.json").read("test")
    assert np.array_equal(read.read("test").offsets, there.offsets)


def test_groups_go_only_where_they_are_given(folder: Path, tmp_path: Path) -> None:
    columns = {f"{split}/group": np.arange(count) % 2 for split, count in toys.COUNTS.items()}
    assert "train/group" not in published(folder, str(tmp_path / "plain"))["store"]["arrays"]
    document = published(folder, str(tmp_path / "grouped"), columns=columns)
    store = open_published(str(tmp_path / "grouped"), document, tmp_path / "k" / "features.json")
    assert np.array_equal(store.array("test", "group").read(slice(None)), columns["test/group"])


def test_what_leaks_is_what_attacks_on_these_features_found(tmp_path: Path) -> None:
    """Under noise with the clip norm that was attacked, and not where no guarantee names one."""
    assert set(leaks_of(tmp_path).values()) == {None}
    findings, manifest = tmp_path / "attacks" / "features.csv", tmp_path / "features.json"
    for folder in ("attacks", "guarantees", "records/attacks"):
        (tmp_path / folder).mkdir(parents=True)
    findings.write_text(
        "attack,method,adversary,mechanism,epsilon,measure,value,blind\n"
        "inversion,fbftl,server,none,,PSNR (dB),13.5,9.5\n"
        "inversion,fbftl,server,none,,SSIM,99,0.1\n"
        "inversion,fbftl,server,gaussian,4.0,PSNR (dB),10.5,9.5\n"
        "inversion,ftl_c,server,none,,PSNR (dB),99,9.5\n"
    )
    manifest.write_text("{}")
    assert leaks_of(tmp_path)["inversion"] is None
    digests = {path.name: sha256(path) for path in (manifest, findings)}
    inputs, outputs = ({name: digests[name]} for name in digests)
    job_record = asdict(JobRecord("attack_features", {}, {}, inputs, outputs))
    (tmp_path / "records" / "attacks" / "features.json").write_text(json.dumps(job_record))
    assert leaks_of(tmp_path)["inversion"]["value"] == 13.5
    assert "membership: not measured" in lines_on(leaks_of(tmp_path))
    assert leaks_of(tmp_path, 4.0)["inversion"] is None
    (tmp_path / "guarantees" / "privacy.csv").write_text(
        "method,mechanism,epsilon,clip_norm\n"
        "fbftl,none,,\n"
        "fbftl,gaussian,4.0,2.5\n"
        "fbftl,gaussian,4.0,2.5\n"
        "ftl_c,gaussian,4.0,7\n"
    )
    assert leaks_of(tmp_path, 4.0)["inversion"]["value"] == 10.5
    assert any("rows clipped to 2.5" in line for line in lines_on(leaks_of(tmp_path, 4.0)))
    assert leaks_of(tmp_path, 8.0)["inversion"] is None
    manifest.write_text("[]")  # other features than were attacked
    assert leaks_of(tmp_path)["inversion"] is None


def test_a_zips_files_are_compared_before_they_are_written(folder: Path, tmp_path: Path) -> None:
    document = published(folder, str(tmp_path / "right.zip"))
    with (
        zipfile.ZipFile(tmp_path / "right.zip") as right,
        zipfile.ZipFile(tmp_path / "other.zip", "w") as other,
    ):
        for name in right.namelist():
            foreign = right.read("train/features/c/1/0") if name == "train/features/c/0/0" else None
            other.writestr(name, foreign or right.read(name))
    kept = tmp_path / "kept" / "features.json"
    with pytest.raises(UserError, match=r"train/features/c/0/0 is not the file that the manifest"):
        open_published(str(tmp_path / "other.zip"), document, kept)
    assert not (kept.parent / "published.zarr/train/features/c/0/0").exists()


def test_a_zip_that_could_fill_memory_is_refused(folder: Path, tmp_path: Path) -> None:
    published(folder, str(tmp_path / "plain.zip"))
    with (
        zipfile.ZipFile(tmp_path / "plain.zip") as plain,
        zipfile.ZipFile(tmp_path / "small.zip", "w", zipfile.ZIP_DEFLATED) as small,
    ):
        for name in plain.namelist():
            small.writestr(name, plain.read(name))
    with pytest.raises(UserError, match=r"compresses manifest\.json"):
        manifest_at(str(tmp_path / "small.zip"), "0" * 64)


def test_chunks_by_any_name_are_compared(tmp_path: Path) -> None:
    names = {"name": "v2", "separator": "."}
    array = zarr.create_array(
        tmp_path, name="x", shape=4, chunks=2, dtype="f4", chunk_key_encoding=names
    )
    array[:] = 1.0
    assert Folder(tmp_path).open_group()["x"][:].tolist() == [1.0] * 4
    with pytest.raises(AlteredChunkError, match="None in the manifest"):
        Folder(tmp_path).open_group({})["x"][:]


@pytest.mark.parametrize("lacking", ["blocks", "counts", "network"])
def test_no_task_is_made_of_a_manifest_that_lacks_what_it_reads(
    folder: Path, tmp_path: Path, lacking: str
) -> None:
    whole = {part: {} for part in PARTS} | {"blocks": {block: {} for block in TAKEN}}
    about = ABOUT | {part: value for part, value in whole.items() if part != lacking}
    target = str(tmp_path / "there")
    digest = publish(folder / "dense.json", target, about, lambda _: {})["digest"]
    task = {"data": {"kind": "features", "store": target, "digest": digest}}
    with pytest.raises(UserError, match=f"a manifest without {lacking}, from which no task"):
        with_published({"toy": task}, None)
