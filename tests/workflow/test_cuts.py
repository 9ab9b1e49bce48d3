"""Several cut layers of one source model: one pass, a store and runs for each."""

import json
from typing import Any

import numpy as np
from fbftl.features.store.reader import open_store

STUDY: dict[str, Any] = {
    "seeds": [0],
    "study": {"experiments": ["cuts"]},
    "tasks": {"digits": {"features": {"further_cuts": ["fc1"]}}},
    "experiments": {
        "cuts": {"grids": [{"method": ["fbftl", "ftl_c"], "cut": ["relu_fc1", "fc1"]}]}
    },
}


def test_one_pass_fills_a_store_for_every_cut(fresh):
    assert fresh.left(STUDY).jobs["extract"] == 1
    fresh.finish("runs", study=STUDY)
    manifests = fresh.results.glob("store/features/*/features.json")
    stores = [open_store(manifest).read("train") for manifest in manifests]
    dense, rectified = sorted(stores, key=lambda store: store.values.min())
    assert dense.values.min() < 0
    np.testing.assert_array_equal(np.maximum(dense.values, 0), rectified.values)
    np.testing.assert_array_equal(dense.sample, rectified.sample)
    documents = (fresh.results / "store/runs").glob("*.json")
    runs = {run["name"]: run for run in (json.loads(path.read_bytes()) for path in documents)}
    assert runs["fbftl+cut=fc1"]["inputs"] != runs["fbftl"]["inputs"]
    losses = {name: run["repetitions"][0]["series"]["loss"] for name, run in runs.items()}
    assert losses["fbftl+cut=fc1"] != losses["fbftl"]
