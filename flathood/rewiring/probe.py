# SPDX-License-Identifier: Apache-2.0
"""Which switch a cable is in, asked of switches that cannot be asked, while everything runs.

Any switch learns from which port a source address came, and floods frames to addresses that it has not learnt (IEEE
802.1Q, 8.8). So the NIC in question sends one frame per neighborhood, each from an address that nobody has, to a NIC
that is known to be in that neighborhood. In its own neighborhood the frame stays in the one switch; from any other it
crosses the uplink switch, which learns its source. Then the head, which is on the uplink switch, sends a frame to each
of these addresses: what the uplink switch has learnt goes to one switch only, what it has not is flooded and heard all
over the cluster. The address that is heard tells the neighborhood.
"""

from __future__ import annotations

import hashlib
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from flathood.cabling.picture import Nic
from flathood.plan.model import Plan

#: Machines that listen, at the most, beyond those that are needed to have one in each neighborhood.
_SPARE = 1


@dataclass(frozen=True)
class Question:
    """Where the NICs of a batch are, and who is to tell.

    Attributes:
        uplink: the name of the uplink switch, where the cable of a NIC may have to be as well.
        places: the switch that each NIC's cable is to be in, None: it is to have none.
        macs: the MAC of each NIC.
        listeners: for each machine that listens the MACs of its NICs that are known to be in their neighborhoods.
        frames: for each NIC the address that it sends from and the one that it sends to, by neighborhood.

    """

    uplink: str
    places: Mapping[Nic, str | None]
    macs: Mapping[Nic, str]
    listeners: Mapping[str, tuple[str, ...]]
    frames: Mapping[Nic, Mapping[str, tuple[str, str]]]

    def work(self, token: str) -> dict[str, dict[str, Any]]:
        """What each machine has to know to answer (see the module ``flathood.cluster.switch_probe``)."""
        nodes = dict.fromkeys(nic.machine for nic in self.places)
        speakers = {
            node: [
                {
                    "mac": self.macs[nic],
                    "plugged": to is not None,
                    "frames": [list(pair) for pair in self.frames.get(nic, {}).values()],
                }
                for nic, to in self.places.items()
                if nic.machine == node
            ]
            for node in nodes
        }
        return {
            name: {"token": token, "listen": list(self.listeners.get(name, ())), "speak": speakers.get(name, [])}
            for name in {**nodes, **self.listeners}
        }

    @property
    def addresses(self) -> list[str]:
        """All addresses that the head has to call."""
        return [source for frames in self.frames.values() for source, _ in frames.values()]

    def judge(self, carriers: Mapping[str, Mapping[str, bool]], heard: Mapping[str, Sequence[str]]) -> list[str]:
        """What is not as it is to be, one sentence per NIC.

        ``carriers``: for each machine its NICs' MACs with whether they have one. ``heard``: under ``spoken`` the source
        addresses whose frames reached a listener, under ``called`` those that the head's call was flooded for.
        """
        spoken, called = set(heard["spoken"]), set(heard["called"])
        said = []
        for nic, to in self.places.items():
            has = carriers.get(nic.machine, {}).get(self.macs[nic])
            name = f"{nic.machine} {nic.device}"
            if has is None:
                said.append(f"{name}: the machine does not show this NIC: is it dead, or the MAC in macs.yml wrong?")
            elif to is None:
                if has:
                    said.append(f"{name}: has a carrier: pull its cable")
            elif not has:
                said.append(f"{name}: has no carrier: put its cable into {to}, or try another cable")
            else:
                said += self._placed(nic, to, spoken, called)
        return said

    def _placed(self, nic: Nic, to: str, spoken: set[str], called: set[str]) -> list[str]:
        name, frames = f"{nic.machine} {nic.device}", self.frames.get(nic, {})
        found = [switch for switch, (source, _) in frames.items() if source in spoken & called]
        if found == [to] or to not in {*frames, self.uplink}:
            return []  # where nobody else is in that neighborhood, the carrier has to do
        if found:
            return [f"{name}: its cable is in {' and '.join(found)}: put it into {to}"]
        if not any(source in spoken for source, _ in frames.values()):
            return [f"{name}: has a carrier, but nobody hears it: its cable is in no switch of this cluster: use {to}"]
        if to == self.uplink:
            return []
        return [f"{name}: its cable is in the uplink switch, or in one that is not known here: put it into {to}"]


def question(
    plan: Plan, places: Mapping[Nic, str | None], token: str, among: Collection[str] | None = None
) -> Question:
    """Who has to do what to tell where the cables of these NICs are.

    The plan is of what is plugged but for these NICs; it says which others are in which neighborhood. ``among``: the
    machines that can be asked; default: all.
    """
    known: dict[str, list[Nic]] = {switch: [] for switch in plan.switches}
    for row, name in enumerate(plan.names[: plan.node_count]):
        if among is not None and name not in among:
            continue
        for slot in range(plan.usable.shape[1]):
            switch = int(plan.usable[row, slot])
            if switch >= 0 and Nic(name, slot) not in places:
                known[plan.switches[switch]].append(Nic(name, slot))
    listeners = _listeners(known, {nic.machine for nic in places})
    there = {switch: [nic for nic in nics if nic.machine in listeners] for switch, nics in known.items()}
    frames = {
        nic: {
            switch: (_nobody(token, nic, switch), plan.mac(others[0].machine, others[0].slot))
            for switch, nics in there.items()
            if (others := [other for other in nics if other.machine != nic.machine])
        }
        for nic, to in places.items()
        if to is not None
    }
    return Question(
        plan.cluster.uplink.name,
        dict(places),
        {nic: plan.mac(nic.machine, nic.slot) for nic in places},
        {
            name: tuple(plan.mac(name, nic.slot) for nics in known.values() for nic in nics if nic.machine == name)
            for name in listeners
        },
        frames,
    )


def _listeners(known: Mapping[str, Sequence[Nic]], busy: set[str]) -> list[str]:
    """Few machines that are in every neighborhood together, rather ones that no cable is moved at (greedy cover)."""
    on: dict[str, set[str]] = {}
    for switch, nics in known.items():
        for nic in nics:
            on.setdefault(nic.machine, set()).add(switch)
    left, chosen = {switch for switch, nics in known.items() if nics}, list[str]()
    spare = _SPARE
    while on and (left or spare):
        spare -= not left
        best = max(on, key=lambda name: (name not in busy, len(on[name] & left), len(on[name])))
        if left and not on[best] & left:
            best = max(on, key=lambda name: (len(on[name] & left), name not in busy))
        left -= on.pop(best)
        chosen.append(best)
    return chosen


def _nobody(token: str, nic: Nic, switch: str) -> str:
    """An address that no NIC has: administered locally, never the same again."""
    digest = hashlib.sha256(f"{token}/{nic}/{switch}".encode()).digest()
    return ":".join(f"{byte:02x}" for byte in (0x06, *digest[:5]))
