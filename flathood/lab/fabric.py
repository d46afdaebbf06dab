# SPDX-License-Identifier: Apache-2.0
"""Switches and cables as the kernel is to have them, and the command lines from one such picture to the next. Pure.

A cable is a veth pair: one end is a NIC in its machine's namespace, the other a port of a bridge in the fabric's
namespace, or a NIC of another machine. Without a cable the NIC's far end stays in the fabric, down: no carrier.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from flathood.lab.faults import effect
from flathood.lab.hardware import nic
from flathood.lab.paths import FABRIC, namespace
from flathood.lab.state import State

#: What a switch passes whatever the nodes choose: jumbo frames are the nodes' own setting.
PORT_MTU = 9216
#: Interface indices, out of the way of those that the kernel gives: a pair has both its own or none (veth(4)).
_NIC_INDEX = 1000
_PORT_INDEX = 100_000
_MOST_SLOTS = 16


@dataclass(frozen=True)
class End:
    """One end of a veth pair; `space` is a machine or FABRIC. In a machine, `up` is the machine's own business."""

    space: str
    device: str
    index: int | None = None
    mac: str | None = None
    master: str | None = None
    up: bool = False

    @property
    def handle(self) -> str:
        """How `ip` and `tc` find the device. A NIC has a fixed index, as its machine gives it another name at once."""
        return self.device if self.index is None or self.space == FABRIC else f"if{self.index}"

    @property
    def body(self) -> tuple[str, str, str | None]:
        """What cannot change without another device taking its place."""
        return self.space, self.device, self.mac


@dataclass(frozen=True)
class Link:
    """A cable with its two ends and its rate in bit/s; an end in the fabric comes first."""

    near: End
    far: End
    rate: int


@dataclass
class Batch:
    """Lines for `ip -batch` and `tc -batch`, by the space that they run in."""

    ip: dict[str, list[str]] = field(default_factory=dict)
    tc: dict[str, list[str]] = field(default_factory=dict)


def bridge(state: State, switch: str) -> str:
    """The bridge that is a switch: ``sw0``, ``sw1`` …, the uplink's number last."""
    return f"sw{state.planned.all_switches.index(switch)}"


def port(state: State, machine: str, slot: int) -> str:
    """The far end of a NIC's veth pair in the fabric: ``m17.2`` for slot 2 of machine 17."""
    return f"m{list(state.planned.by_name).index(machine)}.{slot}"


def uplink_ports(state: State, switch: str) -> tuple[str, str]:
    """The two ports of a switch's cable to the uplink: on the switch, on the uplink."""
    number = state.planned.switches.index(switch)
    return f"u{number}.near", f"u{number}.far"


def lit(state: State) -> frozenset[str]:
    """The switches that have power."""
    dead = effect(state.planned, state.cables, state.faults).dead_switches
    return frozenset(state.planned.all_switches) - dead - state.dark


def links(state: State) -> dict[str, Link]:
    """Every veth pair that is to be there, by its name: the NIC, or the switch whose uplink cable it is."""
    hardware = state.planned
    now = effect(hardware, state.cables, state.faults)
    light = lit(state)
    bridges = {switch: f"sw{number}" for number, switch in enumerate(hardware.all_switches)}
    found: dict[str, Link] = {}
    for number, switch in enumerate(hardware.switches):
        alive, far = switch not in now.dead_cables, now.uplinks.get(switch, hardware.uplink)
        found[switch] = Link(
            End(FABRIC, f"u{number}.near", master=bridges[switch], up=alive and switch in light),
            End(FABRIC, f"u{number}.far", master=bridges[far], up=alive and far in light),
            hardware.rate,
        )
    ends: dict[str, End] = {}
    ports: dict[str, tuple[int, int]] = {}
    for number, machine in enumerate(hardware.machines):
        if machine.name in state.off:
            continue
        for slot, mac in enumerate(machine.macs):
            name = nic(machine.name, slot)
            if name not in now.dead_nics:
                ends[name] = End(machine.name, f"eth{slot}", _NIC_INDEX + slot, now.macs.get(name, mac))
                ports[name] = number, slot
    whole = ends.keys() - now.dead_cables
    direct = {one: other for one, other in now.cables.items() if {one, other} <= whole}
    for name, end in ends.items():
        if name in direct:
            found[name] = Link(end, ends[direct[name]], hardware.rate)
        elif name not in direct.values():
            switch = now.cables.get(name, "")
            up = switch in light and name not in now.dead_cables
            number, slot = ports[name]
            index = _PORT_INDEX + number * _MOST_SLOTS + slot
            port = End(FABRIC, f"m{number}.{slot}", index, master=bridges.get(switch), up=up)
            found[name] = Link(port, end, hardware.rate)
    return found


def bridge_lines(state: State) -> list[str]:
    """Lines that make the switches: dumb ones, which flood multicast, forward at once and pass LLDP.

    group_fwd_mask 0x4000 is bit 14: frames to 01-80-C2-00-00-0E, which a bridge keeps for itself by default.
    """
    lines = []
    for number, switch in enumerate(state.planned.all_switches):
        lines.append(
            f"link add name sw{number} address 02:00:00:00:{number >> 8:02x}:{number & 255:02x} "
            "type bridge forward_delay 0 group_fwd_mask 0x4000 mcast_snooping 0"
        )
        lines.append(f"link set dev sw{number} alias {switch}")
    return lines


def change(old: State | None, new: State) -> Batch:
    """The lines from one state to the next. A device whose body changes is taken out and put in anew."""
    batch = Batch()
    before: Mapping[str, Link] = links(old) if old else {}
    after = links(new)
    bare = [name for name, link in after.items() if name not in before or _bodies(before[name]) != _bodies(link)]
    for name, link in before.items():
        if name not in after or name in bare:
            _add(batch.ip, link.near.space, f"link del dev {link.near.handle}")
    for name in bare:
        link = after[name]
        _add(batch.ip, FABRIC, f"link add {_new(new, link.near)} type veth peer {_new(new, link.far)}")
        for end in (link.near, link.far):
            _add(batch.tc, end.space, f"qdisc add dev {end.handle} root {shaper(link.rate)}")
    for name, link in after.items():
        was = {} if name in bare else {end.device: end for end in (before[name].near, before[name].far)}
        for end in (link.near, link.far):
            if name not in bare and before[name].rate != link.rate:
                _add(batch.tc, end.space, f"qdisc change dev {end.handle} root {shaper(link.rate)}")
                if end.space != FABRIC:
                    _add(batch.ip, end.space, f"link set dev {end.handle} {_pieces(link.rate)}")
            if end.space == FABRIC and was.get(end.device) != end:
                _add(batch.ip, FABRIC, *_settle(name, end))
    lit_before, lit_after = lit(old) if old else frozenset(), lit(new)
    for switch in new.planned.all_switches:
        if (switch in lit_before) != (switch in lit_after):
            power = "up" if switch in lit_after else "down"
            _add(batch.ip, FABRIC, f"link set dev {bridge(new, switch)} {power}")
    return batch


def shaper(rate: int) -> str:
    """A token bucket of `rate` bit/s whose bucket holds 4 ms, at least 32 KiB: less cannot keep up with fast rates.

    50 ms wait behind it, at least 128 KiB: a cheap switch has some such memory for a port, whatever the rate; with less
    than a few frames for each connection TCP only waits for its timer.
    """
    burst = max(32768, rate // 8 // 250)
    return f"tbf rate {rate}bit burst {burst} limit {burst + max(131072, rate // 8 // 20)}"


def queued(rate: int) -> int:
    """Bytes that a connection may have in a node's NIC: 2 ms, at least four frames.

    Drivers bound what waits in a NIC (byte queue limits), and behind that the kernel lets acknowledgements pass bulk. A
    token bucket does neither, and with 100 KiB in it two-way traffic reached 60 % of the rate.
    """
    return max(6000, rate // 8 // 500)


def _pieces(rate: int) -> str:
    return f"gso_max_segs {min(queued(rate) // 1500, 65535)}"


def _bodies(link: Link) -> tuple[tuple[str, str, str | None], ...]:
    return link.near.body, link.far.body


def _settle(name: str, end: End) -> list[str]:
    """Down first: a cable that moves loses its carrier, and the old switch forgets what it learnt from the port."""
    lines = [f"link set dev {end.device} down", f"link set dev {end.device} alias {name}"]
    lines.append(f"link set dev {end.device} " + (f"master {end.master}" if end.master else "nomaster"))
    return [*lines, f"link set dev {end.device} up"] if end.up else lines


def _new(state: State, end: End) -> str:
    words = ["name", end.device]
    if end.index:
        words += ["index", str(end.index)]
    if end.mac:
        words += ["address", end.mac]
    if end.space == FABRIC:
        words += ["mtu", str(PORT_MTU)]
    else:
        words += ["netns", namespace(state.planned.lab, end.space), _pieces(state.planned.rate)]
    return " ".join(words)


def _add(lines: dict[str, list[str]], space: str, *more: str) -> None:
    lines.setdefault(space, []).extend(more)
