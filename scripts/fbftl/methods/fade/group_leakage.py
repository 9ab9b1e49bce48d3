"""What an update of the discriminator says of the group of who made it.

A user holds one group, and its own group's samples push the discriminator's output bias towards
that group, whatever they are: the gradient of the cross-entropy at the bias of the own group is
p - 1 < 0, at every other's p > 0. So the direction alone tells, from one message and without any
other knowledge, and noise has to drown it in every message of the user.
"""

import numpy as np


def guessed(moved: np.ndarray) -> np.ndarray:
    """Return the groups (n,) that are read off changes of the output bias (n, outputs).

    One output is the odds of group 0; more are the scores of each group.
    """
    if moved.shape[1] == 1:
        return (moved[:, 0] < 0).astype(np.int64)
    return moved.argmax(axis=1)


def leak(moved: np.ndarray, client: np.ndarray, group: np.ndarray) -> dict[str, float]:
    """Return how often the attack is right: on messages, on clients, and without looking.

    Args:
        moved: (n, outputs) what each message shows of the change.
        client: (n,) who is attacked with each.
        group: (U,) of each client.

    Returns:
        `leak` over messages; `leak_over_rounds` over clients, from the sum of what all messages of
        each show; `leak_by_chance`, always guessing the most frequent group among the messages.
    """
    true_group = group[client]
    clients, index = np.unique(client, return_inverse=True)
    total = np.zeros((len(clients), moved.shape[1]))
    np.add.at(total, index, moved)
    return {
        "leak": float((guessed(moved) == true_group).mean()),
        "leak_over_rounds": float((guessed(total) == group[clients]).mean()),
        "leak_by_chance": float(np.bincount(true_group).max() / len(true_group)),
    }
