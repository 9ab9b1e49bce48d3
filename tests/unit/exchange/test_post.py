"""The post: what goes in arrives or is lost, and every message has its row."""

from hashlib import sha256

import numpy as np
import pandas as pd
import pytest
from fbftl.exchange.post import Post
from fbftl.messages.channel import link_of
from fbftl.messages.codec import Compression, compress, encode
from fbftl.messages.codec.compression import PLAIN
from fbftl.messages.codec.header import HEADER_BYTES
from fbftl.messages.encoded import digested_messages, encode_rows
from fbftl.messages.ledger import BROADCAST, Ledger
from fbftl.privacy.mechanisms import gaussian, no_mechanism
from fbftl.study.settings import Setting

HEADER, CLIENTS = 8 * HEADER_BYTES, np.arange(20) + 100


def post(plr: float = 0.0, compression: Compression = PLAIN, **changes) -> Post:
    link = link_of(Setting(plr=plr), 512)
    settings = {"guarantee": no_mechanism()} | changes
    return Post(Ledger(method="toy"), link, seed=3, compression=compression, **settings)


def rows(post_: Post) -> pd.DataFrame:
    return post_.ledger.table().to_pandas()


def values(width: int = 7) -> np.ndarray:
    return np.random.default_rng(0).standard_normal((len(CLIENTS), width)).astype(np.float32)


def ends(row: pd.Series) -> tuple[str, str, str]:
    return row["direction"], row["sender"], row["receiver"]


def test_values_are_encoded_and_read_again():
    compression = Compression(4, 0.5)
    post_ = post(plr=0.4, compression=compression)
    receipt = post_.up({"logits": 7}, CLIENTS, 2, content=values())
    read = compress(values(), compression)
    assert (receipt.values == read.values).all()
    assert (receipt.arrived == read.values[receipt.arrives]).all()
    assert 0 < receipt.arrives.sum() < len(CLIENTS)
    table = rows(post_)
    assert (table["encoded"] == "made").all()
    assert table["bits"].tolist() == read.bits.tolist()
    assert (table["payload_bits"] == 4 * 7 // 2).all()
    digests = [sha256(encode(row, compression=compression)).digest() for row in values()]
    assert table["sha256"].tolist() == digests
    assert table["lost"].tolist() == (~receipt.arrives).tolist()
    assert table["client"].tolist() == CLIENTS.tolist()
    assert ends(table.iloc[0]) == ("up", "client", "server")


@pytest.mark.parametrize(("floats", "payload_bits"), [(4100, 1230), (4101, 1231)])
def test_a_ratio_is_the_decimal_that_is_written(floats, payload_bits):
    """0.1 · 3 · 4100 is a little more than 1230 in binary."""
    for parts in ({"logits": floats}, {"logits": np.full(len(CLIENTS), floats)}):
        post_ = post(compression=Compression(3, 0.1))
        post_.up(parts, CLIENTS, 2)
        assert (rows(post_)["payload_bits"] == payload_bits).all()


def test_what_is_counted_is_as_long_and_as_lost_as_what_is_made():
    made, counted = post(plr=0.4), post(plr=0.4)
    one = made.up({"update": 7}, CLIENTS, content=values())
    other = counted.up({"update": 7}, CLIENTS)
    assert (one.arrives == other.arrives).all()
    same = rows(made).drop(columns=["encoded", "sha256"])
    pd.testing.assert_frame_equal(same, rows(counted).drop(columns=["encoded", "sha256"]))
    assert (rows(counted)["encoded"] == "counted").all()


def test_losses_do_not_hang_on_who_takes_part():
    some = np.array([2, 3, 11, 19])
    messages = digested_messages(encode(row) for row in values())
    everyone, few = post(plr=0.5), post(plr=0.5)
    whole = everyone.up({"features": 7}, CLIENTS, content=messages, sample=np.arange(20))
    part = few.up({"features": 7}, CLIENTS, content=messages, sample=np.arange(20), offered=some)
    assert (part.arrives == whole.arrives[some]).all()
    found = rows(everyone).iloc[some].reset_index(drop=True)
    pd.testing.assert_frame_equal(rows(few), found)
    later = everyone.up({"features": 7}, CLIENTS, content=messages, sample=np.arange(20))
    assert (later.arrives != whole.arrives).any()


def test_a_message_of_several_parts_travels_as_a_whole():
    post_ = post(plr=0.4)
    widths = np.arange(20) + 1
    receipt = post_.up({"activations": widths, "update": 5}, CLIENTS, 1)
    table = rows(post_)
    first, second = table[table["part"] == "activations"], table[table["part"] == "update"]
    assert (first["bits"] == HEADER + 32 * widths).all()
    assert (second["bits"] == 32 * 5).all()
    assert (first["packets"] == -(-(HEADER + 32 * (widths + 5)) // 512)).all()
    assert second[["packets", "attempts", "lost", "sha256"]].isna().all(axis=None)
    assert first["lost"].tolist() == (~receipt.arrives).tolist()


def test_only_messages_that_arrived_are_answered():
    post_ = post(plr=0.5)
    receipt = post_.up({"activations": 4}, CLIENTS, 6)
    post_.answer({"gradients": np.arange(20)}, receipt)
    table = rows(post_).query("direction == 'down'")
    assert table["client"].tolist() == CLIENTS[receipt.arrives].tolist()
    assert table["payload_bits"].tolist() == (32 * np.arange(20)[receipt.arrives]).tolist()
    assert (table["round"] == 6).all()
    assert ends(table.iloc[0]) == ("down", "server", "client")


def test_the_server_tells_all_clients_or_one():
    post_ = post(guarantee=gaussian(clip_norm=1.0, sigma=2.0, delta=1e-6)[0])
    post_.broadcast({"weights": 9})
    post_.broadcast({"weights": 9}, np.array([1, 2]))
    post_.down({"mask": 3}, CLIENTS[:2], 2, sender="dealer")
    table = rows(post_)
    assert table["client"].tolist() == [BROADCAST] * 3 + CLIENTS[:2].tolist()
    assert table["round"].tolist() == [0, 1, 2, 2, 2]
    assert table["bits"].tolist() == [32 * 9 + HEADER] * 3 + [32 * 3 + HEADER] * 2
    assert ends(table.iloc[3]) == ("down", "dealer", "client")
    assert table["mechanism"].isna().all()


def test_uploads_carry_their_guarantee_and_a_message_of_nobody_has_no_row():
    guarantee = gaussian(clip_norm=1.5, sigma=2.0, delta=1e-6)[0]
    post_ = post(guarantee=guarantee)
    post_.up({"features": 7}, CLIENTS[:0])
    assert len(rows(post_)) == 0
    post_.up({"features": 7}, CLIENTS, content=encode_rows(values(), Compression()))
    found = rows(post_).iloc[0]
    assert (found["mechanism"], found["clip"], found["sigma"]) == ("gaussian", 1.5, 2.0)
    assert found["epsilon"] == guarantee.epsilon


@pytest.mark.parametrize(
    ("parts", "receiver", "unknown"), [("gossip", "server", "part"), ("votes", "cloud", "receiver")]
)
def test_unknown_parts_and_parties_are_refused(parts, receiver, unknown):
    with pytest.raises(ValueError, match=f"no {unknown}"):
        post().up({parts: 1}, CLIENTS, receiver=receiver)


def test_a_plain_message_is_not_shorter_than_what_it_holds():
    post_ = post()
    one_part = digested_messages(encode(row) for row in values())
    with pytest.raises(ValueError, match="a message of features and update holds more bits"):
        post_.up({"features": 339, "update": 7}, CLIENTS, content=one_part)
    assert post_.up({"update": 7}, CLIENTS, content=one_part).arrives.all()
    assert post_.arrived(np.array([0, 100, 119, 120])).tolist() == [False, True, True, False]
