"""Features, training and scoring: what is cached equals the whole model, FTL_c equals FbFTL."""

import dataclasses
import json

import numpy as np
import pytest
import torch
from fbftl.data import dialogue_records as dialogues
from fbftl.data.dialogue_records import Record
from fbftl.data.participation import held_out
from fbftl.features.dialogues import forward_fn
from fbftl.ground.errors import UserError
from fbftl.models.t5.checkpoint import SourceT5, load_source, write_source
from fbftl.models.t5.head import (
    ALL,
    Sequences,
    generate,
    head_memory,
    is_trained,
    new_head,
    summary_logits,
)
from fbftl.models.t5.tokenizer import END_ID, train_tokenizer
from fbftl.study.job import FineTuning
from fbftl.training.pretrain_t5 import prepare_source
from fbftl.training.t5 import SequencePairs, batch_losses, epoch_rounds, mean_loss
from fbftl.training.tasks.dialogues import one_sentence_per_line, rouge, transcript
from hypothesis import given, settings
from hypothesis import strategies as st
from unit.models.t5_toys import SHAPE, learner, model, parameters, rows, samples, trained

CUTS = range(SHAPE.num_layers + 1)
CLIENTS = np.repeat(np.arange(6), 2)
EVERYONE = np.arange(12)
INPUTS = rows(12, 7)
PLAN = FineTuning(learning_rate=1e-2, batch=4, epochs=3, validation=0.0)


def uploads(cut: int | str, source=None) -> SequencePairs:
    """Twelve dialogues of six clients, as features at a cut."""
    if cut == ALL:
        return samples(INPUTS, CLIENTS)
    features = forward_fn(source or model(), [cut])({"tokens": INPUTS})[str(cut)]
    return samples(features, CLIENTS)


@settings(max_examples=30)
@given(st.lists(st.lists(st.integers(1, 99), min_size=1, max_size=9), min_size=1), st.data())
def test_padded_rows_hold_the_tokens_and_nothing_else(lists, data):
    sequences = Sequences.of([np.array(row) for row in lists])
    chosen = data.draw(st.lists(st.integers(0, len(lists) - 1), min_size=1))
    values, mask = sequences.padded(np.array(chosen))
    assert [row[present].tolist() for row, present in zip(values, mask, strict=True)] == [
        lists[i] for i in chosen
    ]
    assert values[~mask].sum() == 0
    assert mask.shape[1] == max(len(lists[i]) for i in chosen)


@pytest.mark.parametrize("cut", CUTS)
def test_gradients_of_the_head_equal_the_whole_models(cut):
    gradients = []
    for inputs in (ALL, cut):
        head = new_head(model(), cut)
        batch_losses(head, inputs, uploads(inputs), EVERYONE).mean().backward()
        gradients.append({n: p.grad for n, p in head.named_parameters() if p.requires_grad})
    assert gradients[0].keys() == gradients[1].keys()
    for name, gradient in gradients[0].items():
        torch.testing.assert_close(gradients[1][name], gradient, rtol=1e-3, atol=1e-6)


@pytest.mark.parametrize("cut", [*CUTS, ALL])
def test_training_moves_exactly_what_the_cut_trains(cut):
    source = model()
    before = parameters(source)
    head = trained(source, cut, uploads(cut), EVERYONE, PLAN).best()
    after = parameters(head)
    for name, value in before.items():
        moved = not torch.equal(value, after[name])
        assert moved == is_trained(name, SHAPE, cut), name
    assert all(torch.equal(v, before[n]) for n, v in parameters(source).items())


def by_hand(head, cut, data: SequencePairs, client_rows: np.ndarray) -> torch.Tensor:
    """What one client of FTL_c sends: the sum of its per-sample gradients."""
    parameters = [p for p in head.parameters() if p.requires_grad]
    total = torch.zeros(sum(p.numel() for p in parameters))
    for sample in client_rows:
        loss = batch_losses(head, cut, data, np.array([sample]))[0]
        total += torch.cat([g.flatten() for g in torch.autograd.grad(loss, parameters)])
    return total


@pytest.mark.parametrize("cut", [3, 1, ALL])
def test_ftl_c_equals_fbftl_step_by_step(cut):
    data, plan = uploads(cut), dataclasses.replace(PLAN, epochs=1, warmup=0.4, weight_decay=0.01)
    fbftl, ftl_c = (learner(model(), cut, data, EVERYONE, plan) for _ in range(2))
    for epoch in fbftl.schedule:
        for round_ in epoch.single():
            together, gradient = fbftl.mean_gradient(
                round_, np.ones(len(round_.clients), dtype=bool)
            )
            apart, updates = ftl_c.client_gradients(round_)
            torch.testing.assert_close(together, apart)
            for rows_, present, update in zip(round_.rows, round_.present, updates, strict=True):
                wanted = by_hand(ftl_c.head, cut, data, rows_[present])
                torch.testing.assert_close(update, wanted, rtol=1e-3, atol=1e-5)
            fbftl.step(gradient)
            mean = updates.sum(0) / round_.counts.sum()
            sizes = [p.numel() for p in ftl_c.parameters]
            parts = zip(mean.split(sizes), ftl_c.parameters, strict=True)
            ftl_c.step([part.view_as(p) for part, p in parts])
            for name, value in parameters(fbftl.head).items():
                other = parameters(ftl_c.head)[name]
                torch.testing.assert_close(value, other, rtol=1e-3, atol=1e-4, msg=name)
    assert not torch.equal(fbftl.head.lm_head.weight, model().lm_head.weight)


def test_a_lost_update_leaves_the_mean_over_those_that_arrive():
    round_ = next(learner(model(), 1, uploads(1), EVERYONE, PLAN).schedule[0].single())
    first, both = (learner(model(), 1, uploads(1), EVERYONE, PLAN) for _ in range(2))
    arrives = np.array([True, False])
    losses, gradient = first.mean_gradient(round_, arrives)
    assert len(losses) == round_.counts[0]
    _, updates = both.client_gradients(round_)
    flat = torch.cat([part.flatten() for part in gradient])
    torch.testing.assert_close(flat, updates[0] / round_.counts[0], rtol=1e-3, atol=1e-5)
    losses, nothing = first.mean_gradient(round_, np.zeros(2, dtype=bool))
    assert len(losses) == 0
    assert not any(part.any() for part in nothing)


@given(st.lists(st.integers(1, 4), min_size=1, max_size=30), st.integers(4, 9), st.integers(0, 999))
def test_rounds_hold_whole_clients_and_every_sample_once(sizes, batch, seed):
    clients = np.split(np.arange(sum(sizes)), np.cumsum(sizes)[:-1])
    random = np.random.default_rng(seed)
    lengths = random.integers(1, 50, sum(sizes))
    rounds = list(epoch_rounds(lengths, clients, batch, random).single())
    seen = np.concatenate([round_.rows[round_.present] for round_ in rounds])
    assert sorted(seen.tolist()) == list(range(sum(sizes)))
    for round_ in rounds:
        assert round_.present.sum() <= batch
        assert round_.counts.tolist() == [sizes[client] for client in round_.clients]


def test_a_client_larger_than_a_batch_is_refused():
    with pytest.raises(UserError, match=r"training\.batch"):
        epoch_rounds(np.ones(3), [np.arange(3)], 2, np.random.default_rng(0))


def test_the_best_validation_epoch_is_kept():
    inputs = rows(60, 8)
    data = samples(inputs, np.arange(60) // 2)
    plan = FineTuning(learning_rate=3e-2, batch=8, epochs=8, validation=0.2)
    learner_ = trained(model(), ALL, data, np.arange(60), plan)
    losses = [epoch.validation_loss for epoch in learner_.curve]
    assert learner_.chosen.validation_loss == min(losses)
    assert losses[-1] > min(losses), "this toy overfits, or the test shows nothing"
    _, validation = held_out(np.arange(60), plan.validation, 0)
    assert mean_loss(learner_.best(), ALL, data, validation) == pytest.approx(min(losses), rel=1e-5)


def test_scarce_data_gets_as_many_updates():
    plan = dataclasses.replace(PLAN, least_updates=9)
    few = np.array([0, 1, 2])
    learner_ = trained(model(), 1, uploads(1), few, plan)
    assert learner_.curve[-1].updates == 9
    assert len(learner_.curve) > PLAN.epochs


def test_lost_samples_are_never_seen():
    data = uploads(1)
    received = np.array([0, 3, 4, 5, 9])
    spoilt = SequencePairs(
        Sequences(data.inputs.values.clone(), data.inputs.offsets), data.labels, data.clients
    )
    for lost in np.setdiff1d(EVERYONE, received):
        spoilt.inputs.values[data.inputs.offsets[lost] : data.inputs.offsets[lost + 1]] = 1e9
    curves = [trained(model(), 1, d, received, PLAN).curve for d in (data, spoilt)]
    assert curves[0] == curves[1]


@torch.no_grad()
@pytest.mark.parametrize("cut", [*CUTS, ALL])
def test_greedy_summaries_are_the_most_probable_tokens(cut):
    head, data = model(seed=5), uploads(cut, model(seed=5))
    summaries = generate(head, cut, data.inputs, longest=6, batch_size=5)
    labels = [np.array([*ids, END_ID]) for ids in summaries]
    forced = SequencePairs(data.inputs, Sequences.of(labels), CLIENTS)
    inputs, mask = forced.inputs.padded(EVERYONE)
    wanted, wanted_mask = forced.labels.padded(EVERYONE)
    logits = summary_logits(head, head_memory(head, cut, inputs, mask), mask, wanted)
    best = logits.argmax(-1)
    for ids, row in zip(summaries, best.tolist(), strict=True):
        assert row[: len(ids)] == ids
        assert len(ids) == 6 or row[len(ids)] == END_ID
    assert wanted_mask.any()


def test_rouge_is_the_plain_mean_of_f_measures():
    same = rouge(["The cat sat."], ["The cat sat."])
    assert same == {"rouge1": 100, "rouge2": 100, "rougeL": 100, "rougeLsum": 100}
    # unigrams: 2 of 3 predicted are among the 4 of the reference, F = 4/7; no bigram agrees
    half = rouge(["cats black ran"], ["a cat ran off"])
    assert half["rouge1"] == pytest.approx(100 * 4 / 7)
    assert half["rouge2"] == 0
    both = rouge(["The cat sat.", "cats black ran"], ["The cat sat.", "a cat ran off"])
    assert both["rouge1"] == pytest.approx((100 + 100 * 4 / 7) / 2)
    assert rouge([""], ["a cat"])["rouge1"] == 0


def test_sentences_are_told_apart_for_rouge_lsum():
    assert one_sentence_per_line("One. Two!  Three? four 4.5") == "One.\nTwo!\nThree?\nfour 4.5"
    scores = rouge(["B came. A left."], ["A left. B came."])
    assert scores["rougeLsum"] == 100 > scores["rougeL"]


def test_a_transcript_has_every_seeds_summary_beside_the_reference():
    records = [Record("1", "A: hi 🎉\nB: ho", "They greet."), Record("2", "", "None.")]
    read = transcript(records, {0: ["They \u2028 meet", ""], 3: ["Hi.", "None."]})
    assert read[0]["predictions"] == {"0": "They \u2028 meet", "3": "Hi."}
    assert read[1]["predictions"] == {"0": "", "3": "None."}
    assert read[0]["dialogue"] == records[0].dialogue


SPEC = {
    "kind": "pretrain",
    "vocabulary": 300,
    "longest": 80,
    "model": {
        "d_model": 16, "d_kv": 8, "d_ff": 16, "num_heads": 2,
        "num_layers": 2, "num_decoder_layers": 1,
    },
    "training": {"learning_rate": 5e-3, "batch": 16, "epochs": 2},
}  # fmt: skip


@pytest.fixture(scope="module")
def source() -> SourceT5:
    return prepare_source(SPEC, dialogues.generate("source", {"s": 60})["s"], ".", seed=0)


def test_a_source_survives_its_files(source, tmp_path):
    for name in ("a", "b"):
        write_source(tmp_path / f"{name}.safetensors", tmp_path / f"{name}.json", source)
    for suffix in ("safetensors", "json"):
        written = [(tmp_path / f"{name}.{suffix}").read_bytes() for name in ("a", "b")]
        assert written[0] == written[1]
    manifest = json.loads((tmp_path / "a.json").read_text())
    again = load_source(tmp_path / "a.safetensors", manifest)
    assert again.tokenizer.text == source.tokenizer.text
    assert again.model.shape == source.model.shape
    for name, value in parameters(source.model).items():
        assert torch.equal(parameters(again.model)[name], value)
    with pytest.raises(UserError, match="sha256"):
        load_source(tmp_path / "a.safetensors", manifest | {"sha256": "0" * 64})


def test_a_folder_gives_a_source_and_a_mismatched_tokenizer_is_refused(source, tmp_path):
    write_source(tmp_path / "model.safetensors", tmp_path / "source.json", source)
    config = dataclasses.asdict(source.model.shape) | {
        "model_type": "t5", "tie_word_embeddings": False,
    }  # fmt: skip
    (tmp_path / "config.json").write_text(json.dumps(config))
    (tmp_path / "tokenizer.json").write_text(source.tokenizer.text)
    spec = {"kind": "load", "folder": tmp_path.name}
    loaded = prepare_source(spec, [], tmp_path.parent, seed=0)
    assert torch.equal(loaded.model.lm_head.weight, source.model.lm_head.weight)
    larger = train_tokenizer([chr(c) * 3 for c in range(0x4E00, 0x4E80)], 400)
    (tmp_path / "tokenizer.json").write_text(larger.text)
    with pytest.raises(UserError, match="embeds only"):
        prepare_source(spec, [], tmp_path.parent, seed=0)


def test_sources_that_cannot_be_made_are_refused():
    with pytest.raises(UserError, match=r"data\.source is 0"):
        prepare_source(SPEC, [], ".", seed=0)
    wild = SPEC | {"training": {"learning_rate": 1e30, "batch": 16, "epochs": 1}}
    with pytest.raises(UserError, match="diverged"):
        prepare_source(wild, dialogues.generate("source", {"s": 40})["s"], ".", seed=0)
