"""FADE in whole runs: what it equals, what its ledger says, that nothing says a user's group."""

import json
from collections.abc import Iterator
from dataclasses import replace
from itertools import permutations
from pathlib import Path
from typing import Any

import h5py
import numpy as np
import pytest
import torch
from fbftl.exchange.averaging import Server, by_weights
from fbftl.exchange.debiasing import Debiasing, debiasing, rounds_of
from fbftl.exchange.repetition import run_rounds, whole_update
from fbftl.features.store.opening import open_store
from fbftl.findings.run_file import read_run
from fbftl.ground.errors import UserError
from fbftl.ground.room import RAM
from fbftl.methods import train
from fbftl.privacy.accounting import gaussian_epsilon
from fbftl.study.job import Job, from_params
from fbftl.study.methods import axes_by_method
from fbftl.tasks.grouped import held_by_groups
from fbftl.tasks.images import held_samples
from fbftl.tasks.task import Inputs
from fbftl.training.visits import Visit, mini_batches
from train_setting import Outputs
from train_setting import main as train_setting
from unit.tasks.toy_vectors import CLIENTS, make_vectors

NETWORK = {"kind": "mlp", "fc": [8, 4], "norm": "none", "dropout": 0.0, "cut": "relu_fc2"}
NETWORK |= {"last": "relu", "init": "he"}
GAME = {"discriminator": [6], "clip": 1.0, "server_momentum": 0.5, "falling_rate": False}
GAME |= {"warm_up": 0.0, "labelled": None, "points": 2}
TRAINING = {"epochs": 1, "batch": 1, "clients_per_round": 2, "learning_rate": 0.1}
TRAINING |= {"momentum": 0.0, "weight_decay": 0.0, "validation": 0.0, "selection": "last"}
TRAINING |= {"rounds": 12, "local_batch": 16}
PLAIN = {"adversary": "plain", "majority_users": 3}


@pytest.fixture(scope="module")
def files(tmp_path_factory: pytest.TempPathFactory) -> dict[str, str]:
    return make_vectors(tmp_path_factory.mktemp("people"))


def params(setting: dict[str, Any], seeds=(0, 1), game=None, **training) -> dict[str, Any]:
    return {
        "task": "people",
        "kind": "images",
        "setting": {"method": "fade", "network": "mlp"} | setting,
        "seeds": list(seeds),
        "clients": CLIENTS,
        "training": TRAINING | training,
        "privacy": {"delta": 1e-5, "update_clip": 0.1},
        "block": {"head": [], "network": NETWORK, "game": GAME | (game or {})},
    }


def job(setting: dict[str, Any], **own) -> Job:
    return from_params(params(setting, **own), axes_by_method())


def inputs(files: dict[str, str]) -> Inputs:
    return Inputs(device=torch.device("cpu"), **{k: Path(v) for k, v in files.items()})


def begun(files: dict[str, str], asked: Job) -> Debiasing:
    return debiasing([asked], held_by_groups(asked, inputs(files)))


def played(files: dict[str, str], setting: dict[str, Any], **own) -> Debiasing:
    found = begun(files, job(setting, **own))
    list(found.play())
    return found


def run(files: dict[str, str], setting: dict[str, Any], **own) -> list[dict[str, Any]]:
    (outcome,) = train([job(setting, **own)], inputs(files))
    return outcome.repetitions


@pytest.mark.parametrize(
    "setting",
    [
        {"adversary": "none"},
        {"adversary": "plain", "opt_out": 1.0},
        {"adversary": "squared", "opt_out": 1.0, "discriminator_rate": 5.0},
    ],
)
@pytest.mark.parametrize("momentum", [1.0, 0.5])
def test_without_a_game_it_is_fedavg_bit_for_bit(files, setting, momentum):
    """Also while lambda is 0 throughout: on the same users, batches and server step."""
    users, seed = {"majority_users": 3}, 1
    game = {"clip": None, "server_momentum": momentum}
    found = begun(files, job(users | setting, seeds=(seed,), game=game, local_batch=None))
    rows = found.trials[0].users.rows

    def as_fedavg(place: int, turn: int, user: int) -> list[np.ndarray]:
        return [own for _, own in mini_batches(Visit(seed, turn, user, rows[user]), plan)]

    found.draw = as_fedavg
    asked = from_params(
        params({"method": "fedavg"}, seeds=(seed,), local_batch=None), axes_by_method()
    )
    held = held_samples(asked, inputs(files))
    held = replace(held, holdings=replace(held.holdings, client=_client(rows)))
    learner, plan = None, None

    def begin(repetition) -> Any:
        nonlocal learner, plan
        learner = held.local(repetition)
        plan = learner.plan
        return learner

    server = Server(advance=lambda before, average: torch.lerp(before, average, momentum))
    run_rounds(asked, held, begin, whole_update(), train=by_weights(lambda: server))
    list(found.play())
    own = found.players.flat()[0]
    assert len(learner.weights()) <= len(own)
    np.testing.assert_array_equal(own[: len(learner.weights())], learner.weights())


def test_lambda_zero_plays_no_game(files):
    """All rounds but the last of a warm-up that long: the discriminator stays as it began."""
    warm = {"warm_up": 11.5 / 12}
    start = begun(files, job(PLAIN)).players
    found = played(files, PLAIN, game=warm).players
    np.testing.assert_array_equal(found.group.flat(), start.group.flat())
    alone = played(files, {"adversary": "none", "majority_users": 3}).players
    np.testing.assert_array_equal(found.encoder.flat(), alone.encoder.flat())


def _client(rows: list[np.ndarray]) -> np.ndarray:
    client = np.zeros(sum(map(len, rows)), dtype=np.int64)
    for user, own in enumerate(rows):
        client[own] = user
    return client


SIZES = NETWORK | {"fc": [32, 8], "cut": "fc2", "last": "linear"}
"""Layers of which every one's numbers fill the lanes of a processor, as the study's do."""


@pytest.mark.parametrize(
    "setting",
    [
        PLAIN,
        {"adversary": "squared", "majority_users": 2, "opt_out": 0.3, "local_steps": 3},
        PLAIN | {"participation": 0.3},
        PLAIN | {"participation": 0.3, "discriminator_sees": "product"},
        PLAIN | {"aggregation": "masked"},
    ],
)
def test_each_seed_finds_what_it_finds_alone(files, monkeypatch, setting):
    """The same users, turns and batches, and the same numbers but for how a sum rounds.

    That depends on where in the stack it lies. At sizes that fill the lanes of a processor some
    processors give the same bits, others do not.
    """
    for sizes, batch, width in ((SIZES, 64, 16), (NETWORK, 16, 6)):
        monkeypatch.setitem(globals(), "NETWORK", sizes)
        game = {"discriminator": [width]}
        together = played(files, setting, seeds=(3, 4, 5), game=game, local_batch=batch)
        for place, seed in enumerate((3, 4, 5)):
            alone = played(files, setting, seeds=(seed,), game=game, local_batch=batch)
            np.testing.assert_array_equal(
                alone.trials[0].turns.users, together.trials[place].turns.users
            )
            np.testing.assert_array_equal(
                alone.trials[0].turns.plays, together.trials[place].turns.plays
            )
            torch.testing.assert_close(
                alone.players.flat()[0], together.players.flat()[place], atol=1e-5, rtol=0
            )


def test_each_setting_finds_what_it_finds_alone(files, monkeypatch):
    """Those of equal rules play side by side, the others after them, in whatever order they come.

    Run files and ledgers are those of a process each, to the byte.
    """
    monkeypatch.setitem(globals(), "NETWORK", SIZES)
    game = {"discriminator": [16]}
    settings = [
        PLAIN,
        {"adversary": "none", "majority_users": 2},
        PLAIN | {"majority_users": 5, "opt_out": 0.3},
        PLAIN | {"aggregation": "masked"},
        PLAIN | {"discriminator_rate": 5.0},
        PLAIN | {"mechanism": "update_gaussian", "sigma": 1.0},
    ]
    jobs = [job(own, game=game, local_batch=64) for own in settings]
    monkeypatch.setitem(globals(), "NETWORK", SIZES | {"init": "torch"})
    jobs.append(job(PLAIN, game=game, local_batch=64))
    assert len({rounds_of(own, groups=2) for own in jobs}) == 3
    together = train(jobs, inputs(files))
    for own, found in zip(jobs, together, strict=True):
        (alone,) = train([own], inputs(files))
        assert alone.repetitions == found.repetitions
        assert alone.ledger.table().equals(found.ledger.table())


def test_settings_with_fewer_users_than_a_round_has_play_apart(files):
    settings = [{"adversary": "none", "majority_users": users} for users in (1, 2, 5)]
    jobs = [job(own, clients_per_round=4) for own in settings]
    together = train(jobs, inputs(files))
    assert [own.repetitions[0]["clients"] for own in together] == [2, 3, 6]
    for own, found in zip(jobs, together, strict=True):
        (alone,) = train([own], inputs(files))
        assert alone.ledger.table()["client"].equals(found.ledger.table()["client"])


def test_masked_sums_change_nothing_but_the_last_digits_and_what_is_seen(files):
    opened, masked = (played(files, PLAIN | {"aggregation": how}) for how in ("open", "masked"))
    torch.testing.assert_close(opened.players.flat(), masked.players.flat(), atol=1e-5, rtol=0)
    assert [own.server.leaked()["leak"] for own in opened.trials] == [1.0, 1.0]
    for own in masked.trials:
        assert own.server.leaked()["leak"] < 1
    ledger = masked.ledgers[0].table().to_pandas()
    assert {"share", "mask", "weights"} == set(ledger["part"])


def test_a_sum_over_everyone_tells_no_more_than_how_many_there_are_of_each_group(files):
    everyone = played(files, PLAIN | {"aggregation": "masked"}, clients_per_round=4)
    for own in everyone.trials:
        found = own.server.leaked()
        assert found["leak"] <= found["leak_by_chance"] == 0.75


def test_the_ledger_has_every_message(files):
    found = played(files, PLAIN)
    ledger = found.ledgers[0].table().to_pandas().query("seed == 0")
    up, down = (ledger.query(f"direction == '{way}'") for way in ("up", "down"))
    numbers = found.players.flat().shape[1]
    assert up["round"].tolist() == np.repeat(range(1, 13), 2).tolist()
    assert down["round"].tolist() == list(range(1, 13))
    assert set(up["payload_bits"]) == set(down["payload_bits"]) == {32 * numbers}
    assert up["sha256"].notna().all()
    np.testing.assert_array_equal(up["client"], found.trials[0].turns.users.ravel())


def test_parts_are_averaged_over_those_who_trained_them(files):
    """Users of group 1 have no labels here, and half of all decline."""
    setting = {"adversary": "plain", "majority_users": 3, "opt_out": 0.5, "local_steps": 2}
    found = begun(files, job(setting, seeds=(0,), game={"labelled": [0], "server_momentum": 1.0}))
    users, sizes = found.trials[0].users, found.players.sizes
    for turn in range(1, 13):
        before, sent = found.players.flat()[0], {}
        server = found.trials[0].server
        ordinary = server.average

        def watched(turn, chosen, before, weights, spans, average, ordinary=ordinary, sent=sent):
            sent["weights"] = weights.clone()
            ordinary(turn, chosen, before, weights, spans, average)

        server.average = watched
        found._round(turn)
        server.average = ordinary
        chosen, plays = (
            found.trials[0].turns.users[turn - 1],
            found.trials[0].turns.plays[turn - 1],
        )
        labelled = users.group[chosen] == 0
        counts = np.array([len(users.rows[own]) for own in chosen], dtype=np.float32)
        plays = plays & (turn > 1)  # lambda begins at 0
        at = 0
        for name, who in (("encoder", labelled | plays), ("task", labelled), ("group", plays)):
            part = slice(at, at + sizes[name])
            own = before[part]
            if who.any():
                shares = torch.from_numpy(who * counts / (who * counts).sum())
                own = shares @ sent["weights"][:, part]
            torch.testing.assert_close(found.players.flat()[0][part], own)
            at = part.stop


def test_one_user_a_round_with_the_preset_probability(files):
    found = begun(files, job(PLAIN | {"participation": 0.2}, rounds=2000))
    for trial in found.trials:
        users, turns = trial.users, trial.turns
        assert turns.users.shape == (2000, 1)
        group = users.group[turns.users[:, 0]]
        assert abs((group == 0).mean() - 0.2) < 0.04
        counts = np.bincount(turns.users[:, 0])[users.group == 1]
        assert counts.min() > 0.8 * counts.mean()


def test_three_groups(files, tmp_path):
    three = make_vectors(tmp_path, rates=[0.3, 0.5, 0.7], samples=300)
    for own in run(three, {"adversary": "squared", "majority_users": 2}, rounds=30):
        assert own["leak"] == 1.0
        assert own["clients"] == 5
        assert 0 <= own["delta_eo"] <= 2
        assert {f"accuracy_{g}" for g in range(3)} < own.keys()


def test_noise_on_every_update_drowns_a_message_and_tells_its_price(files):
    noisy = run(files, PLAIN | {"mechanism": "update_gaussian", "sigma": 20.0}, rounds=60)
    for own in noisy:
        (given,) = own["privacy"]
        visits = round((20.0 / _sigma_of(given["epsilon"])) ** 2)
        assert own["leak"] < 0.8
        assert given["unit"] == "client"
        assert given["noise_std"] == pytest.approx(2.0)
        assert given["epsilon"] == pytest.approx(gaussian_epsilon(20.0 / visits**0.5, 1e-5))
        assert 30 <= visits <= 60
    (asked,) = run(files, PLAIN | {"mechanism": "update_gaussian", "epsilon": 4.0}, seeds=(0,))
    assert asked["privacy"][0]["epsilon"] == pytest.approx(4.0, rel=1e-6)


def _sigma_of(epsilon: float) -> float:
    """Return the noise multiplier of one release with this epsilon."""
    from fbftl.privacy.accounting import gaussian_sigma

    return gaussian_sigma(epsilon, 1e-5)


def test_a_seed_that_diverges_counts_nothing_and_leaves_the_others(files):
    wild = run(files, PLAIN, learning_rate=1e30, game={"clip": None})
    assert all(own["diverged"] and own["test_accuracy"] == 0 for own in wild)


def test_nobody_says_which_user_is_in_which_group(files, tmp_path):
    """No store, run file or ledger has groups, or numbers that equal the assignment."""
    outputs = Outputs(*(str(tmp_path / f"run.{end}") for end in ("json", "parquet", "meta.json")))
    asked = params(PLAIN, seeds=(0, 1, 2))
    train_setting(files, "", [outputs], [asked], axes_by_method(), "cpu", RAM, 1)
    found = begun(files, from_params(asked, axes_by_method()))
    assignments = [own.users.group for own in found.trials]
    with h5py.File(files["clients"]) as file:
        rows = np.concatenate([file["train/groups"][own][:] for own in file["train/groups"]])
        told: list[str] = []
        file["train/examples"].visit(told.append)
    store = open_store(files["manifest"]).read("train")
    ledger = found.ledgers[0]
    list(found.play())
    ledger = ledger.table().to_pandas()
    for name in [
        *told,
        *ledger.columns,
        *vars(store),
        *_keys(json.loads(Path(outputs.run).read_text())),
    ]:
        # Measures over the test set name groups by number; nothing else has the word.
        assert "group" not in name
    told = [np.asarray(own) for own in vars(store).values() if own is not None]
    told += [ledger[own].to_numpy() for own in ledger if ledger[own].dtype.kind in "iufb"]
    told += [np.asarray(own) for own in _lists(read_run(outputs.run))]
    by_message = [own.users.group[own.turns.users.ravel()] for own in found.trials]
    for secret in (rows, *assignments, *by_message):
        for values in told:
            if values.ndim == 1 and len(values) == len(secret):
                assert not _tells(values, secret)


def test_numbers_of_users_say_nothing(files):
    first = [own.users.group[0] for own in begun(files, job(PLAIN, seeds=range(12))).trials]
    assert 0 < sum(first) < 12


def _tells(values: np.ndarray, secret: np.ndarray) -> bool:
    """Tell whether numbers equal an assignment, whatever its groups are called."""
    return any(np.array_equal(values, np.array(names)[secret]) for names in permutations(range(2)))


def _keys(value: Any) -> Iterator[str]:
    if isinstance(value, dict):
        for key, own in value.items():
            yield key
            yield from _keys(own)
    elif isinstance(value, list):
        for own in value:
            yield from _keys(own)


def _lists(value: Any) -> Iterator[list]:
    own = value.values() if isinstance(value, dict) else value if isinstance(value, list) else ()
    if isinstance(value, list) and value and not isinstance(value[0], dict | str):
        yield value
    for inner in own:
        yield from _lists(inner)


def test_bad_users_end_in_a_sentence(files, tmp_path):
    with pytest.raises(UserError, match="has samples of 2 groups"):
        run(files, {"adversary": "plain"})
    with pytest.raises(UserError, match=r"group 1 has \d+ samples for 1000 users"):
        run(files, {"adversary": "plain", "majority_users": 1000})
    with h5py.File(files["clients"]) as source, h5py.File(tmp_path / "one.h5", "w") as one:
        for name in source:
            source.copy(name, one)
        for own in one["train/groups"]:
            one["train/groups"][own][:] = 0
    with pytest.raises(UserError, match="nobody of group 1"):
        run(files | {"clients": str(tmp_path / "one.h5")}, PLAIN)
    with h5py.File(files["clients"]) as source, h5py.File(tmp_path / "none.h5", "w") as none:
        for split in source:
            source.copy(f"{split}/examples", none, f"{split}/examples")
    with pytest.raises(UserError, match="has no groups"):
        run(files | {"clients": str(tmp_path / "none.h5")}, PLAIN)


def test_a_table_of_people(tmp_path):
    """A file as the Adult data: words and numbers, a class, a group; one woman, two men."""
    draws = np.random.default_rng(0)
    sex, age = draws.choice(["Female", "Male"], 300), draws.integers(18, 80, 300)
    rich = np.where(draws.random(300) < 0.2 + 0.5 * (age > 50), ">50K", "<=50K")
    rows = zip(age, draws.choice(["Private", "State-gov"], 300), sex, rich, strict=True)
    lines = ["age,workclass,sex,income", *(", ".join(map(str, own)) for own in rows)]
    (tmp_path / "adult.csv").write_text("\n".join(lines) + "\n")
    spec = {"kind": "table", "train": "adult.csv", "label_column": "income", "group_column": "sex"}
    spec |= {"client_column": None, "test_fraction": 0.2, "seed": 0}
    files = make_vectors(tmp_path, data_folder=str(tmp_path), spec=spec)
    for own in run(files, PLAIN | {"majority_users": 2}, rounds=20):
        assert own["clients"] == 3
        assert own["leak"] == 1.0


def test_domains_of_which_one_has_no_labels(files):
    game = {"labelled": [0], "warm_up": 0.5}
    setting = {"adversary": "squared", "majority_users": 2, "discriminator_sees": "product"}
    for own in run(files, setting | {"unlabelled_loss": "shot"}, game=game, rounds=20):
        assert own["leak"] == 1.0
        assert not own["diverged"]
