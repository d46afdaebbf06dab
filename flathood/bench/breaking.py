# SPDX-License-Identifier: Apache-2.0
"""Breaking a world at random: faults of all kinds, each on NICs and switches that no other fault has touched."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from flathood.bench.miswired import KINDS, WHOLE, Fault, Port, World

_TRIES = 1000


class Breaker:
    """Adds faults to a world. Faults of a NIC's identity get a machine of their own, so that each can be told.

    NICs in ``keep`` neither die nor change their MAC; their cables may move.
    """

    def __init__(self, world: World, kinds: Sequence[str] = KINDS, keep: frozenset[Port] = frozenset()) -> None:
        self._world, self._kinds, self._keep = world, list(kinds), keep
        self._touched: set[Port] = set()
        self._named: set[str] = set()  # machines whose NICs' identity is at stake
        self._switches: set[str] = set()
        self._make: dict[str, Callable[[], Fault | None]] = {
            "swap": self._swap,
            "slots": self._slots,
            "nodes": self._nodes,
            "wrong-switch": self._wrong_switch,
            "dead-cable": self._dead_cable,
            "dead-nic": self._dead_nic,
            "duplicate-mac": self._duplicate_mac,
            "other-mac": self._other_mac,
            "stranger": self._stranger,
            "dead-switch": self._dead_switch,
            "switches": self._exchange_switches,
            "joined": self._join,
            "cut": self._cut,
        }

    def add(self, count: int, kinds: Sequence[str] = ()) -> None:
        """So many more faults, of kinds drawn at random; RuntimeError when the cluster is too small for them."""
        world = self._world
        made = 0
        for _ in range(_TRIES):
            if made == count:
                return
            kind = world.random.choice(kinds or self._kinds)
            if kind in WHOLE and any(fault.kind == kind for fault in world.faults):
                continue
            fault = self._make[kind]()
            if fault is not None:
                world.faults.append(fault)
                self._touched |= set(fault.nics)
                self._switches |= set(fault.names) & set(world.label)
                made += 1
        raise RuntimeError(f"no room for {count} faults in {world.inventory.cluster.cluster}")

    def _nic(self, named: bool = False, dies: bool = False) -> Port | None:
        """A node's NIC that no fault has touched, on a switch that none has."""
        world = self._world
        nodes = world.inventory.wiring.nodes
        free = [
            port
            for port, place in world.cable.items()
            if port[0] in nodes
            and port not in self._touched
            and place not in world.dead_switches
            and (not named or port[0] not in self._named)
            and not (dies and port in self._keep)
        ]
        return world.random.choice(free) if free else None

    def _swap(self) -> Fault | None:
        one, other = self._nic(), self._nic()
        cable = self._world.cable
        if not one or not other or one[0] == other[0] or cable[one] == cable[other]:
            return None
        cable[one], cable[other] = cable[other], cable[one]
        return Fault("swap", (one, other))

    def _slots(self) -> Fault | None:
        one = self._nic()
        cable = self._world.cable
        rest = [port for port in cable if one and port[0] == one[0] and port != one and port not in self._touched]
        if not one or not rest:
            return None
        other = self._world.random.choice(rest)
        if self._world.dead_switches & {cable[one], cable[other]} or cable[one] == cable[other]:
            return None
        cable[one], cable[other] = cable[other], cable[one]
        return Fault("slots", (one, other))

    def _nodes(self) -> Fault | None:
        one, other = self._nic(), self._nic()
        if not one or not other or one[0] == other[0]:
            return None
        cable = self._world.cable
        rows = [sorted(port for port in cable if port[0] == name) for name in (one[0], other[0])]
        if len(rows[0]) != len(rows[1]) or self._touched.intersection(*[set(rows[0] + rows[1])]):
            return None
        if sum(cable[a] != cable[b] for a, b in zip(*rows, strict=True)) < 2:
            return None
        if self._world.dead_switches & {cable[port] for port in rows[0] + rows[1]}:
            return None
        for a, b in zip(*rows, strict=True):
            cable[a], cable[b] = cable[b], cable[a]
        return Fault("nodes", (*rows[0], *rows[1]), (one[0], other[0]))

    def _wrong_switch(self) -> Fault | None:
        nic, world = self._nic(), self._world
        if not nic:
            return None
        free = [
            switch.name
            for switch in world.inventory.cluster.switches
            if sum(place == switch.name for place in world.cable.values()) < switch.ports
            and switch.name not in world.dead_switches
            and switch.name != world.cable[nic]
        ]
        if not free:
            return None
        world.cable[nic] = world.random.choice(free)
        return Fault("wrong-switch", (nic,))

    def _dead_cable(self) -> Fault | None:
        nic = self._nic(dies=True)
        if not nic:
            return None
        self._world.dead_cables.add(nic)
        return Fault("dead-cable", (nic,))

    def _identity(self) -> Port | None:
        nic = self._nic(named=True, dies=True)
        if nic:
            self._named.add(nic[0])
        return nic

    def _dead_nic(self) -> Fault | None:
        nic = self._identity()
        if not nic:
            return None
        self._world.dead_nics.add(nic)
        return Fault("dead-nic", (nic,))

    def _duplicate_mac(self) -> Fault | None:
        nic, original = self._identity(), self._identity()
        if not nic or not original:
            return None
        self._world.mac[nic] = self._world.mac[original]
        return Fault("duplicate-mac", (nic, original))

    def _other_mac(self) -> Fault | None:
        nic = self._identity()
        if not nic:
            return None
        self._world.mac[nic] = f"02:ff:00:00:00:{len(self._world.faults):02x}"
        return Fault("other-mac", (nic,))

    def _stranger(self) -> Fault | None:
        world = self._world
        switch = world.random.choice([name for name in world.label if name not in world.dead_switches])
        mac = f"02:fe:00:00:00:{len(world.faults):02x}"
        world.strangers[mac] = switch
        return Fault("stranger", names=(mac,))

    def _switch(self) -> str | None:
        """A neighborhood switch that no fault has touched, nor one of the NICs planned or plugged there."""
        world = self._world
        used = {place for port in self._touched for place in (world.cable.get(port), world.planned.get(port))}
        used |= set(world.strangers.values()) | self._switches
        free = [name for name in world.inventory.cluster.switch_names if name not in used]
        return world.random.choice(free) if free else None

    def _dead_switch(self) -> Fault | None:
        switch = self._switch()
        if not switch:
            return None
        self._world.dead_switches.add(switch)
        return Fault("dead-switch", names=(switch,))

    def _two(self) -> tuple[str, str] | None:
        world = self._world
        free = [
            name
            for name in world.inventory.cluster.switch_names
            if name not in self._switches and name not in world.dead_switches
        ]
        if len(free) < 2:
            return None
        one, other = world.random.sample(free, 2)
        return one, other

    def _exchange_switches(self) -> Fault | None:
        pair = self._two()
        if not pair:
            return None
        one, other = pair
        label = self._world.label
        label[one], label[other] = label[other], label[one]
        return Fault("switches", names=pair)

    def _join(self) -> Fault | None:
        pair = self._two()
        if not pair:
            return None
        self._world.joined.append(pair)
        return Fault("joined", names=pair)

    def _cut(self) -> Fault | None:
        pair = self._two()
        if not pair:
            return None
        self._world.cut.add(pair[0])
        return Fault("cut", names=pair[:1])
