# SPDX-License-Identifier: Apache-2.0
"""A lab as the rest of the project uses it: bring up, break, repair, look, take down."""

from __future__ import annotations

import os
import subprocess
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Self

from flathood.errors import Conflict
from flathood.inventory import CLUSTER, WIRING, load
from flathood.lab import access, bringup, cabling, evidence, fabric, faults, host, machines, paths, state, status
from flathood.lab import teardown as ending
from flathood.lab.errors import LabError
from flathood.lab.faults import Fault, FaultKind
from flathood.lab.hardware import Hardware, Machine, build, nic
from flathood.lab.progress import Progress, silent
from flathood.lab.recipe import SUITES, recipe
from flathood.lab.state import Phase, State
from flathood.spec import load_cluster
from flathood.text import is_missing

#: Seconds that a short verb waits for another one to finish.
_PATIENCE = 30.0


class Lab:
    """One lab, up or not. What cannot be done raises LabError; Conflict if another process is at it.

    >>> lab = Lab.open("inventories/hexa")                      # doctest: +SKIP
    >>> lab.up()                                                # doctest: +SKIP
    >>> lab.exec("a", ["ip", "-brief", "link"]).stdout          # doctest: +SKIP
    """

    def __init__(self, name: str, directory: Path | None) -> None:
        self.name = name
        self.directory = directory

    @classmethod
    def open(cls, where: str | Path) -> Self:
        """The lab of a cluster's folder, of an inventory's name, or by its own name if it is there."""
        return cls(*access.find(where))

    def up(
        self, progress: Progress = silent, rate: int | None = None, suite: str = SUITES[0], packages: Sequence[str] = ()
    ) -> bool:
        """Bring the lab up as wiring.yml plans it; False: it is up already and stays as it is.

        Where there is no wiring.yml yet, the nodes have no cables until `cable` plugs them. `rate` in bit/s replaces
        `links.rate`; `suite` is the Debian release that the machines run, `packages` what they have beside
        every lab's: another set of these is another root file system, built once.
        """
        directory = self._folder
        host.check_tools()
        hardware = self._described(rate)
        with ending.locked(self.name, "lab up", 0):
            if self.is_up:
                self._check_same(hardware)
                return False
            bringup.bring_up(hardware, directory, recipe(suite, packages), progress)
        return True

    def down(self, progress: Progress = silent) -> bool:
        """Take everything of the lab away, also what a crash left; False: there was nothing."""
        host.check_root()
        if not ending.known(self.name):
            return False
        if os.getpid() in machines.commands(self.name):
            raise Conflict(f"this command runs inside lab {self.name}: take it down from outside")
        with ending.locked(self.name, "lab down", 0), progress(f"take lab {self.name} down"):
            ending.clear(self.name)
        return True

    @property
    def is_up(self) -> bool:
        """Whether `up` has come to its end and nothing has taken the lab away since (such as a reboot)."""
        current = state.load(self.name)
        return current is not None and current.phase is Phase.UP and paths.lab_cgroup(self.name).is_dir()

    @property
    def state(self) -> State:
        """The lab's own truth just now; LabError if it is not up."""
        current = state.load(self.name)
        if current is None or not self.is_up:
            raise LabError(f"lab {self.name} is not up (flathood lab up {self.directory or self.name})")
        return current

    @property
    def machines(self) -> dict[str, Machine]:
        """The machines by name: nodes, spares, head."""
        return self.state.planned.by_name

    @property
    def fabric_namespace(self) -> str:
        """The network namespace that holds the switches."""
        return paths.namespace(self.name, paths.FABRIC)

    def namespace(self, machine: str) -> str:
        """The network namespace that holds a machine's NICs."""
        self._machine(self.state, machine)
        return paths.namespace(self.name, machine)

    def port(self, machine: str, slot: int) -> str:
        """The bridge port in the fabric's namespace that the cable of a NIC ends in."""
        current = self.state
        faults.mac_of(current.planned, nic(machine, slot))
        return fabric.port(current, machine, slot)

    def bridge(self, switch: str) -> str:
        """The bridge in the fabric's namespace that is a switch."""
        current = self.state
        self._switch(current, switch)
        return fabric.bridge(current, switch)

    def power_on(self, *names: str, progress: Progress = silent) -> None:
        """Switch machines on (also those that stopped by themselves) and wait until they answer to ssh."""
        with self._changing(f"power on {' '.join(names)}") as current:
            wanted = [name for name in names if not machines.running(self.name, self._machine(current, name))]
            off = current.but(off=current.off | set(wanted))
            self._take_out(current, off, wanted)
            on = off.but(off=off.off - set(wanted))
            cabling.add_namespaces(self.name, wanted)
            cabling.apply(off, on)
            state.save(on)
            with progress(f"boot {' '.join(wanted) or 'nothing'}") as note:
                bringup.boot(on, wanted, note)

    def power_off(self, *names: str, soft: bool = False) -> None:
        """Switch machines off: like a pulled cord, or `soft`, like a pressed power button. Disks stay as they are."""
        with self._changing(f"power off {' '.join(names)}") as current:
            for name in names:
                self._machine(current, name)
            if soft and (stuck := [name for name in names if not machines.shut_down(self.name, name)]):
                raise LabError(f"{', '.join(stuck)}: did not shut down; pull the cord (without --soft)")
            off = current.but(off=current.off | set(names))
            self._take_out(current, off, [name for name in names if name not in current.off])
            state.save(off)

    def recable(self, machine: str, slot: int, to: str) -> None:
        """Plug the cable of a NIC into another switch, or into another machine's NIC (``k18:0``)."""
        with self._changing(f"recable {machine} {slot} {to}") as current:
            name = nic(machine, slot)
            faults.mac_of(current.planned, name)
            if ":" in to:
                faults.mac_of(current.planned, to)
            else:
                self._switch(current, to)
            taken = {name, to} if ":" in to else {name}
            rest = {one: far for one, far in current.cables.items() if not taken & {one, far}}
            self._replug(current, rest | {name: to})

    def cable(self) -> int:
        """Plug every cable as wiring.yml plans now, whatever is broken; how many NICs of nodes got another one."""
        with self._changing("cable") as current:
            hardware = self._described(current.planned.rate)
            self._check_same(hardware)
            names = [nic(machine, slot) for machine, slot, _ in self.macs()]
            changed = sum(current.cables.get(name) != hardware.cables.get(name) for name in names)
            self._become(current, current.but(planned=hardware, cables=hardware.cables))
        return changed

    def unplug(self, machine: str, slot: int) -> None:
        """Pull the cable out of a NIC."""
        with self._changing(f"unplug {machine} {slot}") as current:
            name = nic(machine, slot)
            faults.mac_of(current.planned, name)
            self._replug(current, {one: far for one, far in current.cables.items() if name not in (one, far)})

    def plug(self, machine: str, slot: int) -> None:
        """Put the cable of a NIC back to where the plan has it."""
        planned = self.state.planned.cables.get(nic(machine, slot))
        if planned is None:
            raise LabError(f"{nic(machine, slot)}: the plan has no cable there (use recable)")
        self.recable(machine, slot, planned)

    def set_rate(self, rate: int) -> None:
        """Give every cable another rate, in bit/s; what is under way goes on at that rate."""
        with self._changing(f"rate {rate}") as current:
            self._become(current, current.but(planned=current.planned.model_copy(update={"rate": rate})))

    def switch_off(self, *names: str) -> None:
        """Take the power from switches."""
        with self._changing(f"switch off {' '.join(names)}") as current:
            dark = current.dark | {self._switch(current, name) for name in names}
            self._become(current, current.but(dark=dark))

    def switch_on(self, *names: str) -> None:
        """Give switches their power back; their MAC tables are empty."""
        with self._changing(f"switch on {' '.join(names)}") as current:
            dark = current.dark - {self._switch(current, name) for name in names}
            self._become(current, current.but(dark=dark))

    def break_(self, kind: FaultKind, *on: str) -> Fault:
        """Inject a fault; the number of what is returned undoes it."""
        with self._changing(f"fault {kind} {' '.join(on)}") as current:
            fault = Fault(number=max((each.number for each in current.faults), default=0) + 1, kind=kind, on=on)
            faults.check(current.planned, fault)
            self._become(current, current.but(faults=(*current.faults, fault)))
        return fault

    def mend(self, number: int | None = None) -> tuple[Fault, ...]:
        """Undo one fault, or all of them; those undone are returned."""
        with self._changing("fault undo") as current:
            undone = tuple(fault for fault in current.faults if number in (None, fault.number))
            if number is not None and not undone:
                raise LabError(f"no fault {number}: there are {', '.join(map(str, current.faults)) or 'none'}")
            self._become(current, current.but(faults=tuple(each for each in current.faults if each not in undone)))
        return undone

    def exec(self, machine: str, argv: Sequence[str], timeout: float = 60) -> subprocess.CompletedProcess[str]:
        """Run a program on a machine as its root, output captured; LabError after `timeout` seconds."""
        self._machine(self.state, machine)
        begun = time.monotonic()
        command = machines.inside(self.name, machine, argv, timeout)
        done = subprocess.run(command, capture_output=True, text=True, timeout=timeout + 10, check=False)
        if done.returncode in (124, 137) and time.monotonic() - begun >= timeout:
            raise LabError(f"{machine}: {' '.join(argv)}: not done after {timeout:.0f} s")
        return done

    def command(self, machine: str, argv: Sequence[str], timeout: float | None = None) -> list[str]:
        """The command line that runs `argv` on a machine, for callers that start it themselves."""
        self._machine(self.state, machine)
        return machines.inside(self.name, machine, argv, timeout)

    def at_head(self, argv: Sequence[str]) -> list[str]:
        """The command line that runs `argv` with this machine's files and the head's network, see `environment`."""
        return access.at_head(self.state, list(argv))

    @property
    def environment(self) -> dict[str, str]:
        """Variables for Ansible and ssh to reach the machines."""
        return access.environment(self.state)

    def status(self) -> dict[str, Any]:
        """What is on, plugged and broken, see `flathood.lab.status.gather`."""
        return status.gather(self.state)

    def macs(self) -> list[tuple[str, int, str]]:
        """Machine, slot and MAC of every NIC as it was delivered, spares and head included."""
        machines = self.machines.values()
        return [(machine.name, slot, mac) for machine in machines for slot, mac in enumerate(machine.macs)]

    def evidence(self) -> dict[str, Any]:
        """What the switches say, see `flathood.lab.evidence.gather`."""
        return evidence.gather(self.state)

    # The rest is for the verbs above.

    @contextmanager
    def _changing(self, verb: str) -> Iterator[State]:
        host.check_root()
        with ending.locked(self.name, f"lab {verb}", _PATIENCE):
            yield self.state

    def _become(self, old: State, new: State) -> None:
        cabling.apply(old, new)
        state.save(new)

    def _replug(self, current: State, cables: dict[str, str]) -> None:
        self._become(current, current.but(cables=cables))

    def _take_out(self, current: State, off: State, names: Sequence[str]) -> None:
        """End machines, and with their namespaces all that they kept in memory: addresses, routes, neighbors."""
        for name in names:
            machines.kill(self.name, name)
        cabling.apply(current, off)
        cabling.remove_namespaces(paths.namespace(self.name, name) for name in names)

    @property
    def _folder(self) -> Path:
        if self.directory is None:
            raise LabError(f"lab {self.name}: name its cluster's folder")
        return self.directory

    def _described(self, rate: int | None) -> Hardware:
        """The hardware that the cluster's folder describes now."""
        if is_missing(self._folder / WIRING):
            return build(load_cluster(self._folder / CLUSTER), None, rate)
        inventory = load(self._folder, need_macs=False)
        return build(inventory.cluster, inventory.wiring, rate)

    def _check_same(self, hardware: Hardware) -> None:
        planned = self.state.planned
        if planned.model_copy(update={"cables": {}}) != hardware.model_copy(update={"cables": {}}):
            raise LabError(
                f"lab {self.name} is up with other machines, switches or rates than {self.directory} describes now: "
                f"take it down first (flathood lab down {self.name})"
            )

    @staticmethod
    def _machine(current: State, name: str) -> str:
        if name not in current.planned.by_name:
            raise LabError(f"no machine {name!r} in lab {current.planned.lab}")
        return name

    @staticmethod
    def _switch(current: State, name: str) -> str:
        if name not in current.planned.all_switches:
            raise LabError(f"no switch {name!r}: the lab has {', '.join(current.planned.all_switches)}")
        return name
