"""What no job could do is refused when the plan is made, each in one sentence with its remedy."""

import re
from typing import Any

import pytest
from fbftl.ground.errors import UserError
from fbftl.study.clients import Dealing
from fbftl.study.config import Study, resolve
from fbftl.study.dealing_faults import OF_SHARDS, dealing_faults, too_few_faults
from fbftl.study.feasibility import Sizes, require_feasible
from fbftl.study.model.data import ImageClients
from fbftl.study.model.validation import filled
from fbftl.study.settings import Setting, expand

Block = dict[str, Any]
SIZES = Sizes(classes=10, widths={"relu_fc1": 256, "fc1": 256})
PROJECTED = {"method": "one_shot", "message": "projected", "head": "lda"}
SOLVED_START = {"method": "fedavg_head", "start": "means"}


def grid(axes: Block) -> dict[str, list[Any]]:
    """Return axis values as an experiment lists them."""
    return {axis: value if isinstance(value, list) else [value] for axis, value in axes.items()}


def study(task: Block, **axes: Any) -> Study:
    """Return a study of one experiment on digits, of 1,438 training samples."""
    base = {
        "data": {"kind": "digits"},
        "source": {"kind": "pretrain", "image": [8, 8, 1]},
        "features": {"cut": "relu_fc1", "further_cuts": ["fc1"]},
        "networks": NETWORKS,
    }
    config = {
        "study": {"tasks": ["digits"], "experiments": ["asked"]},
        "tasks": {"digits": base | task},
        "experiments": {"asked": {"grids": [grid(axes or {"method": "fbftl"})]}},
    }
    return resolve(config)


NETWORKS = {
    "cnn": {"kind": "cnn", "channels": [[2]], "fc": [4], "norm": "batch", "cut": "pool1"},
    "mlp": {"kind": "mlp", "fc": [8], "cut": "relu_fc1"},
}
ONE_SHOT = {"method": "one_shot", "message": "features"}
SUMS = {"method": "one_shot", "message": "statistics", "head": "lda"}
MASKED = SUMS | {"aggregation": "masked"}
ECOS = {"method": "ecos", "purchase": 300}
EPPFL = {"method": "eppfl", "mechanism": "laplace"}
FEDFEAT = {"method": "fedfeat", "mechanism": "gaussian", "epsilon": 8.0}
FADE = {"method": "fade", "network": "mlp", "majority_users": 2}
UPDATES = {"mechanism": "update_gaussian", "sigma": 1.0}
NOISY = {"method": "fl", "mechanism": "dp_fedavg", "epsilon": 1}
STEPS = {"method": "private_gd", "mechanism": "dp_gd"}
DESCENT = STEPS | {"epsilon": 4.0, "descent_steps": 20}
GRIDS: list[tuple[Block, str]] = [
    ({"plr": 0.5, "retransmissions": [0, 2]}, "retransmissions 2.*a block loss rate"),
    ({"loss": ["persistent", "reshuffled"]}, "loss reshuffled.*plr"),
    ({"method": "ftl_c", "feedback": False}, "feedback False.*bits or keep"),
    ({"sigma": 0.1}, "sigma 0.1.*a mechanism"),
    (NOISY | {"decay": 2}, "decay 2.* give schedule exp or dynamic"),
    (STEPS | {"epsilon": 1, "schedule": "exp"}, "whose decay is 1; give decay above 1"),
    (NOISY | {"accountant": "zcdp"}, "accounts sampled rounds by zCDP"),
    ({"method": "private_gd", "neighbour_relation": "replaced"}, "replaced, which has no effect"),
    (FEDFEAT, "without a clip norm; give feature_clip$"),
    (FEDFEAT | {"feature_clip": 1.0, "server_epochs": 0}, "that nobody asks for; give server_ep"),
    (FEDFEAT | {"mechanism": "dp_fedavg"}, "dp_fedavg is for fl and "),
    ({"method": "fedfeat", "server_epochs": 0, "features_from": "after"}, "after.*server_epochs"),
    (EPPFL | {"epsilon": 1.0}, "laplace, which needs epsilon of a coordinate"),
    ({"method": "ecos"}, "buys nothing and has nobody upload"),
    (ECOS | {"mechanism": "counts"}, "mechanism counts, which needs sigma or epsilon"),
    (ECOS | {"mechanism": "gaussian", "sigma": 1}, "is not possible: mechanism gaussian"),
    (FADE | {"adversary": "none", "opt_out": 0.5}, "give an adversary as well"),
    (FADE | {"aggregation": "masked", "minority_participation": 0.2}, "of which one"),
    (FADE | {"aggregation": "masked", "users_per_round": 1}, "give users_per_round at least 2"),
    (FADE | {"users_per_round": 2, "minority_participation": 0.5}, "leave users_per_round out"),
    (FADE | {"majority_users": None, "minority_users": 2}, "give majority_users as well"),
    (FADE | UPDATES | {"minority_participation": 0.95}, "draws who takes part by group"),
    (
        NOISY | {"method": "fedavg", "aggregation": "masked"},
        "dp_fedavg on masked weights, of which",
    ),
    (MASKED | {"bits": 8}, "masks compressed messages"),
    (MASKED | {"message": "features"}, "masks features, which cannot be summed"),
    (MASKED | {"message": "means", "head": "fedcof"}, "fedcof needs each client's; use head ncm"),
    (MASKED | {"gram": "factor"}, "factor, which does not add up; use gram: triangle"),
    ({"method": ["fbftl", "one_shot"], "head": "lda"}, r"lacks the axis message \(what a client"),
    (ONE_SHOT, "is FbFTL; use method: fbftl, or a head among logistic, ridge"),
    (ONE_SHOT | {"head": "lda", "projection": 8}, "asks for projection 8, which has no effect"),
    (SUMS | {"message": "means", "head": "ridge"}, "ridge from means, which lack second moments"),
    (SUMS | {"message": "moments", "head": "qda"}, "qda from moments, which lack the samples"),
    (SUMS | {"message": "projected"}, "needs projection"),
    (SUMS | {"head": "fedcof"}, "lack the samples .* choose among ridge"),
    (SUMS | {"keep": 0.5}, "keeps 0.5 of statistics; leave elements out of features, batch, means"),
    (SUMS | {"mechanism": "relative", "sigma": 0.1}, "mechanism relative on statistics"),
    (SUMS | {"message": "means", "mechanism": "gaussian", "sigma": 1.0}, "on means, whose sens"),
    (ONE_SHOT | {"message": "mixtures", "covariance": "shared"}, "shared for mixtures; use covar"),
    (
        ONE_SHOT | {"message": "mixtures", "components": 2, "mechanism": "gaussian", "sigma": 1.0},
        "on mixtures, whose sensitivity is not known; .* gaussian on mixtures of components: 1",
    ),
    (DESCENT | {"louder_step": 30}, "more noise at step 30 of 20"),
    (DESCENT | {"schedule": "dynamic", "decay": 0.5, "descent_momentum": 0.9}, "decay above 1"),
    ({"method": "released", "plr": 0.5}, "losses come back; give plr with loss: reshuffled"),
    ({"method": "secure_ftl", "common_samples": 0}, "no common samples"),
    ({"method": "secure_ftl", "protection": "ckks"}, "protection ckks is for"),
    ({"method": "fedvote", "vote_candidates": "all"}, "vote_candidates or vote_round alone"),
]


@pytest.mark.parametrize(("axes", "sentence"), GRIDS)
def test_axes_that_contradict_each_other_are_one_sentence(axes, sentence):
    with pytest.raises(UserError, match=sentence):
        expand([grid({k: v for k, v in axes.items() if v is not None})])


def of(method: str, **values: Any) -> Block:
    """Return training values of one method."""
    return {"methods": {method: values}}


ELEVEN = {"clients": {"shards_per_client": 11}}
FIVE = {"clients": {"clients": 5, "samples_per_client": None}}
LAST = {"selection": "last", "validation": 0.0}
NORMED = {"training": {"batch_norm": "batch"}}
ROBUST = {"training": LAST | {"batch_norm": "batch"}}
DISTURBED = {"method": "robust", "network": "cnn"}
DIGITS = {"kind": "digits", "test_fraction": 0.2, "seed": 0}
SOLD = {"public": {"sources": [{"data": DIGITS, "split": "train", "domains": ["rotated"]}]}}
PEOPLE = {"data": {"kind": "groups"}, "source": {"kind": "vectors"}, "training": LAST}
LABELLED = PEOPLE | {"adversarial_game": {"labelled": [0]}}
OF_DOMAINS = {"clients": {"domains": ["plain", "inverted"], "groups": [0, 1]}, "training": LAST}
TABLE = {"kind": "table", "train": "people.csv", "label_column": "rich", "group_column": "sex"}
CANDIDATES = {"source_models": {"network": "mlp", "models": {"digits": "target", "a": "letters"}}}
VOTES = {"method": "fedvote", "network": "mlp", "vote_candidates": "all", "vote_round": 1}
DRAWING = {"method": "fedavg", "clients": 144, "fraction": 0.07}
SECURE = {"method": "secure_ftl"}
REFUSED: list[tuple[Block, Block, str]] = [
    ({"training": {"clients_per_round": 181}}, {"method": "fedavg"}, "'fedavg' on digits has "
     "clients_per_round 181, but there are 180 clients; give at most 180"),
    ({}, {"samples_per_client": [4, 2000]}, "on digits has samples_per_client 2000.*at most 1438"),
    *((ELEVEN, {"partition": by, "clients": 4}, "are 10 classes; .* most 10") for by in OF_SHARDS),
    ({"architectures": ["mlp"]}, {"method": "fd", "clients": 1}, "give fd clients at least 2"),
    ({}, SECURE | {"common_samples": 1439}, "1439 common samples of 1438; give .* at most 1438"),
    ({}, DRAWING | {"resampled_per_round": 101}, "draw 101 samples of the 100 .* at most 100"),
    (CANDIDATES, VOTES | {"most_samples": 3}, "needs 4; .*cka_estimator: biased"),
    ({}, PROJECTED | {"projection": 257}, "projection 257, which is wider than the 256 numbers"),
    ({"head": [64, 19]}, SOLVED_START, "head layers of at least 20"),
    ({}, {"cut": "fc2"}, "add its cut to tasks.digits.features.further_cuts"),
    ({}, {"cut": "fc1", "mechanism": "gaussian", "epsilon": 1.0}, "feature_clip a norm"),
    ({}, {"method": "fl", "network": "cn"}, r"=cn'; the networks in .*networks are: cnn, mlp"),
    (of("fbftl", rounds=4), {}, "fbftl.rounds has no effect.*it is for fedavg"),
    (of("fedavg", epochs=4), {"method": "fedavg"}, "epochs has no effect.*it is for fl,"),
    ({"privacy": {"training": {"selection": "validation"}}}, NOISY, "outside of its guarantee"),
    ({"privacy": {"training": {"validation": 0.1}}}, NOISY, "outside of its guarantee"),
    ({"training": {"clients_per_round": 1}}, EPPFL | {"network": "cnn", "mechanism": "none",
     "aggregation": "masked"}, "masked sum of one client shows what it sent"),
    (ROBUST | {"source": {"kind": "vectors"}}, DISTURBED, "would be another threat"),
    (ROBUST, DISTURBED | {"network": "mlp"}, "name a network with norm: batch"),
    (NORMED, DISTURBED, "selection: last"),
    (ROBUST | {"features": {"cut": "fc1", "size": 32}}, DISTURBED, "features.size: null"),
    ({"training": ROBUST["training"] | {"absent_classes": "masked"}}, DISTURBED, "classes: leave"),
    ({"training": {"selection": "test"}}, ONE_SHOT | {"message": "batch", "head": "mlp"}, "epoch "
     "would be chosen on the test samples"),
    (PEOPLE, FADE | {"majority_users": 1439}, "1439 users of a group among .* at most 1438"),
    (PEOPLE, FADE | {"network": "cnn"}, "kind mlp"),
    ({"training": LAST}, FADE, "give the task groups"),
    (PEOPLE | {"training": {"validation": 0.0}}, FADE, "selection: last"),
    (PEOPLE | {"training": LAST | {"annealing": "cosine"}}, FADE, "training.annealing: leave"),
    (LABELLED, FADE | {"aggregation": "masked"}, "leave adversarial_game.labelled out"),
    (LABELLED, FADE | UPDATES, "of which groups users are"),
    (PEOPLE, FADE | {"unlabelled_loss": "shot"}, "all its users have labels"),
    (PEOPLE | {"adversarial_game": {"labelled": [2]}}, FADE, "give some of 0 to 1"),
    (SOLD | {"clients": {"domains": ["plain", "inverted"]}}, ECOS | {"purchase": 20,
     "purchase_rule": "ideal"}, "the public sources have none; leave purchase_rule: ideal out"),
    ({}, ECOS | {"purchase": 301}, "has purchase 301, but the public sources have 300 rows"),
    ({}, ECOS | {"uploaders": 2, "clients": 1}, "has 2 uploaders, but there are 1 clients"),
    ({}, ECOS | {"label_source": "client", "clients": 2}, "give labels, but there are 2 clients"),
    *(({}, ECOS | {"aggregation": "masked", "clients": clients, "fraction": fraction},
       "masks the counts of one") for clients, fraction in [(10, 0.1), (3, 0.4), (1, 1)]),
]  # fmt: skip
POSSIBLE: list[tuple[Block, Block]] = [
    ({"training": {"clients_per_round": 180}}, {"method": "ftl_c"}),
    ({"training": {"clients_per_round": 181}}, {"method": "fbftl"}),
    ({"clients": {"partition": "given"}}, {"method": "fl"}),
    ({}, {"method": "fl", "samples_per_client": [600, 1438]}),
    ({"head": [64, 20]}, SOLVED_START),
    ({}, PROJECTED | {"projection": 256}),
    (CANDIDATES, VOTES | {"most_samples": 4}),
    (CANDIDATES, VOTES | {"most_samples": 3, "cka_estimator": "biased"}),
    ({}, NOISY),
    (ROBUST, DISTURBED),
    (PEOPLE, FADE | {"majority_users": 1438}),
    (OF_DOMAINS, {"method": "fade", "network": "mlp"}),
    (
        PEOPLE | {"data": TABLE} | {"adversarial_game": {"labelled": [1]}},
        FADE | {"unlabelled_loss": "shot"},
    ),
    (SOLD | {"clients": {"domains": ["plain", "rotated"]}}, ECOS | {"purchase_rule": "ideal"}),
    ({}, ECOS | {"aggregation": "masked", "clients": 200}),
]


@pytest.mark.parametrize(("task", "axes", "sentence"), REFUSED)
def test_what_a_task_cannot_run_is_one_sentence(task, axes, sentence):
    with pytest.raises(UserError) as refused:
        require_feasible(study(task, **axes), "digits", 1438, sizes=SIZES, public=300)
    assert re.search(sentence, str(refused.value)), refused.value


@pytest.mark.parametrize(("task", "axes"), POSSIBLE)
def test_what_is_just_within_its_limits_passes(task, axes):
    require_feasible(study(task, **axes), "digits", 1438, sizes=SIZES, public=300)


def test_what_is_unknown_is_left_to_the_jobs():
    huge = {"clients": {"samples_per_client": 10**6}}
    for unknown in (study(huge, method="fl"), study({}, **ECOS | {"purchase": 301})):
        require_feasible(unknown, "digits", None)
    with pytest.raises(UserError, match="5 clients"):
        require_feasible(study(FIVE, method="fl"), "digits", None)
    named = study({"clients": {"partition": "given"}}, method="fl")
    require_feasible(named, "digits", None, named=8)
    with pytest.raises(UserError, match="clients_per_round 8, but there are 7 clients"):
        require_feasible(named, "digits", None, named=7)


BLOCK = {"partition": "iid", "samples_per_client": 8, "clients": None, "shards_per_client": 2}
BLOCK |= {"alpha": 0.1, "draw": "once", "domains": None, "groups": None, "seed": 0}
FOUR = {"domains": ["plain", "inverted", ["mirrored", "noisy"], "flipped"]}
TEN = {"clients": 10, "samples_per_client": None}
UNSOUND: list[tuple[dict[str, Any], str]] = [
    ({"clients": 10}, "gives clients 10 and samples_per_client 8.*set one of them to null"),
    ({"samples_per_client": None}, "gives neither clients nor samples_per_client; give one"),
    ({"partition": "given", "draw": "per_seed"}, "draws clients per_seed that the data names"),
    ({"partition": "given"} | FOUR, "gives domains to clients that the data names"),
    ({"domains": ["plain", ["plain"]]}, "lists a domain twice"),
    ({"domains": ["shifted"], "draw": "per_seed"}, "shifted for each client once"),
    (FOUR | {"groups": [0, 1]}, "gives 2 groups to 4 domains"),
    ({"groups": [0, 1]}, "gives 2 groups to 0 domains"),
]


@pytest.mark.parametrize(("changes", "sentence"), UNSOUND)
def test_a_block_that_contradicts_itself_does_not(changes, sentence):
    with pytest.raises(UserError, match=sentence):
        filled(ImageClients, BLOCK | changes)


NOT_DEALT: list[tuple[dict[str, Any], dict[str, Any], str]] = [
    ({}, {"alpha": 1.0}, "alpha is for the partitions dirichlet"),
    ({"partition": "dirichlet"}, {"partition": "shards", "alpha": 1.0}, "alpha is for"),
    ({"partition": "given"}, {"clients": 8}, "the data names the clients .*: give a partition"),
    ({"domains": ["shifted"]}, {"clients": 8}, "shifted for the client .*: leave clients out"),
]


@pytest.mark.parametrize(("changes", "axes", "sentence"), NOT_DEALT)
def test_what_cannot_is_refused(changes, axes, sentence):
    block = BLOCK | changes
    (fault,) = dealing_faults(block, Dealing.of(block, Setting(**axes)))
    assert re.search(sentence, fault)


TOO_MANY: list[tuple[dict[str, Any], str]] = [
    ({"samples_per_client": 101}, "samples_per_client 101, .* are 100 .* at most 100"),
    (TEN | {"clients": 101}, "clients 101, but there are 100 .* give at most 100"),
    (FOUR | {"samples_per_client": 26}, "client 26 in one of 4 domains, but there are 25"),
    (FOUR | TEN | {"clients": 3}, "4 domains for 3 clients"),
    (TEN | {"partition": "shards", "shards_per_client": 11}, "10 clients would need 110 shards"),
    ({"partition": "shards", "shards_per_client": 8}, "13 clients would need 104 shards of 100"),
    (FOUR | TEN | {"partition": "shards", "shards_per_client": 9}, "3 clients .* 27 shards of 25"),
]
ENOUGH: list[dict[str, Any]] = [
    {"samples_per_client": 100},
    TEN | {"clients": 100},
    TEN | {"partition": "shards", "shards_per_client": 10},
    FOUR | TEN | {"clients": 4},
    FOUR | TEN | {"partition": "shards", "shards_per_client": 8},
    {"partition": "given", "samples_per_client": 1000},
]


@pytest.mark.parametrize("changes", ENOUGH)
def test_what_the_samples_fill_passes(changes):
    assert not [*too_few_faults(Dealing.of(BLOCK | changes), 100)]


@pytest.mark.parametrize(("changes", "sentence"), TOO_MANY)
def test_what_they_do_not_fill_is_refused(changes, sentence):
    fault = next(too_few_faults(Dealing.of(BLOCK | changes), 100))
    assert re.search(sentence, fault)


def test_memories_are_known_by_cut_and_network():
    """The paper's head behind 4,096 features: 892 GB, and not the 472 of its hidden widths."""
    paper = {"head": [4096, 4096, 512], "clients": {"samples_per_client": 8}}
    paper_study = study(paper, method=["ftl_c"], bits=[2])
    with pytest.raises(UserError, match=r"ftl_c\+bits=2' .* 6,250 clients remember 892 GB tog"):
        require_feasible(paper_study, "digits", 50_000, sizes=Sizes(heads={"relu_fc1": 35_668_490}))
    few = study(paper, method=["ftl_c"], bits=[2], fraction=[0.001])
    require_feasible(few, "digits", 50_000, sizes=Sizes(heads={"relu_fc1": 35_668_490}))
    whole = study({}, method=["fl"], bits=[2])
    require_feasible(whole, "digits", 1438, sizes=Sizes(networks={None: 10**6}))
    with pytest.raises(UserError, match="180 clients remember 7 GB"):
        require_feasible(whole, "digits", 1438, sizes=Sizes(networks={None: 10**7}))


def test_memories_may_go_to_a_scratch_folder_that_exists(tmp_path):
    large = study({}, method=["fl"], bits=[8])
    large.config["scratch_folder"] = str(tmp_path)
    require_feasible(large, "digits", 1438, sizes=Sizes(networks={None: 10**7}))
    large.config["scratch_folder"] = str(tmp_path / "missing")
    with pytest.raises(UserError, match="missing', which is no folder; make it first"):
        require_feasible(large, "digits", 1438)
