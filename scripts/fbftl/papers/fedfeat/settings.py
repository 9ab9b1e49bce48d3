"""Settings that sentences of paper fedfeat (FedFeat+) compare, by their axes."""

from typing import Any

NETWORKS, PARTITIONS = ("cnn", "mlp"), ("iid", "shards")

EPSILONS = (0.5, 1.0, 1.5, 2.0)
"""Those that the paper prints."""

HEADLINE = 2.0
"""The one of the headline, and of Tables II and III on CIFAR-10 (audit row A4)."""

OF_MNIST = 1.5
"""The one that the paper has on MNIST."""

SERVER_STEPS = ("released", "printed", "chosen")
"""How the server retrains: as the public code has it, as the paper prints, by held-out features.
A full study has the first and the last beside the code's clients, the second beside the paper's."""

RELEASED, PRINTED, _ = SERVER_STEPS

PAIRED = "paired"
"""The step that belongs to how a task's clients train: the printed one beside the paper's clients,
the released one beside the public code's. Sentences have it that are about other things than the
accuracies of each step. In ten epochs the released one makes 400 steps a round on what the public
code's clients send, and 20 to 70 on what those of the full studies do."""

MANY = 50
"""Clients a round in the paper's larger setting."""


def setting_of(method: str, partition: str, network: str = "cnn", **more: Any) -> dict[str, Any]:
    """Return a setting of the quick study, and FedAvg of both."""
    retrains = {} if method == "fedavg" else {"server_epochs": 5}
    base = {"method": method, "partition": partition, "network": network, "local_epochs": 5}
    return base | retrains | more


def noised(
    epsilon: float, partition: str = "shards", network: str = "cnn", **more: Any
) -> dict[str, Any]:
    """Return one of the quick study under noise on features, as printed."""
    noise = {"mechanism": "feature_gaussian", "epsilon": epsilon}
    return setting_of("fedfeat", partition, network, **noise, **more)


def retrained(
    partition: str, network: str = "cnn", step: str = PAIRED, **more: Any
) -> dict[str, Any]:
    """Return FedFeat+ of the full study, whose server makes the public code's ten epochs."""
    return setting_of("fedfeat", partition, network, server_epochs=10, server_step=step, **more)


def noised_by(
    epsilon: float, partition: str, network: str = "cnn", step: str = PAIRED, **more: Any
) -> dict[str, Any]:
    """Return a retrained setting under noise on features, as printed."""
    noise = {"mechanism": "feature_gaussian", "epsilon": epsilon}
    return retrained(partition, network, step, **noise, **more)
