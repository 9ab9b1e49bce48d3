"""Pinned arithmetic: where it can be, what refuses it, and that jobs notice when it is not."""

import os
from dataclasses import replace

import pytest
import torch
from fbftl.ground import exact
from fbftl.ground.errors import UserError
from fbftl.ground.exact import (
    VARIABLES,
    Machine,
    described,
    in_environment,
    is_pinned,
    pin,
    require_pinned,
    sentence,
)

PROMISED = Machine("x86_64", "A processor", frozenset({"avx2", "fma"}), "glibc 2.36", "3.11", False)
WITHOUT_FMA = replace(PROMISED, features=frozenset({"avx2"}))
ARM = replace(PROMISED, architecture="aarch64", features=frozenset())
WITH_GPU = replace(PROMISED, gpu=True)
OTHER_LIBRARY = replace(PROMISED, c_library="glibc 2.39")
OTHER_PYTHON = replace(PROMISED, python="3.12")


def test_auto_pins_where_that_can_be_done():
    assert is_pinned("auto", "auto", PROMISED)
    assert is_pinned("auto", "cpu", WITH_GPU)
    assert not is_pinned("auto", "auto", WITH_GPU)
    assert not is_pinned("auto", "cuda", PROMISED)
    assert not is_pinned("auto", "cpu", WITHOUT_FMA)
    assert not is_pinned("auto", "cpu", ARM)
    assert not is_pinned(False, "cpu", PROMISED)


@pytest.mark.parametrize(
    ("machine", "device", "reason"),
    [
        (WITHOUT_FMA, "cpu", "the processor lacks fma"),
        (ARM, "cpu", "the processor is aarch64"),
        (WITH_GPU, "auto", "has a GPU"),
        (PROMISED, "cuda", "device is cuda"),
        (OTHER_LIBRARY, "cpu", "the C library is glibc 2.39, not glibc 2.36"),
        (OTHER_PYTHON, "cpu", "Python is 3.12, not 3.11"),
    ],
)
def test_true_refuses_what_cannot_promise_equal_bytes(machine, device, reason):
    with pytest.raises(UserError, match=f"exact is true, but .*{reason}"):
        is_pinned(True, device, machine)
    assert reason in sentence(is_pinned("auto", device, machine), device, machine)


def test_another_c_library_is_pinned_all_the_same_and_says_that_it_is_not_exact():
    assert is_pinned("auto", "cpu", OTHER_LIBRARY)
    assert sentence(True, "cpu", OTHER_LIBRARY).startswith("Not exact, because the C library")
    assert sentence(True, "cpu", PROMISED).startswith("Exact:")
    assert "exact: false" in sentence(False, "cpu", PROMISED)


def test_variables_are_put_in_and_taken_out_again():
    environment = {"HOME": "/home"}
    pin(environment, True)
    assert environment == {"HOME": "/home"} | VARIABLES
    assert in_environment(environment)
    pin(environment, False)
    assert environment == {"HOME": "/home"}


def test_a_variable_of_the_users_is_named_and_never_overwritten():
    environment = {"MKL_CBWR": "AVX2"}
    with pytest.raises(UserError, match=r"MKL_CBWR is 'AVX2'.*needs 'COMPATIBLE'"):
        pin(environment, True)
    pin(environment, False)
    assert environment == {"MKL_CBWR": "AVX2"}


@pytest.fixture
def here(monkeypatch):
    """This process as one that was pinned before it started, on whatever computer."""
    for name, value in VARIABLES.items():
        monkeypatch.setenv(name, value)
    monkeypatch.setattr(exact, "this_machine", lambda: PROMISED)
    monkeypatch.setattr(torch.backends.cpu, "get_cpu_capability", lambda: "AVX2")


@pytest.mark.usefixtures("here")
def test_a_job_that_is_pinned_goes_on():
    require_pinned()
    assert described("cpu") | {"variables": {}} == {
        "exact": True,
        "not_exact_because": None,
        "processor": "A processor",
        "architecture": "x86_64",
        "capability": "AVX2",
        "c_library": "glibc 2.36",
        "variables": {},
    }


@pytest.mark.usefixtures("here")
@pytest.mark.parametrize("name", VARIABLES)
def test_a_job_whose_node_dropped_a_variable_stops(name, monkeypatch):
    monkeypatch.delenv(name)
    with pytest.raises(UserError, match=f"should be pinned and {name} is ''"):
        require_pinned()
    assert described("cpu")["not_exact_because"] == "its arithmetic was not pinned"


@pytest.mark.usefixtures("here")
def test_a_job_whose_libraries_chose_before_stops(monkeypatch):
    monkeypatch.setattr(torch.backends.cpu, "get_cpu_capability", lambda: "AVX512")
    with pytest.raises(UserError, match="torch computes with AVX512"):
        require_pinned()


def test_tests_compute_as_jobs_do():
    if not is_pinned("auto", "auto", exact.this_machine()):
        pytest.skip("this computer cannot pin its arithmetic")
    assert in_environment(os.environ)
    assert torch.backends.cpu.get_cpu_capability() == "AVX2"
