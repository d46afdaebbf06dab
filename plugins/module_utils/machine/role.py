# SPDX-License-Identifier: GPL-3.0-or-later
"""One role on this machine, or all: compare files and live state with the plan, make them so, wait for the kernel."""

from __future__ import annotations

import base64
import json
import subprocess
import time
import zlib
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path

from . import explain, files, live, nics, verbs
from .command import MachineError

#: Files of the operator that a role replaces whole: the first one met is kept under this ending.
ORIGINALS = ("/etc/hosts", "/etc/openmpi/openmpi-mca-params.conf")
KEPT = ".before-flathood"
#: What can go wrong on a machine without being a fault of this program.
TROUBLE = (OSError, subprocess.SubprocessError, MachineError)
#: Seconds that a NIC which was just brought up gets for finding its carrier: autonegotiation at 10GBASE-T takes some.
CARRIER = 5.0
NODE_NETDEV = "/etc/systemd/network/50-fnn-node0.netdev"


@dataclass(frozen=True)
class Role:
    """What the controller sends: the plan's view of one role, or of several at once, which ``names`` has.

    ``look``: the globs by which every role's state is told.
    """

    names: list[str]
    wanted: list[files.Wanted]
    owns: list[str]
    apply: list[str]
    live: dict[str, list[str]]
    look: dict[str, list[str]]


@dataclass
class Outcome:
    """What one application came to; ``before`` and ``after`` of each facet that differed."""

    changes: list[files.Change]
    drift: dict[str, tuple[list[str], list[str]]]
    done: list[str] = field(default_factory=list)
    problems: list[str] = field(default_factory=list)

    @property
    def changed(self) -> bool:
        """Whether anything differed from the plan."""
        return bool(self.changes or self.drift)


def unpack(payload: str) -> Role:
    """Take apart what the controller packed (plugins/plugin_utils/packing.py)."""
    sent = json.loads(zlib.decompress(base64.b64decode(payload)))
    wanted = [
        files.Wanted(path, mode, None if content is None else content.encode())
        for path, mode, content in sent.pop("files")
    ]
    return Role(wanted=wanted, **sent)


def state(root: Path, look: dict[str, list[str]]) -> dict[str, object]:
    """Signatures of each role's files and digests of each facet: what the controller compares with the plan."""
    shown = live.facets(root)
    leasing = {"leasing_for": verbs.leasing_for()} if "head" in look else {}
    return leasing | {
        "no_carrier": live.without_carrier(live.ask("link", "show")),
        "files": {role: files.signatures(root, globs) for role, globs in look.items()},
        "live": {facet: live.digest(lines) for facet, lines in shown.items()},
        "sysctl": {role: live.digest(live.sysctl(root, live.sysctl_keys(root, role))) for role in look},
    }


def converge(root: Path, role: Role, *, check: bool, settle: float) -> Outcome:
    """Make the machine what the plan says of this role; in check mode only say what would be done.

    ``settle``: seconds that the kernel and systemd-networkd get until they must show it.
    """
    _complete(root, role)
    outcome = Outcome(files.changes(root, role.wanted, role.owns), _drift(root, role))
    if check or not outcome.changed:
        return outcome
    for change in outcome.changes:
        if change.path in ORIGINALS:
            kept = files.keep_original(root, change.path, KEPT)
            outcome.done += [f"{change.path}: the original is kept as {kept}"] if kept else []
        files.apply(root, change)
        outcome.done.append(f"{change.path}: {'removed' if change.after is None else 'written'}")
    several = [] if "routes" in role.live or "networkd" not in role.apply else verbs.several_hops()
    if {"neighbors", "routes"} <= role.live.keys() and (said := verbs.ahead(outcome.drift)):
        outcome.done.append(said)
    try:
        outcome.done += [said for verb in role.apply if (said := _do(root, role, verb, outcome))]
    except MachineError as error:
        outcome.problems.append(str(error))
        return outcome
    settled = _until(lambda: _settled(root, role), settle)
    if settled and "addresses" in role.live and nics.order_addresses(root, _devices(role)):
        settled = _until(lambda: _settled(root, role), settle)
    # Role routes sets its own; a spare, which has no node0, is to have none.
    if files.on(root, NODE_NETDEV).is_file() and (said := verbs.put_back(several)):
        outcome.done.append(said)
    if "links" in role.live:
        _until(lambda: not live.without_carrier(live.ask("link", "show")), CARRIER)
    if not settled:
        outcome.problems += explain.differences(_drift(root, role), live.ask("-details", "link", "show"))
    return outcome


def _complete(root: Path, role: Role) -> None:
    """Refuse to go on when a file that needed no sending is not there any more."""
    for file in role.wanted:
        if file.content is None and not files.on(root, file.path).is_file():
            raise MachineError(f"{file.path} vanished while this run was under way: run again")


def _do(root: Path, role: Role, verb: str, outcome: Outcome) -> str:
    steps: dict[str, Callable[[], str]] = {
        "link": lambda: _link(role),
        "networkd": lambda: _networkd(root, role, outcome),
        "routes": lambda: verbs.routes(role.live["routes"]),
        "sysctl": lambda: "; ".join(filter(None, (verbs.sysctl(root, name) for name in role.names))),
        "mptcp": lambda: verbs.mptcp(root),
        "hostname": lambda: verbs.hostname(role.live["hostname"][0]),
        "dnsmasq": lambda: _dnsmasq(root, outcome),
    }
    if verb not in steps:
        raise MachineError(f"the verb {verb!r} is not known here: controller and library are of different versions")
    return steps[verb]()


def _link(role: Role) -> str:
    said = nics.link(role.live["links"])
    nics.own_addresses(role.live["addresses"])
    return said


def _networkd(root: Path, role: Role, outcome: Outcome) -> str:
    said = []
    if "addresses" in role.live:
        netdev = files.on(root, NODE_NETDEV)
        lines = netdev.read_text().splitlines() if netdev.is_file() else []
        kinds = [line.partition("=")[2].strip() for line in lines if line.startswith("Kind=")]
        said.append(verbs.drop_other_kind("node0", kinds[0] if kinds else ""))
    files_changed = any(change.path.startswith("/etc/systemd/network/") for change in outcome.changes)
    said.append(verbs.networkd(_devices(role), files_changed))
    return "; ".join(filter(None, said))


def _dnsmasq(root: Path, outcome: Outcome) -> str:
    """Have dnsmasq take up its files; a configuration that it refuses is taken back before it can do harm."""
    mine = [change for change in outcome.changes if change.path.startswith("/etc/dnsmasq.d/")]
    if not mine and not any(change.path == "/etc/hosts" for change in outcome.changes):
        return ""
    try:
        return verbs.dnsmasq()
    except MachineError as error:
        files.undo(root, mine)
        raise MachineError(f"{error}; the files before are back in place") from error


def _devices(role: Role) -> list[str]:
    """Devices that the role's expected lines speak of."""
    words = {word for lines in role.live.values() for line in lines for word in line.split()}
    return sorted(word for word in words if live.OURS.fullmatch(word))


def _drift(root: Path, role: Role) -> dict[str, tuple[list[str], list[str]]]:
    """Facet → (what the kernel shows, what the plan expects), for each facet of the role that differs."""
    if not role.live:
        return {}
    shown = live.facets(root)
    if "sysctl" in role.live:
        shown["sysctl"] = live.sysctl(root, [line.split()[0] for line in role.live["sysctl"]])
    return {facet: (shown[facet], lines) for facet, lines in role.live.items() if shown[facet] != lines}


def _settled(root: Path, role: Role) -> bool:
    """Whether the kernel shows what the plan expects and systemd-networkd has come to rest."""
    return not _drift(root, role) and ("networkd" not in role.apply or verbs.configured(_devices(role)))


def _until(ready: Callable[[], bool], seconds: float) -> bool:
    """Ask again and again, ever more rarely, until it is so or the time is over."""
    end, pause = time.monotonic() + seconds, 0.05
    while not ready():
        if time.monotonic() + pause > end:
            return False
        time.sleep(pause)
        pause = min(pause * 1.5, 1.0)
    return True
