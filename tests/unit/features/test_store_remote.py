"""Stores under an S3 URL, against a server in this process."""

from dataclasses import replace

import pytest
from fbftl.features.extract import extract
from fbftl.features.store.manifest import damage
from fbftl.features.store.provenance import Target
from fbftl.features.store.reader import open_store
from fbftl.ground.errors import UserError
from unit.features import store_toys as toys


def remote_targets(folder):
    return [
        Target(
            f"s3://features/toys/{cut}.zarr",
            toys.toy_provenance(cut),
            manifest=folder / f"{cut}.json",
            chunk_bytes=toys.CHUNK_BYTES,
        )
        for cut in ("dense", "ragged")
    ]


@pytest.fixture(scope="module")
def folder(bucket, tmp_path_factory):
    path = tmp_path_factory.mktemp("remote")
    extract(toys.ToySource(), toys.toy_forward, remote_targets(path), batch=toys.BATCH)
    return path


def test_remote_store_has_the_bytes_of_a_local_one(bucket, folder, tmp_path):
    extract(toys.ToySource(), toys.toy_forward, toys.toy_targets(tmp_path), batch=toys.BATCH)
    local = toys.files(tmp_path / "dense.zarr")
    listed = bucket.list_objects_v2(Bucket="features", Prefix="toys/dense.zarr/")["Contents"]
    keys = {entry["Key"] for entry in listed}
    assert keys == {f"toys/dense.zarr/{key}" for key in local}
    for key, content in local.items():
        body = bucket.get_object(Bucket="features", Key=f"toys/dense.zarr/{key}")["Body"]
        assert body.read() == content
    assert {path.name for path in folder.iterdir()} == {"dense.json", "ragged.json"}


def test_remote_damage_is_found(bucket, folder):
    manifest = folder / "dense.json"
    assert list(damage(manifest)) == []
    key = "toys/dense.zarr/train/features/c/1/0"
    content = bucket.get_object(Bucket="features", Key=key)["Body"].read()
    bucket.delete_object(Bucket="features", Key=key)
    assert list(damage(manifest)) == [("train/features/c/1/0", "missing")]
    with pytest.raises(UserError, match=r"Chunk 1 of train/features .*s3://.* is missing"):
        open_store(manifest).read("train")
    bucket.put_object(Bucket="features", Key=key, Body=content)
    assert list(damage(manifest)) == []


def test_unfinished_upload_does_not_open(bucket, folder):
    bucket.delete_object(Bucket="features", Key="toys/ragged.zarr/zarr.json")
    manifest = folder / "ragged.json"
    with pytest.raises(UserError, match="no finished feature store"):
        open_store(manifest)
    manifest.unlink()
    extract(toys.ToySource(), toys.toy_forward, remote_targets(folder), batch=toys.BATCH)
    assert list(damage(manifest)) == []


def test_absent_bucket_is_one_sentence(bucket, tmp_path):
    (target, _) = remote_targets(tmp_path)
    target = replace(target, store="s3://absent/toys/dense.zarr")
    with pytest.raises(UserError, match=r"absent/toys/dense\.zarr cannot be used: .*404"):
        extract(toys.ToySource(), toys.toy_forward, [target], batch=toys.BATCH)
