"""Messages and heads end to end on the toy store: accurate, repeated, paid for, private."""

import numpy as np
import pandas as pd
import pytest
from fbftl.ground.errors import UserError
from fbftl.ground.ring import FRACTION_BITS, Ring
from fbftl.messages.ledger import BROADCAST
from fbftl.messages.statistics import ClassMeans, length
from fbftl.methods.one_shot import preparation
from fbftl.methods.one_shot.summary_messages import SplitMeansMessage
from fbftl.study.uploads import CANDIDATES, HEADS_FROM
from fbftl.tasks.task import Inputs
from fbftl.training.closed_form import fedcof
from unit.methods.method_toys import (
    CLASSES,
    COUNTS,
    ONE_SHOT,
    PER_CLIENT,
    WIDTH,
    Renumbered,
    StretchedBlobs,
    one_shot,
    toy_inputs,
)

CLIENTS = 30
PAIRS = [(m, h) for m, heads in HEADS_FROM.items() for h in heads if (m, h) != ("features", "mlp")]


@pytest.fixture(scope="module")
def inputs(tmp_path_factory: pytest.TempPathFactory) -> Inputs:
    return toy_inputs(tmp_path_factory.mktemp("store"))


def setting(message: str, head: str, **axes) -> dict:
    extra = {"projection": 8} if message == "projected" else {}
    return {"message": message, "head": head} | extra | axes


def uploads(outcome) -> pd.DataFrame:
    return outcome.ledger.table().to_pandas().query("direction == 'up' and seed == 0")


@pytest.mark.parametrize(("message", "head"), PAIRS)
def test_every_head_learns_the_blobs_from_every_message_that_holds_it(inputs, message, head):
    outcome = one_shot(inputs, setting(message, head))
    least = 0.6 if message == "projected" else 0.8
    assert min(r["test_accuracy"] for r in outcome.repetitions) > least
    again = one_shot(inputs, setting(message, head))
    assert outcome.repetitions == again.repetitions
    assert outcome.ledger.table().equals(again.ledger.table())


@pytest.mark.parametrize("bits", [32, 8])
def test_ledgers_count_what_the_closed_forms_say(inputs, bits):
    def payload(message: str, head: str, **axes) -> pd.Series:
        rows = uploads(one_shot(inputs, setting(message, head, bits=bits, **axes)))
        assert (rows["part"] == "statistics").all()
        assert (rows["encoded"] == "made").all()
        assert len(rows) == CLIENTS
        return rows["payload_bits"] / bits

    assert (payload("statistics", "ridge") == length(CLASSES, WIDTH)).all()
    assert (payload("projected", "ridge") == length(CLASSES, 8)).all()
    # Eight rows in turn of three classes: every client has all of them.
    assert (payload("means", "ncm") == CLASSES * (WIDTH + 1)).all()
    assert (payload("mixtures", "ncm") == CLASSES * (2 * WIDTH + 2)).all()
    # Three, three and two samples: two components at most where each is of one.
    pairs = payload("mixtures", "ncm", components=2)
    assert (pairs == CLASSES * (2 * (2 * WIDTH + 1) + 1)).all()
    assert (payload("mixtures", "ncm", covariance="spherical") == CLASSES * (WIDTH + 3)).all()
    # Spherical, the class of two samples has not more than two.
    pairs = payload("mixtures", "ncm", covariance="spherical", components=2)
    assert (pairs == 2 * (2 * (WIDTH + 2) + 1)).all()


@pytest.mark.parametrize("bits", [32, 16])
def test_chosen_components_are_entered_as_they_are_sent(inputs, bits):
    """Classes have 26 or 27 samples at a client: one component or two, whatever it chooses."""
    axes = {"covariance": "spherical", "components": 0, "bits": bits, "samples_per_client": 80}
    outcome = one_shot(inputs, setting("mixtures", "mlp", **axes), components=[2, 1])
    rows = uploads(outcome)
    assert (rows["encoded"] == "made").all()
    chosen = (rows["payload_bits"] / bits - CLASSES) / (WIDTH + 2)
    assert chosen.isin(range(CLASSES, 2 * CLASSES + 1)).all()
    counted = uploads(one_shot(inputs, setting("mixtures", "mlp", **axes), made=1))
    assert counted["bits"].tolist() == rows["bits"].tolist()
    assert min(r["test_accuracy"] for r in outcome.repetitions) > 0.8


def test_heads_on_statistics_are_those_on_features(inputs):
    """Whoever holds out the same samples finds the same head; without any held out, all do."""
    for head in ("ridge", "fed3r", "afl", "lda", "fedcgs", "ncm", "fedncm"):
        features = one_shot(inputs, setting("features", head), validation=0.0)
        summed = one_shot(inputs, setting("statistics", head), validation=0.0)
        for on_features, on_statistics in zip(
            features.repetitions, summed.repetitions, strict=True
        ):
            assert on_features["test_accuracy"] == on_statistics["test_accuracy"]
            assert on_features["seen"] == on_statistics["seen"] == 240


def test_counted_messages_are_as_long_as_made_ones_and_tell_as_much(inputs):
    whole = one_shot(inputs, setting("statistics", "lda"))
    few = one_shot(inputs, setting("statistics", "lda"), made=1)
    assert uploads(few)["encoded"].tolist() == ["made"] + ["counted"] * (CLIENTS - 1)
    assert uploads(few)["bits"].tolist() == uploads(whole)["bits"].tolist()
    for counted, encoded in zip(few.repetitions, whole.repetitions, strict=True):
        assert counted["test_accuracy"] == encoded["test_accuracy"]


def test_a_lost_message_is_all_that_a_client_had(inputs):
    for axes in ({}, {"aggregation": "masked"}):
        outcome = one_shot(inputs, setting("statistics", "ridge", plr=0.5, **axes))
        for repetition in outcome.repetitions:
            rows = outcome.ledger.table().to_pandas()
            sent = rows[(rows["direction"] == "up") & (rows["seed"] == repetition["seed"])]
            assert repetition["received"] == 8 * (~sent["lost"].astype(bool)).sum() < 240


def test_a_masked_sum_is_the_open_one_in_fixed_point(inputs):
    masked = setting("statistics", "ridge", aggregation="masked")
    masked_outcome = one_shot(inputs, masked)
    open_outcome = one_shot(inputs, setting("statistics", "ridge"))
    rows = uploads(masked_outcome)
    assert (rows["payload_bits"] == 64 * length(CLASSES, WIDTH)).all()
    assert [r["test_accuracy"] for r in masked_outcome.repetitions] == [
        r["test_accuracy"] for r in open_outcome.repetitions
    ]
    assert 2.0**-FRACTION_BITS < 1e-7
    dealer = masked_outcome.ledger.table().to_pandas().query("sender == 'dealer'")
    assert set(dealer["part"]) == {"share", "mask"}


@pytest.mark.parametrize("message", ["statistics", "projected"])
@pytest.mark.parametrize("fraction_bits", [20, 24])
def test_a_clip_makes_the_ring_smaller_and_no_head_another(
    inputs, monkeypatch, message, fraction_bits
):
    axes = {"aggregation": "masked", "mechanism": "gaussian", "epsilon": 16.0, "plr": 0.2}
    private = setting(message, "lda", fraction_bits=fraction_bits, **axes)
    small = one_shot(inputs, private)
    bits = small.repetitions[0]["ring_bits"]
    assert bits == 1 + 8 + fraction_bits  # 240 rows and the noise, and the sign
    width = private.get("projection", WIDTH)
    assert (uploads(small)["payload_bits"] == bits * length(CLASSES, width)).all()
    assert small.repetitions[0]["numbers_per_batch"] == length(CLASSES, width)
    monkeypatch.setattr(preparation, "summing_ring", lambda _, __, point, *___: Ring(64, point))
    word = one_shot(inputs, private)
    assert (uploads(word)["payload_bits"] == 64 * length(CLASSES, width)).all()
    of_ring = {"ring_bits", "ring", "largest_sum"}
    of_bits = {"uplink_payload_bits", "uplink_bits"}
    for alone, other in zip(small.repetitions, word.repetitions, strict=True):
        same = alone.keys() - of_ring - of_bits
        assert {key: alone[key] for key in same} == {key: other[key] for key in same}
        assert all(alone[key] < other[key] for key in of_bits)


def test_noise_on_a_sum_costs_less_than_on_every_message(inputs):
    private = {"mechanism": "gaussian", "epsilon": 30.0}
    by_trust = {
        trust: one_shot(inputs, setting("statistics", "ridge", aggregation=trust, **private))
        for trust in ("open", "masked")
    }
    accuracy = {
        t: np.mean([r["test_accuracy"] for r in o.repetitions]) for t, o in by_trust.items()
    }
    assert accuracy["masked"] > accuracy["open"]
    for outcome in by_trust.values():
        (record,) = outcome.repetitions[0]["privacy"]
        assert record["epsilon"] == pytest.approx(30.0, rel=1e-6)
        assert (record["unit"], record["covers_labels"]) == ("sample", True)
        assert (uploads(outcome)["epsilon"] == record["epsilon"]).all()


def test_nothing_that_arrives_is_a_constant_guess(inputs):
    for message, head in (("statistics", "lda"), ("means", "fedcof"), ("mixtures", "ncm")):
        outcome = one_shot(inputs, setting(message, head, plr=0.999))
        assert [r["received"] for r in outcome.repetitions] == [0, 0]
        assert all(r["test_accuracy"] == pytest.approx(1 / 3) for r in outcome.repetitions)


def test_a_projection_wider_than_a_feature_is_one_sentence(inputs):
    with pytest.raises(UserError, match="wider than the 12 numbers"):
        one_shot(inputs, setting("projected", "ridge", projection=13))


@pytest.mark.parametrize("head", ["fedcof", "lda"])
def test_held_out_clients_score_candidates_for_heads_on_means(inputs, head):
    """Twelve of thirty clients are sent seven heads each and answer seven numbers."""
    held_out = {"validation": 0.4}
    outcome = one_shot(inputs, setting("means", head), **held_out)
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


def test_too_few_clients_to_hold_out_hold_out_rows_and_send_both_means(inputs):
    """A tenth of eight rows is one: each sends the means of three classes and that of one row."""
    outcome = one_shot(inputs, setting("means", "fedcof"), validation=0.1)
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


@pytest.mark.parametrize(("head", "worst"), [("fedcof", 1e3), ("lda", 1.0)])
def test_rows_held_out_at_clients_choose_whatever_comes_first(stretched, head, worst):
    """Much shrinkage leaves the noise that all numbers share; little of it takes it away."""
    best = 1e-3
    chosen = one_shot(stretched, setting("means", head), **{CANDIDATES[head]: [worst, best]})
    assert [r["regularisation"] for r in chosen.repetitions] == [best, best]
    first = one_shot(stretched, setting("means", head), **{CANDIDATES[head]: [worst]})
    for selected, much in zip(chosen.repetitions, first.repetitions, strict=True):
        assert selected["test_accuracy"] > much["test_accuracy"] + 0.05


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


def test_one_sample_of_each_class_leaves_nothing_to_hold_out(inputs):
    """Twenty-four clients of one sample: a tenth of them is fewer than ten."""
    alone = setting("means", "lda", samples_per_client=1, fraction=0.1)
    with pytest.raises(UserError, match=r"head lda of task toy .* two samples of a class"):
        one_shot(inputs, alone)
    fixed = one_shot(inputs, alone, shrinkage=[0.05])
    assert [r["regularisation"] for r in fixed.repetitions] == [0.05, 0.05]


@pytest.mark.parametrize("validation", [0.1, 0.4])
@pytest.mark.parametrize("message", ["means", "statistics", "mixtures"])
def test_a_result_does_not_hang_on_the_numbers_of_clients(inputs, tmp_path, message, validation):
    """Rows or clients are held out, and messages lost: both go by what clients hold."""
    numbered = toy_inputs(tmp_path, blobs=Renumbered())
    wanted = setting(message, "lda", plr=0.3)
    outcomes = [one_shot(where, wanted, validation=validation) for where in (inputs, numbered)]
    first, second = (outcome.repetitions for outcome in outcomes)
    for one, other in zip(first, second, strict=True):
        for name in ("test_accuracy", "regularisation", "received", "uplink_bits"):
            assert one[name] == pytest.approx(other[name], rel=1e-9)
