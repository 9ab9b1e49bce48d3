"""One path of arithmetic on every x86-64 processor with AVX2 and FMA.

Libraries choose their kernels by the processor, and kernels round differently. Five variables, set
before the first of these libraries is imported, have all of them choose the same one everywhere;
what no variable pins in torch is computed otherwise, see `fbftl.ground.devices`. What is promised
is that one version of every package, of CPython and of the C library gives the same bytes on all
such processors; a computer without AVX2 and FMA, or with a GPU, computes as its libraries like.
"""

import os
import platform
import sys
from collections.abc import Mapping, MutableMapping
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

from fbftl.ground.errors import UserError

VARIABLES = {
    # torch's own kernels.
    "ATEN_CPU_CAPABILITY": "avx2",
    # oneDNN: convolutions.
    "ONEDNN_MAX_CPU_ISA": "AVX2",
    # MKL: what is left of torch's products, and its LAPACK. Faster values are not honoured on
    # processors of every vendor.
    "MKL_CBWR": "COMPATIBLE",
    # The BLAS and LAPACK of numpy and scipy.
    "OPENBLAS_CORETYPE": "Haswell",
    # numpy's own loops; these are the names of the pinned version.
    "NPY_DISABLE_CPU_FEATURES": "X86_V4 AVX512_ICL AVX512_SPR",
}
"""What pins the arithmetic of a process, by the name of the environment's variable."""

NEEDED = ("avx2", "fma")
"""What a processor must be able to do, as Linux lists it."""

C_LIBRARY = "glibc 2.36"
"""C library for which the same bytes are promised, that of envs/Dockerfile: its exp, log and pow
choose their kernels too, and change with its version."""

PYTHON = "3.11"
"""Minor version of CPython for which they are promised: from 3.12 on `sum` compensates."""

PROCESSORS = Path("/proc/cpuinfo")
"""Where Linux describes them."""

GRAPHICS = Path("/dev/nvidiactl")
"""What is there if a GPU can be computed on."""


@dataclass(frozen=True)
class Machine:
    """What decides how a computer computes.

    architecture: as `platform.machine` says it, e.g. x86_64.
    processor: its name, empty where nothing tells it.
    features: what the processor can do, as Linux lists it.
    c_library: name and version, e.g. glibc 2.36; empty where nothing tells them.
    python: minor version of CPython, e.g. 3.11.
    gpu: whether there is a GPU.
    """

    architecture: str
    processor: str
    features: frozenset[str]
    c_library: str
    python: str
    gpu: bool


def this_machine() -> Machine:
    """Return what decides how this computer computes."""
    described: dict[str, str] = {}
    with suppress(OSError):
        for line in PROCESSORS.read_text(encoding="utf-8").splitlines():
            name, _, value = line.partition(":")
            described.setdefault(name.strip(), value.strip())
    c_library = ""
    with suppress(AttributeError, ValueError, OSError):
        c_library = os.confstr("CS_GNU_LIBC_VERSION") or ""
    return Machine(
        platform.machine(),
        described.get("model name", platform.processor()),
        frozenset(described.get("flags", "").split()),
        c_library,
        ".".join(map(str, sys.version_info[:2])),
        GRAPHICS.exists(),
    )


def obstacle(machine: Machine, device: str, computed: str | None = None) -> str | None:
    """Return why arithmetic cannot be pinned, None if it can.

    Args:
        machine: the computer.
        device: auto, cpu or cuda, as the configuration says it.
        computed: what of the study computes otherwise than in plain float32, in words.
    """
    if computed is not None:
        return computed
    if device == "cuda":
        return "device is cuda"
    if device == "auto" and machine.gpu:
        return "device is auto and this computer has a GPU"
    if machine.architecture not in ("x86_64", "AMD64"):
        return f"the processor is {machine.architecture or 'unknown'}, not x86-64"
    lacking = [feature for feature in NEEDED if feature not in machine.features]
    if lacking:
        return f"the processor lacks {' and '.join(lacking)}"
    return None


def departure(machine: Machine) -> str | None:
    """Return why pinned arithmetic may give other bytes than elsewhere, None if it may not."""
    if machine.c_library != C_LIBRARY:
        return f"the C library is {machine.c_library or 'unknown'}, not {C_LIBRARY}"
    if machine.python != PYTHON:
        return f"Python is {machine.python}, not {PYTHON}"
    return None


def is_pinned(
    wanted: bool | str, device: str, machine: Machine, computed: str | None = None
) -> bool:
    """Return whether a study's jobs pin their arithmetic.

    Args:
        wanted: the configuration's `exact`: True, False or auto, which is where it can be.
        device: auto, cpu or cuda, as the configuration says it.
        machine: the computer.
        computed: as `obstacle` has it.

    Raises:
        UserError: if the same bytes are asked for and this computer cannot promise them.
    """
    against = obstacle(machine, device, computed)
    if wanted is True and (reason := against or departure(machine)):
        raise UserError(
            f"config: exact is true, but {reason}; results would differ from those of other "
            "machines, which 'exact: auto' accepts and says"
        )
    return wanted is not False and against is None


def pin(environment: MutableMapping[str, str], pinned: bool) -> None:
    """Put the variables into an environment, or take them out again.

    Args:
        environment: of the processes to come.
        pinned: whether they pin their arithmetic.

    Raises:
        UserError: if they shall and the user has set a variable to another value.
    """
    if not pinned:
        for name, value in VARIABLES.items():
            if environment.get(name) == value:
                del environment[name]
        return
    for name, value in VARIABLES.items():
        if environment.get(name, value) != value:
            raise UserError(
                f"{name} is '{environment[name]}' in the environment, and pinned arithmetic needs "
                f"'{value}'; unset it, or say 'exact: false' in the configuration"
            )
    environment.update(VARIABLES)


def in_environment(environment: Mapping[str, str]) -> bool:
    """Return whether an environment pins the arithmetic of its processes."""
    return all(environment.get(name) == value for name, value in VARIABLES.items())


def require_pinned() -> None:
    """Stop a process whose arithmetic should be pinned and is not.

    Raises:
        UserError: if a variable did not reach it, or a library chose otherwise.
    """
    for name, value in VARIABLES.items():
        if os.environ.get(name) != value:
            raise UserError(
                f"this job's arithmetic should be pinned and {name} is "
                f"'{os.environ.get(name, '')}', not '{value}'; have the cluster hand on the "
                "environment, or say 'exact: false' in the configuration"
            )
    if reason := obstacle(this_machine(), "cpu"):
        raise UserError(
            f"this job's arithmetic should be pinned, but {reason}; choose other nodes, or say "
            "'exact: false' in the configuration"
        )
    # Only a process that has imported torch computes with it.
    if (torch := sys.modules.get("torch")) is not None:
        capability = torch.backends.cpu.get_cpu_capability()
        if capability != "AVX2":
            raise UserError(
                f"this job's arithmetic should be pinned to AVX2, but torch computes with "
                f"{capability}, as it was imported before the environment said so"
            )


def sentence(pinned: bool, device: str, machine: Machine, computed: str | None = None) -> str:
    """Return what readers of a study's results have to know of its arithmetic.

    Args:
        pinned: whether its jobs pinned it.
        device: auto, cpu or cuda, as the configuration says it.
        machine: the computer.
        computed: as `obstacle` has it.
    """
    reason = obstacle(machine, device, computed)
    reason = reason or (departure(machine) if pinned else "the study says 'exact: false'")
    if reason:
        return f"Not exact, because {reason}: other machines may give other numbers."
    return (
        "Exact: every x86-64 processor with AVX2 and FMA gives the same bytes with the pinned "
        f"packages, Python {PYTHON} and {C_LIBRARY}."
    )


def described(device: str) -> dict[str, object]:
    """Return how this process computes, for the notes beside its results.

    Args:
        device: the one that it computes on, e.g. cpu or cuda:0.

    Returns:
        Whether its bytes are those of every other machine of the promise, why not, the processor,
        torch's capability, the C library, and the variables as they are set.
    """
    machine = this_machine()
    torch = sys.modules.get("torch")
    reason = (
        obstacle(machine, "cuda" if device.startswith("cuda") else "cpu")
        or (None if in_environment(os.environ) else "its arithmetic was not pinned")
        or departure(machine)
    )
    return {
        "exact": reason is None,
        "not_exact_because": reason,
        "processor": machine.processor,
        "architecture": machine.architecture,
        "capability": None if torch is None else torch.backends.cpu.get_cpu_capability(),
        "c_library": machine.c_library,
        "variables": {name: os.environ[name] for name in VARIABLES if name in os.environ},
    }
