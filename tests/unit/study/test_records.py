"""The methods' records: each has its module, its look and its scheme, and says what it refuses."""

import math
from dataclasses import replace
from importlib.util import find_spec
from itertools import combinations
from operator import mul

import pytest
from fbftl.cost.scheme import SCHEMES
from fbftl.findings.shown import ShownMethod, shown
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
    assert len({look.label for look in looks}) == len(looks)
    assert [pair for pair in combinations(looks, 2) if not told_apart(*pair)] == []


def test_every_methods_colour_stands_out_from_the_paper():
    for record in methods.RECORDS:
        assert distance(record.colour, "#FFFFFF") >= 30, record.name


def told_apart(one: ShownMethod, other: ShownMethod) -> bool:
    """Whether colour or marker tells two methods apart; colours do at a distance of 25 in CIELAB.

    Side by side 2 is just seen; small points that lie far from each other need more.
    """
    return one.marker != other.marker or distance(one.colour, other.colour) >= 25


def distance(one: str, other: str) -> float:
    """Return how far two colours lie apart in CIELAB, under illuminant D65."""
    return math.dist(lab(one), lab(other))


def lab(colour: str) -> tuple[float, float, float]:
    """Return lightness, green to red and blue to yellow of a colour written #rrggbb (CIE 15)."""
    parts = [int(colour[place : place + 2], 16) / 255 for place in (1, 3, 5)]
    linear = [p / 12.92 if p <= 0.04045 else ((p + 0.055) / 1.055) ** 2.4 for p in parts]
    mixed = [sum(map(mul, row, linear)) for row in TO_XYZ]
    x, y, z = (m ** (1 / 3) if m > 216 / 24389 else (m * 24389 / 27 + 16) / 116 for m in mixed)
    return 116 * y - 16, 500 * (x - y), 200 * (y - z)


TO_XYZ = (
    (0.4124 / 0.9505, 0.3576 / 0.9505, 0.1805 / 0.9505),
    (0.2126, 0.7152, 0.0722),
    (0.0193 / 1.089, 0.1192 / 1.089, 0.9505 / 1.089),
)
"""From linear sRGB to X, Y, Z over those of white."""


def test_colours_lie_as_far_apart_as_the_standard_says():
    """White and black are 100 apart; pure red and pure green lie where tables of CIELAB say."""
    assert distance("#FFFFFF", "#000000") == pytest.approx(100, abs=0.1)
    assert lab("#FF0000") == pytest.approx((53.2, 80.1, 67.2), abs=0.3)
    assert lab("#00FF00") == pytest.approx((87.7, -86.2, 83.2), abs=0.3)


def test_a_look_may_share_colour_or_marker_but_not_both():
    first, *_ = shown(methods.rows(["fbftl"])).values()
    assert told_apart(first, replace(first, marker="s"))
    assert told_apart(first, replace(first, colour="#0072B2"))
    assert not told_apart(first, replace(first, colour="#D95F02"))


def test_figures_set_an_index_lower():
    drawn = {name: look.drawn for name, look in shown(methods.rows(["ftl_c", "fbftl"])).items()}
    assert drawn == {"ftl_c": "FTL$_c$", "fbftl": "FbFTL"}


@pytest.mark.parametrize(
    ("axes", "said"),
    [
        (
            {"method": "sfl", "bits": 8},
            "sfl does not know axis bits; .* fedavg, fedprox, fedfeat, ecos$",
        ),
        ({"method": "fl", "cut": "fc1"}, "fl does not know axis cut; .* ftl_c, fbftl, released"),
        ({"method": "fbftl", "bits": 2, "feedback": False}, "fbftl does not know axis feedback"),
        ({"method": "ftl_c", "label_epsilon": 1.0}, "know it: fbftl$"),
        ({"method": "released", "blr": 0.1}, "released does not know axis blr"),
        (
            {"method": "fl", "local_epochs": 5},
            "fl does not know axis local_epochs; .*: fedavg, fedprox",
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
        "covariance": "diagonal",
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
        "local_batch": None,
        "server_step": "clients",
        "proximal": 0.0,
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
