"""What masked sums cannot do is said before any job, in one sentence."""

import pytest
from fbftl.ground.errors import UserError
from fbftl.study.grid import expand

SUMS = {"method": "one_shot", "message": "statistics", "head": "lda", "aggregation": "masked"}


@pytest.mark.parametrize(
    ("axes", "sentence"),
    [
        (
            {"method": "fedavg", "mechanism": "dp_fedavg", "sigma": 1.0, "aggregation": "masked"},
            "mechanism dp_fedavg on masked weights, of which the dealer adds none",
        ),
        (SUMS | {"bits": 8}, "masks compressed messages"),
        (SUMS | {"message": "features"}, "masks features, which cannot be summed"),
        (
            SUMS | {"message": "means", "head": "fedcof"},
            "fedcof needs each client's; use head ncm or fedncm",
        ),
    ],
)
def test_what_masked_sums_cannot_do_is_one_sentence(axes, sentence):
    with pytest.raises(UserError, match=sentence):
        expand([{axis: [value] for axis, value in axes.items()}])
