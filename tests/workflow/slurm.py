"""A Slurm of one node on this machine, from the distribution's packages, in a folder of its own."""

import os
import re
import secrets
import shutil
import signal
import socket
import subprocess
import time
from contextlib import suppress
from pathlib import Path

PROGRAMS = ("munged", "slurmctld", "slurmd", "sbatch", "srun", "squeue")

CONFIGURATION = """
ClusterName=test
SlurmctldHost={host}
SlurmUser=root
SlurmctldPort={controller_port}
SlurmdPort={node_port}
AuthType=auth/munge
AuthInfo=socket={folder}/munge.socket,cred_expire=5
StateSaveLocation={folder}/state
SlurmdSpoolDir={folder}/spool
SlurmctldPidFile={folder}/slurmctld.pid
SlurmdPidFile={folder}/slurmd.pid
SlurmctldLogFile={folder}/slurmctld.log
SlurmdLogFile={folder}/slurmd.log
MpiDefault=none
ProctrackType=proctrack/linuxproc
TaskPlugin=task/none
SelectType=select/cons_tres
SelectTypeParameters=CR_Core_Memory
AccountingStorageType=accounting_storage/none
JobAcctGatherType=jobacct_gather/none
SwitchType=switch/none
ReturnToService=2
SlurmdTimeout=10
SlurmdParameters=config_overrides
MinJobAge=86400
NodeName={host} CPUs={cpus} RealMemory={memory} State=UNKNOWN
PartitionName=all Nodes={host} Default=YES MaxTime=INFINITE State=UP
"""


def missing() -> str | None:
    """Say why no Slurm can be started here, or return None."""
    absent = [name for name in PROGRAMS if which(name) is None]
    if absent:
        return f"{', '.join(absent)} not found: install the packages slurm-wlm and munge"
    if os.geteuid() != 0:
        return "slurmd needs root"
    return None


def which(program: str) -> str | None:
    """Return where a program lies, system folders included."""
    return shutil.which(program, path=f"{os.environ['PATH']}:/usr/sbin:/sbin")


class Slurm:
    """One controller and one node, as a context; `environment` makes clients find them."""

    def __init__(self, folder: Path, cpus: int = 2, memory_mb: int = 64000) -> None:
        self.folder = folder
        self.environment = {
            "SLURM_CONF": str(folder / "slurm.conf"),
            "PATH": f"{folder / 'bin'}:{os.environ['PATH']}:/usr/sbin",
        }
        self._daemons: dict[str, subprocess.Popen[bytes]] = {}
        for name in ("state", "spool", "bin"):
            (folder / name).mkdir(parents=True)
        # Snakemake's step inside a job clears all variables of Slurm before it calls srun.
        srun = folder / "bin" / "srun"
        srun.write_text(f'#!/bin/sh\nSLURM_CONF={folder}/slurm.conf exec {which("srun")} "$@"\n')
        srun.chmod(0o755)
        # munged refuses keys and sockets that others could write to.
        folder.chmod(0o755)
        key = folder / "munge.key"
        key.write_bytes(secrets.token_bytes(128))
        key.chmod(0o400)
        (folder / "slurm.conf").write_text(
            CONFIGURATION.format(
                host=socket.gethostname(),
                folder=folder,
                cpus=cpus,
                memory=memory_mb,
                controller_port=free_port(),
                node_port=free_port(),
            )
        )

    def __enter__(self) -> "Slurm":
        self._start(
            "munged", "--foreground", "--force", f"--socket={self.folder}/munge.socket",
            f"--key-file={self.folder}/munge.key", f"--pid-file={self.folder}/munged.pid",
            f"--seed-file={self.folder}/munged.seed", f"--log-file={self.folder}/munged.log",
        )  # fmt: skip
        self._start("slurmctld", "-D")
        self.start_node()
        return self

    def __exit__(self, *error: object) -> None:
        for daemon in reversed(self._daemons.values()):
            daemon.terminate()
            try:
                daemon.wait(20)
            except subprocess.TimeoutExpired:
                daemon.kill()
                daemon.wait()

    def start_node(self) -> None:
        """Start the node's daemon and wait until the node takes jobs."""
        self._start("slurmd", "-D")
        deadline = time.monotonic() + 120
        while self._client("sinfo", "--noheader", "--format=%T") not in ("idle", "mixed"):
            if time.monotonic() > deadline:
                raise RuntimeError(f"no node after two minutes: {self._logs()}")
            time.sleep(0.5)

    def kill_node(self) -> None:
        """End the node's daemon and the jobs that it runs, as a power loss of the node would."""
        self._daemons["slurmd"].kill()
        self._daemons.pop("slurmd").wait()
        for process in self._processes():
            os.kill(process, signal.SIGKILL)

    def restarts(self) -> dict[str, int]:
        """Return how often each job so far was started again, by its number and what it does."""
        shown = self._client("scontrol", "--oneliner", "show", "jobs")
        jobs = re.findall(r"JobId=(\d+) .* Restarts=(\d+) .* Comment=(\S+)", shown)
        return {f"{number} {comment}": int(count) for number, count, comment in jobs}

    def _processes(self) -> list[int]:
        """Return the processes of this node's jobs, which outlive its daemon."""
        processes = []
        for process in Path("/proc").glob("[0-9]*"):
            with suppress(OSError):
                variables = (process / "environ").read_bytes().split(b"\0")
                ours = f"SLURM_CONF={self.environment['SLURM_CONF']}".encode() in variables
                step = (process / "comm").read_text().strip() == "slurmstepd"
                if ours and (step or any(v.startswith(b"SLURM_JOB_ID=") for v in variables)):
                    processes.append(int(process.name))
        return processes

    def _start(self, program: str, *arguments: str) -> None:
        with open(self.folder / f"{program}.console", "ab") as console:
            self._daemons[program] = subprocess.Popen(
                [str(which(program)), *arguments],
                env=os.environ | self.environment,
                stdout=console,
                stderr=subprocess.STDOUT,
                start_new_session=True,
            )

    def _client(self, *command: str) -> str:
        done = subprocess.run(
            command, env=os.environ | self.environment, capture_output=True, text=True
        )
        return done.stdout.strip()

    def _logs(self) -> str:
        files = sorted([*self.folder.glob("*.log"), *self.folder.glob("*.console")])
        return "\n".join(f"{path.name}: {path.read_text()[-2000:]}" for path in files)


def free_port() -> int:
    """Return a port that nothing listens on now."""
    with socket.socket() as probe:
        probe.bind(("", 0))
        return probe.getsockname()[1]
