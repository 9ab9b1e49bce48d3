"""Messages and heads end to end on the toy store: accurate, paid for, private."""

import numpy as np
import pandas as pd
import pytest
from fbftl.ground.errors import UserError
from fbftl.ground.ring import FRACTION_BITS
from fbftl.messages.ledger import BROADCAST
from fbftl.messages.statistics import ClassMeans, length
from fbftl.methods.one_shot.messages.means import SplitMeansMessage
from fbftl.methods.one_shot.run import send_all_seeds
from fbftl.study.uploads import CANDIDATES, HEADS_FROM
from fbftl.training.closed_form import fedcof
from fbftl.training.tasks.task import Inputs, client_features
from unit.methods.method_toys import (
    CLASSES,
    COUNTS,
    ONE_SHOT,
    PER_CLIENT,
    WIDTH,
    Renumbered,
    StretchedBlobs,
    job,
    one_shot,
    toy_inputs,
)

CLIENTS = 30
PAIRS = [(m, h) for m, heads in HEADS_FROM.items() for h in heads if (m, h) != ("features", "mlp")]


def setting(message: str, head: str, **axes) -> dict:
    extra = {"projection": 8} if message == "projected" else {}
    return {"message": message, "head": head} | extra | axes


def uploads(outcome) -> pd.DataFrame:
    return outcome.ledger.table().to_pandas().query("direction == 'up' and seed == 0")


@pytest.mark.parametrize(("message", "head"), PAIRS)
def test_every_head_learns_the_blobs_from_every_message_that_holds_it(
    blobs, message, head, monkeypatch
):
    monkeypatch.setattr("fbftl.training.gh_ofl.DRAWN", 400)
    outcome = one_shot(blobs, setting(message, head))
    least = 0.6 if message == "projected" else 0.8
    assert min(r["test_accuracy"] for r in outcome.repetitions) > least


# Eight rows in turn of three classes: every client has all of them, three, three and two samples.
@pytest.mark.parametrize(
    ("message", "head", "axes", "numbers"),
    [
        ("statistics", "ridge", {}, length(CLASSES, WIDTH)),
        ("projected", "ridge", {}, length(CLASSES, 8)),
        ("means", "ncm", {}, CLASSES * (WIDTH + 1)),
        ("mixtures", "ncm", {"covariance": "spherical"}, CLASSES * (WIDTH + 3)),
    ],
)
def test_ledgers_count_what_the_closed_forms_say(blobs, message, head, axes, numbers):
    rows = uploads(one_shot(blobs, setting(message, head, bits=8, **axes)))
    assert (rows["part"] == "statistics").all()
    assert (rows["encoded"] == "made").all()
    assert rows["payload_bits"].tolist() == [8 * numbers] * CLIENTS


def test_heads_on_statistics_are_those_on_features(blobs):
    """Whoever holds out the same samples finds the same head; without any held out, all do."""
    for head in ("ridge", "fed3r", "afl", "lda", "fedcgs", "ncm", "fedncm"):
        features = one_shot(blobs, setting("features", head), validation=0.0)
        summed = one_shot(blobs, setting("statistics", head), validation=0.0)
        for on_features, on_statistics in zip(
            features.repetitions, summed.repetitions, strict=True
        ):
            assert on_features["test_accuracy"] == on_statistics["test_accuracy"]
            assert on_features["seen"] == on_statistics["seen"] == 240


def test_features_come_from_the_clients_that_hold_them(blobs):
    lossy = {"method": "one_shot", "fraction": 0.5, "plr": 0.2} | setting("features", "fedcof")
    job_ = job(lossy, {"one_shot": ONE_SHOT}, validation=0.4)
    client_data = client_features(job_, blobs)
    for learned in send_all_seeds(job_, client_data).learned:
        for rows, received in zip(
            (learned.training_rows, learned.held_out_rows), learned.parts, strict=True
        ):
            assert (received.client == client_data.partition.client[rows]).all()


def test_counted_messages_are_as_long_as_made_ones_and_tell_as_much(blobs):
    whole = one_shot(blobs, setting("statistics", "lda"))
    few = one_shot(blobs, setting("statistics", "lda"), made=1)
    assert uploads(few)["encoded"].tolist() == ["made"] + ["counted"] * (CLIENTS - 1)
    assert uploads(few)["bits"].tolist() == uploads(whole)["bits"].tolist()
    for counted, encoded in zip(few.repetitions, whole.repetitions, strict=True):
        assert counted["test_accuracy"] == encoded["test_accuracy"]


def test_a_masked_sum_is_the_open_one_in_fixed_point(blobs):
    masked = setting("statistics", "ridge", aggregation="masked")
    masked_outcome = one_shot(blobs, masked)
    open_outcome = one_shot(blobs, setting("statistics", "ridge"))
    rows = uploads(masked_outcome)
    assert (rows["payload_bits"] == 64 * length(CLASSES, WIDTH)).all()
    assert [r["test_accuracy"] for r in masked_outcome.repetitions] == [
        r["test_accuracy"] for r in open_outcome.repetitions
    ]
    assert 2.0**-FRACTION_BITS < 1e-7
    dealer = masked_outcome.ledger.table().to_pandas().query("sender == 'dealer'")
    assert set(dealer["part"]) == {"share", "mask"}


def test_nothing_that_arrives_is_a_constant_guess(blobs):
    for message, head in (("statistics", "lda"), ("means", "fedcof"), ("mixtures", "ncm")):
        outcome = one_shot(blobs, setting(message, head, plr=0.999))
        assert [r["received"] for r in outcome.repetitions] == [0, 0]
        assert all(r["test_accuracy"] == pytest.approx(1 / 3) for r in outcome.repetitions)


def test_a_projection_wider_than_a_feature_is_one_sentence(blobs):
    with pytest.raises(UserError, match="wider than the 12 numbers"):
        one_shot(blobs, setting("projected", "ridge", projection=13))


@pytest.mark.parametrize("head", ["fedcof", "lda"])
def test_held_out_clients_score_candidates_for_heads_on_means(blobs, head):
    """Twelve of thirty clients are sent seven heads each and answer seven numbers."""
    held_out = {"validation": 0.4}
    outcome = one_shot(blobs, setting("means", head), **held_out)
    rows = outcome.ledger.table().to_pandas().query("seed == 0")
    answers = rows[rows["part"] == "scores"]
    heads = rows[(rows["part"] == "weights") & (rows["client"] != BROADCAST)]
    assert len(answers) == len(heads) == 12
    candidates = len(ONE_SHOT[CANDIDATES[head]])
    assert (answers["payload_bits"] == 32 * candidates).all()
    assert (heads["payload_bits"] == 32 * candidates * CLASSES * (WIDTH + 1)).all()
    record = outcome.repetitions[0]
    up = rows[rows["direction"] == "up"]
    assert record["uplink_payload_bits"] == up["payload_bits"].sum()
    assert record["seen"] == record["received"] == 240
    assert record["regularisation"] in ONE_SHOT[CANDIDATES[head]]


@pytest.fixture(scope="module")
def stretched(tmp_path_factory: pytest.TempPathFactory) -> Inputs:
    return toy_inputs(tmp_path_factory.mktemp("stretched"), blobs=StretchedBlobs())


def test_too_few_clients_to_hold_out_hold_out_rows_and_send_both_means(blobs):
    """A tenth of eight rows is one: each sends the means of three classes and that of one row."""
    outcome = one_shot(blobs, setting("means", "fedcof"), validation=0.1)
    rows = outcome.ledger.table().to_pandas().query("seed == 0")
    up = rows[rows["direction"] == "up"]
    means, answers = up[up["part"] == "statistics"], up[up["part"] == "scores"]
    assert len(means) == len(answers) == CLIENTS
    assert (means["payload_bits"] == 32 * (CLASSES + 1) * (WIDTH + 1)).all()
    assert (means["encoded"] == "made").all()
    heads = rows[(rows["part"] == "weights") & (rows["client"] != BROADCAST)]
    assert len(heads) == CLIENTS
    record = outcome.repetitions[0]
    assert record["uplink_payload_bits"] == up["payload_bits"].sum()
    assert record["seen"] == record["received"] == COUNTS["train"]


def test_a_choice_on_rows_is_that_of_all_candidates_tried_and_its_head_is_of_all_rows(stretched):
    blobs, candidates = StretchedBlobs(), [1.0, 0.1, 0.01, 1e-3]
    (train,), (test,) = (list(blobs.batches(split, 1000)) for split in ("train", "test"))
    values, labels = train.arrays["x"].astype(np.float64), train.arrays["label"]
    split_means = SplitMeansMessage(CLASSES, WIDTH, 0.1, seed=0)
    held_out = np.concatenate(
        [split_means.holds_out(PER_CLIENT * u, labels[train.client == u]) for u in range(CLIENTS)]
    )
    assert held_out.sum() == COUNTS["train"] // PER_CLIENT

    def solved(rows: np.ndarray, ratio: float):
        means = ClassMeans.of(values[rows], labels[rows], train.client[rows], CLASSES)
        return fedcof(means, ratio).head

    right = [solved(~held_out, r).accuracy(values[held_out], labels[held_out]) for r in candidates]
    best = candidates[int(np.argmax(right))]
    outcome = one_shot(stretched, setting("means", "fedcof"), fedcof=candidates)
    assert outcome.repetitions[0]["regularisation"] == best
    whole = solved(np.ones(len(labels), dtype=bool), best)
    accuracy = whole.accuracy(test.arrays["x"], test.arrays["label"])
    assert outcome.repetitions[0]["test_accuracy"] == pytest.approx(accuracy, abs=1 / 60)


def test_one_sample_of_each_class_leaves_nothing_to_hold_out(blobs):
    """Twenty-four clients of one sample: a tenth of them is fewer than ten."""
    alone = setting("means", "lda", samples_per_client=1, fraction=0.1)
    with pytest.raises(UserError, match=r"head lda of task toy .* two samples of a class"):
        one_shot(blobs, alone)
    fixed = one_shot(blobs, alone, shrinkage=[0.05])
    assert [r["regularisation"] for r in fixed.repetitions] == [0.05, 0.05]


@pytest.fixture(scope="module")
def numbered(tmp_path_factory: pytest.TempPathFactory) -> Inputs:
    return toy_inputs(tmp_path_factory.mktemp("numbered"), blobs=Renumbered())


@pytest.mark.parametrize("validation", [0.1, 0.4])
@pytest.mark.parametrize("message", ["means", "statistics", "mixtures"])
def test_a_result_does_not_hang_on_the_numbers_of_clients(blobs, numbered, message, validation):
    """Rows or clients are held out, and messages lost: both go by what clients hold."""
    wanted = setting(message, "lda", plr=0.3)
    outcomes = [one_shot(where, wanted, validation=validation) for where in (blobs, numbered)]
    first, second = (outcome.repetitions for outcome in outcomes)
    for one, other in zip(first, second, strict=True):
        for name in ("test_accuracy", "regularisation", "received", "uplink_bits"):
            assert one[name] == pytest.approx(other[name], rel=1e-9)
