"""Sums of uploads: joined from shards in any order, and never from a part of them."""

import json

import join_upload_sums
import numpy as np
import pytest
import solve_uploads
import sum_uploads as sum_uploads_job
from fbftl.exchange.upload_sums import (
    join_sums,
    read_parts,
    read_sum,
    sum_uploads,
    write_sum,
)
from fbftl.ground.errors import UserError
from fbftl.messages.codec import Compression, decode, encode
from fbftl.messages.drawn_clients import DrawnClients
from fbftl.messages.exact_statistics import ExactStatistics
from fbftl.study.upload_tree import UploadTree

CLIENTS = DrawnClients(samples=3, width=6, classes=4, seed=2)
NUMBER, SHARDS, BITS = 300, 4, 4
SPANS = [UploadTree(NUMBER, SHARDS, 2).span((0, shard)) for shard in range(SHARDS)]


def between(first: int, last: int):
    return sum_uploads(CLIENTS, BITS, first, last)


@pytest.fixture(scope="module")
def shards():
    return [between(*span) for span in SPANS]


def test_a_sum_is_that_of_every_message_decoded_alone():
    rows, labels, bits = [], [], 0
    for values, of_clients in CLIENTS.blocks(100, 140):
        for samples, classes in zip(values, of_clients, strict=True):
            message = encode(samples, classes, CLIENTS.classes, Compression(BITS))
            bits += 8 * len(message)
            rows.append(decode(message).values)
            labels.append(decode(message).labels)
    alone = ExactStatistics.of(np.concatenate(rows), np.concatenate(labels), CLIENTS.classes)
    together = between(100, 140)
    assert (together.bits, together.statistics.sha256()) == (bits, alone.sha256())


def test_shards_in_any_order_are_the_sum_of_all(shards):
    joined = join_sums(shards[::-1])
    whole = between(0, NUMBER)
    assert joined.statistics.sha256() == whole.statistics.sha256()
    assert (joined.first, joined.last, joined.bits) == (0, NUMBER, whole.bits)


def test_late_clients_are_added_as_if_they_had_been_there(shards):
    late = join_sums([*shards, between(NUMBER, NUMBER + 3)])
    assert late.statistics.sha256() == between(0, NUMBER + 3).statistics.sha256()


def test_a_client_who_leaves_was_never_there(shards):
    without = join_sums(shards).without(between(130, 131))
    never = between(0, 130).statistics + between(131, NUMBER).statistics
    assert without.sha256() == never.sha256()
    with pytest.raises(UserError, match="clients 300 to 300 are not among those"):
        join_sums(shards).without(between(NUMBER, NUMBER + 1))


@pytest.mark.parametrize("parts", [(0, 2, 3), (0, 1, 1, 2, 3)])
def test_a_gap_or_a_client_twice_is_refused(shards, parts):
    with pytest.raises(UserError, match="each client once"):
        join_sums([shards[number] for number in parts])


def test_sums_of_other_uploads_are_not_joined(shards):
    with pytest.raises(UserError, match="made in different ways"):
        join_sums([shards[0], sum_uploads(CLIENTS, 8, *SPANS[1])])


def test_files_say_all_and_equal_sums_give_equal_bytes(shards, tmp_path):
    for name in ("a", "b"):
        write_sum(tmp_path / name, shards[0])
    assert (tmp_path / "a").read_bytes() == (tmp_path / "b").read_bytes()
    read = read_sum(tmp_path / "a")
    assert read.statistics.sha256() == shards[0].statistics.sha256()
    assert (read.first, read.last, read.bits) == (*SPANS[0], shards[0].bits)
    assert read.made_by == shards[0].made_by


def test_a_shard_that_is_not_there_is_named_and_nothing_is_summed(shards, tmp_path):
    paths = [tmp_path / f"{number}.safetensors" for number in range(SHARDS)]
    for path, shard in zip(paths, shards, strict=True):
        write_sum(path, shard)
    assert len(read_parts(paths, SPANS)) == SHARDS
    content = bytearray(paths[1].read_bytes())
    content[-1] ^= 1
    paths[1].write_bytes(content)
    paths[2].unlink()
    write_sum(paths[3], between(0, 7))
    with pytest.raises(UserError, match="3 of 4 shards are not there") as refused:
        read_parts(paths, SPANS)
    for clients in ("75 to 149", "150 to 224", "225 to 299"):
        assert f"clients {clients}: " in str(refused.value)


def test_scripts_join_shards_in_a_tree_to_the_same_head(tmp_path):
    uploads = {"clients": 50, "samples": 3, "width": 6, "classes": 4, "bits": 4, "seed": 2}
    heads = []
    for shards, fan_in in ((1, 2), (3, 2)):
        tree = UploadTree.of(uploads | {"shards": shards, "fan_in": fan_in})
        folder, block = tmp_path / str(shards), uploads | {"shards": shards, "fan_in": fan_in}

        def make(node, folder=folder, tree=tree, block=block):
            level, place = node
            path = str(folder / f"{level}-{place}.safetensors")
            if level == 0:
                sum_uploads_job.main(block, str(place), path)
            else:
                parts = [make(part) for part in tree.parts(node)]
                join_upload_sums.main(block, str(level), str(place), parts, path)
            return path

        folder.mkdir()
        solve_uploads.main(block, make(tree.root), str(folder / "head.json"))
        heads.append(json.loads((folder / "head.json").read_text()))
    assert heads[0] == heads[1]
    assert heads[0]["samples"] == 150
    lost = folder / "0-1.safetensors"
    lost.unlink()
    parts = [str(folder / name) for name in ("0-0.safetensors", lost.name)]
    with pytest.raises(UserError, match=r"1 of 2 shards .* clients 16 to 32: .* is missing"):
        join_upload_sums.main(block, "1", "0", parts, str(folder / "again"))
    assert not (folder / "again").exists()
