"""Networks as chains: published parameter counts, names, what is refused before any job."""

import pytest
import torch
from fbftl.ground.errors import UserError
from fbftl.models.chain import Chain, chain_of, check_networks, cuttable
from fbftl.models.networks import build

VGG19 = {
    "channels": [[64, 64], [128, 128], [256] * 4, [512] * 4, [512] * 4],
    "pool": [2, 2, 2, 2, 1],
    "fc": [512, 512],
    "dropout": 0.5,
}
VGG16 = {
    "channels": [[64, 64], [128, 128], [256] * 3, [512] * 3, [512] * 3],
    "fc": [4096, 4096],
    "classes": 1000,
}
MNIST_EXAMPLE = {
    "channels": [[32, 64]],
    "padding": "valid",
    "pool_dropout": 0.25,
    "fc": [128],
    "dropout": 0.5,
}
DIGITS_CNN = {
    "channels": [[64], [64], [128]],
    "kernel": 5,
    "pool": [2, 2, 1],
    "fc": [2048, 512],
    "norm": "batch",
}


def parameters(image: tuple[int, int, int], options: dict) -> int:
    with torch.device("meta"):
        network = build(Chain(**{"image": image, "classes": 10} | options))
    return sum(parameter.numel() for parameter in network.parameters())


@pytest.mark.parametrize(
    ("image", "options", "count"),
    [
        ((28, 28, 1), MNIST_EXAMPLE, 1_199_882),
        ((32, 32, 3), VGG19, 21_341_258),
        ((224, 224, 3), VGG16, 138_357_544),
        ((8, 8, 1), {"fc": [64, 64]}, 65 * 64 + 65 * 64 + 65 * 10),
    ],
)
def test_networks_of_the_papers_have_their_counts(image, options, count):
    """FedFeat+ Table I, survey Sec. A, EPPFL's code, thesis Table 4.1: 14.2 M and 8 x 1.8 M / 8."""
    assert parameters(image, options) == count


@pytest.mark.parametrize("image", [(5, 7, 2), (3, 1, 1)])
@pytest.mark.parametrize("options", [DIGITS_CNN, {"fc": []}])
def test_any_image_size_goes_through(image, options):
    height, width, channels = image
    network = build(Chain(image=image, classes=4, **options))
    assert network(torch.zeros(2, channels, height, width)).shape == (2, 4)


def test_both_sides_of_every_cut_have_something_to_train():
    layers = Chain((8, 8, 1), 4, [5], [[2]]).layers()
    network = build(Chain((8, 8, 1), 4, [5], [[2]]))
    names = [name for name, _ in network.named_children()]
    both = [
        name
        for position, name in enumerate(names, start=1)
        if list(network[:position].parameters()) and list(network[position:].parameters())
    ]
    assert cuttable(layers) == both


BLOCK = {"kind": "cnn", "channels": [[4], [4]], "fc": [8], "cut": "pool2"}


def task_with(block: dict, size: int | None = None, **source: list[int]) -> dict:
    return {"networks": {"own": block}, "features": {"size": size}, "source": source}


def test_a_network_that_can_be_built_and_cut_is_accepted():
    check_networks("digits", task_with(BLOCK, image=[8, 8, 1]))
    check_networks("digits", task_with(BLOCK, image=[2, 2, 1], size=8))
    assert chain_of(BLOCK, (8, 8, 1), 10) == Chain((8, 8, 1), 10, [8], [[4], [4]])


@pytest.mark.parametrize(
    ("change", "sentence"),
    [
        ({"cut": "pool3"}, r"networks.own.cut is 'pool3'.*choose among conv1_1, .*drop_fc1"),
        ({"cut": "output"}, "cut is 'output', which leaves clients or server without"),
        ({"pool": [2]}, "pool lists 1 sizes for 2 blocks"),
        ({"channels": [[4]] * 4}, "can be pooled 3 times only"),
        ({"kernel": 7, "padding": "valid"}, "leaves nothing of images of 8 x 8 pixels"),
    ],
)
def test_faults_are_one_sentence(change, sentence):
    with pytest.raises(UserError, match=sentence):
        check_networks("digits", task_with(BLOCK | change, image=[8, 8, 1]))
