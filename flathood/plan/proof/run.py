# SPDX-License-Identifier: Apache-2.0
"""The whole proof: first every machine's addresses, then each machine by itself, on two processors if that pays."""

from __future__ import annotations

import multiprocessing
from collections.abc import Mapping, Sequence
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from flathood.plan.proof.cabling import Cabling
from flathood.plan.proof.findings import Finding, Ledger, Place, Report
from flathood.plan.proof.head import FILE as DNSMASQ
from flathood.plan.proof.head import check_leases
from flathood.plan.proof.links import check_links
from flathood.plan.proof.machine import check_arp, check_groups, drop_in, read_drop_ins
from flathood.plan.proof.names import FILE as HOSTS
from flathood.plan.proof.names import Names
from flathood.plan.proof.paths import check_paths
from flathood.plan.proof.settings import check_endpoints, check_hostname, check_mpi, check_sysctls, expected_files
from flathood.plan.proof.source import Source
from flathood.plan.proof.syntax import Sections
from flathood.plan.proof.world import Configured, Role, World, gather
from flathood.plan.views.base import Options
from flathood.registry.model import Registry, State
from flathood.spec.model import Cluster
from flathood.wiring.model import Wiring

Ints = npt.NDArray[np.int64]

#: From this many machines on, a second process pays.
_WORTH_TWO = 128
_PROCESSES = 2


class _Part(NamedTuple):
    """What the proof of some machines gave: the report, and by which segment each goes to each (see `check_paths`)."""

    report: Report
    chosen: dict[int, Ints]


def prove(cluster: Cluster, wiring: Wiring, registry: Registry, source: Source, options: Options) -> Report:
    """Prove the files of all machines of a cluster; the report has every failure."""
    cabling = Cabling(cluster, wiring, registry)
    report = Report()
    configured: list[Configured] = []
    for machine, name in enumerate(cabling.names):
        ledger = Ledger(name)
        configured += check_links(ledger, cabling, machine, source.small(name), options)
        report.add(ledger.report)
    world = gather(cabling, options, configured, report)
    chosen: dict[int, Ints] = {}
    for part in _parts(world, source):
        report.add(part.report)
        chosen |= part.chosen
    _check_choice(report, cabling, chosen)
    _check_registry(report, registry)
    return report


def _parts(world: World, source: Source) -> list[_Part]:
    machines = range(len(world.cabling.names))
    if len(machines) < _WORTH_TWO:
        return [_some(world, source, machines)]
    jobs = [(world, source, machines[first::_PROCESSES]) for first in range(_PROCESSES)]
    with multiprocessing.get_context("fork").Pool(_PROCESSES) as pool:
        return pool.starmap(_some, jobs)


def _some(world: World, source: Source, machines: Sequence[int]) -> _Part:
    """The proof of some machines; what was understood once serves all of them."""
    known = (Sections(), Names(world))
    part = _Part(Report(), {})
    for machine in machines:
        ledger = Ledger(world.cabling.names[machine])
        part.chosen[machine] = _one(ledger, world, source.files(ledger.machine), machine, known)
        part.report.add(ledger.report)
    return part


def _one(ledger: Ledger, world: World, files: Mapping[str, bytes], machine: int, known: tuple[Sections, Names]) -> Ints:
    """The proof of one machine; by which segment it goes to each other."""
    cabling = world.cabling
    sections, names = known
    expected = expected_files(cabling, machine)
    for path in sorted(expected - files.keys()):
        ledger.fail("files", Place(path), "is missing")
    used = cabling.used(machine)
    for path in sorted(files.keys() - expected):
        place = drop_in(path)
        right = place is not None and place[0] in used and place[1] in ("routes", "multicast")
        if not right and path not in ("/etc/sysctl.d/60-fnn-head.conf",):
            ledger.fail("files", Place(path), "is a file that no role writes here", "remove it")
    ledger.proved("files", len(expected & files.keys()))
    plain = names.check(ledger, machine, files[HOSTS]) if HOSTS in files else np.full(len(cabling.names), -1)
    drop_ins = read_drop_ins(ledger, cabling, machine, files, sections)
    check_arp(ledger, cabling, machine, drop_ins)
    outside = world.row(machine, Role.OUTSIDE)
    if outside >= 0:
        check_groups(ledger, cabling, machine, drop_ins, (int(world.slot[outside]), int(world.ip[outside])))
    chosen = check_paths(ledger, world, machine, drop_ins, plain)
    check_sysctls(ledger, cabling, machine, files, drop_ins.neighbors.shape[1])
    if "/etc/hostname" in files:
        check_hostname(ledger, files["/etc/hostname"])
    if machine < cabling.nodes:
        check_endpoints(ledger, world, machine, files)
        check_mpi(ledger, world, machine, files)
    if DNSMASQ in files:
        check_leases(ledger, world, files[DNSMASQ])
    return chosen


def _check_choice(report: Report, cabling: Cabling, chosen: dict[int, Ints]) -> None:
    """Both ends of a pair go by the same neighborhood, so that a connection loads one NIC at each end."""
    if cabling.cluster.routing == "tree":
        return
    table = np.array([chosen[machine][: cabling.nodes] for machine in range(cabling.nodes)])
    upper = np.triu(np.ones(table.shape, dtype=np.bool_), k=1)
    same = (table == table.T) & (table >= 0)
    report.proved["choice"] += int(np.count_nonzero(same & upper))
    for one, two in np.argwhere(~same & upper & (table >= 0) & (table.T >= 0)).tolist():
        names = [cabling.segments[table[one, two]], cabling.segments[table[two, one]]]
        message = f"goes to {cabling.names[two]} by {names[0]}, which comes back by {names[1]}"
        report.failed["choice"] += 1
        finding = Finding(cabling.names[one], "choice", "", names[0], HOSTS, message, "compile and install both again")
        report.failures.append(finding)


def _check_registry(report: Report, registry: Registry) -> None:
    """Warn of MAC addresses that discovery found to conflict: what is proved of them may not be so."""
    for name, nics in registry.nodes.items():
        for slot, nic in enumerate(nics):
            if nic is not None and nic.state == State.CONFLICTING:
                message = f"the MAC address {nic.mac} is marked conflicting in macs.yml"
                remedy = "find out which NIC has it, and discover again"
                report.warnings.append(Finding(name, "links", f"fnn{slot}", "", "macs.yml", message, remedy))
