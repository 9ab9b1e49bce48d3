"""A client's update is the sum of its samples' gradients, whichever way it is computed."""

import pytest
import torch
from fbftl.models.modes import normalise_by_batch
from fbftl.training import client_updates as subject
from fbftl.training.client_updates import by_transform, client_updates, is_product
from hypothesis import given, settings
from hypothesis import strategies as st
from torch import Tensor, nn
from torch.nn import functional

CLIENTS, SAMPLES, CLASSES = 3, 4, 5


def batch(*shape: int) -> tuple[Tensor, Tensor, Tensor]:
    """Return inputs, labels and presence of a round; the last client misses two samples."""
    generator = torch.Generator().manual_seed(1)
    inputs = torch.randn(CLIENTS, SAMPLES, *shape, generator=generator)
    labels = torch.randint(CLASSES, (CLIENTS, SAMPLES), generator=generator)
    present = torch.ones(CLIENTS, SAMPLES, dtype=torch.bool)
    present[-1, 2:] = False
    return inputs, labels, present


def one_by_one(
    model: nn.Module, inputs: Tensor, labels: Tensor, present: Tensor
) -> tuple[Tensor, Tensor]:
    """Return what `client_updates` gives, by a backward pass for every client."""
    losses, updates = [], []
    for x, y, here in zip(inputs, labels, present, strict=True):
        loss = functional.cross_entropy(model(x[here]), y[here], reduction="sum")
        gradients = torch.autograd.grad(loss, list(model.parameters()))
        losses.append(loss.detach())
        updates.append(torch.cat([value.flatten() for value in gradients]))
    return torch.stack(losses), torch.stack(updates)


class Repeating(nn.Module):
    """Calls its only dense layer twice, then averages over tokens."""

    def __init__(self) -> None:
        super().__init__()
        self.dense = nn.Linear(CLASSES, CLASSES)

    def forward(self, x: Tensor) -> Tensor:
        return self.dense(self.dense(x).tanh()).mean(dim=1)


def convolutional() -> nn.Module:
    return nn.Sequential(
        nn.Conv2d(2, 4, 3, padding=1),
        nn.ReLU(inplace=True),
        nn.MaxPool2d(2),
        nn.Conv2d(4, 3, (2, 3), stride=(1, 2), bias=False),
        nn.ReLU(inplace=True),
        nn.Flatten(),
        nn.Linear(9, CLASSES),
    )


MODELS = {
    "dense": (lambda: nn.Sequential(nn.Linear(6, 7), nn.ReLU(), nn.Linear(7, CLASSES)), (6,)),
    "convolutional": (convolutional, (2, 8, 7)),
    "one layer called twice, on tokens": (Repeating, (3, CLASSES)),
}


@pytest.mark.parametrize("name", MODELS)
def test_products_equal_a_backward_pass_per_client(name):
    make, shape = MODELS[name]
    torch.manual_seed(0)
    model = make().double()
    inputs, labels, present = batch(*shape)
    assert all(is_product(m) for m in model.modules() if list(m.parameters(recurse=False)))
    wanted = one_by_one(model, inputs.double(), labels, present)
    for updates_of in (client_updates(model), by_transform(model)):
        losses, updates = updates_of(inputs.double(), labels, present)
        torch.testing.assert_close(losses, wanted[0])
        torch.testing.assert_close(updates, wanted[1])


@settings(max_examples=30, deadline=None)
@given(
    kernel=st.tuples(st.integers(1, 3), st.integers(1, 3)),
    stride=st.integers(1, 3),
    padding=st.integers(0, 2),
    dilation=st.integers(1, 2),
)
def test_any_plain_convolution(kernel, stride, padding, dilation):
    torch.manual_seed(0)
    convolution = nn.Conv2d(2, CLASSES, kernel, stride, padding, dilation)
    model = nn.Sequential(convolution, nn.AdaptiveAvgPool2d(1), nn.Flatten()).double()
    inputs, labels, present = batch(2, 6, 7)
    _, wanted = one_by_one(model, inputs.double(), labels, present)
    torch.testing.assert_close(client_updates(model)(inputs.double(), labels, present)[1], wanted)


def test_patches_in_parts_are_the_same(monkeypatch):
    torch.manual_seed(0)
    model = convolutional()
    arguments = batch(2, 8, 7)
    whole = client_updates(model)(*arguments)
    monkeypatch.setattr(subject, "PATCH_VALUES", 1)
    torch.testing.assert_close(client_updates(model)(*arguments), whole)


@pytest.mark.parametrize(
    "layer",
    [
        nn.LayerNorm((6, 7)),
        nn.Conv2d(2, 2, 3, groups=2),
        nn.Conv2d(2, 2, 3, padding="same"),
        nn.Conv2d(2, 2, 3, padding=1, padding_mode="reflect"),
    ],
)
def test_a_model_with_other_layers_has_the_same_updates(layer):
    torch.manual_seed(0)
    pooled = (nn.AdaptiveAvgPool2d(2), nn.Flatten(), nn.Linear(8, CLASSES))
    model = nn.Sequential(layer, nn.Tanh(), *pooled).double()
    inputs, labels, present = batch(2, 6, 7)
    updates = client_updates(model)(inputs.double(), labels, present)
    torch.testing.assert_close(updates, one_by_one(model, inputs.double(), labels, present))


def test_a_weight_that_two_layers_share_is_one_parameter():
    torch.manual_seed(0)
    model = nn.Sequential(nn.Linear(CLASSES, CLASSES), nn.Tanh(), nn.Linear(CLASSES, CLASSES))
    model[2].weight = model[0].weight
    inputs, labels, present = batch(CLASSES)
    updates = client_updates(model.double())(inputs.double(), labels, present)
    torch.testing.assert_close(updates, one_by_one(model, inputs.double(), labels, present))


def test_batch_statistics_need_passes_of_their_own():
    model = nn.Sequential(nn.Conv2d(1, 2, 3), nn.BatchNorm2d(2), nn.Flatten(), nn.Linear(72, 3))
    client_updates(model.eval())
    normalise_by_batch(model)
    with pytest.raises(ValueError, match="couple the samples"):
        client_updates(model)
