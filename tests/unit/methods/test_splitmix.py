"""Split-Mix, HeteroFL and SHeteroFL on toy clients: against FedAvg, by hand, and by the ledger."""

import json
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow.parquet as pq
import pytest
import torch
from fbftl.exchange.averaging import by_holders, by_samples
from fbftl.messages.codec.header import HEADER_BYTES
from fbftl.study.widths import narrowed
from fbftl.training.local_network import ABSENT, masking
from fbftl.training.local_updates import ClientPieces
from fbftl.training.shared_network import Rotation, rescale_layers, summed
from torch import nn
from torch.nn import functional
from unit.training.tasks.toy_task import CLIENTS, make_task, train

MLP = {"kind": "mlp", "fc": [16, 8], "norm": "batch", "dropout": 0.0, "cut": "relu_fc1"}
DOMAINS = CLIENTS | {"domains": ["plain", "inverted"]}
"""Eight clients with 7 or 8 samples in each domain."""

VALUES = {"rounds": 2, "local_batch": 4, "batch_norm": "batch", "validation": 0.0}
VALUES |= {"selection": "last", "clients_per_round": 16, "annealing": "cosine"}
METHODS = ("splitmix", "heterofl", "sheterofl")


@pytest.fixture(scope="module")
def files(tmp_path_factory: pytest.TempPathFactory) -> dict[str, str]:
    return make_task(tmp_path_factory.mktemp("task"), DOMAINS)


def trained(
    files: dict[str, str], folder: Path, method: str, network: dict[str, Any] = MLP, **axes: Any
) -> tuple[list[dict], Any]:
    clients = axes.pop("clients_block", DOMAINS)
    values = VALUES | axes.pop("values", {})
    run, ledger = train(
        files, folder, method, network=network, clients=clients, axes=axes, **values
    )
    return json.loads(run.read_text())["repetitions"], pq.read_table(ledger).to_pandas()


def test_everyone_with_the_whole_network_is_fedavg_to_the_bit(files, tmp_path):
    plain, _ = trained(files, tmp_path, "fedavg")
    sliced, _ = trained(files, tmp_path, "heterofl", budgets="full", width=0.25)
    for of_fedavg, of_heterofl in zip(plain, sliced, strict=True):
        for name in ("loss", "test_accuracy"):
            assert of_fedavg["series"][name] == of_heterofl["series"][name]
        assert of_fedavg["series"]["domain_accuracy"] == of_heterofl["series"]["domain_accuracy_x1"]


def test_one_base_is_fedavg_to_the_bit(files, tmp_path):
    plain, _ = trained(files, tmp_path, "fedavg")
    mixed, _ = trained(files, tmp_path, "splitmix", budgets="full", width=1.0)
    assert [repetition["series"]["loss"] for repetition in plain] == [
        repetition["series"]["loss"] for repetition in mixed
    ]


@pytest.mark.parametrize("method", METHODS)
def test_the_ledger_tells_which_pieces_were_sent(files, tmp_path, method):
    repetitions, ledger = trained(files, tmp_path, method, width=0.25, budgets="steps")
    sizes = {share: parameters(narrowed(MLP, share)) for share in (0.25, 0.5, 0.75, 1)}
    for repetition in repetitions:
        mine = ledger[ledger["seed"] == repetition["seed"]]
        assert repetition["budgets"] == [1] * 4 + [0.75] * 4 + [0.5] * 4 + [0.25] * 4
        for round_number, assigned in enumerate(repetition["assigned"], start=1):
            up = mine[(mine["direction"] == "up") & (mine["round"] == round_number)]
            down = mine[(mine["direction"] == "down") & (mine["round"] == round_number)]
            assert sorted(up["client"]) == sorted(down["client"]) == list(range(16))
            for client, bits, pieces in zip(
                up["client"], up["payload_bits"], assigned, strict=True
            ):
                budget = repetition["budgets"][client]
                numbers = sizes[budget] if method != "splitmix" else 4 * budget * sizes[0.25]
                assert bits == 32 * numbers
                assert len(pieces) == (4 * budget if method == "splitmix" else 1)
            assert (up["bits"] == up["payload_bits"] + 8 * HEADER_BYTES).all()
            assert sorted(down["bits"]) == sorted(up["bits"])


def parameters(network: dict[str, Any]) -> int:
    first, second = network["fc"]
    return 65 * first + (first + 1) * second + (second + 1) * 10 + 2 * (first + second)


@pytest.mark.parametrize("method", METHODS)
def test_every_width_is_told_of_the_chosen_round(files, tmp_path, method):
    values = {"selection": "test", "rounds": 4}
    repetitions, _ = trained(files, tmp_path, method, width=0.25, budgets="steps", values=values)
    for repetition in repetitions:
        assert repetition["accuracy_x1"] == pytest.approx(repetition["test_accuracy"])
        for width in ("0.25", "0.5", "1"):
            mean = np.mean(repetition["series"][f"domain_accuracy_x{width}"])
            assert mean == pytest.approx(repetition[f"accuracy_x{width}"])


def test_logits_of_absent_classes_become_what_is_asked():
    has_class = torch.tensor([[True, False], [True, True]])
    logits = torch.tensor([[1.0, 2.0, 3.0, 4.0], [5.0, 6.0, 7.0, 8.0]])  # of two networks
    rows = np.array([0, 1])
    zeroed = masking(has_class, ABSENT["zeroed"])(logits, rows)
    masked = masking(has_class, ABSENT["masked"])(logits, rows)
    assert zeroed.tolist() == [[1, 0, 3, 0], [5, 6, 7, 8]]
    assert masked.tolist() == [[1, -np.inf, 3, -np.inf], [5, 6, 7, 8]]


def test_pieces_are_averaged_over_their_holders_and_others_stay_to_the_bit():
    generator = torch.Generator().manual_seed(0)
    before = torch.randn(6, generator=generator)
    weights = torch.randn(3, 6, generator=generator)
    pieces = [torch.tensor([0, 4]), torch.tensor([1, 2]), torch.tensor([3]), torch.tensor([5])]
    by_client = torch.tensor([[1, 1, 0, 0], [1, 0, 0, 1], [1, 0, 0, 1]], dtype=torch.bool)
    counts = np.array([1, 2, 5])
    average = by_holders(weights, counts, ClientPieces(pieces, by_client), before)
    assert average[3] == before[3]
    assert torch.equal(average[[1, 2]], weights[0, [1, 2]])
    torch.testing.assert_close(average[[0, 4]], by_samples(weights, counts)[[0, 4]])
    torch.testing.assert_close(average[5], (2 * weights[1, 5] + 5 * weights[2, 5]) / 7)


def test_the_rotation_gives_every_base_its_turn_before_any_has_two():
    rotation = Rotation(5, seed=3)
    for _ in range(3):
        turns = rotation([1] * 5)
        assert sorted(turns) == [[base] for base in range(5)]
    (several,) = rotation([3])
    assert several == sorted(set(several))
    assert len(several) == 3
    assert rotation([5]) == [list(range(5))]


def test_slimmable_losses_add_up():
    logits = torch.randn(4, 6, generator=torch.Generator().manual_seed(0))
    labels = torch.tensor([0, 1, 2, 1])
    expected = sum(
        functional.cross_entropy(logits[:, first : first + 3], labels, reduction="none")
        for first in (0, 3)
    )
    torch.testing.assert_close(summed(3)(logits, labels), expected)


def test_rescaled_layers_are_outputs_divided_before_they_are_normalised():
    torch.manual_seed(0)
    base = nn.Sequential(nn.Linear(4, 3), nn.BatchNorm1d(3, track_running_stats=False))
    inputs = 1e-3 * torch.randn(6, 4)  # small, so that what is added to the variance matters
    divided = base[1](base[0](inputs) * 8)
    assert not torch.allclose(base(inputs), divided, rtol=1e-3)
    rescale_layers(base, 8)
    torch.testing.assert_close(base(inputs), divided)
