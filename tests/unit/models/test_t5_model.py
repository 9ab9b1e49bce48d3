"""The T5 and its tokenizer: numbers against transformers', what a cut trains, checkpoints."""

import dataclasses
import json
import re

import pytest
import torch
from fbftl.ground.errors import UserError
from fbftl.models.planned import summariser, trained_of_summariser
from fbftl.models.source.manifest import write_weights
from fbftl.models.t5.checkpoint import load_folder
from fbftl.models.t5.head import (
    ALL,
    Sequences,
    first_trained_block,
    summary_logits,
    trained_parameters,
)
from fbftl.models.t5.model import T5, position_buckets
from fbftl.models.t5.tokenizer import END_ID, PAD_ID, Tokenizer, train_tokenizer
from hypothesis import given
from hypothesis import strategies as st
from safetensors.torch import load_file, save_file
from torch import Tensor
from unit.models.t5_toys import SHAPE, model, rows


@pytest.mark.parametrize("forward", ["relu", "gated-gelu"])
def test_the_plan_counts_what_a_cut_trains(tmp_path, forward):
    model = {k: v for k, v in dataclasses.asdict(SHAPE).items() if k.startswith(("num", "d_"))}
    model |= {"feed_forward_proj": forward}
    shape = summariser({"kind": "pretrain", "vocabulary": 300, "model": model}, None)
    cuts = (3, 2, 1, 0)
    sizes = trained_of_summariser(shape, cuts)
    assert sizes.heads == {str(c): trained_parameters(shape, c) for c in cuts}
    assert sizes.networks == {None: trained_parameters(shape, ALL)}
    (tmp_path / "config.json").write_text(json.dumps(model | {"vocab_size": 300, "other": 1}))
    assert summariser({"kind": "load", "folder": "."}, tmp_path) == shape
    assert summariser({"kind": "load", "folder": "nowhere"}, tmp_path) is None


@pytest.fixture(scope="module")
def transformers():
    pytest.importorskip("transformers")
    from fbftl.ground.torchvision_ops import import_torchvision

    import_torchvision()
    import transformers

    return transformers


@pytest.fixture(scope="module")
def batch() -> tuple[Tensor, Tensor, Tensor]:
    """Padded inputs, their mask, and padded labels."""
    inputs, mask = Sequences.of([*rows(5, 3, longest=30), *rows(1, 4, longest=1)]).padded(
        torch.arange(6).numpy()
    )
    labels, _ = Sequences.of(rows(6, 5, longest=9)).padded(torch.arange(6).numpy())
    return inputs, mask, labels


def logits(t5: T5, inputs: Tensor, mask: Tensor, labels: Tensor) -> Tensor:
    return summary_logits(t5, t5.memory(t5.embed(inputs), mask), mask, labels)


@pytest.mark.parametrize("both_ways", [True, False])
def test_position_buckets_are_those_of_transformers(transformers, both_ways):
    from transformers.models.t5.modeling_t5 import T5Attention

    distance = torch.arange(-700, 701)
    for buckets, longest in ((32, 128), (8, 12), (16, 200)):
        expected = T5Attention._relative_position_bucket(distance, both_ways, buckets, longest)
        assert torch.equal(position_buckets(distance, buckets, longest, both_ways), expected)


@pytest.mark.parametrize("feed_forward", ["relu", "gated-gelu"])
@pytest.mark.parametrize("scaled", [True, False])
def test_logits_are_those_of_transformers(transformers, batch, feed_forward, scaled):
    inputs, mask, labels = batch
    shape = dataclasses.replace(SHAPE, feed_forward_proj=feed_forward, scale_outputs=scaled)
    ours = model(shape, seed=1)
    config = transformers.T5Config(
        **{k: v for k, v in dataclasses.asdict(shape).items() if k != "scale_outputs"},
        tie_word_embeddings=scaled,
        decoder_start_token_id=0,
    )
    theirs = transformers.T5ForConditionalGeneration(config).eval()
    # Since release 5 the class ties lm_head; give it back its own before filling it.
    theirs.lm_head.weight = torch.nn.Parameter(torch.empty_like(ours.lm_head.weight))
    missing, unexpected = theirs.load_state_dict(ours.state_dict(), strict=False)
    assert not unexpected
    assert set(missing) == {"encoder.embed_tokens.weight", "decoder.embed_tokens.weight"}
    assert not torch.equal(theirs.lm_head.weight, theirs.shared.weight)
    with torch.no_grad():
        expected = theirs(input_ids=inputs, attention_mask=mask.long(), labels=labels).logits
        ours_logits = logits(ours, inputs, mask, labels)
    torch.testing.assert_close(ours_logits, expected, rtol=1e-4, atol=1e-5)


@torch.no_grad()
def test_padding_changes_nothing(batch):
    inputs, mask, labels = batch
    t5 = model()
    together = logits(t5, inputs, mask, labels)
    spoilt = logits(t5, inputs.masked_fill(~mask, 7), mask, labels)
    torch.testing.assert_close(spoilt, together, rtol=0, atol=0)
    for i, length in enumerate(mask.sum(1).tolist()):
        alone = logits(t5, inputs[i : i + 1, :length], mask[i : i + 1, :length], labels[i : i + 1])
        torch.testing.assert_close(alone[0], together[i], rtol=1e-4, atol=1e-5)


@torch.no_grad()
def test_token_by_token_with_a_cache_equals_all_at_once(batch):
    inputs, mask, labels = batch
    t5 = model()
    crossed = t5.crossed(t5.memory(t5.embed(inputs), mask))
    whole, _ = t5.decode(labels, crossed, mask)
    cache, parts = None, []
    for token in labels.split(1, dim=1):
        part, cache = t5.decode(token, crossed, mask, cache)
        parts.append(part)
    torch.testing.assert_close(torch.cat(parts, 1), whole, rtol=1e-4, atol=1e-5)


def test_unknown_cuts_are_refused():
    for cut in (-1, 4, "none", 1.0):
        with pytest.raises(UserError, match=f"cut {cut!r}"):
            first_trained_block(SHAPE, cut)


@pytest.fixture
def folder(tmp_path):
    """A Hugging Face folder with an untied checkpoint."""
    shape = dataclasses.replace(SHAPE, vocab_size=300)
    config = dataclasses.asdict(shape) | {"model_type": "t5", "tie_word_embeddings": False}
    (tmp_path / "config.json").write_text(json.dumps(config))
    write_weights(tmp_path / "model.safetensors", model(shape, seed=2))
    tokenizer = train_tokenizer(["Anna: Hi Ben!"], 300)
    (tmp_path / "tokenizer.json").write_text(tokenizer.text)
    return tmp_path


@torch.no_grad()
def test_a_tied_checkpoint_gets_a_copy_of_its_embedding(folder, batch):
    tensors = load_file(folder / "model.safetensors")
    del tensors["lm_head.weight"]
    tensors["encoder.embed_tokens.weight"] = tensors["shared.weight"].clone()
    save_file(tensors, folder / "model.safetensors")
    tied, _ = load_folder(folder)
    assert torch.equal(tied.lm_head.weight, tied.shared.weight)
    assert tied.lm_head.weight.data_ptr() != tied.shared.weight.data_ptr()


def test_transformers_own_checkpoint_is_read_alike(transformers, folder, batch):
    inputs, mask, labels = batch
    theirs = transformers.T5ForConditionalGeneration(
        transformers.T5Config(**dataclasses.asdict(SHAPE), decoder_start_token_id=0)
    ).eval()
    theirs.save_pretrained(folder)
    with torch.no_grad():
        expected = theirs(input_ids=inputs, attention_mask=mask.long(), labels=labels).logits
        read = logits(load_folder(folder)[0].eval(), inputs, mask, labels)
    torch.testing.assert_close(read, expected, rtol=1e-4, atol=1e-5)


@pytest.mark.parametrize("name", ["config.json", "model.safetensors", "tokenizer.json"])
def test_a_missing_file_is_named_with_what_to_place(folder, name):
    (folder / name).unlink()
    with pytest.raises(UserError, match=rf"{name} is missing; place config\.json, model\.saf"):
        load_folder(folder)


@pytest.mark.parametrize(
    ("change", "reason"),
    [
        ({"model_type": "bert"}, "only t5"),
        ({"d_ff": None}, "d_ff missing"),
        ({"feed_forward_proj": "gated-silu"}, "'gated-silu'"),
        ({"d_kv": 4}, r"size mismatch .*\[16, 16\]"),
        ({"num_layers": 4}, "Missing key"),
        ({"num_layers": 2}, "Unexpected key"),
    ],
)
def test_a_configuration_that_does_not_fit_is_refused(folder, change, reason):
    config = json.loads((folder / "config.json").read_text())
    (folder / "config.json").write_text(json.dumps(config | change))
    with pytest.raises(UserError, match=reason):
        load_folder(folder)


TOKENIZER = train_tokenizer(["Anna: Hi Ben! Shall we go running?", "Anna and Ben run."] * 5, 300)


def without_special_tokens(text: str) -> bool:
    """Return whether a text spells none of the tokens that decoding leaves out."""
    return not re.search(r"</s>|<pad>|<unk>", text)


@given(st.text().filter(without_special_tokens))
def test_any_text_survives_the_way_there_and_back(text):
    (ids,) = TOKENIZER.encode([text], longest=10_000)
    assert ids[-1] == END_ID
    assert PAD_ID not in ids
    assert ids.max() < TOKENIZER.size
    assert TOKENIZER.decode([ids]) == [text]


def test_long_texts_are_cut_and_still_end():
    (ids,) = TOKENIZER.encode(["running " * 50], longest=8)
    assert len(ids) == 8
    assert ids[-1] == END_ID
    assert [len(row) for row in TOKENIZER.encode([""], longest=8)] == [1]


def test_a_tokenizers_own_padding_and_truncation_are_ignored():
    document = json.loads(TOKENIZER.text)
    document["truncation"] = {
        "direction": "Right", "max_length": 2, "strategy": "LongestFirst", "stride": 0,
    }  # fmt: skip
    (ids,) = Tokenizer(json.dumps(document)).encode(["Anna and Ben run."], longest=99)
    assert Tokenizer(TOKENIZER.text).decode([ids]) == ["Anna and Ben run."]


def test_files_that_are_no_t5_tokenizer_are_refused():
    with pytest.raises(UserError, match="damaged"):
        Tokenizer("{}")
    with pytest.raises(UserError, match="numbers <pad> and </s>"):
        Tokenizer(TOKENIZER.text.replace("</s>", "<end>"))
