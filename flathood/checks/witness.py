# SPDX-License-Identifier: Apache-2.0
"""Reading the witnesses: what ARP frames and the switches' tables and counters say about one NIC or one pair."""

from __future__ import annotations

from collections import Counter, defaultdict

from flathood.checks.observed import Observed, SwitchWord
from flathood.checks.places import Place, Places


class Ears:
    """All captures together: every ARP frame laid at the door of the NIC that sent it."""

    def __init__(self, places: Places, observed: Observed) -> None:
        self._frames: dict[tuple[str, str], Counter[str]] = defaultdict(Counter)
        heard: dict[str, Counter[str]] = defaultdict(Counter)
        for host, word in observed.hosts.items():
            for nic, direction, operation, mac, _, target, count in word.arp:
                if direction == "sent":
                    self._frames[host, nic][f"{operation} for {target}"] += count
                else:
                    # A broadcast is heard by every NIC of the cluster: count the frames once.
                    text = f"{operation} for {target}"
                    heard[mac][text] = max(heard[mac][text], count)
        self._strangers: dict[str, Counter[str]] = {}
        for mac, frames in heard.items():
            place = places.by_mac.get(mac)
            if place is None or place.host not in places.plan.numbers:
                self._strangers[mac if place is None else f"{place.host} {mac}"] = frames
            elif (place.host, place.nic) not in self._frames:
                self._frames[place.host, place.nic] = frames

    def sent(self, host: str, nic: str) -> str | None:
        """What this NIC sent, or None when it was silent."""
        frames = self._frames.get((host, nic))
        return _sum_up(frames) if frames else None

    def strangers(self) -> dict[str, str]:
        """What was sent by whom no check concerns: the head (by name and MAC) and strangers (by MAC)."""
        return {mac: _sum_up(frames) for mac, frames in sorted(self._strangers.items())}


def _sum_up(frames: Counter[str]) -> str:
    first, count = min(frames.items(), key=lambda item: (-item[1], item[0]))
    more = f" and {len(frames) - 1} others" if len(frames) > 1 else ""
    return f"{frames.total()} ARP frames: {count} x {first}{more}"


class SwitchView:
    """The switches' tables and counters, read against the plan."""

    def __init__(self, places: Places, word: SwitchWord) -> None:
        self._places = places
        self._word = word
        self._uplink = places.plan.cluster.uplink.name
        self._at: dict[str, list[str]] = defaultdict(list)
        for switch, table in word.tables.items():
            for mac, behind in table.items():
                if not behind:
                    self._at[mac].append(switch)

    @property
    def doubt(self) -> str:
        """Why the count of frames on the uplink is not complete, or ""."""
        return f"the capture on the uplink switch lost {self._word.lost} frames" if self._word.lost else ""

    def located(self) -> dict[tuple[str, str], str]:
        """(machine, NIC) → the switch on whose machine ports its MAC was learnt; "" when on none."""
        return {(place.host, place.nic): ", ".join(self._at.get(mac, ())) for mac, place in self._places.by_mac.items()}

    @property
    def strays(self) -> int:
        """How many unicast frames between nodes' NICs the uplink switch saw; ssh from the head is none of them."""
        nodes = {mac for mac, place in self._places.by_mac.items() if place.switch != self._uplink}
        return sum(count for (source, target), count in self._word.crossed.items() if {source, target} <= nodes)

    def misplaced(self, host: str, nic: str) -> str | None:
        """Where the NIC's cable is, if not in its planned switch alone; None: all as planned."""
        place = self._places.by_nic[host, nic]
        at = self._at.get(place.mac, [])
        if at != [place.switch]:
            return f"learnt on {' and '.join(at)}" if at else "learnt on no switch"
        behind = self._word.tables.get(self._uplink, {}).get(place.mac)
        if place.switch not in {self._uplink, behind}:
            return f"the uplink switch has it behind {behind}" if behind else "the uplink switch has not learnt it"
        return None

    def apart(self, host: str, peer: str, switch: str) -> str | None:
        """Why the two are not one switch apart on this neighborhood; None: they are."""
        mine, yours = self._places.by_switch[host, switch], self._places.by_switch[peer, switch]
        crossed = sum(self._word.crossed.get((mine.mac, place.mac), 0) for place in self._places.by_host[peer])
        if crossed:
            return f"{crossed} frames to {yours.host} crossed the uplink switch"
        wrong = [place for place in (mine, yours) if self._at.get(place.mac, []) != [switch]]
        return f"{' and '.join(map(_name, wrong))} not on {switch}" if wrong else None


def _name(place: Place) -> str:
    return f"{place.host} {place.nic}"
