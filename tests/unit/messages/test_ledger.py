"""The ledger: what goes in comes out, in parts or whole, and other layouts are refused."""

import numpy as np
import pyarrow.parquet as pq
import pytest
from fbftl.ground.errors import UserError
from fbftl.messages.ledger import SCHEMA, Ledger, read_ledger


def test_rows_come_back_with_constants_arrays_and_nulls(tmp_path):
    ledger = Ledger(method="fbftl", store="abc")
    ledger.add(2, seed=0, direction="up", client=np.array([3, 4]), bits=100, lost=[True, False])
    ledger.add(1, seed=1, direction="down", client=-1, bits=5, lost=False)
    ledger.write(tmp_path / "ledger.parquet")
    table = pq.read_table(tmp_path / "ledger.parquet")
    assert table.schema.names == SCHEMA.names
    assert table["client"].to_pylist() == [3, 4, -1]
    assert table["direction"].to_pylist() == ["up", "up", "down"]
    assert table["method"].to_pylist() == ["fbftl"] * 3
    assert table["sha256"].to_pylist() == [None] * 3
    assert table["lost"].to_pylist() == [True, False, False]


def test_an_unknown_column_or_a_wrong_length_is_refused():
    with pytest.raises(ValueError, match="no columns"):
        Ledger().add(1, bitz=3)
    with pytest.raises(ValueError, match="length"):
        Ledger().add(3, bits=np.arange(2))


def test_equal_rows_give_equal_bytes(tmp_path):
    for name in ("a", "b"):
        ledger = Ledger(method="fl")
        ledger.add(10, client=np.arange(10), bits=np.arange(10) * 7)
        ledger.write(tmp_path / name)
    assert (tmp_path / "a").read_bytes() == (tmp_path / "b").read_bytes()


def test_what_is_spilled_is_written_too(tmp_path, monkeypatch):
    def write(name: str) -> pq.ParquetFile:
        ledger = Ledger(method="fl")
        for round in range(7):
            ledger.add(3, round=round, client=np.arange(3), part="update", lost=[False] * 3)
        ledger.write(tmp_path / name)
        return pq.ParquetFile(tmp_path / name)

    whole = write("whole.parquet")
    monkeypatch.setattr("fbftl.messages.ledger.ROWS", 5)
    streamed = write("streamed.parquet")
    assert whole.num_row_groups == 1 < streamed.num_row_groups
    assert streamed.read().to_pylist() == whole.read().to_pylist()


def test_a_ledger_names_its_layout_and_the_first_is_read(tmp_path):
    ledger, path = Ledger(method="fl"), tmp_path / "own.parquet"
    ledger.add(6, client=np.arange(6), part="update")
    ledger.add(1, client=-1, part="weights")
    ledger.write(path)
    table = pq.read_table(path)
    assert table.schema.metadata == {b"layout": b"2"}
    first = tmp_path / "first.parquet"
    pq.write_table(table.replace_schema_metadata(), first)
    rows_of_both = [read_ledger(file, ["client", "part"]).to_pylist() for file in (first, path)]
    assert rows_of_both[0] == rows_of_both[1]


def test_a_ledger_of_another_layout_is_refused_by_name(tmp_path):
    table, path = Ledger(method="fl").table(), tmp_path / "other.parquet"
    for other in (table.replace_schema_metadata({"layout": "3"}), table.drop_columns("store")):
        pq.write_table(other, path)
        with pytest.raises(UserError, match=r"other\.parquet has layout '[23]' with 2[34] columns"):
            read_ledger(path, ["client"])
    path.write_bytes(path.read_bytes()[:-9])
    with pytest.raises(UserError, match=r"other\.parquet is damaged"):
        read_ledger(path, ["client"])
