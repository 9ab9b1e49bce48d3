"""What a network is worth on some samples, in their order, whatever they go through it in."""

import numpy as np
import torch
from fbftl.training.network import evaluate
from fbftl.training.samples import LabelledInputs, ReadSamples


def test_answers_are_in_the_order_of_the_samples_where_domains_go_through_apart() -> None:
    logits = torch.eye(3)[torch.tensor([0, 1, 2, 0, 1])]
    labels, domain = torch.tensor([0, 1, 2, 1, 0]), np.array([1, 0, 1, 0, 1])
    tested = evaluate(lambda x: x, LabelledInputs(logits, labels, domain), np.arange(5))
    assert tested.right.tolist() == [True, True, True, False, False]
    assert tested.accuracy == 0.6


def test_rows_of_the_task_are_evaluated_where_only_some_of_them_were_read() -> None:
    read = LabelledInputs(torch.eye(2)[[0, 1, 0]], torch.tensor([0, 1, 1]))
    tested = evaluate(lambda x: x, ReadSamples(read, np.array([3, 40, 500])), np.array([40, 500]))
    assert tested.right.tolist() == [True, False]
