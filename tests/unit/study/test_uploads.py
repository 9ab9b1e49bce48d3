"""Messages and heads that contradict each other are refused before any job, in one sentence."""

import pytest
from fbftl.ground.errors import UserError
from fbftl.study.config import resolve
from fbftl.study.grid import expand

ASKED = {"method": "one_shot", "message": "features"}


def test_a_grid_says_which_message_clients_send():
    with pytest.raises(UserError, match=r"one_shot lacks the axis message \(what a client uploads"):
        expand([{"method": ["fbftl", "one_shot"], "head": ["lda"]}])


@pytest.mark.parametrize(
    ("axes", "sentence"),
    [
        ({}, "is FbFTL; use method: fbftl, or a head among logistic, ridge"),
        ({"message": "means", "head": "ridge"}, "ridge from means, which lack second moments"),
        ({"message": "moments", "head": "qda"}, "qda from moments, which lack the samples"),
        (
            {"message": "statistics", "head": "lda", "keep": 0.5},
            "keeps 0.5 of statistics; leave elements out of features, batch, means alone",
        ),
        (
            {"message": "mixtures", "covariance": "shared"},
            "covariance shared for mixtures; use covariance: diagonal",
        ),
        (
            {"message": "statistics", "head": "lda", "gram": "factor", "aggregation": "masked"},
            "factor, which does not add up; use gram: triangle",
        ),
        (
            {"message": "means", "head": "lda", "levels": "fitted"},
            "asks for levels fitted, which has no effect",
        ),
        ({"message": "statistics", "head": "fedcof"}, "lack the samples .* choose among ridge"),
        ({"message": "projected", "head": "lda"}, "needs projection"),
        (
            {"message": "means", "head": "ncm", "mechanism": "gaussian", "epsilon": 1.0},
            "on means, whose sensitivity is not known",
        ),
        (
            {"message": "mixtures", "components": 2, "mechanism": "gaussian", "epsilon": 1.0},
            "on mixtures, whose sensitivity is not known; .* gaussian on mixtures of components: 1",
        ),
        (
            {"message": "statistics", "head": "lda", "mechanism": "relative", "sigma": 0.1},
            "mechanism relative on statistics",
        ),
        ({"head": "lda", "projection": 8}, "asks for projection 8, which has no effect"),
    ],
)
def test_what_cannot_be_is_one_sentence(axes, sentence):
    with pytest.raises(UserError, match=sentence):
        expand([{axis: [value] for axis, value in (ASKED | axes).items()}])


def test_a_perceptron_is_not_chosen_by_the_samples_that_uploads_are_compared_on():
    config = {
        "study": {"tasks": ["digits"], "experiments": ["mine"]},
        "tasks": {
            "digits": {
                "data": {"kind": "digits"},
                "source": {"kind": "pretrain", "image": [8, 8, 1]},
                "features": {"cut": "fc1"},
                "training": {"selection": "test"},
            }
        },
        "experiments": {
            "mine": {"grids": [{"method": ["one_shot"], "message": ["batch"], "head": ["mlp"]}]}
        },
    }
    with pytest.raises(UserError, match="epoch would be chosen on the test samples"):
        resolve(config)
