import numpy as np
import pytest
from fbftl.data.domains import assigned_domains
from fbftl.data.partition import client_sizes, deal, members
from fbftl.ground.errors import UserError
from fbftl.study.clients import Dealing
from hypothesis import given, settings
from hypothesis import strategies as st

SPECS = [
    {"partition": "iid"},
    {"partition": "shards", "shards_per_client": 1},
    {"partition": "balanced_shards", "shards_per_client": 1},
    {"partition": "dirichlet", "alpha": 0.1},
    {"partition": "dirichlet_equal", "alpha": 0.1},
]
EQUAL = ["iid", "dirichlet_equal"]


def balanced(samples: int, classes: int = 10) -> np.ndarray:
    return np.random.default_rng(0).permutation(np.arange(samples) % classes)


def label_counts(labels: np.ndarray, client: np.ndarray, classes: int) -> np.ndarray:
    """Samples of each class that each client holds, (clients, classes)."""
    cells = client.astype(np.int64) * classes + labels
    clients = int(client.max()) + 1
    return np.bincount(cells, minlength=clients * classes).reshape(clients, classes)


@st.composite
def problems(draw):
    labels = np.array(draw(st.lists(st.integers(0, 5), min_size=1, max_size=120)))
    kind = draw(st.sampled_from([spec["partition"] for spec in SPECS]))
    key = draw(st.sampled_from(["samples_per_client", "clients"]))
    value = draw(st.integers(1, len(labels)))
    clients = value if key == "clients" else -(-len(labels) // value)
    spec = {
        "partition": kind,
        key: value,
        "shards_per_client": draw(st.integers(1, len(labels) // clients)),
        "alpha": draw(st.floats(1e-6, 1e6)),
    }
    return labels, spec, draw(st.integers(0, 2**31))


@given(problems())
@settings(max_examples=150, deadline=None)
def test_every_sample_has_one_client_and_every_client_a_sample(problem):
    labels, spec, seed = problem
    client = deal(labels, spec, seed)
    assert client.shape == labels.shape
    sizes = client_sizes(len(labels), spec)
    counts = np.bincount(client, minlength=len(sizes))
    assert len(counts) == len(sizes)
    assert counts.min() >= 1
    if spec["partition"] in EQUAL:
        np.testing.assert_array_equal(counts, sizes)
    np.testing.assert_array_equal(client, deal(labels, spec, seed))


@given(st.integers(1, 500), st.data())
def test_sizes_cover_the_data_and_only_the_last_client_takes_the_remainder(samples, data):
    value = data.draw(st.integers(1, samples))
    per_client = client_sizes(samples, {"samples_per_client": value})
    assert per_client.sum() == samples
    assert (per_client[:-1] == value).all()
    assert 1 <= per_client[-1] <= value
    clients = client_sizes(samples, {"clients": value})
    assert clients.sum() == samples
    assert len(clients) == value
    assert clients.max() - clients.min() <= 1


@given(st.lists(st.integers(0, 6), min_size=1, max_size=60))
def test_members_undo_the_assignment(assignment):
    client = np.array([*assignment, *range(7)])
    for u, rows in enumerate(members(client)):
        np.testing.assert_array_equal(rows, np.flatnonzero(client == u))


@pytest.mark.parametrize("spec", SPECS, ids=lambda spec: spec["partition"])
def test_another_seed_gives_another_partition(spec):
    labels = balanced(400)
    spec = {**spec, "samples_per_client": 8}
    assert (deal(labels, spec, 0) != deal(labels, spec, 1)).any()


def test_iid_clients_draw_like_a_hypergeometric():
    labels = balanced(8000)
    client = deal(labels, {"partition": "iid", "clients": 1000}, 0)
    first_class = label_counts(labels, client, 10)[:, 0]
    # K p (1 - p) (n - K) / (n - 1) with K = 8, p = 0.1, n = 8000.
    expected = 8 * 0.1 * 0.9 * (8000 - 8) / 7999
    assert first_class.mean() == 0.8
    assert first_class.var() == pytest.approx(expected, rel=0.15)


@pytest.mark.parametrize("shards", [1, 2, 5])
def test_shards_hold_one_class_each_when_classes_divide_evenly(shards):
    labels = balanced(1000)
    spec = {"partition": "shards", "clients": 20, "shards_per_client": shards}
    client = deal(labels, spec, 3)
    counts = label_counts(labels, client, 10)
    assert ((counts > 0).sum(axis=1) <= shards).all()
    np.testing.assert_array_equal(counts.sum(axis=1), 50)
    assert (counts % (50 // shards) == 0).all()


def test_clients_in_a_row_hold_every_class_where_shards_are_balanced():
    labels = balanced(960)
    spec = {"partition": "balanced_shards", "clients": 20, "shards_per_client": 3}
    lacking = 0
    for seed in range(20):
        counts = label_counts(labels, deal(labels, spec, seed), 10)
        assert (counts.sum(axis=1) == 48).all()
        # Twelve shards begin with a turn of ten classes; 21 in a row have a whole one in them.
        assert (counts[:4].sum(axis=0) > 0).all()
        assert all((counts[first : first + 7].sum(axis=0) > 0).all() for first in range(14))
        plain = deal(labels, spec | {"partition": "shards"}, seed)
        lacking += (label_counts(labels, plain, 10)[:5].sum(axis=0) == 0).sum()
    assert lacking > 10


@pytest.mark.parametrize("kind", ["dirichlet", "dirichlet_equal"])
def test_alpha_moves_clients_from_one_class_to_all(kind):
    labels = balanced(4000, classes=4)
    largest = []
    for alpha in (0.01, 1.0, 1e6):
        spec = {"partition": kind, "samples_per_client": 100, "alpha": alpha}
        counts = label_counts(labels, deal(labels, spec, 0), 4)
        largest.append((counts.max(axis=1) / counts.sum(axis=1)).mean())
    assert largest[0] > 0.95
    assert largest[0] > largest[1] > largest[2]
    assert largest[2] < 0.35


def test_equal_dirichlet_clients_have_the_moments_of_their_law():
    """Before classes run out, counts are Dirichlet-multinomial with Dir(alpha) over N classes."""
    alpha, classes, size, clients = 0.5, 4, 8, 2000
    labels = balanced(40 * clients * size, classes)
    spec = {"partition": "dirichlet_equal", "samples_per_client": size, "alpha": alpha}
    counts = label_counts(labels, deal(labels, spec, 0), classes)[:clients]
    total = alpha * classes
    p = 1 / classes
    variance = size * p * (1 - p) * (size + total) / (1 + total)
    assert counts.mean(axis=0) == pytest.approx(size * p, rel=0.1)
    assert counts.var(axis=0) == pytest.approx(variance, rel=0.1)


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({"samples_per_client": 41}, "clients.samples_per_client is 41"),
        ({"samples_per_client": None, "clients": 41}, "clients.clients is 41"),
        ({"partition": "shards", "shards_per_client": 9}, "45 shards of 40 samples"),
    ],
)
def test_impossible_partitions_are_refused(change, words):
    spec = {"partition": "iid", "samples_per_client": 8, **change}
    with pytest.raises(UserError, match=words):
        deal(balanced(40), spec, 0)


@given(st.integers(40, 120), st.integers(1, 4), st.sampled_from(SPECS), st.data())
@settings(max_examples=60, deadline=None)
def test_clients_stay_inside_their_domain(samples, domains, spec, data):
    size = data.draw(st.sampled_from(["clients", "samples_per_client"]))
    number = data.draw(st.integers(domains, 8))
    spec = spec | {"domains": ["?"] * domains, "clients": None, size: number}
    labels, domain = balanced(samples), assigned_domains(samples, domains, 0, "train")
    client = deal(labels, spec, 5, domain)
    counts = np.bincount(client)
    assert counts.min() >= 1
    assert len(counts) == Dealing.of(spec).clients(samples)
    seen = [np.unique(domain[client == u]) for u in range(len(counts))]
    assert all(len(domains_of_client) == 1 for domains_of_client in seen)
    order = np.concatenate(seen)
    assert (np.diff(order) >= 0).all()
    assert len(np.unique(order)) == domains
    if size == "clients":
        assert np.ptp(np.bincount(order)) <= 1
    np.testing.assert_array_equal(client, deal(labels, spec, 5, domain))
