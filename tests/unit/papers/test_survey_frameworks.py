"""The survey's frameworks: audit rows from what is printed, counts of work, attacks by seed."""

from fbftl.findings.runs import write_tidy
from fbftl.models.cost.layers import parameters, products
from fbftl.papers.measures import MEASURES
from fbftl.papers.quantities import runs_by_task
from fbftl.papers.survey import claims
from unit.papers.test_effects import runs

FD = {"method": "fd", "network": "mlp_64"}


def test_what_was_measured_beside_runs_joins_them_by_setting_and_seed(tmp_path):
    table = runs((FD, [0.9] * 3), (FD | {"partition": "shards"}, [0.5] * 3)).assign(task="t")
    attack = table[["task", "setting", "seed"]][:2].assign(membership=[0.6, 0.7])
    for name, rows in (("runs", table), ("attack", attack)):
        write_tidy(tmp_path / name, rows)
    joined = runs_by_task([tmp_path / "runs"], [], beside=[tmp_path / "attack"])["t"]
    first, second = table["setting"].unique()
    membership, accuracy = (MEASURES[name].values for name in ("membership", "accuracy"))
    assert membership(joined, first).tolist() == [0.6, 0.7]
    assert membership(joined, second).empty
    assert accuracy(joined, second).tolist() == [50.0] * 3


def test_counts_of_work_by_hand():
    assert claims.NETWORK[-1].parameters == 1_290
    assert parameters(claims.NETWORK) == 1_199_882
    assert products(claims.NETWORK) == 194_688 + 10_616_832 + 1_179_648 + 1_280
    assert claims.fedmd() - claims.fedavg() == 4 * 1000 * products(claims.NETWORK)
    assert claims.products() == 2 * 128 * 9217 * (1280 + 128)
    assert claims.paillier() > claims.fedmd() > claims.fedhealth()
