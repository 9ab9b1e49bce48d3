"""The engine of rounds: gradients agree and are plain SGD; whole runs compressed and lossy."""

from collections.abc import Callable
from types import SimpleNamespace

import numpy as np
import pandas as pd
import pytest
import torch
from fbftl.exchange import repetition as by_rounds
from fbftl.exchange.repetition import by_gradients
from fbftl.ground.errors import UserError
from fbftl.ground.room import Room
from fbftl.messages.channel import expected_payload, packet_loss_rate
from fbftl.methods.sfl import SplitNetwork
from fbftl.models.heads import head_module, stacked
from fbftl.models.networks import vgg
from fbftl.training.batches import Epoch, Round, Rounds, rounds
from fbftl.training.network import TrainedNetwork
from fbftl.training.samples import LabelledInputs, TrainingData
from fbftl.training.stacked import StackedSamples, train
from fbftl.training.tasks.task import Outcome
from torch import nn
from unit.methods.method_toys import run, toy_inputs
from unit.training.training_toys import training

TRAINING = training(epochs=3, batch=64)
Arrivals = Callable[[Round], np.ndarray]
CLIENTS = [np.arange(a, b) for a, b in [(0, 4), (4, 10), (10, 13), (13, 20), (20, 24)]]


def network(seed: int = 0) -> nn.Sequential:
    torch.manual_seed(seed)
    return vgg((8, 8, 1), [[4], [6]], [12], 3).eval()


def images(count: int = 24) -> LabelledInputs:
    generator = torch.Generator().manual_seed(1)
    inputs = torch.randn(count, 1, 8, 8, generator=generator)
    return LabelledInputs(inputs, torch.randint(0, 3, (count,), generator=generator))


def all_arrive(round_: Round) -> np.ndarray:
    return np.ones(len(round_.clients), dtype=bool)


def even_arrive(round_: Round) -> np.ndarray:
    return round_.clients % 2 == 0


def training_data(samples: LabelledInputs | None = None) -> TrainingData:
    samples = samples or images()
    return TrainingData(samples, np.arange(0), samples, TRAINING, [])


def learner(model: nn.Module) -> TrainedNetwork:
    return TrainedNetwork(model, training_data())


def together(learner: TrainedNetwork, arrivals: Arrivals, schedule: list[Rounds]) -> None:
    by_gradients(learner, SimpleNamespace(releasing=None, arrivals=arrivals), schedule)


def apart(learner: TrainedNetwork, arrivals: Arrivals, schedule: list[Rounds]) -> None:
    def averaged(round_: Round, updates: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        arrives = arrivals(round_)
        return updates[arrives].sum(axis=0) / max(int(round_.counts[arrives].sum()), 1), arrives

    by_gradients(learner, SimpleNamespace(releasing=True, averaged=averaged), schedule)


def assert_same(network_: nn.Module, other: nn.Module, tolerance: float = 1e-5) -> None:
    for a, b in zip(network_.parameters(), other.parameters(), strict=True):
        assert torch.allclose(a, b, atol=tolerance)


@pytest.fixture
def schedule() -> list[Rounds]:
    return list(rounds(CLIENTS, 3, 3, seed=0))


def test_a_client_alone_is_its_own_part_of_the_round(schedule):
    """Its own update is its part of the average, without padding: K_u samples and no more."""
    seen = list(schedule[0].single())
    for round_ in seen:
        alone = [round_.only(index) for index in range(len(round_.clients))]
        assert [client_round.rows.shape[1] for client_round in alone] == round_.counts.tolist()
        assert (
            np.concatenate([client_round.clients for client_round in alone]).tolist()
            == round_.clients.tolist()
        )
        _, parts = learner(network()).mean_gradient(round_, all_arrive(round_))
        mean = torch.cat([part.flatten() for part in parts]).numpy()
        summed = sum(learner(network()).client_message(client_round) for client_round in alone)
        assert summed / round_.counts.sum() == pytest.approx(mean, abs=1e-6)
    assert sum(round_.counts.sum() for round_ in seen) == len(images().labels)


def test_a_split_clients_message_is_its_smashed_data_and_its_parts_update(schedule):
    model = network()
    at = [name for name, _ in model.named_children()].index("pool1") + 1
    split = SplitNetwork(model[:at], model[at:], training_data())
    size = split.client_floats
    alone = next(schedule[0].single()).only(1)
    message = split.client_message(alone)
    smashed = model[:at](images().inputs[alone.rows[0]]).detach().numpy()
    assert (message[:-size] == smashed.flatten()).all()
    assert len(message) - size == split.smashed_floats * alone.counts[0]
    assert message[-size:] == pytest.approx(learner(model).client_message(alone)[:size], abs=1e-6)


def test_one_client_with_all_samples_is_plain_sgd():
    schedule = list(rounds([np.arange(24)], 1, 5, seed=0))
    by_rounds, plain = network(), network()
    apart(learner(by_rounds), all_arrive, schedule)
    optimizer = torch.optim.SGD(plain.parameters(), lr=0.05, momentum=0.9, weight_decay=5e-4)
    samples = images()
    for _ in range(5):
        optimizer.zero_grad()
        nn.functional.cross_entropy(plain(samples.inputs), samples.labels).backward()
        optimizer.step()
    assert_same(by_rounds, plain)


def test_ftl_c_equals_fbftl_when_batches_agree(schedule):
    """Sec. III-B: the same numbers at every iteration; only the communication differs."""
    widths, generator = [10, 7, 3], torch.Generator().manual_seed(2)
    values = torch.randn(24, 10, generator=generator)
    labels = torch.randint(0, 3, (24,), generator=generator)
    samples = LabelledInputs(values, labels)
    uploads = StackedSamples(values[None], labels[None], torch.zeros(1, dtype=torch.int64))
    head, module = stacked(widths, [4], torch.device("cpu")), head_module(widths, 4)
    for epoch in schedule:
        weights = epoch.present / epoch.present.sum(axis=(1, 2), keepdims=True)
        steps = len(epoch.rows)
        batches = Epoch(
            epoch.rows.reshape(steps, 1, -1), weights.reshape(steps, 1, -1).astype(np.float32)
        )
        # A fresh optimizer per call on both sides: momentum starts anew at every epoch.
        train(head, [batches], lambda _: uploads, [torch.arange(0)], uploads, TRAINING)
        together(TrainedNetwork(module, training_data(samples)), all_arrive, [epoch])
        for number, linear in enumerate(m for m in module if isinstance(m, nn.Linear)):
            assert torch.allclose(head.weights[number][0], linear.weight.T, atol=1e-6)


def uploads(outcome: Outcome) -> pd.DataFrame:
    return outcome.ledger.table().to_pandas().query("direction == 'up'")


# --- the codec on real runs -------------------------------------------------------------------


@pytest.mark.parametrize("method", ["fbftl", "ftl_c"])
def test_sampled_messages_agree_with_the_ledger(blobs, method):
    outcome = run(blobs, {"method": method, "bits": 4, "keep": 0.5})
    lengths = uploads(outcome).groupby("seed")["bits"]
    for repetition in outcome.repetitions:
        seed = repetition["seed"]
        assert lengths.min()[seed] <= repetition["packed_bits"] <= lengths.max()[seed]
        assert repetition["limit_bits"] <= repetition["entropy_coded_bits"]
        assert repetition["entropy_coded_bits"] <= repetition["packed_bits"]
        assert 0 < repetition["distortion"] < 1


def test_what_was_not_compressed_is_not_distorted(blobs):
    assert run(blobs, {}).repetitions[0]["distortion"] == 0
    assert "distortion" not in run(blobs, {"method": "ftl_c"}).repetitions[0]


def test_an_update_that_is_not_finite_is_a_divergence(blobs):
    outcome = run(blobs, {"method": "ftl_c", "bits": 8}, learning_rate=1e30)
    for repetition in outcome.repetitions:
        assert repetition["diverged"]
        assert repetition["series"]["test_accuracy"][-1] == 0
    assert uploads(outcome)["round"].max() < 4 * 7


# --- losses -----------------------------------------------------------------------------------


def within(share: float, expected: float, draws: int) -> bool:
    """Return whether a share lies within five binomial deviations."""
    return abs(share - expected) <= 5 * np.sqrt(expected * (1 - expected) / draws)


@pytest.mark.parametrize("retransmissions", [0, 2])
@pytest.mark.parametrize("method", ["fbftl", "ftl_c"])
def test_losses_and_attempts_follow_eq_18_and_19(blobs, method, retransmissions):
    blr = 0.2
    setting = {"method": method, "blr": blr, "retransmissions": retransmissions}
    rows = uploads(run(blobs, setting, epochs=12 if method == "ftl_c" else 1))
    (blocks,) = rows["packets"].unique()
    assert blocks == 1 if method == "fbftl" else blocks > 5
    expected = packet_loss_rate(blr, blocks, retransmissions)
    assert within(rows["lost"].mean(), expected, len(rows))
    if retransmissions == 0:
        assert (rows["attempts"] == rows["packets"]).all()
    else:
        sent_again = expected_payload(1, blr, retransmissions) - 1
        total = rows["packets"].sum()
        # A block's attempts vary by less than those of a geometric number.
        deviation = np.sqrt(blr / total) / (1 - blr)
        assert abs(rows["attempts"].sum() / total - 1 - sent_again) <= 5 * deviation
        assert sent_again > 0


# --- memories of error feedback ---------------------------------------------------------------


def test_memories_that_do_not_fit_are_refused(blobs, monkeypatch):
    monkeypatch.setattr(by_rounds, "LARGEST_MEMORY", 1000)
    with pytest.raises(UserError, match=r"30 clients with 131 parameters .* scratch_folder .*"):
        run(blobs, {"method": "ftl_c", "bits": 8})
    run(blobs, {"method": "ftl_c", "bits": 8, "feedback": False})


def test_memories_in_a_scratch_folder_give_the_same_run(tmp_path, monkeypatch):
    store, scratch = tmp_path / "store", tmp_path / "scratch"
    store.mkdir()
    scratch.mkdir()
    setting = {"method": "ftl_c", "bits": 2, "keep": 0.2}
    inputs = toy_inputs(store, Room(folder=scratch))
    in_memory = run(inputs, setting)
    monkeypatch.setattr(by_rounds, "LARGEST_MEMORY", 1000)
    mapped = run(inputs, setting)
    assert mapped.repetitions == in_memory.repetitions
    assert mapped.ledger.table().equals(in_memory.ledger.table())
    assert list(scratch.iterdir()) == []
