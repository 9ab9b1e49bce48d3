"""Settings: names, expansion, duplicates; those of split training, refused and simplified."""

from itertools import product

import pytest
from fbftl.ground.errors import UserError
from fbftl.models.chain import check_networks
from fbftl.study import methods
from fbftl.study.config import Study
from fbftl.study.settings import TYPES, Setting, expand, from_axes, simplified
from hypothesis import given, settings
from hypothesis import strategies as st
from snakemake.target_jobs import parse_target_jobs_cli_args
from unit.study.test_refused_settings import study

AXIS_VALUES = {
    "method": ["fbftl"],
    "fraction": [1, 0.1, 0.01],
    "burst": [1, 2.5],
    "bits": [32, 8],
    "keep": [1.0, 0.1],
    "retransmissions": [0, 2],
    "mechanism": ["none"],
    "label_epsilon": [None, 1, 4.0],
}
grids = st.dictionaries(st.sampled_from(list(AXIS_VALUES)), st.none()).flatmap(
    lambda axes: st.fixed_dictionaries(
        {a: st.lists(st.sampled_from(AXIS_VALUES[a]), min_size=1, max_size=3) for a in axes}
    )
)


def test_names_are_stable():
    assert Setting().name == "fbftl"
    assert from_axes({"fraction": 0.01, "plr": 0.9}).name == "fbftl+fraction=0.01+plr=0.9"
    assert from_axes({"method": "ftl_c", "bits": 8}).name == "ftl_c+bits=8"
    assert from_axes({"epsilon": 4, "mechanism": "gaussian"}).name == (
        "fbftl+mechanism=gaussian+epsilon=4.0"
    )


@given(grids)
def test_a_name_survives_the_way_to_another_machine(grid):
    """Snakemake hands a remote job its wildcards as text, `rule:name=value,name=value`."""
    for setting in map(
        from_axes, (dict(zip(grid, v, strict=True)) for v in product(*grid.values()))
    ):
        (job,) = parse_target_jobs_cli_args([f"train:task=digits,setting={setting.name}"])
        assert job.wildcards_dict == {"task": "digits", "setting": setting.name}


def test_axes_without_effect_vanish():
    assert from_axes({"loss": "reshuffled"}) == Setting()
    assert from_axes({"method": "fl", "feedback": False}) == Setting(method="fl")
    assert from_axes({"epsilon": 4.0}) == Setting()
    assert from_axes({"method": "fl", "feedback": False, "bits": 2}).feedback is False


def test_experiments_share_their_common_settings():
    loss = {"plr": [0, 0.5, 0.9]}
    compression = {"bits": [32, 8], "keep": [1, 0.1]}
    assert len(expand([loss, compression])) == 3 + 4 - 1


@settings(max_examples=30)
@given(st.lists(grids, max_size=3))
def test_expansion_is_sorted_unique_and_typed(spans):
    # With a loss beside it every axis has an effect in some setting.
    expanded = expand([span | {"blr": [0.0, 0.2]} for span in spans])
    names = [s.name for s in expanded]
    assert names == sorted(names)
    assert len(set(names)) == len(set(expanded)) == len(expanded)
    for setting in expanded:
        assert simplified(setting) == setting
        for axis, kind in TYPES.items():
            assert getattr(setting, axis) is None or type(getattr(setting, axis)) is kind


EPPFL = {"method": "eppfl"}
NETWORK = {"kind": "cnn", "channels": [[4], [4]], "fc": [8], "cut": "relu1_1"}


def split_at(client_part: str) -> Study:
    """Return a study whose clients train as far as that layer."""
    axes = EPPFL | {"network": "cnn", "client_part": client_part}
    return study({"networks": {"cnn": NETWORK}}, **axes)


def test_axes_of_split_training_without_effect_vanish():
    plain = Setting(**EPPFL)
    for axis, value in {
        "kept_gradients": "small", "selection_reading": "code", "laplace_sensitivity": "clip",
        "mask_shape": "scalar", "client_part": "relu2_1",
    }.items():  # fmt: skip
        assert from_axes(EPPFL | {axis: value}) == plain
        with pytest.raises(UserError, match=f"asks for {axis} .* has no effect"):
            expand([{"method": ["eppfl"], axis: [value]}])


def test_a_client_part_is_where_the_job_cuts_and_has_to_be_in_the_network():
    resolved = split_at("relu2_1")
    (name,) = resolved.settings["digits"]["asked"]
    assert resolved.job("digits", name)["block"]["network"]["cut"] == "relu2_1"
    check_networks("digits", resolved.task("digits"), resolved.client_parts("digits"))
    wrong = split_at("relu7_1")
    with pytest.raises(UserError, match=r"cut is 'relu7_1'.*choose among conv1_1"):
        check_networks("digits", wrong.task("digits"), wrong.client_parts("digits"))


BUYING = {"method": "ecos", "purchase": 300}


def test_axes_of_counts_mean_nothing_where_nobody_counts():
    counting = {"mechanism": "counts", "sigma": 10.0, "count_sampling": 0.8, "centroids": 50}
    choosing = from_axes(BUYING | counting | {"purchase_rule": "random", "bits": 8})
    assert choosing == Setting(method="ecos", purchase=300, purchase_rule="random")
    kept = from_axes(BUYING | counting | {"purchase_rule": "proximity", "bits": 8})
    assert (kept.sigma, kept.centroids, kept.bits) == (10.0, 50, 8)
    uploading = from_axes({"method": "ecos", "uploaders": 2, "purchase_rule": "kcenter", "bits": 8})
    assert uploading == Setting(method="ecos", uploaders=2, bits=8)


def test_settings_with_one_clustering_step_together():
    together = methods.record("ecos").together
    random, ideal, near = (
        together(Setting(**BUYING, purchase_rule=choice))
        for choice in ("random", "ideal", "proximity")
    )
    by_centroids = {count: together(Setting(**BUYING, centroids=count)) for count in (25, 50, 100)}
    assert random == ideal != near == by_centroids[100]
    assert len(set(by_centroids.values())) == 3
