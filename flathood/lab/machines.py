# SPDX-License-Identifier: Apache-2.0
"""Starts machines and enters them. A machine is a systemd-nspawn container that believes itself to be a computer."""

from __future__ import annotations

import os
import signal
import sys
import time
from collections.abc import Callable, Iterable
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

from flathood.lab import cgroups, paths
from flathood.lab.errors import LabError
from flathood.lab.run import run
from flathood.lab.state import State

#: Machines that boot at the same time, per processor: more only makes each of them slower.
_AT_ONCE_PER_CPU = 8
#: Lines of a machine's console that are shown when it does not boot.
_TAIL = 10
_SSH_LISTENS = ":0016 00000000:0000 0A"
_PATH = "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin"

# The shell joins the machine's control group before anything of the machine exists. All mounts are made in a mount
# namespace that ends with the machine. nspawn sees an empty /run, so that it leaves nothing in the real one, and only
# the version 2 hierarchy of control groups, whatever the machine outside has. API_VFS_WRITABLE: udev and networkd
# refuse to work when /sys is read-only. CAP_NET_ADMIN is what networkd needs. nspawn's exit code 133 is a reboot asked
# for inside; a real one begins with new NICs and an empty memory, so the machine is switched off and on from outside.
_START = """\
echo $$ > "$GROUP/cgroup.procs" &&
exec setsid --fork sh -c '
  ip netns exec "$SPACE" sh -c "$MACHINE_ITSELF"
  if [ $? -eq 133 ]; then
    echo $$ > "$COMMANDS/cgroup.procs" &&
    exec setsid --fork "$PYTHON" -m flathood.lab.reboot "$LAB" "$MACHINE"
  fi' < /dev/null > "$CONSOLE" 2>&1
"""
_MACHINE_ITSELF = """\
mount --make-rprivate / &&
mount -t overlay overlay -o "lowerdir=$COMMON:$BASE,upperdir=$DISK/upper,workdir=$DISK/work" "$DISK/root" &&
mount -t cgroup2 cgroup2 /sys/fs/cgroup &&
mount -t tmpfs -o mode=755 tmpfs /run &&
exec systemd-nspawn --quiet --boot --directory="$DISK/root" --machine="$NAME" --register=no --keep-unit \
  --capability=CAP_NET_ADMIN --resolv-conf=off --timezone=off --link-journal=no --console=pipe \
  --kill-signal=SIGRTMIN+3
"""


@dataclass(frozen=True)
class Failure:
    """A machine that did not come up, and the end of what it said."""

    machine: str
    reason: str
    console: str

    def __str__(self) -> str:
        """Return the machine and why, then its console, indented."""
        return "\n".join([f"{self.machine}: {self.reason}", *(f"  | {line}" for line in self.console.splitlines())])


def start(state: State, machine: str) -> None:
    """Switch a machine on: its namespace, NICs and disk have to be there. Returns at once, see `await_boot`."""
    lab = state.planned.lab
    group = paths.machine_cgroup(lab, machine)
    group.mkdir(parents=True, exist_ok=True)
    console = paths.console(lab, machine)
    console.parent.mkdir(exist_ok=True)
    variables = {
        "GROUP": group,
        "MACHINE_ITSELF": _MACHINE_ITSELF,
        "SPACE": paths.namespace(lab, machine),
        "COMMON": paths.common_layer(lab),
        "BASE": state.root,
        "DISK": paths.disk(lab, machine),
        "NAME": f"{lab}-{machine}"[:64],
        "LAB": lab,
        "MACHINE": machine,
        "COMMANDS": paths.command_cgroup(lab),
        "PYTHON": sys.executable,
        "PYTHONPATH": Path(__file__).resolve().parents[2],
        "CONSOLE": console,
        "SYSTEMD_NSPAWN_API_VFS_WRITABLE": "yes",
    }
    run(("env", *(f"{key}={value}" for key, value in variables.items()), "sh", "-c", _START))


def boot(state: State, names: Iterable[str], patience: float, note: Callable[[str], None]) -> list[Failure]:
    """Start machines, some at a time, and wait until each answers to ssh; those that do not, with their consoles.

    `patience`: seconds that each machine has from its start.
    """
    waiting = list(names)
    total = len(waiting)
    started: dict[str, float] = {}
    leaders: dict[str, int] = {}
    failures: list[Failure] = []
    at_once = _AT_ONCE_PER_CPU * (os.cpu_count() or 1)
    while waiting or started:
        while waiting and len(started) < at_once:
            name = waiting.pop(0)
            start(state, name)
            started[name] = time.monotonic()
        for name, since in list(started.items()):
            group = paths.machine_cgroup(state.planned.lab, name)
            if name not in leaders and (pid := leader_in(group)) is not None:
                leaders[name] = pid
            if name in leaders and _serves_ssh(leaders[name]):
                del started[name]
            elif time.monotonic() - since > patience:
                failures.append(_failure(state, name, f"did not answer to ssh within {patience:.0f} s"))
                del started[name]
            elif time.monotonic() - since > 1 and not cgroups.busy(group):
                failures.append(_failure(state, name, "stopped while it booted"))
                del started[name]
        note(f"{total - len(waiting) - len(started)} of {total} up")
        time.sleep(0.05)
    return failures


def kill(lab: str, machine: str) -> None:
    """Pull the power cord."""
    cgroups.end(paths.machine_cgroup(lab, machine))


def shut_down(lab: str, machine: str, patience: float = 30.0) -> bool:
    """Ask a machine to shut down as its power button does; False if it is still up after `patience` seconds."""
    group = paths.machine_cgroup(lab, machine)
    pid = leader_in(group)
    if pid is not None:
        with suppress(ProcessLookupError):
            os.kill(pid, signal.SIGRTMIN + 3)
    deadline = time.monotonic() + patience
    while cgroups.busy(group):
        if time.monotonic() > deadline:
            return False
        time.sleep(0.05)
    return True


def running(lab: str, machine: str) -> bool:
    """Whether the machine has any process."""
    return cgroups.busy(paths.machine_cgroup(lab, machine))


def commands(lab: str) -> list[int]:
    """Processes that people started in the lab from outside."""
    return cgroups.processes(paths.command_cgroup(lab))


def leader(lab: str, machine: str) -> int:
    """The machine's PID 1, by its number outside; LabError if the machine is off."""
    pid = leader_in(paths.machine_cgroup(lab, machine))
    if pid is None:
        raise LabError(f"{machine} is off (flathood lab power on {machine})")
    return pid


def leader_in(group: Path) -> int | None:
    """The process in a control group that is number 1 in a process namespace of its own."""
    for pid in cgroups.processes(group):
        with suppress(OSError):
            for line in Path(f"/proc/{pid}/status").read_text().splitlines():
                if line.startswith("NSpid:") and line.split()[2:] == ["1"]:
                    return pid
    return None


def inside(lab: str, machine: str, argv: Iterable[str], timeout: float | None = None) -> list[str]:
    """The command that runs `argv` in a machine as its root, in the lab's control group; at most `timeout` seconds."""
    limit = ("timeout", "--kill-after=2", f"{timeout:.3f}") if timeout else ()
    spaces = ("--root", "--mount", "--uts", "--ipc", "--net", "--pid", "--cgroup")
    terminal = os.environ.get("TERM", "dumb")
    clean = (
        "env",
        "-i",
        "--chdir=/root",
        f"PATH={_PATH}",
        "HOME=/root",
        "USER=root",
        "LANG=C.UTF-8",
        f"TERM={terminal}",
    )
    return joined(lab, ("nsenter", f"--target={leader(lab, machine)}", *spaces, *clean, *limit, *argv))


def joined(lab: str, argv: Iterable[str]) -> list[str]:
    """The command that runs `argv` in the lab's control group for commands, so that it ends with the lab."""
    group = paths.command_cgroup(lab) / "cgroup.procs"
    return ["sh", "-c", 'echo $$ > "$0" && exec "$@"', str(group), *argv]


def _serves_ssh(pid: int) -> bool:
    """Whether something listens on TCP port 22 in the process's network namespace, see proc_net_tcp(5)."""
    try:
        return _SSH_LISTENS in Path(f"/proc/{pid}/net/tcp").read_text()
    except OSError:
        return False


def _failure(state: State, name: str, reason: str) -> Failure:
    console = paths.console(state.planned.lab, name)
    lines = console.read_text(errors="replace").splitlines() if console.exists() else []
    return Failure(name, reason, "\n".join(lines[-_TAIL:]))
