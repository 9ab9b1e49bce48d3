"""Messages and heads that contradict each other are refused before any job, in one sentence."""

import pytest
from fbftl.ground.errors import UserError
from fbftl.study.grid import expand
from fbftl.study.settings import Setting
from fbftl.study.uploads import HEADS_FROM, is_plain


@pytest.mark.parametrize(
    ("axes", "said"),
    [
        ({"message": "means"}, "head mlp from means, which lack second moments"),
        ({"message": "statistics", "head": "fedcof"}, "lack the samples .* choose among ridge"),
        ({"message": "projected", "head": "lda"}, "needs projection"),
        ({"head": "lda", "aggregation": "masked"}, "masks features, which cannot be summed"),
        (
            {"message": "means", "head": "fedcof", "aggregation": "masked"},
            "fedcof needs each client's; use head ncm or fedncm",
        ),
        (
            {"message": "statistics", "head": "lda", "aggregation": "masked", "bits": 8},
            "masks compressed messages",
        ),
        (
            {"message": "means", "head": "ncm", "mechanism": "gaussian", "epsilon": 1.0},
            "on means, whose sensitivity is not known",
        ),
        (
            {"message": "statistics", "head": "lda", "mechanism": "relative", "sigma": 0.1},
            "mechanism relative on statistics",
        ),
        ({"message": "statistics", "head": "lda", "keep": 0.1}, "changes keep"),
        ({"head": "lda", "plr": 0.5, "loss": "reshuffled"}, "changes loss"),
        ({"projection": 8}, "asks for projection 8, which has no effect"),
        ({"components": 8}, "asks for components 8, which has no effect"),
        ({"components": 0}, "asks for components 0, which has no effect"),
        ({"covariance": "spherical"}, "asks for covariance spherical, which has no effect"),
        ({"method": "ftl_c", "message": "means"}, "ftl_c does not know axis message"),
    ],
)
def test_what_cannot_be_is_one_sentence(axes, said):
    with pytest.raises(UserError, match=said):
        expand([{axis: [value] for axis, value in axes.items()}])


def test_fbftl_itself_keeps_its_name():
    assert Setting().name == "fbftl"
    assert is_plain(Setting())
    assert not is_plain(Setting(head="lda"))


def test_features_hold_what_every_head_needs():
    every = {head for heads in HEADS_FROM.values() for head in heads}
    assert set(HEADS_FROM["features"]) == every
