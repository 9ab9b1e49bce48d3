"""What settings of ECOS may ask of a cloud."""

from types import SimpleNamespace

import pytest
from fbftl.ground.errors import UserError
from fbftl.study import methods
from fbftl.study.feasibility import require_cloud
from fbftl.study.grid import expand, from_axes
from fbftl.study.settings import Setting

BUYING = {"method": "ecos", "purchase": 300}


def test_axes_of_counts_mean_nothing_where_nobody_counts():
    counting = {"mechanism": "counts", "sigma": 10.0, "count_sampling": 0.8, "centroids": 50}
    choosing = from_axes(BUYING | counting | {"purchase_rule": "random", "bits": 8})
    assert choosing == Setting(method="ecos", purchase=300, purchase_rule="random")
    kept = from_axes(BUYING | counting | {"purchase_rule": "proximity", "bits": 8})
    assert (kept.sigma, kept.centroids, kept.bits) == (10.0, 50, 8)
    uploading = from_axes({"method": "ecos", "uploaders": 2, "purchase_rule": "kcenter", "bits": 8})
    assert uploading == Setting(method="ecos", uploaders=2, bits=8)


@pytest.mark.parametrize(
    ("axes", "sentence"),
    [
        ({"method": "ecos"}, "buys nothing and has nobody upload"),
        (BUYING | {"mechanism": "counts"}, "mechanism counts, which needs sigma or epsilon"),
        (BUYING | {"mechanism": "gaussian", "sigma": 1}, "is not possible: mechanism gaussian"),
        (
            BUYING | {"purchase_rule": "random", "count_sampling": 0.8},
            "asks for count_sampling 0.8, which has no eff",
        ),
    ],
)
def test_settings_that_say_nothing_or_too_much_are_refused(axes, sentence):
    with pytest.raises(UserError, match=sentence):
        expand([{axis: [value] for axis, value in axes.items()}])


def study(*settings: Setting, clients: int = 1) -> SimpleNamespace:
    """Return what is asked of a study with one experiment on one task."""
    named = {setting.name: setting for setting in settings}
    clients = {"partition": "iid", "clients": clients, "samples_per_client": None}
    return SimpleNamespace(
        settings_of=lambda _: named,
        task=lambda _: {"clients": clients},
    )


@pytest.mark.parametrize(
    ("axes", "sentence"),
    [
        ({"purchase": 301}, "has purchase 301, but the public sources have 300 rows"),
        ({"centroids": 301}, "has centroids 301, but the public sources have 300 rows"),
        ({"uploaders": 2}, "has 2 uploaders, but there are 1 clients; give at most 1"),
        ({"aggregation": "masked"}, "masks the counts of one client"),
        (
            {"label_source": "client", "clients": 2},
            "has a client give labels, but there are 2 clients",
        ),
    ],
)
def test_a_cloud_sells_what_it_has_to_clients_that_there_are(axes, sentence):
    require_cloud(study(Setting(**BUYING)), "digits", 300, 500)
    with pytest.raises(UserError, match=sentence):
        require_cloud(study(Setting(**(BUYING | axes))), "digits", 300, 500)
    if sentence.endswith("rows"):
        require_cloud(study(Setting(**(BUYING | axes))), "digits", None, 500)


@pytest.mark.parametrize(("clients", "fraction"), [(10, 0.1), (3, 0.4), (3, 0.01), (1, 1.0)])
def test_masked_counts_of_one_client_that_takes_part_are_refused(clients, fraction):
    masked = Setting(**BUYING, aggregation="masked", fraction=fraction)
    with pytest.raises(UserError, match="masks the counts of one client"):
        require_cloud(study(masked, clients=clients), "digits", 300, 500)
    require_cloud(study(masked, clients=200), "digits", 300, 500)


def test_settings_with_one_clustering_step_together():
    together = methods.record("ecos").together
    random, ideal, near = (
        together(Setting(**BUYING, purchase_rule=choice))
        for choice in ("random", "ideal", "proximity")
    )
    by_centroids = {count: together(Setting(**BUYING, centroids=count)) for count in (25, 50, 100)}
    assert random == ideal != near == by_centroids[100]
    assert len(set(by_centroids.values())) == 3
