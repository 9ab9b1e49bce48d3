"""FedAvg's rounds of which the server sees the sum of the weights alone."""

import numpy as np
from fbftl.methods.fedavg.run import run
from unit.tasks.toy_task import LOCAL, MLP, job


def test_fedavg_by_sums_is_fedavg_to_the_last_digits(digits):
    outcomes = [
        run(job({"method": "fedavg", "aggregation": how, "plr": 0.3}, MLP, **LOCAL), digits)
        for how in ("open", "masked")
    ]
    curves = [outcome.repetitions[0]["series"]["loss"] for outcome in outcomes]
    np.testing.assert_allclose(*curves, rtol=1e-4)
    tables = [outcome.ledger.table().to_pandas() for outcome in outcomes]
    weights = [table.query("direction == 'up' and part == 'weights'") for table in tables]
    assert weights[0]["lost"].tolist() == weights[1]["lost"].tolist()
    assert weights[1]["encoded"].eq("made").all()
    assert weights[1]["sha256"].nunique() == len(weights[1]) == 10
    (repetition,) = outcomes[1].repetitions
    assert repetition["ring_bits"] == 64
