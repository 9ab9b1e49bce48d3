"""Private descent at other scales, with one step louder, and under noise that rises."""

import pytest
from fbftl.ground.errors import UserError
from fbftl.methods.by_name import train
from fbftl.methods.private_gd.server import noise_of
from fbftl.privacy.schedules import spent
from fbftl.study.grid import expand
from unit.methods.private_gd.test_private_gd import NOISY, inputs, private_job

__all__ = ["inputs"]


def test_one_step_is_twice_as_loud_and_costs_less():
    even, louder = (noise_of(private_job(NOISY | more)) for more in ({}, {"louder_step": 3}))
    ratio = louder.multipliers / even.multipliers
    assert ratio.tolist() == [1.0, 1.0, 2.0, *[1.0] * 17]
    assert spent(louder.multipliers) < spent(even.multipliers)
    assert louder.records[0].epsilon < even.records[0].epsilon


def test_the_scale_of_the_data_takes_the_place_of_the_task_s(inputs):
    small, usual, same = (
        train([private_job({"method": "private_gd", "descent_steps": 3} | more)], inputs)[0]
        for more in ({"data_scale": 1.0}, {}, {"data_scale": 10.0})
    )
    losses = [outcome.repetitions[0]["series"]["loss"] for outcome in (small, usual, same)]
    assert losses[1] == losses[2] != losses[0]


@pytest.mark.parametrize(
    ("axes", "sentence"),
    [
        ({"louder_step": 30}, "more noise at step 30 of 20"),
        ({"schedule": "dynamic", "decay": 0.5, "descent_momentum": 0.9}, "give decay above 1"),
        ({"schedule": "exp", "decay": 1.0}, "or below for rising noise"),
    ],
)
def test_what_contradicts_itself_is_refused(axes, sentence):
    with pytest.raises(UserError, match=sentence):
        expand([{name: [value] for name, value in (NOISY | axes).items()}])
