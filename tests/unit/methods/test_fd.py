"""FD and FAug on a toy task: teachers and losses by hand, what they send, seeds of samples."""

import numpy as np
import torch
from fbftl.methods.fd import augmented, distilling, fitted, of_others, seeds_of
from fbftl.training.samples import LabelledInputs
from torch.nn import functional
from unit.methods.framework_toys import sent


def test_fd_without_weight_is_training_alone(run):
    repetition = run("fd").repetitions[0]
    assert set(repetition["series"]["gain_by_client"]) == {0.0}
    assert repetition["test_accuracy"] == repetition["accuracy_alone"] > 0.2
    assert (
        run("fd", distillation_weight=1.0).repetitions[0]["test_accuracy"]
        != repetition["test_accuracy"]
    )


def test_teachers_are_the_means_of_the_others_that_hold_the_label():
    means = torch.arange(12.0).view(3, 2, 2)
    counts = torch.tensor([[2.0, 0.0], [1.0, 3.0], [4.0, 0.0]])
    teachers = of_others(means * (counts > 0)[..., None], counts)
    assert torch.equal(teachers[0, 0], (means[1, 0] + means[2, 0]) / 2)
    assert torch.equal(teachers[0, 1], means[1, 1])
    assert teachers[1, 1].isnan().all()  # nobody else holds it


def test_a_distilled_loss_by_hand():
    teachers = torch.randn(2, 3, 3)
    teachers[1, 2] = torch.nan
    logits, codes = torch.randn(3, 3), torch.tensor([1, 3 + 0, 3 + 2])
    losses = distilling(teachers, 0.5)(logits, codes)
    log = functional.log_softmax(logits, 1)
    soft = functional.softmax(teachers, -1)
    expected = [
        -log[0, 1] - 0.5 * (soft[0, 1] * log[0]).sum(),
        -log[1, 0] - 0.5 * (soft[1, 0] * log[1]).sum(),
        -log[2, 2],
    ]
    torch.testing.assert_close(losses, torch.stack(expected))


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
    fitted_generator = fitted(samples, 4)
    assert fitted_generator.has_seeds.tolist() == [True, True, True, False]
    generated = fitted_generator.sample(np.full(4000, 2), np.random.default_rng(0))
    torch.testing.assert_close(
        generated.mean(0), inputs[labels == 2].flatten(1).mean(0), atol=0.1, rtol=0
    )
    rows = [np.arange(0, 9)[labels[:9].numpy() != 1], np.arange(9, 60)]
    everything, filled = augmented(samples, rows, fitted_generator, 0)
    assert np.bincount(everything.labels[filled[0]].numpy()).tolist() == [3, 3, 3]
    assert filled[1].tolist() == rows[1].tolist()


def test_faug_tells_raw_samples_and_says_so(run):
    outcome = run("fd", seed_samples=5)
    samples = sent(outcome, part="samples")
    assert list(samples["payload_bits"]) == [5 * 64 * 32] * 4
    assert set(samples["round"]) == {0}
    assert outcome.repetitions[0]["accuracy_alone"] == run("fd").repetitions[0]["test_accuracy"]
