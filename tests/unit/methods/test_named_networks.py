"""FL and SFL on networks that a task names: what is sent, what it costs, and that both agree."""

from pathlib import Path

import describe_network
import pytest
from fbftl.findings.exchanged import read_exchanged
from fbftl.models.cost.layers import Network, multiplications, parameters, read_network
from unit.findings.test_exchanged import agrees
from unit.training.tasks.toy_task import FEATURES, train

CNN = {
    "kind": "cnn", "channels": [[2], [3]], "kernel": 3, "padding": "same", "pool": [2, 1],
    "fc": [6], "norm": "batch", "dropout": 0.5, "pool_dropout": 0.25, "cut": "relu1_1",
}  # fmt: skip
BLOCKS = {
    "before pooling": CNN,
    "before a normalisation": CNN | {"cut": "conv2_1"},
    "perceptron": {"kind": "mlp", "fc": [5, 7], "norm": "none", "dropout": 0.0, "cut": "fc1"},
}


def described(files: dict[str, str], folder: Path, block: dict) -> Network:
    path = folder / "network.json"
    describe_network.named(files["clients"], files["source"], path, FEATURES, "own", block)
    return read_network(path)


def test_a_description_by_hand(files, tmp_path):
    network = described(files, tmp_path, CNN)
    assert network.name == "own"
    counts = [layer.parameters for layer in network.layers]
    # conv 1 to 2, its norm, conv 2 to 3, its norm, 4 x 4 x 3 to 6, its norm, 6 to 10
    assert counts == [2 * 10, 4, 3 * 19, 6, 6 * 49, 12, 10 * 7]
    assert network.cut == 2
    assert network.feature_width == 8 * 8 * 2
    assert parameters(network.extractor) == 24
    assert multiplications(network.extractor) == 64 * 2 * (9 + 1)
    assert multiplications(network.head) == 16 * 3 * (18 + 1) + 6 * 49 + 10 * 7


@pytest.mark.parametrize("block", BLOCKS.values(), ids=BLOCKS)
@pytest.mark.parametrize("method", ["fl", "sfl"])
def test_ledger_equals_the_formula_to_the_bit(files, tmp_path, method, block):
    run = read_exchanged(*train(files, tmp_path, method, network=block), {})
    assert agrees(run, described(files, tmp_path, block))
