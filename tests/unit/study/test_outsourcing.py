"""What settings of ECOS may ask of a cloud."""

from fbftl.study import methods
from fbftl.study.settings import Setting, from_axes

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
