"""Who is dealt what in FADE: users of either group, ranges of classes, users in a round."""

import numpy as np
import pytest
from fbftl.ground.errors import UserError
from fbftl.methods.fade.groups import Ranges, dealt, rounds_to
from unit.methods.fade.fade_toys import PLAIN, job, ready

GROUP = np.repeat([0, 1], 300)
LABELS = np.tile(np.arange(10), 60)


def test_users_of_the_minority_share_its_samples():
    client = dealt(GROUP, (3, 4), seed=0)
    assert sorted(np.bincount(client).tolist()) == [75] * 4 + [100] * 3
    assert not {*client[GROUP == 0]} & {*client[GROUP == 1]}


@pytest.mark.parametrize("width", [4, 6, 10])
def test_ranges_of_classes_overlap_and_wrap_around(width):
    client = dealt(GROUP, (1, 3), 0, Ranges(LABELS, 10, width))
    assert (client >= 0).all()
    (minority,) = set(client[GROUP == 0].tolist())
    ranges = {
        frozenset(LABELS[client == user].tolist()) for user in {*client.tolist()} - {minority}
    }
    assert ranges == {
        frozenset((first + step) % 10 for step in range(width)) for first in (0, 3, 6)
    }


def test_a_user_without_samples_is_refused():
    with pytest.raises(UserError, match="has no sample of its 1 classes; give more"):
        dealt(GROUP, (1, 3), 0, Ranges(LABELS % 2, 10, 1))


def test_a_round_has_as_many_users_as_the_setting_says(files):
    many, usual, few = (
        ready(files, job(PLAIN | axes)).trials[0]
        for axes in ({"users_per_round": 4}, {}, {"minority_users": 2})
    )
    assert (many.schedule.users.shape, usual.schedule.users.shape) == ((12, 4), (12, 2))
    assert np.bincount(few.users.group).tolist() == [2, 3]


def test_the_first_round_at_each_level_counts():
    found = rounds_to([10, 20, 30, 40], [1.2, None, 0.5, 0.6])
    assert found == {"rounds_to_loss_100": 30, "rounds_to_loss_50": 30}
