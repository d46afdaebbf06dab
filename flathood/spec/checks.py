# SPDX-License-Identifier: Apache-2.0
"""What the sections of cluster.yml mean together: colours, ports, address ranges."""

from __future__ import annotations

from itertools import combinations

from flathood.document import KeyPath
from flathood.spec.addresses import prefix_for, subnet_prefix
from flathood.spec.model import Cluster
from flathood.spec.names import check_names
from flathood.spec.rack_checks import check_racks
from flathood.spec.rule_faults import faults
from flathood.structure import Fitted


def check_cluster(fitted: Fitted[Cluster]) -> None:
    """Note every problem between sections that are right by themselves."""
    check_names(fitted)
    _colours(fitted)
    _nics(fitted)
    _taken(fitted)
    _rules(fitted)
    _ports(fitted)
    _ranges(fitted)
    check_racks(fitted)


def _colours(fitted: Fitted[Cluster]) -> None:
    taken: dict[str, tuple[KeyPath, str]] = {}
    switches = [*fitted.items("switches")]
    if fitted.has("uplink"):
        switches.append((("uplink",), fitted.model.uplink))
    for place, switch in switches:
        if switch.colour not in taken:
            taken[switch.colour] = ((*place, "colour"), switch.name)
            continue
        at, other = taken[switch.colour]
        where = f"line {fitted.document.line(at)}"
        default = "" if (*place, "colour") in fitted.document.lines else " (the default)"
        message = f"{switch.colour}{default} is the colour of switch {other!r} already ({where}): choose another"
        fitted.say((*place, "colour"), message)


def _nics(fitted: Fitted[Cluster]) -> None:
    """A node's NICs go to different switches: a second cable to the same one would buy no neighborhood."""
    if not fitted.whole("switches"):
        return
    count = len(fitted.model.switches)
    for place, group in fitted.items("nodes"):
        if group.nics > count:
            message = (
                f"{group.nics} NICs but only {count} switches, and each NIC needs a switch of its own: add switches"
            )
            fitted.say((*place, "nics"), message)
            fitted.partial.add("nodes")


def _taken(fitted: Fitted[Cluster]) -> None:
    for place, switch in fitted.items("switches"):
        if switch.free < 0:
            message = f"{switch.taken} of {switch.ports} ports cannot be taken: correct one of the two numbers"
            fitted.say((*place, "taken"), message)
            fitted.partial.add("switches")


def _rules(fitted: Fitted[Cluster]) -> None:
    if not fitted.whole("design", "nodes", "switches"):
        return
    nodes = {name: group.nics for _, group in fitted.items("nodes") for name in group.expand()}
    for place, message in faults(fitted.model.design, nodes, {s.name: s.free for s in fitted.model.switches}):
        fitted.say(("design", *place), message)


def _ports(fitted: Fitted[Cluster]) -> None:
    model = fitted.model
    if fitted.whole("nodes", "switches"):
        left_out = set(model.design.without) if fitted.whole("design") else set[str]()
        nodes = sum(name not in left_out for group in model.nodes for name in group.expand())
        usable = [switch for switch in model.switches if switch.name not in left_out]
        ports = sum(switch.free for switch in usable)
        if usable and ports < nodes:
            free = "free ports" if any(switch.taken for switch in usable) else "ports"
            message = (
                f"the switches have {ports} {free} for nodes in all, {nodes} nodes need at least one each: add ports"
            )
            fitted.say(("switches",), message)
            fitted.partial.add("switches")
    if fitted.whole("spares", "switches", "uplink"):
        spares, switches = sum(group.size for group in model.spares), len(model.switches)
        need = switches + spares + 1
        if model.uplink.ports < need:
            message = (
                f"{model.uplink.ports} ports, {need} are needed: {switches} for the neighborhood switches, "
                f"{spares} for spares, 1 for the head"
            )
            fitted.say(("uplink", "ports"), message)


def _ranges(fitted: Fitted[Cluster]) -> None:
    if not fitted.whole("addresses"):
        return
    machines = None
    if fitted.whole("nodes", "spares"):
        machines = sum(group.size for group in (*fitted.model.nodes, *fitted.model.spares))
    ranges = fitted.model.addresses.grown(machines or 0)
    for one, other in combinations(("neighborhoods", "nodes", "outside"), 2):
        if getattr(ranges, one).overlaps(getattr(ranges, other)):
            # Told at the one that stands in the file; the other may be a default.
            place, rest = (other, one) if ("addresses", other) in fitted.document.lines else (one, other)
            message = f"{getattr(ranges, place)} overlaps addresses.{rest}, {getattr(ranges, rest)}: move one of them"
            fitted.say(("addresses", place), message)
    if machines is None:
        return
    for name, hosts in (("nodes", machines), ("outside", machines + 2)):
        network = getattr(ranges, name)
        if network.prefixlen > prefix_for(hosts):
            message = f"{network} is too small for {hosts} addresses: /{prefix_for(hosts)} or larger is needed"
            fitted.say(("addresses", name), message)
    if fitted.whole("switches"):
        switches, prefix = len(fitted.model.switches), subnet_prefix(machines)
        need = prefix - (switches - 1).bit_length()
        if ranges.neighborhoods.prefixlen > need:
            message = (
                f"{ranges.neighborhoods} is too small for {switches} neighborhoods of /{prefix}: "
                f"/{max(need, 0)} or larger is needed"
            )
            fitted.say(("addresses", "neighborhoods"), message)
