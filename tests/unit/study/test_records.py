"""The methods' records: each has its module, its look and its scheme, and says what it refuses."""

import math
from dataclasses import replace
from importlib import import_module
from itertools import combinations
from pathlib import Path

import pytest
from fbftl.findings.shown import ShownMethod, shown
from fbftl.ground.code import sources
from fbftl.ground.errors import UserError
from fbftl.methods.by_name import entry_module
from fbftl.study import methods
from fbftl.study.axes import BY_ROUNDS
from fbftl.study.job import known_axes
from fbftl.study.settings import AXES, DEFAULTS, Setting, require_sensible
from matplotlib.colors import to_rgb

PLAN = {f"scripts/fbftl/study/{name}.py" for name in ("axes", "record", "settings", "config")} | {
    f"scripts/fbftl/study/methods/{path.name}"
    for path in Path(methods.__file__).parent.glob("*.py")
}


@pytest.mark.parametrize("record", methods.RECORDS, ids=lambda record: record.name)
def test_a_record_fits_its_module_and_the_axes_of_others(record):
    for name, axis in record.by_name.items():
        shared = AXES[name]
        assert (axis.type, axis.default) == (shared.type, shared.default), name
        assert {*axis.listed} <= {*(shared.listed or axis.listed)}, name
    entry = import_module(entry_module(record.name))
    if not {*BY_ROUNDS} <= record.by_name.keys():
        file = Path(entry.__file__)
        modules = file.parent.glob("*.py") if file.name == "run.py" else [file]
        assert not any(" run_rounds" in module.read_text() for module in modules)


def test_an_axis_that_nobody_describes_is_refused():
    unknown = replace(methods.record("fedavg"), axes=("local_epoch",))
    with pytest.raises(UserError, match=r"none of study/axes\.py; did you mean 'local_epochs'"):
        _ = unknown.by_name


def test_every_method_has_its_own_look():
    looks = shown(methods.rows(methods.names())).values()
    assert len({look.label for look in looks}) == len(looks)
    assert [pair for pair in combinations(looks, 2) if not distinguishable(*pair)] == []


def distinguishable(first: ShownMethod, second: ShownMethod) -> bool:
    """Whether colour or marker tells two methods apart; colours do at a sixth of RGB's edge."""
    colours = to_rgb(first.colour), to_rgb(second.colour)
    return first.marker != second.marker or math.dist(*colours) >= 1 / 6


@pytest.mark.parametrize("record", methods.RECORDS, ids=lambda record: record.name)
def test_an_axis_that_a_method_does_not_know_is_refused_with_those_that_do(record):
    unknown = [axis for axis in DEFAULTS if not record.knows(axis)]
    assert unknown
    for axis in unknown:
        with pytest.raises(UserError) as refused:
            require_sensible(Setting(method=record.name, **{axis: "other"}))
        knowing = ", ".join(methods.knowing(axis))
        assert str(refused.value).endswith(f"has no axis {axis}; methods that have it: {knowing}")


def test_a_job_knows_the_axes_of_its_method_only():
    setting = known_axes({"method": "sfl", "fraction": 0.5}, methods.axes_by_method()["sfl"])
    assert (setting.method, setting.fraction, setting.plr) == ("sfl", 0.5, 0.0)
    with pytest.raises(AttributeError, match="method sfl does not know axis cut"):
        _ = setting.cut
    with pytest.raises(ValueError, match="method sfl does not know cut"):
        known_axes({"method": "sfl", "cut": "fc1"}, methods.axes_by_method()["sfl"])


def test_no_job_table_or_figure_imports_the_records_or_the_axes(root, monkeypatch):
    """Else one more method or axis would make every result again."""
    monkeypatch.chdir(root)
    folder, rooms = root / "scripts", ("attacks", "figures", "stages", "tables")
    paths = (path for room in rooms for path in (folder / room).glob("*.py"))
    scripts = {path.relative_to(folder).as_posix() for path in paths}
    trained = [entry_module(name) for name in methods.names()]
    assert len(scripts) > 50
    for script in scripts:
        assert PLAN.isdisjoint(sources(script, "scripts", *trained)), script
