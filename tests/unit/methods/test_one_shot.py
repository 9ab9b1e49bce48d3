"""Messages and heads end to end on the toy store: accurate, repeated, paid for, private."""

import numpy as np
import pandas as pd
import pytest
from fbftl.ground.errors import UserError
from fbftl.messages.ledger import BROADCAST
from fbftl.messages.statistics import length
from fbftl.privacy.masking import FRACTION_BITS
from fbftl.study.uploads import HEADS_FROM
from fbftl.tasks.task import Inputs
from unit.methods.method_toys import CLASSES, ONE_SHOT, WIDTH, one_shot, toy_inputs

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


def test_fedpft_sends_no_class_of_one_sample_and_then_nothing_is_learnt(inputs):
    axes = {"covariance": "spherical", "samples_per_client": 1}
    outcome = one_shot(inputs, setting("mixtures", "mlp", **axes))
    assert (uploads(outcome)["payload_bits"] == 0).all()
    assert all(r["test_accuracy"] == pytest.approx(1 / 3, abs=0.2) for r in outcome.repetitions)


def test_heads_on_statistics_are_those_on_features(inputs):
    """Whoever holds out the same samples finds the same head; without any held out, all do."""
    for head in ("ridge", "fed3r", "afl", "lda", "fedcgs", "ncm", "fedncm"):
        features = one_shot(inputs, setting("features", head), validation=0.0)
        summed = one_shot(inputs, setting("statistics", head), validation=0.0)
        for one, other in zip(features.repetitions, summed.repetitions, strict=True):
            assert one["test_accuracy"] == other["test_accuracy"]
            assert one["seen"] == other["seen"] == 240


def test_counted_messages_are_as_long_as_made_ones_and_tell_as_much(inputs):
    whole = one_shot(inputs, setting("statistics", "lda"))
    few = one_shot(inputs, setting("statistics", "lda"), made=1)
    assert uploads(few)["encoded"].tolist() == ["made"] + ["counted"] * (CLIENTS - 1)
    assert uploads(few)["bits"].tolist() == uploads(whole)["bits"].tolist()
    for one, other in zip(few.repetitions, whole.repetitions, strict=True):
        assert one["test_accuracy"] == other["test_accuracy"]


def test_a_lost_message_is_all_that_a_client_had(inputs):
    for axes in ({}, {"aggregation": "masked"}):
        outcome = one_shot(inputs, setting("statistics", "ridge", plr=0.5, **axes))
        for repetition in outcome.repetitions:
            rows = outcome.ledger.table().to_pandas()
            own = rows[(rows["direction"] == "up") & (rows["seed"] == repetition["seed"])]
            assert repetition["received"] == 8 * (~own["lost"].astype(bool)).sum() < 240


def test_a_masked_sum_is_the_open_one_in_fixed_point(inputs):
    masked = setting("statistics", "ridge", aggregation="masked")
    one = one_shot(inputs, masked)
    other = one_shot(inputs, setting("statistics", "ridge"))
    rows = uploads(one)
    assert (rows["payload_bits"] == 64 * length(CLASSES, WIDTH)).all()
    assert [r["test_accuracy"] for r in one.repetitions] == [
        r["test_accuracy"] for r in other.repetitions
    ]
    assert 2.0**-FRACTION_BITS < 1e-7
    dealer = one.ledger.table().to_pandas().query("sender == 'dealer'")
    assert set(dealer["part"]) == {"share", "mask"}


def test_masked_means_are_class_sums(inputs):
    outcome = one_shot(inputs, setting("means", "ncm", aggregation="masked"))
    assert (uploads(outcome)["payload_bits"] == 64 * CLASSES * (WIDTH + 1)).all()
    assert min(r["test_accuracy"] for r in outcome.repetitions) > 0.9


def test_noise_on_a_sum_costs_less_than_on_every_message(inputs):
    private = {"mechanism": "gaussian", "epsilon": 30.0}
    found = {
        trust: one_shot(inputs, setting("statistics", "ridge", aggregation=trust, **private))
        for trust in ("open", "masked")
    }
    accuracy = {t: np.mean([r["test_accuracy"] for r in o.repetitions]) for t, o in found.items()}
    assert accuracy["masked"] > accuracy["open"]
    for outcome in found.values():
        (record,) = outcome.repetitions[0]["privacy"]
        assert record["epsilon"] == pytest.approx(30.0, rel=1e-6)
        assert (record["unit"], record["covers_labels"]) == ("sample", True)
        assert (uploads(outcome)["epsilon"] == record["epsilon"]).all()


def test_coarse_statistics_are_repaired_and_said(inputs):
    outcome = one_shot(inputs, setting("statistics", "lda", bits=1, fraction=0.2))
    assert all(0 < r["negative"] < 1 for r in outcome.repetitions)
    assert min(r["test_accuracy"] for r in outcome.repetitions) > 0.4


def test_nothing_that_arrives_is_a_constant_guess(inputs):
    for message, head in (("statistics", "lda"), ("means", "fedcof"), ("mixtures", "ncm")):
        outcome = one_shot(inputs, setting(message, head, plr=0.999))
        assert [r["received"] for r in outcome.repetitions] == [0, 0]
        assert all(r["test_accuracy"] == pytest.approx(1 / 3) for r in outcome.repetitions)


def test_a_projection_wider_than_a_feature_is_one_sentence(inputs):
    with pytest.raises(UserError, match="wider than the 12 numbers"):
        one_shot(inputs, setting("projected", "ridge", projection=13))


def test_classes_with_too_few_samples_are_not_sent(inputs):
    outcome = one_shot(inputs, setting("mixtures", "ncm"), least_samples=3)
    assert (uploads(outcome)["payload_bits"] == 32 * 2 * (2 * WIDTH + 2)).all()


@pytest.mark.parametrize("head", ["fedcof", "fedcof_unit", "lda"])
def test_held_out_clients_score_candidates_for_heads_on_means(inputs, head):
    """Twelve of thirty clients are sent seven heads each and answer seven numbers."""
    asked = {"validation": 0.4}
    outcome = one_shot(inputs, setting("means", head), **asked)
    rows = outcome.ledger.table().to_pandas().query("seed == 0")
    answers = rows[rows["part"] == "scores"]
    heads = rows[(rows["part"] == "weights") & (rows["client"] != BROADCAST)]
    assert len(answers) == len(heads) == 12
    candidates = len(ONE_SHOT["shrinkage"])
    assert (answers["payload_bits"] == 32 * candidates).all()
    assert (heads["payload_bits"] == 32 * candidates * CLASSES * (WIDTH + 1)).all()
    record = outcome.repetitions[0]
    up = rows[rows["direction"] == "up"]
    assert record["uplink_payload_bits"] == up["payload_bits"].sum()
    assert record["seen"] == record["received"] == 240
    assert record["regularisation"] in ONE_SHOT["shrinkage"]


@pytest.mark.parametrize(
    ("message", "head"), [("statistics", "lda"), ("features", "logistic"), ("means", "fedncm")]
)
def test_a_solved_head_has_seen_what_was_held_out(inputs, message, head):
    outcome = one_shot(inputs, setting(message, head), validation=0.4)
    assert [r["seen"] for r in outcome.repetitions] == [240, 240]
