"""Which call makes a setting: the papers' studies, full ones, those laid over."""

import pytest
from fbftl.ground.errors import UserError
from fbftl.study.call import Call, call_for

FULL = """
data_folder: ../data
study: {tasks: [few-full], experiments: [uploads_loss]}
tasks:
  few-full: {like: rival_digits, seeds: [100, 101], source_seeds: 2}
experiments: {}
"""


@pytest.mark.parametrize(
    ("task", "setting", "call"),
    [
        ("digits", "fbftl", Call(config={"papers": "fbftl"})),
        ("rival_digits", "one_shot+head=lda", Call(config={"papers": "rivals"})),
        ("mnist", "fbftl", Call("studies/mnist.yaml")),
        ("cifar10-imagenet", "ftl_c", Call("studies/cifar10-imagenet.yaml")),
        ("digits_sources/source_seeds/1", "fbftl", Call("studies/sources.yaml")),
        ("few-full", "fbftl+plr=0.5", Call(config={"size": "full", "system": "rivals"})),
        (
            "few-full/source_seeds/1",
            "fbftl+plr=0.5",
            Call(config={"size": "full", "system": "rivals"}),
        ),
    ],
)
def test_the_call_of_a_setting(linked, task, setting, call):
    (linked / "studies/full/rivals.yaml").write_text(FULL)
    found, study = call_for(linked, task, setting)
    assert found == call
    assert any(setting in names for names in study.settings[task].values())


@pytest.mark.parametrize(("task", "setting"), [("digits", "fbftl+plr=0.123"), ("nowhere", "fbftl")])
def test_what_no_study_makes_is_refused(linked, task, setting):
    with pytest.raises(UserError, match=f"no study of the project makes .* on {task} any more"):
        call_for(linked, task, setting)


def test_folders_are_absolute_in_another_folder(linked):
    (linked / "studies/full/rivals.yaml").write_text(FULL)
    call, study = call_for(linked, "few-full", "fbftl")
    data = (linked.parent / "data").resolve()
    keys = ["size=full", "system=rivals", "exact=true", f"data_folder={data}"]
    assert call.words(linked, study, exact="true") == ["--config", *keys]
    call, study = call_for(linked, "mnist", "fbftl")
    file, config = call.words(linked, study)[1:3]
    assert file.endswith("/studies/mnist.yaml")
    assert config == "--config"
