"""The survey's frameworks on a toy task: what they equal, rounds by hand, what they send."""

from collections.abc import Callable
from dataclasses import asdict, replace
from typing import Any

import numpy as np
import pytest
import tabulate_frameworks
import torch
from fbftl import methods
from fbftl.exchange import consensus, distillation, voting
from fbftl.exchange.kept import gathered
from fbftl.features.store.opening import open_store
from fbftl.findings.shown import shown
from fbftl.ground.errors import UserError
from fbftl.messages.codec.compression import PLAIN
from fbftl.messages.ledger import Ledger
from fbftl.messages.release import release
from fbftl.study.grid import expand
from fbftl.study.methods import rows as told_of
from fbftl.tasks.task import Inputs, Outcome, held_samples
from fbftl.training.adaptation import Alignment, covariance
from fbftl.training.augmentation import augmented, fitted, seeds_of
from fbftl.training.network import LabelledInputs
from torch.nn import functional
from unit.methods.framework_toys import MLP, WIDER, asked, make_inputs, sent


@pytest.fixture(scope="module")
def inputs(tmp_path_factory: pytest.TempPathFactory) -> Inputs:
    return make_inputs(tmp_path_factory.mktemp("task"))


Run = Callable[..., Outcome]


@pytest.fixture
def run(inputs: Inputs) -> Run:
    def made(method: str, block: dict | None = None, **axes) -> Outcome:
        (outcome,) = methods.train([asked(method, block, **axes)], inputs)
        return outcome

    return made


def curve(outcome: Outcome) -> list[float]:
    return outcome.repetitions[0]["series"]["test_accuracy"]


# --- FedVote ----------------------------------------------------------------------------------


def test_fedvote_without_sources_is_fedavg(run):
    plain, voted = run("fedavg"), run("fedvote")
    assert plain.repetitions[0]["series"]["loss"] == voted.repetitions[0]["series"]["loss"]
    assert curve(plain) == curve(voted)
    assert sent(plain)["sha256"].equals(sent(voted)["sha256"])


def test_the_most_voted_model_takes_the_global_ones_place(run, monkeypatch):
    monkeypatch.setattr(voting, "cka", lambda own, theirs, unbiased: float(theirs.std()))
    taken = []
    hold = voting.Ballot.hold

    def watched(self, learner, one, arrives):
        hold(self, learner, one, arrives)
        if one.turn == self.turn:
            taken.append((learner.weights(), self, list(learner.halves.named_parameters)))

    monkeypatch.setattr(voting.Ballot, "hold", watched)
    outcome = run("fedvote", sources="all", selection_round=2)
    (weights, ballot, names), *_ = taken
    assert sum(ballot.counts) == 4
    winner = ballot.models[int(np.argmax(ballot.counts))]
    assert torch.equal(weights, torch.cat([winner[name].flatten() for name in names]))
    assert outcome.repetitions[0]["series"]["votes"] == ballot.counts
    votes, extra = sent(outcome, part="votes"), sent(outcome, round=2, direction="down")
    assert list(votes["payload_bits"]) == [32] * 4
    assert extra["payload_bits"].max() == 32 * ballot.models.numbers
    assert ballot.models.numbers == 4 * len(weights)


def test_a_trained_source_fits_and_unrelated_ones_are_without_it(run):
    found = run("fedvote", sources="unrelated", selection_round=2).repetitions[0]
    assert len(found["series"]["votes"]) == 3
    assert found["votes_for_fitting"] == 0.0
    assert found["rounds_to_target"] == 4  # of three, none gets there


def test_a_source_model_of_another_shape_is_refused(run):
    with pytest.raises(UserError, match="has other layers than the clients' network"):
        run("fedvote", block={"network": WIDER}, sources="all", selection_round=1)


@pytest.mark.parametrize(
    ("axes", "said"),
    [
        (
            {"votes": 2, "sources": "all", "selection_round": 1},
            "votes for 2 source models, of which",
        ),
        ({"sources": "all"}, "gives sources or selection_round alone"),
    ],
)
def test_votes_that_say_nothing_are_refused_before_any_job(axes, said):
    with pytest.raises(UserError, match=said):
        expand([{"method": ["fedvote"]} | {axis: [own] for axis, own in axes.items()}])


# --- FD and FAug ------------------------------------------------------------------------------


def test_fd_without_weight_is_training_alone(run):
    found = run("fd").repetitions[0]
    assert set(found["series"]["gain_by_client"]) == {0.0}
    assert found["test_accuracy"] == found["accuracy_alone"] > 0.2
    assert run("fd", distillation=1.0).repetitions[0]["test_accuracy"] != found["test_accuracy"]


def test_fd_sends_a_hundred_floats_and_counts_whatever_the_network(run):
    for block in ({}, {"network": WIDER}):
        outcome = run("fd", block=block, distillation=1.0)
        up = sent(outcome, direction="up")
        assert set(up[up["part"] == "logits"]["payload_bits"]) == {3200}
        assert set(up[up["part"] == "statistics"]["payload_bits"]) == {320}
        assert set(sent(outcome, direction="down")["payload_bits"]) == {3200}
        assert len(up) == 2 * 4 * 3


def test_teachers_are_the_means_of_the_others_that_hold_the_label():
    means = torch.arange(12.0).view(3, 2, 2)
    counts = torch.tensor([[2.0, 0.0], [1.0, 3.0], [4.0, 0.0]])
    teachers = distillation.of_others(means * (counts > 0)[..., None], counts)
    assert torch.equal(teachers[0, 0], (means[1, 0] + means[2, 0]) / 2)
    assert torch.equal(teachers[0, 1], means[1, 1])
    assert teachers[1, 1].isnan().all()  # nobody else holds it


def test_a_distilled_loss_by_hand():
    teachers = torch.randn(2, 3, 3)
    teachers[1, 2] = torch.nan
    logits, codes = torch.randn(3, 3), torch.tensor([1, 3 + 0, 3 + 2])
    found = distillation.distilling(teachers, 0.5)(logits, codes)
    log = functional.log_softmax(logits, 1)
    soft = functional.softmax(teachers, -1)
    expected = [
        -log[0, 1] - 0.5 * (soft[0, 1] * log[0]).sum(),
        -log[1, 0] - 0.5 * (soft[1, 0] * log[1]).sum(),
        -log[2, 2],
    ]
    torch.testing.assert_close(found, torch.stack(expected))


def test_label_means_are_those_of_the_clients_own_samples(inputs):
    job = asked("fd")
    company = gathered(job, held_samples(job, inputs), 0, Ledger(method="fd"))
    means, counts = distillation.label_means(company.models, company.held.samples, company.rows, 10)
    own = company.held.samples.at(company.rows[2])
    of_label = own.labels == own.labels[0]
    expected = company.models.logits(2, own.inputs[of_label]).mean(0)
    torch.testing.assert_close(means[2, own.labels[0]], expected)
    assert counts.sum(1).tolist() == [len(rows) for rows in company.rows]


def test_seeds_tell_every_label_before_any_twice():
    labels = np.array([0] * 8 + [1] * 3 + [2] * 1 + [3] * 5)
    chosen = seeds_of(np.arange(17), labels, 6, 0, 0)
    assert sorted(labels[chosen[:4]]) == [0, 1, 2, 3]
    assert len(set(chosen)) == 6
    assert len(seeds_of(np.arange(3), labels, 6, 0, 0)) == 3


def test_a_generator_keeps_its_seeds_means_and_fills_labels_up():
    generator = torch.Generator().manual_seed(0)
    labels = torch.arange(60) % 3
    inputs = torch.randn(60, 1, 4, 4, generator=generator) + 3 * labels[:, None, None, None]
    samples = LabelledInputs(inputs, labels)
    made = fitted(samples, 4)
    assert made.known.tolist() == [True, True, True, False]
    drawn = made.drawn(np.full(4000, 2), np.random.default_rng(0))
    torch.testing.assert_close(
        drawn.mean(0), inputs[labels == 2].flatten(1).mean(0), atol=0.1, rtol=0
    )
    rows = [np.arange(0, 9)[labels[:9].numpy() != 1], np.arange(9, 60)]
    everything, filled = augmented(samples, rows, made, 0)
    assert np.bincount(everything.labels[filled[0]].numpy()).tolist() == [3, 3, 3]
    assert filled[1].tolist() == rows[1].tolist()


def test_faug_tells_raw_samples_and_says_so(run):
    outcome = run("fd", seed_samples=5)
    samples = sent(outcome, part="samples")
    assert list(samples["payload_bits"]) == [5 * 64 * 32] * 4
    assert set(samples["round"]) == {0}
    assert outcome.repetitions[0]["accuracy_alone"] == run("fd").repetitions[0]["test_accuracy"]


@pytest.mark.parametrize("method", ["fd", "fedmd"])
def test_clients_whose_training_diverges_count_nothing(inputs, method):
    job = asked(method, {"architectures": [MLP]} if method == "fedmd" else None)
    wild = replace(job, training=replace(job.training, learning_rate=1e20))
    (outcome,) = methods.train([wild], inputs)
    assert outcome.repetitions[0]["diverged"]
    assert outcome.repetitions[0]["test_accuracy"] == 0.0


@pytest.mark.parametrize("method", ["fd", "fedmd"])
def test_one_client_has_nobody_to_learn_from(run, method):
    with pytest.raises(UserError, match="has one client, which has nobody to learn from"):
        run(method, clients=1, block={"architectures": [MLP]})


# --- FedMD ------------------------------------------------------------------------------------


def test_fedmd_agrees_on_the_mean_of_scores_and_its_message_knows_no_network(run, inputs):
    outcomes = [
        run("fedmd", block={"architectures": networks}, transfer_epochs=1)
        for networks in ([MLP], [MLP, WIDER])
    ]
    for outcome in outcomes:
        scores = sent(outcome, part="scores")
        assert set(scores["payload_bits"]) == {40 * 10 * 32}
        assert len(scores) == (4 + 1) * 3
        assert list(sent(outcome, part="samples")["payload_bits"]) == [40 * 64 * 32]
    job = asked("fedmd", block={"architectures": [MLP, WIDER]})
    company = gathered(job, held_samples(job, inputs), 0, Ledger(method="fedmd"))
    public = company.held.open_samples("source")
    said = [company.models.logits(client, public.inputs) for client in range(4)]
    torch.testing.assert_close(consensus.consensus(company, public, 1), sum(said) / 4)


def test_a_digest_without_a_rate_is_training_alone(run):
    axes = {"block": {"architectures": [MLP, WIDER]}, "transfer_epochs": 1}
    found = run("fedmd", digest_rate=1e-30, **axes).repetitions[0]
    assert set(found["series"]["gain_by_client"]) == {0.0}
    assert run("fedmd", **axes).repetitions[0]["test_accuracy"] != found["test_accuracy"]


def test_a_rate_that_falls_by_round_is_whole_before_the_first(inputs):
    found = []
    for decay, rate in ((0.5, 1.0), (1.0, 0.5)):  # in round 2 the same
        axes = {"transfer_epochs": 1, "digest_rate": rate}
        job = asked("fedmd", {"architectures": [MLP, WIDER]}, **axes)
        falling = replace(job, training=replace(job.training, decay=decay))
        own = gathered(falling, held_samples(falling, inputs), 0, Ledger(method="fedmd"))
        public = own.held.open_samples("source")
        consensus.transferred([own], public, {})
        found.append(torch.cat(own.models.weights))
        aims = consensus.consensus(own, public, 2)
        consensus.digested({0: own}, public, {0: aims}, 2)
        found.append(torch.cat(own.models.weights))
    torch.testing.assert_close(found[:2], found[2:])
    assert not torch.equal(found[0], found[1])


def test_settings_of_fedmd_in_one_process_find_what_they_find_alone(inputs):
    deviations = [{}, {"most_samples": 12}, {"public_data": "target"}, {"plr": 0.5}]
    jobs = [asked("fedmd", {"architectures": [MLP, WIDER]}, **own) for own in deviations]
    jobs = [replace(job, seeds=(0, 1)) for job in jobs]
    for job, together in zip(jobs, methods.train(jobs, inputs), strict=True):
        (alone,) = methods.train([job], inputs)
        assert together.repetitions == alone.repetitions
        assert together.ledger.table().equals(alone.ledger.table())


def test_fedmd_learns_open_data_first(run):
    few = run("fedmd", block={"architectures": [MLP]}, transfer_epochs=1, public_data="target")
    many = run("fedmd", block={"architectures": [MLP]}, transfer_epochs=20, public_data="target")
    alone = [found.repetitions[0]["accuracy_alone"] for found in (few, many)]
    assert alone[1] > alone[0]


def test_open_data_of_the_target_are_nobodys(inputs):
    job = asked("fedmd", block={"architectures": [MLP]})
    held = held_samples(job, inputs)
    everybody = held.open_samples("target").inputs
    both = [held.samples.at(np.arange(124)).inputs, held.test.at(np.arange(30)).inputs]
    own = torch.cat(both)
    assert not (everybody[:, None] == own[None]).flatten(2).all(2).any()
    assert held.open_samples("source").labels.max() < 10


# --- FedHealth --------------------------------------------------------------------------------


def test_fedhealth_without_adaptation_is_the_global_model(run):
    found = run("fedhealth", public_data="target").repetitions[0]
    assert found["test_accuracy"] == found["accuracy_before"] == curve_end(found)
    assert set(found["series"]["gain_by_client"]) == {0.0}


def curve_end(found: dict[str, Any]) -> float:
    return pytest.approx(found["series"]["test_accuracy"][-1])


def test_fedhealth_begins_with_the_cloud_and_sends_the_covariance_once(run):
    axes = {"public_data": "target", "transfer_epochs": 30, "adaptation": 3}
    plain, aligned = run("fedhealth", **axes), run("fedhealth", alignment=1.0, **axes)
    assert plain.repetitions[0]["accuracy_before"] == aligned.repetitions[0]["accuracy_before"]
    assert plain.repetitions[0]["test_accuracy"] != plain.repetitions[0]["accuracy_before"]
    assert list(sent(aligned, part="statistics")["payload_bits"]) == [32 * 6 * 6]
    assert len(sent(plain, part="statistics")) == 0
    assert curve(run("fedavg"))[0] < curve(plain)[0]


def test_coral_by_its_definition():
    hidden, source = torch.randn(7, 3), torch.randn(3, 3)
    by_numpy = np.cov(hidden.numpy(), rowvar=False)
    torch.testing.assert_close(covariance(hidden).numpy(), by_numpy.astype(np.float32))
    expected = 2.0 * ((source.numpy() - by_numpy) ** 2).sum() / (4 * 9)
    assert float(Alignment(source, 2.0).loss(hidden)) == pytest.approx(float(expected), rel=1e-5)
    assert float(Alignment(source, 2.0).loss(hidden[:1])) == 0.0


def test_a_missing_package_is_one_sentence(run, monkeypatch):
    monkeypatch.setitem(__import__("sys").modules, "tenseal", None)
    with pytest.raises(UserError, match="needs the package tenseal"):
        run("fedhealth", public_data="target", protection="ckks")


def test_fedhealth_under_encryption_is_plain_to_its_precision(run):
    pytest.importorskip("tenseal", reason="TenSEAL is optional (envs/encryption.txt)")
    plain, protected = (
        run("fedhealth", public_data="target", protection=how) for how in ("plain", "ckks")
    )
    losses = [one.repetitions[0]["series"]["loss"] for one in (plain, protected)]
    np.testing.assert_allclose(*losses, rtol=1e-5)
    assert set(sent(protected, direction="up")["part"]) == {"ciphertext"}
    assert (sent(protected)["bits"] > sent(protected)["payload_bits"]).all()
    ratio = sent(protected)["payload_bits"].max() / sent(plain)["payload_bits"].max()
    assert ratio > 10


# --- the same clients and rows, and messages by hand ------------------------------------------


@pytest.mark.parametrize("axes", [{}, {"partition": "shards"}])
def test_clients_hold_the_rows_that_fbftl_uploads(run, inputs, axes):
    uploads = sent(run("fbftl", **axes), direction="up", part="features")
    holder = dict(zip(uploads["sample"].astype(int), uploads["client"], strict=True))
    sample = open_store(inputs.manifest).read("train").sample
    for method in ("fd", "fedmd"):
        job = asked(method, {"architectures": [MLP, WIDER]} if method == "fedmd" else None, **axes)
        company = gathered(job, held_samples(job, inputs), 0, Ledger(method=method))
        found = {
            int(sample[row]): int(owner)
            for owner, rows in zip(company.owners, company.rows, strict=True)
            for row in rows
        }
        assert found == holder
    weights = sent(run("fedavg", **axes), direction="up")
    assert set(weights["client"]) == set(holder.values())


def test_first_messages_are_those_computed_by_hand(run, inputs):
    """The ledger's digests are of what a client's network says after its first round."""
    job = asked("fd", distillation=1.0)
    company = gathered(job, held_samples(job, inputs), 0, Ledger(method="fd"))
    own = company.held.samples
    company.models.train(own, company.rows, 1)
    content = []
    for client, rows in enumerate(company.rows):
        lesson = own.at(rows)
        logits, labels = company.models.logits(client, lesson.inputs), lesson.labels
        counts = torch.bincount(labels, minlength=10)
        sums = torch.stack([logits[labels == label].sum(0) for label in range(10)])
        content.append(torch.cat([(sums / counts.clamp(min=1)[:, None]).flatten(), counts]))
    told = sent(run("fd", distillation=1.0), round=1, direction="up", part="logits")
    decoded = release(torch.stack(content).numpy(), PLAIN)
    assert len(told) == 4
    sizes = told["bits"] + sent(run("fd"), round=1, part="statistics")["bits"].to_numpy()
    assert sizes.tolist() == [decoded.bits[0]] * 4
    job = asked("fedmd", {"architectures": [MLP, WIDER]}, transfer_epochs=1)
    company = gathered(job, held_samples(job, inputs), 0, Ledger(method="fedmd"))
    public = company.held.open_samples("source")
    everything = [np.arange(40)] * 4
    company.models.train(public, everything, 4, epochs=1)
    passes = consensus.own_passes(company, 40, 1)
    assert passes == round(5 / 4)  # 40 open samples, 31 own ones, 8 a step
    company.models.train(company.held.samples, company.rows, 4, epochs=passes)
    scores = [company.models.logits(c, public.inputs).flatten().numpy() for c in range(4)]
    by_hand = release(np.stack(scores), PLAIN).digests
    outcome = run("fedmd", {"architectures": [MLP, WIDER]}, transfer_epochs=1)
    assert sent(outcome, round=1, direction="up")["sha256"].tolist() == list(by_hand)


# --- what a table makes of them ---------------------------------------------------------------


def test_bits_of_a_client_are_those_of_its_messages_and_of_every_broadcast(run, tmp_path):
    path = tmp_path / "run.parquet"
    outcome = run("fedmd", block={"architectures": [MLP]}, transfer_epochs=1)
    outcome.ledger.write(path)
    found = tabulate_frameworks.per_client(str(path), {0: 4})
    up, down = sent(outcome, direction="up"), sent(outcome, direction="down")
    assert found["up"] == up["bits"].sum() / 4
    assert found["down"] == down["bits"].sum()
    assert found["tells"] == "answers of a client's model to open samples"


def test_a_row_is_found_by_the_name_of_its_run_whatever_the_order_of_its_axes(run, tmp_path):
    path = tmp_path / "run.parquet"
    outcome = run("fd", distillation=1.0, seed_samples=5)
    outcome.ledger.write(path)
    setting = {"seed_samples": 5, "distillation": 1.0, "method": "fd"}  # not the plan's order
    name = "fd+distillation=1.0+seed_samples=5"
    measures = {measure: asdict(own) for measure, own in outcome.measures.items()}
    document = {"name": name, "setting": setting, "measures": measures}
    document |= {"repetitions": outcome.repetitions}
    looks = shown(told_of(["fd"]))
    assert tabulate_frameworks.row(document, str(path), looks)["setting"] == name
