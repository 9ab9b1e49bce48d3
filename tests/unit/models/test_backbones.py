"""Backbones of torchvision, timm and transformers at toy size, with random weights."""

import json
import math
from hashlib import sha256
from types import SimpleNamespace

import numpy as np
import pytest
import torch
from fbftl.data.preprocess import Preprocessing, preprocess
from fbftl.ground.errors import UserError
from fbftl.ground.torchvision_ops import import_torchvision
from fbftl.models.backbones import build_backbone
from fbftl.models.cut import cuttable, extractor, front
from fbftl.models.source import known_weights
from fbftl.models.source.manifest import load_source, write_source, write_weights
from fbftl.training.pretrain import load_given
from safetensors.torch import save_file
from unit.models.source_toys import source_block

EXAMPLE = torch.zeros(2, 3, 32, 32)
TINY_VIT = {
    "model_type": "vit",
    "image_size": 32,
    "patch_size": 8,
    "hidden_size": 16,
    "num_hidden_layers": 2,
    "num_attention_heads": 2,
    "intermediate_size": 32,
}
BACKBONES = {
    "squeezenet": ("torchvision", "squeezenet1_1", {"num_classes": 10}),
    "resnet18": ("torchvision", "resnet18", {}),
    "timm vit": ("timm", "vit_tiny_patch16_224", {"img_size": 32, "patch_size": 8, "depth": 2}),
    "timm resnet": ("timm", "resnet10t", {}),
    "transformers vit": ("transformers", "tiny", TINY_VIT),
}
BLOCK = source_block(name="squeezenet1_1", options={"num_classes": 3}, weights="random")


@pytest.fixture(scope="module", params=BACKBONES, ids=str)
def backbone(request):
    torch.manual_seed(0)
    return build_backbone(*BACKBONES[request.param])


def alike(model: torch.nn.Module, other: torch.nn.Module) -> bool:
    """Tell whether two networks give the same of the same images."""
    inputs = torch.randn(2, 3, 32, 32)
    return torch.equal(model(inputs), other(inputs))


def test_every_cut_gives_what_its_layer_gives_in_the_whole(backbone):
    inputs, names = torch.randn(3, 3, 32, 32), cuttable(backbone, EXAMPLE)
    chosen = [names[0], names[len(names) // 3], names[len(names) // 2], names[-2]]
    seen: dict[str, torch.Tensor] = {}
    for cut in chosen:
        backbone.get_submodule(cut).register_forward_hook(
            lambda *call, cut=cut: seen.update({cut: call[2].clone()})
        )
    with torch.inference_mode():
        backbone(inputs)
        expected = dict(seen)
        for cut in chosen:
            assert torch.equal(front(backbone, cut, EXAMPLE)(inputs), expected[cut])


def test_a_residual_branch_cannot_be_cut():
    model = build_backbone("torchvision", "resnet18", {})
    with pytest.raises(UserError, match=r"conv1, bn1, relu, maxpool, layer1\.0, "):
        front(model, "layer1.0.conv2", EXAMPLE)


@pytest.mark.parametrize(
    ("library", "name", "options"),
    [
        ("torchvision", "vgg99", {}),
        ("timm", "no_such_model", {}),
        ("transformers", "x", {}),
        ("transformers", "x", {"model_type": "vit", "hidden_act": math.inf}),
    ],
)
def test_unknown_models_and_options_are_refused(library, name, options):
    with pytest.raises(UserError, match=f"{library} cannot build source.name = {name}"):
        build_backbone(library, name, options)


def test_a_users_file_is_loaded(tmp_path):
    model = build_backbone("torchvision", "squeezenet1_1", {"num_classes": 3})
    digest = write_weights(tmp_path / "w.safetensors", model)
    block = {**BLOCK, "weights": "file", "file": str(tmp_path / "w.safetensors"), "sha256": digest}
    source = load_given(block)
    assert alike(source.model, model)
    assert source.origin["sha256"] == digest
    with pytest.raises(UserError, match="as expected; fetch the file again"):
        load_given({**block, "sha256": "0" * 64})
    with pytest.raises(UserError, match=r"size mismatch for classifier\.1"):
        load_given({**block, "options": {"num_classes": 4}})


def test_a_random_source_is_written_and_loaded_by_another_study(tmp_path):
    first = load_given(BLOCK)
    paths = {"file": str(tmp_path / "s.safetensors"), "manifest": str(tmp_path / "s.json")}
    write_source(*paths.values(), first)
    block = {**BLOCK, "from": "workflow", "weights": "file", **paths}
    assert alike(load_given(block).model, first.model)
    manifest = json.loads((tmp_path / "s.json").read_text())
    assert manifest["accuracy"] is None
    assert "torchvision" in manifest["versions"]
    assert not alike(load_given({**BLOCK, "seed": 1}).model, first.model)
    for content in ("", "[]", "{}", '{"architecture": 1, "sha256": null}'):
        (tmp_path / "s.json").write_text(content)
        with pytest.raises(UserError, match="is no manifest of a source model"):
            load_given(block)


@pytest.fixture
def hub(tmp_path, monkeypatch):
    """A torch hub folder with torchvision's own file of a small model."""
    model = build_backbone("torchvision", "squeezenet1_1", {"num_classes": 3})
    path = tmp_path / "hub" / "checkpoints" / "raw"
    path.parent.mkdir(parents=True)
    torch.save(model.state_dict(), path)
    digest = sha256(path.read_bytes()).hexdigest()
    path = path.rename(path.with_name(f"small-{digest[:8]}.pth"))
    card = SimpleNamespace(crop_size=[32], mean=[0.5] * 3, std=[0.25] * 3)
    weights = SimpleNamespace(url=f"https://host.invalid/{path.name}", transforms=lambda: card)
    monkeypatch.setenv("TORCH_HOME", str(tmp_path))
    monkeypatch.setattr(known_weights, "torchvision_weights", lambda name, version: weights)
    return SimpleNamespace(model=model, path=path, digest=digest)


PUBLISHED = {**BLOCK, "weights": "published", "version": "V1"}


def test_torchvisions_published_weights_are_loaded(hub):
    source = load_given(PUBLISHED)
    assert alike(source.model, hub.model)
    assert source.preprocessing == Preprocessing(32, (0.5,) * 3, (0.25,) * 3)
    assert source.origin["sha256"] == hub.digest
    assert load_given({**PUBLISHED, "sha256": hub.digest}).origin == source.origin


def test_a_damaged_or_missing_download_is_refused(hub):
    """Without network, torchvision's file that is missing is named with where to put it."""
    hub.path.write_bytes(hub.path.read_bytes()[:-1])
    with pytest.raises(UserError, match="is damaged"):
        load_given(PUBLISHED)
    hub.path.unlink()
    with pytest.raises(UserError, match=f"cannot be downloaded.*put it at {hub.path}"):
        load_given(PUBLISHED)


def test_torchvisions_weights_come_with_their_preprocessing():
    entry = known_weights.torchvision_weights("vgg16", "IMAGENET1K_V1")
    assert known_weights.torchvision_preprocessing(entry).size == 224


def test_timms_published_weights_are_loaded(tmp_path, monkeypatch):
    model = build_backbone("timm", "resnet10t", {})
    save_file(model.state_dict(), tmp_path / "model.safetensors")
    requests = []

    def hub_file(repository, name, revision):
        requests.append((repository, name, revision))
        return tmp_path / name

    monkeypatch.setattr(known_weights, "hub_file", hub_file)
    block = {**PUBLISHED, "from": "timm", "name": "resnet10t", "options": {}, "version": None}
    source = load_given(block)
    assert alike(source.model, model)
    assert requests == [("timm/resnet10t.c3_in1k", "model.safetensors", None)]


@pytest.fixture
def vit_folder(tmp_path):
    """A classifier as the hub holds it: the backbone's weights lie under a prefix."""
    import_torchvision()
    from transformers import AutoConfig, ViTForImageClassification

    model = ViTForImageClassification(AutoConfig.for_model(**TINY_VIT))
    model.save_pretrained(tmp_path / "vit")
    card = {"image_mean": [0.1] * 3, "image_std": [0.2] * 3, "do_resize": False}
    (tmp_path / "vit" / "preprocessor_config.json").write_text(json.dumps(card))
    return SimpleNamespace(path=tmp_path / "vit", model=model.eval())


def transformers_block(path, **changes):
    return {**PUBLISHED, "from": "transformers", "name": str(path), "options": {}, **changes}


def test_a_transformers_folder_is_loaded(vit_folder, tmp_path):
    source = load_given(transformers_block(vit_folder.path))
    inputs = torch.randn(2, 3, 32, 32)
    hidden = vit_folder.model.vit(pixel_values=inputs).last_hidden_state
    assert torch.equal(source.model(inputs), hidden)
    assert (source.preprocessing.mean, source.preprocessing.std) == ((0.1,) * 3, (0.2,) * 3)
    write_source(tmp_path / "s.safetensors", tmp_path / "s.json", source)
    manifest = json.loads((tmp_path / "s.json").read_text())
    assert alike(load_source(tmp_path / "s.safetensors", manifest), source.model)


CARDS = {
    "bicubic": {"resample": 3, "size": 32},
    "mean null": {"do_normalize": False, "image_mean": None, "image_std": None, "size": 32},
    "one mean": {"image_mean": 0.5, "image_std": 0.25, "size": 32},
    "no rescaling": {"do_rescale": False, "do_normalize": False},
    "another factor": {"rescale_factor": 1 / 127.5, "size": {"height": 32, "width": 32}},
    "crop by the shortest edge": {
        "image_processor_type": "CLIPImageProcessor",
        "size": {"shortest_edge": 36},
        "crop_size": {"height": 32, "width": 32},
    },
    "blue first": {
        "image_processor_type": "MobileViTImageProcessor",
        "size": {"shortest_edge": 40},
        "do_flip_channel_order": True,
        "crop_size": 32,
    },
}


@pytest.mark.parametrize("card", CARDS, ids=str)
def test_inputs_are_those_of_transformers_image_processor(vit_folder, tmp_path, card):
    from transformers import AutoImageProcessor

    (vit_folder.path / "preprocessor_config.json").write_text(json.dumps(CARDS[card]))
    spec = load_given(transformers_block(vit_folder.path)).preprocessing
    images = np.random.default_rng(0).integers(0, 256, (3, 48, 40, 3), np.uint8)
    theirs = AutoImageProcessor.from_pretrained(vit_folder.path)(list(images), return_tensors="pt")
    read = Preprocessing.of(json.loads(json.dumps(spec.document())))
    expected = theirs["pixel_values"].float()
    torch.testing.assert_close(preprocess(images, read), expected, atol=1e-6, rtol=0)
    # What mean and std say of values, on the scale where white is 1.
    grey = preprocess(np.full_like(images, 102), read).mean((0, 2, 3))
    expected = (102 / 255 - torch.tensor(spec.mean)) / torch.tensor(spec.std)
    torch.testing.assert_close(grey, expected)


def test_an_image_processor_that_is_none_is_refused(vit_folder):
    for card in ({"size": "x"}, {"image_processor_type": "No"}, {"image_mean": [0.5] * 2}):
        (vit_folder.path / "preprocessor_config.json").write_text(json.dumps(card))
        with pytest.raises(UserError, match=r"preprocessor_config\.json is no image processor"):
            load_given(transformers_block(vit_folder.path))


@pytest.mark.parametrize(("kind", "cut"), [("Siglip", "head"), ("CLIP", "post_layernorm")])
def test_what_a_model_pools_is_cut_in_a_model_of_images_and_texts(tmp_path, kind, cut):
    import transformers

    sizes = {key: TINY_VIT[key] for key in ("hidden_size", "num_hidden_layers")}
    sizes |= {key: TINY_VIT[key] for key in ("num_attention_heads", "intermediate_size")}
    vision = sizes | {"image_size": 32, "patch_size": 8}
    config = getattr(transformers, f"{kind}Config")(vision_config=vision, text_config=sizes)
    both = getattr(transformers, f"{kind}Model")(config).eval()
    both.save_pretrained(tmp_path)
    model = load_given(transformers_block(tmp_path)).model
    inputs = torch.randn(2, 3, 32, 32)
    with torch.no_grad():
        pooled = extractor(model, [f"model.{cut}"], inputs)(inputs)[f"model.{cut}"]
        expected = both.vision_model(pixel_values=inputs).pooler_output
    assert torch.equal(pooled, expected)


def test_a_transformers_folder_with_missing_or_damaged_weights_is_refused(vit_folder):
    weights = vit_folder.path / "model.safetensors"
    save_file({"vit.layernorm.weight": torch.ones(16)}, weights, {"format": "pt"})
    with pytest.raises(UserError, match=r"lacks .* more"):
        load_given(transformers_block(vit_folder.path))
    weights.write_bytes(b"\xff" * 100)
    with pytest.raises(UserError, match="transformers cannot load"):
        load_given(transformers_block(vit_folder.path))
    config = json.loads((vit_folder.path / "config.json").read_text())
    (vit_folder.path / "config.json").write_text(json.dumps(config | {"hidden_act": math.inf}))
    with pytest.raises(UserError, match=r"transformers cannot load.*hidden_act"):
        load_given(transformers_block(vit_folder.path))


def test_without_network_the_hub_says_which_file_is_wanted(monkeypatch):
    from huggingface_hub import constants

    monkeypatch.setattr(constants, "HF_HUB_OFFLINE", True)
    with pytest.raises(UserError, match=r"file config\.json of https://huggingface.co/some/model"):
        known_weights.hub_file("some/model", "config.json", None)
    with pytest.raises(UserError, match="cannot be fetched"):
        known_weights.hub_file("no such/../name", "config.json", None)
