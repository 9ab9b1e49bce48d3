"""The methods' records: each has its module, its look and its scheme, and says what it refuses."""

from importlib.util import find_spec

import pytest
from fbftl.cost.scheme import SCHEMES
from fbftl.findings.shown import shown
from fbftl.ground.code import sources
from fbftl.ground.errors import UserError
from fbftl.study import methods
from fbftl.study.grid import expand
from fbftl.study.job import known_axes
from fbftl.study.settings import DEFAULTS

PLAN = {f"scripts/fbftl/study/{name}.py" for name in ("methods", "settings", "grid", "config")}


def test_every_record_is_of_a_method_that_can_be_trained_and_counted():
    for record in methods.RECORDS:
        assert find_spec(f"fbftl.methods.{record.name}"), record.name
        assert record.cost in (*SCHEMES, None)
        assert set(record.axes) <= DEFAULTS.keys()
        assert record.mechanisms[0] == "none"


def test_every_method_has_its_own_look():
    looks = shown(methods.rows(methods.names())).values()
    assert len({look.colour for look in looks}) == len({look.marker for look in looks})
    assert len({look.colour for look in looks}) == len({look.label for look in looks}) == len(looks)


def test_figures_set_an_index_lower():
    drawn = {name: look.drawn for name, look in shown(methods.rows(["ftl_c", "fbftl"])).items()}
    assert drawn == {"ftl_c": "FTL$_c$", "fbftl": "FbFTL"}


@pytest.mark.parametrize(
    ("axes", "said"),
    [
        ({"method": "sfl", "bits": 8}, "sfl does not know axis bits; .* fedavg, fedfeat, ecos$"),
        ({"method": "fl", "cut": "fc1"}, "fl does not know axis cut; .* ftl_c, fbftl, released"),
        ({"method": "fbftl", "bits": 2, "feedback": False}, "fbftl does not know axis feedback"),
        ({"method": "ftl_c", "label_epsilon": 1.0}, "know it: fbftl$"),
        ({"method": "released", "blr": 0.1}, "released does not know axis blr"),
        (
            {"method": "fl", "local_epochs": 5},
            "fl does not know axis local_epochs; .*: fedavg, fedfeat",
        ),
        ({"method": "fl", "steps": 5}, "fl does not know axis steps; .*: private_gd$"),
        ({"method": "fbftl", "schedule": "exp"}, "schedule exp, which has no effect"),
        (
            {"method": "private_gd", "mechanism": "dp_gd", "epsilon": 1, "schedule": "exp"},
            "whose decay is 1; give decay above 1",
        ),
        (
            {"method": "fl", "mechanism": "dp_fedavg", "epsilon": 1, "accountant": "zcdp"},
            "accounts sampled rounds by zCDP",
        ),
        ({"method": "private_gd", "mechanism": "dp_gd"}, "needs sigma or epsilon"),
        ({"method": "private_gd", "neighbours": "replaced"}, "replaced, which has no effect"),
    ],
)
def test_an_axis_that_a_method_does_not_know_is_refused(axes, said):
    with pytest.raises(UserError, match=said):
        expand([{axis: [value] for axis, value in axes.items()}])


def test_a_job_knows_the_axes_of_its_method_only():
    setting = known_axes({"method": "sfl", "fraction": 0.5}, methods.axes_by_method()["sfl"])
    assert (setting.method, setting.fraction, setting.plr) == ("sfl", 0.5, 0.0)
    with pytest.raises(AttributeError, match="method sfl does not know axis cut"):
        _ = setting.cut
    with pytest.raises(ValueError, match="method sfl does not know cut"):
        known_axes({"method": "sfl", "cut": "fc1"}, methods.axes_by_method()["sfl"])


def test_no_default_ever_changes():
    """Names of runs rest on them, and jobs are told them untracked. A new axis adds a line."""
    old = {
        "method": "fbftl",
        "cut": None,
        "fraction": 1.0,
        "samples_per_client": None,
        "plr": 0.0,
        "blr": 0.0,
        "burst": 1.0,
        "retransmissions": 0,
        "loss": "persistent",
        "bits": 32,
        "keep": 1.0,
        "feedback": True,
        "mechanism": "none",
        "sigma": None,
        "epsilon": None,
        "noise": "once",
        "label_epsilon": None,
        "local_epochs": 1,
        "aggregation": "open",
        "start": "common",
        "drawn": None,
        "most_samples": None,
        "features_from": "last_epoch",
        "server_epochs": 1,
        "feature_clip": None,
        "weighting": "samples",
        "schedule": "uniform",
        "decay": 1.0,
        "steps": 100,
        "accountant": "exact",
        "momentum": 0.0,
        "message": "features",
        "projection": None,
        "components": 1,
        "head": "mlp",
        "width": 1.0,
        "budgets": "exponential",
        "budget_order": "by_domain",
        "rescaled_init": False,
        "norms": "own",
        "sources": None,
        "selection_round": None,
        "votes": 1,
        "similarity": "unbiased",
        "public_data": "source",
        "transfer_epochs": 10,
        "distillation": 0.0,
        "seed_samples": 0,
        "adaptation": 0,
        "alignment": 0.0,
        "protection": "plain",
        "common_samples": 50,
        "dimensions": 8,
        "keep_activations": 1.0,
        "keep_gradients": 1.0,
        "kept_gradients": "large",
        "reading": "paper",
        "sensitivity": None,
        "mask": "vector",
        "client_part": None,
        "adversary": "none",
        "majority_users": None,
        "participation": None,
        "opt_out": 0.0,
        "local_steps": 1,
        "discriminator_rate": 1.0,
        "discriminator_steps": 1,
        "discriminator_sees": "z",
        "unlabelled_loss": "none",
        "choice": "ecos",
        "allocation": "cap",
        "centroids": 100,
        "purchase": 0,
        "score_power": 1.0,
        "sampling": 1.0,
        "uploaders": 0,
        "neighbours": "removed",
        "labels": "bought",
        "purpose": "label",
        "digest_rate": 1.0,
    }
    assert {axis: DEFAULTS[axis] for axis in old} == old
    assert [axis for axis in DEFAULTS if axis in old] == list(old)


def test_no_job_table_or_figure_imports_the_records_or_the_axes(root, monkeypatch):
    """Else one more method or axis would make every result again."""
    monkeypatch.chdir(root)
    rules = "".join(path.read_text(encoding="utf-8") for path in (root / "rules").glob("*.smk"))
    named = (path.name for path in (root / "scripts").glob("*.py"))
    scripts = [name for name in named if f'"../scripts/{name}"' in rules]
    trained = [f"fbftl.methods.{name}" for name in methods.names()]
    assert len(scripts) > 30
    for script in scripts:
        assert PLAN.isdisjoint(sources(script, "scripts", *trained)), script
