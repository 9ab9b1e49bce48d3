"""Sentences of EPPFL and FedFeat+ about what adversaries get, and under whose noise gains are."""

import pytest
from fbftl.papers.claims import OURS
from fbftl.papers.eppfl.claims import EPPFL, dpfl
from fbftl.papers.fedfeat import settings as fedfeat
from unit.papers.claimed import judgements, runs_of

HOLDS, CONTRARY = "holds", "the contrary holds"


@pytest.mark.parametrize(("psnr", "expected"), [(20.0, CONTRARY), (10.9, HOLDS)])
def test_a_loose_epsilon_is_safe_where_nothing_is_drawn(psnr, expected):
    runs = runs_of((dpfl(10), {"psnr": psnr, "psnr_blind": 10.0}))
    assert judgements("eppfl", runs)["eppfl-11", "pictures"] == expected


@pytest.mark.parametrize(("half", "expected"), [(12.0, HOLDS), (14.0, CONTRARY)])
def test_fewer_activations_are_safer_where_less_is_drawn(half, expected):
    runs = runs_of((dpfl(5), {"psnr": 13.0}), (EPPFL, {"psnr": half}))
    assert judgements("eppfl", runs)["eppfl-12", "psnr_noised"] == expected


@pytest.mark.parametrize(("auc", "expected"), [(0.52, HOLDS), (0.6, CONTRARY)])
def test_members_are_hidden_where_the_average_tells_no_more_than_its_beginning(auc, expected):
    runs = runs_of((EPPFL, {"membership": auc, "membership_blind": 0.52}))
    assert judgements("eppfl", runs)["eppfl-23", "eppfl"] == expected


def gains_of_tables(
    gains: dict[tuple[str, float], float], task: str, step: str = fedfeat.PRINTED, of_fedavg=0.8
) -> dict[tuple, str]:
    """Return what sentences come to where noise leaves such gains, by partition and epsilon."""
    settings = [
        (fedfeat.noised_by(noise, partition, step=step), {"test_accuracy": of_fedavg + gain})
        for (partition, noise), gain in gains.items()
    ]
    plain = [
        (setting, {"test_accuracy": of_fedavg})
        for partition in fedfeat.PARTITIONS
        for setting in (
            fedfeat.setting_of("fedavg", partition),
            fedfeat.retrained(partition, step=step),
        )
    ]
    return judgements("fedfeat", runs_of(*settings, *plain, task=task))


def test_gains_of_tables_are_under_their_noise():
    gains = {("iid", 2.0): 0.01, ("iid", 1.5): -0.04, ("shards", 2.0): 0.05, ("shards", 1.5): 0.02}
    digits = gains_of_tables(gains, "digits-full")
    assert digits["fedfeat-17", "cnn"] == digits["fedfeat-17", "cnn_ahead"] == HOLDS
    mnist = gains_of_tables(gains, "mnist-full")
    assert mnist["fedfeat-11", "iid_cnn_noised"] == CONTRARY
    assert {sentence for sentence, _ in mnist if sentence != OURS} == {"fedfeat-11", "fedfeat-12"}
    of_cifar10 = gains_of_tables(gains, "cifar10-full").keys() - digits.keys()
    assert {sentence for sentence, _ in of_cifar10} == {"fedfeat-01", "fedfeat-20"}


def test_sentences_go_by_the_step_that_belongs_to_a_task_s_clients():
    """Beside the public code's clients it is the released one; parts of one step keep its name."""
    gains = {("iid", 2.0): 0.01, ("shards", 2.0): 0.05}
    printed, released = (
        gains_of_tables(gains, "cifar10-full", step) for step in (fedfeat.PRINTED, fedfeat.RELEASED)
    )
    assert printed["fedfeat-17", "cnn"] == released["fedfeat-17", "cnn"] == HOLDS
    named = ("fedfeat-01", "fedfeat-05", "fedfeat-06", "fedfeat-07")
    of_a_step = {name for name in printed.keys() ^ released.keys()}
    assert {sentence for sentence, _ in of_a_step} <= set(named)
    assert ("fedfeat-01", "iid_released") in released.keys() - printed.keys()


def test_nothing_is_compared_where_a_seed_of_fedavg_guesses():
    gains = {("iid", 2.0): 0.3, ("shards", 2.0): 0.3}
    assert not gains_of_tables(gains, "cifar10-full", of_fedavg=0.116)
    assert gains_of_tables(gains, "cifar10-full", of_fedavg=0.13)


def test_two_guesses_are_no_effect_of_noise():
    """FedAvg learns, and FedFeat+ is at chance whatever its noise."""
    at_chance = {("shards", epsilon): -0.7 for epsilon in fedfeat.EPSILONS}
    found = gains_of_tables(at_chance, "cifar10-full")
    assert not {sentence for sentence, _ in found} & {"fedfeat-20"}
    one_learns = at_chance | {("shards", 2.0): -0.3}
    rising = {part for sentence, part in gains_of_tables(one_learns, "cifar10-full")}
    assert {"shards_cnn_2", "shards_cnn_range"} <= rising
    assert "shards_cnn_1" not in rising


@pytest.mark.parametrize(("accuracy", "expected"), [(0.1, None), (0.5, HOLDS)])
def test_features_of_a_guess_tell_nothing(accuracy, expected):
    """Whatever FedAvg does, of which there is no run here."""
    settings = [
        (
            fedfeat.noised_by(epsilon, "iid", step=fedfeat.PRINTED),
            {"test_accuracy": accuracy, "mutual_information": epsilon},
        )
        for epsilon in fedfeat.EPSILONS
    ]
    found = judgements("fedfeat", runs_of(*settings, task="cifar10-full"))
    assert found.get(("fedfeat-21", "mutual_information")) == expected


@pytest.mark.parametrize(("behind", "expected"), [(0, HOLDS), (1, HOLDS), (3, CONTRARY)])
def test_almost_everywhere_is_a_share_of_cells(behind, expected):
    cells = [
        (network, clients)
        for network in fedfeat.NETWORKS
        for clients in ({}, {"clients_per_round": 50})
    ]
    settings = []
    for index, (network, clients) in enumerate(cells):
        gain = -0.01 if index < behind else 0.01
        with_server = (
            fedfeat.retrained("iid", network, fedfeat.PRINTED, **clients)
            if clients
            else fedfeat.noised_by(2.0, "iid", network, fedfeat.PRINTED)
        )
        settings += [
            (fedfeat.setting_of("fedavg", "iid", network, **clients), {"test_accuracy": 0.8}),
            (with_server, {"test_accuracy": 0.8 + gain}),
        ]
    found = judgements("fedfeat", runs_of(*settings, task="digits-full"))
    assert found["fedfeat-14", "share"] == expected
