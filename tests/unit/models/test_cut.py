import subprocess
import sys

import pytest
import torch
from fbftl.ground.errors import UserError
from fbftl.models.cut import cuttable, extractor, front
from fbftl.models.networks import vgg
from torch import nn


class Diamond(nn.Module):
    """Two ways around `left`; only `stem`, the sum and `head` see everything."""

    def __init__(self):
        super().__init__()
        self.stem, self.left, self.head = nn.Linear(3, 4), nn.Linear(4, 4), nn.Linear(4, 2)
        self.scale = nn.Parameter(torch.ones(4))

    def forward(self, inputs):
        stem = self.stem(inputs)
        return self.head((stem + self.left(stem)) * self.scale)


class Branching(Diamond):
    """The same with control flow that torch.fx cannot trace."""

    def forward(self, inputs):
        if inputs.sum() > 1e9:
            raise RuntimeError
        return super().forward(inputs)


class InPlace(Branching):
    """The same, with a sum that overwrites the output of `left`, as transformers' ResNet does."""

    def forward(self, inputs):
        if inputs.sum() > 1e9:
            raise RuntimeError
        stem = self.stem(inputs)
        hidden = self.left(stem)
        hidden += stem
        hidden *= self.scale
        hidden = self.head(hidden)
        hidden += 1
        return hidden


@pytest.fixture(autouse=True)
def _seeded():
    torch.manual_seed(0)


def test_layers_of_a_chain_are_cut_by_slicing():
    model = vgg((8, 8, 1), [[2, 2], [3]], [5], 4, dropout=0.5).eval()
    example = torch.zeros(2, 1, 8, 8)
    assert cuttable(model, example) == [name for name, _ in model.named_children()]
    sliced = front(model, "relu_fc1", example)
    assert [name for name, _ in sliced.named_children()][-1] == "relu_fc1"
    assert sliced.conv1_1.weight is model.conv1_1.weight


@pytest.mark.parametrize("kind", [Diamond, Branching, InPlace])
def test_layers_where_all_paths_meet_can_be_cut(kind):
    """A sum that overwrites the output of a layer does not pass for that layer."""
    model = kind().eval()
    assert cuttable(model, torch.zeros(2, 3)) == ["stem", "head"]
    inputs = torch.randn(4, 3)
    assert torch.equal(front(model, "stem", torch.zeros(2, 3))(inputs), model.stem(inputs))


def test_outputs_that_the_model_overwrites_are_those_of_their_layers():
    model, inputs = InPlace().eval(), torch.randn(4, 3)
    together = extractor(model, ["stem", "head"], torch.zeros(2, 3))(inputs)
    assert torch.equal(together["head"] + 1, model(inputs))


@pytest.mark.parametrize(
    "model", [Diamond(), Branching(), InPlace()], ids=["graph", "hooks", "in place"]
)
@pytest.mark.parametrize("cut", ["left", "nowhere", ""])
def test_a_parallel_or_missing_layer_is_refused_with_those_that_can_be_cut(model, cut):
    with pytest.raises(UserError, match=r"can be cut: stem, .*head") as refusal:
        front(model.eval(), cut, torch.zeros(2, 3))
    assert f"features.cut = {cut}:" in str(refusal.value)


@pytest.mark.parametrize("model", [Diamond(), Branching(), vgg((3, 1, 1), [[2]], [5], 4)])
def test_several_cuts_in_one_pass_equal_single_ones(model):
    model.eval()
    shape = (3,) if isinstance(model, Diamond) else (1, 3, 1)
    inputs, example = torch.randn(4, *shape), torch.zeros(2, *shape)
    cuts = [name for name in cuttable(model, example) if name in dict(model.named_children())]
    together = extractor(model, cuts[::-1], example)(inputs)
    assert set(together) == set(cuts)
    for cut in cuts:
        assert torch.equal(together[cut], front(model, cut, example)(inputs))


@pytest.mark.parametrize("kind", [Diamond, Branching])
def test_an_extractor_runs_nothing_beyond_the_cut(kind):
    model = kind().eval()
    stem = front(model, "stem", torch.zeros(2, 3))
    model.head.forward = model.left.forward = None
    assert stem(torch.zeros(2, 3)).shape == (2, 4)


def test_gradients_reach_the_models_own_parameters_in_front_of_the_cut():
    model = Diamond().eval()
    stem = front(model, "stem", torch.zeros(2, 3))
    stem(torch.ones(2, 3)).sum().backward()
    assert sum(parameter.numel() for parameter in stem.parameters()) == 3 * 4 + 4 + len(model.scale)
    assert torch.equal(model.stem.weight.grad, torch.full((4, 3), 2.0))
    assert model.head.weight.grad is None


def test_cutting_a_chain_imports_no_torchvision(root):
    code = """
import sys, torch
from fbftl.models.cut import front
from fbftl.models.networks import vgg
front(vgg((8, 8, 1), [[2]], [5], 4), "relu_fc1", torch.zeros(2, 1, 8, 8))
late = {"torchvision", "transformers", "timm"}
print(sorted(late & sys.modules.keys()))
"""
    done = subprocess.run(
        [sys.executable, "-c", code], cwd=root / "scripts", capture_output=True, text=True
    )
    assert done.stdout.strip() == "[]", done.stderr
