"""Messages under few bits, and with elements left out: what they cost and what they still tell."""

import numpy as np
import pytest
from fbftl.messages.codec import Compression, decode, encode
from fbftl.messages.codec.compression import Grid
from fbftl.messages.codec.decoder import decode_joined
from fbftl.messages.statistics import LabelledRows, Statistics
from fbftl.methods.one_shot.messages.batch import BatchMessage
from fbftl.methods.one_shot.messages.moments import MomentsMessage
from fbftl.methods.one_shot.messages.statistics import FactorMessage, StatisticsMessage
from unit.methods.method_toys import CLASSES, PER_CLIENT, WIDTH, one_shot

RNG = np.random.default_rng(0)


def samples(count=40, width=12, classes=3):
    labels = RNG.integers(classes, size=count)
    return (RNG.normal(size=(count, width)) + labels[:, None]).astype(np.float32), labels


@pytest.mark.parametrize("bits", [1, 2, 4])
def test_fitted_levels_are_nearer_than_spanning_ones_and_are_what_is_read(bits):
    values = RNG.gamma(0.5, size=(20, 200)).astype(np.float32)
    errors = []
    for fitted in (False, True):
        message = encode(values, compression=Compression(bits, fitted=fitted))
        grid = Grid.of(values, bits, fitted)
        assert np.array_equal(decode(message).values, grid.values(grid.codes(values)))
        errors.append(((decode(message).values - values) ** 2).sum(axis=1))
    assert (errors[1] <= errors[0]).all()
    assert errors[1].sum() < 0.9 * errors[0].sum()


def test_two_fitted_levels_are_means_of_what_lies_about_them():
    values = np.array([[0.0, 0.1, 0.2, 1.0, 1.2, 1.4]], dtype=np.float32)
    grid = Grid.of(values, 1, fitted=True)
    assert [float(grid.low[0, 0]), float(grid.high[0, 0])] == pytest.approx([0.1, 1.2])


@pytest.mark.parametrize("bits", [2, 4, 8, 16])
def test_statistics_as_a_factor_stay_definite_where_their_triangle_does_not(bits):
    values, labels = samples()
    compression = Compression(bits)
    read = {}
    for kind in (StatisticsMessage(3, 12), FactorMessage(3, 12)):
        _, summary = kind.summary(0, values, labels).sent(compression)
        read[kind.__class__.__name__] = kind.combined([(0, summary)])
    least = np.linalg.eigvalsh(read["FactorMessage"].within).min()
    assert least >= -1e-5 * np.abs(read["FactorMessage"].within).max()
    exact = Statistics.of(values, labels, 3).within
    off = np.linalg.norm(read["FactorMessage"].within - exact) / np.linalg.norm(exact)
    assert off < 2 / 2**bits
    if bits == 2:
        assert np.linalg.eigvalsh(read["StatisticsMessage"].within).min() < 0


def test_a_plain_factor_tells_the_statistics_themselves_with_no_more_rows_than_rank():
    values, labels = samples(count=7)
    _, summary = FactorMessage(3, 12).summary(0, values, labels).sent(Compression())
    read, exact = FactorMessage(3, 12).combined([(0, summary)]), Statistics.of(values, labels, 3)
    assert np.allclose(read.scatter, exact.scatter, atol=1e-4)
    assert np.allclose(read.sums, exact.sums, atol=1e-5)
    assert len(summary.tables[1].rows) == 7 - len(np.unique(labels))
    alone = FactorMessage(3, 12).summary(0, values[:1], labels[:1])
    assert len(alone.tables) == 1


@pytest.mark.parametrize("shared", [False, True])
def test_moments_of_clients_are_the_variances_of_all_samples(shared):
    values, labels = samples()
    message = MomentsMessage(3, 12, shared)
    halves = [slice(0, 20), slice(20, 40)]
    received = [
        (n, message.summary(n, values[half], labels[half]).sent(Compression())[1])
        for n, half in enumerate(halves)
    ]
    within = message.combined(received).within
    around = np.stack([((values[labels == c] - values[labels == c].mean(axis=0)) ** 2).sum(axis=0)
                       for c in range(3)])  # fmt: skip
    assert np.allclose(within.sum(axis=0), around.sum(axis=0), rtol=1e-4)
    assert np.allclose(within, around, rtol=1e-3) != shared
    estimated = message.combined(received).estimated()
    assert np.allclose(np.diag(estimated.within), around.sum(axis=0), rtol=1e-4)


@pytest.mark.parametrize("axes", [{"keep": 0.25}, {"keep": 0.5, "bits": 4}, {"bits": 2}])
@pytest.mark.parametrize("message", ["batch", "means"])
def test_ledgers_have_the_length_of_messages_with_elements_left_out(blobs, message, axes):
    outcome = one_shot(blobs, {"message": message, "head": "ncm"} | axes)
    rows = outcome.ledger.table().to_pandas().query("direction == 'up' and seed == 0")
    assert (rows["encoded"] == "made").all()
    nominal = axes.get("keep", 1) * axes.get("bits", 32)
    counts, width = (1, WIDTH * PER_CLIENT) if message == "batch" else (CLASSES, WIDTH * CLASSES)
    assert (rows["payload_bits"] == np.ceil(nominal * (counts + width))).all()
    assert (rows["bits"] > 2 * 8 * 22).all()


def test_a_batch_tells_what_features_tell_under_one_header(blobs):
    values, labels = samples()
    message, read = BatchMessage(3, 12).summary(5, values, labels).sent(Compression())
    rows = BatchMessage(3, 12).combined([(5, read)])
    assert isinstance(rows, LabelledRows)
    assert np.array_equal(rows.values, values)
    assert np.array_equal(rows.labels, labels)
    assert (rows.client == 5).all()
    assert [len(each.values) for each in decode_joined(message)] == [1, 40]
    for head in ("lda", "ridge", "nb", "qda"):
        batch, features = (
            one_shot(blobs, {"message": each, "head": head}, validation=0.0)
            for each in ("batch", "features")
        )
        for one, other in zip(batch.repetitions, features.repetitions, strict=True):
            assert one["test_accuracy"] == other["test_accuracy"]
            assert one["uplink_bits"] < other["uplink_bits"]


def test_compressed_test_features_are_another_test(blobs):
    setting = {"message": "batch", "head": "ncm", "keep": 0.1}
    plain, compressed = (
        one_shot(blobs, setting | {"test_features": test}).repetitions
        for test in ("plain", "compressed")
    )
    assert [r["test_accuracy"] for r in plain] != [r["test_accuracy"] for r in compressed]


def test_a_perceptron_whose_last_epoch_is_taken_learns_held_out_samples_too(blobs):
    chosen, last = (
        one_shot(
            blobs, {"message": "batch", "head": "mlp"}, selection=selection, validation=0.4
        ).repetitions
        for selection in ("validation", "last")
    )
    assert [r["seen"] for r in last] == [240, 240]
    assert all(r["seen"] < 240 for r in chosen)
    assert all(r["validation_accuracy"] is None for r in last)
