"""Choosing looks at validation samples only: the task's test split is nowhere in its task."""

import choose_frameworks
import numpy as np
import pandas as pd
import pytest
from fbftl.ground.errors import UserError
from fbftl.methods.fedmd import candidates as of_fedmd
from fbftl.methods.secure_ftl import candidates as of_pairs
from fbftl.study.methods import axes_by_method
from fbftl.tasks.task import Inputs, client_samples
from fbftl.tasks.validated import apart, validated
from unit.methods.frameworks.framework_toys import BLOCK, CLIENTS, LOCAL, MLP, job_of, make_inputs


@pytest.fixture(scope="module")
def inputs(tmp_path_factory: pytest.TempPathFactory) -> Inputs:
    return make_inputs(tmp_path_factory.mktemp("task"))


def test_a_fifth_of_the_clients_samples_stands_for_the_test_split(inputs):
    client_data = client_samples(job_of("fedavg"), inputs)
    validated_data = validated(client_data, 3)
    rows = len(client_data.samples.labels)
    both = [validated_data.samples, validated_data.test]
    assert [len(samples.labels) for samples in both] == [rows - rows // 5, rows // 5]
    assert (
        len(validated_data.partition.client)
        == len(validated_data.partition.labels)
        == rows - rows // 5
    )
    everything = client_data.samples.at(np.arange(rows))
    inputs_ = np.concatenate([samples.inputs.flatten(1).numpy() for samples in both])
    assert np.array_equal(
        np.unique(inputs_, axis=0), np.unique(everything.inputs.flatten(1).numpy(), axis=0)
    )
    assert validated_data.partition.labels.tolist() == validated_data.samples.labels.tolist()


def test_too_few_samples_to_choose_by_are_refused():
    with pytest.raises(UserError, match="give the task at least 50"):
        apart(49, 0)


def test_the_rule_prints_what_it_picks(inputs, tmp_path, monkeypatch):
    monkeypatch.setattr(of_fedmd, "PASSES", 8)
    monkeypatch.setattr(of_pairs, "ROUNDS", 8)
    monkeypatch.setattr(of_pairs, "DIMENSIONS", (2, 3))
    monkeypatch.setattr(of_pairs, "GAMMAS", (0.0, 0.1))
    jobs = [
        {
            "task": "toy", "kind": "images", "setting": {"method": method} | axes, "seeds": [7],
            "clients": CLIENTS, "training": LOCAL, "privacy": {},
            "block": BLOCK | {"architectures": [MLP]},
        }
        for method, axes in (
            ("fedmd", {"public_data": "target"}),
            ("secure_ftl", {"common_samples": 20}),
        )
    ]  # fmt: skip
    files = {
        name: str(getattr(inputs, name))
        for name in ("manifest", "clients", "weights", "source", "open_data")
    }
    csv = tmp_path / "choice.csv"
    choose_frameworks.main(files, jobs, axes_by_method(), 2, "cpu", 1).write(csv)
    table = pd.read_csv(csv, keep_default_na=False)
    # FedMD is asked for the steps of its two batches, then for the digest's rate.
    assert table.groupby("method").size().to_dict() == {"fedmd": 2 * 2 + 4, "secure_ftl": 4}
    assert table[table["picked"] == "yes"].groupby("method").size().tolist() == [2, 1]
    assert set(table["length"]) == {4, 8, LOCAL["rounds"]}
    steps = table[table["method"] == "fedmd"][: 2 * 2]
    assert (steps["size"] % steps["length"] == 0).all()
    assert set(table["seeds"]) == {2}
