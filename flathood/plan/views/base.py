# SPDX-License-Identifier: Apache-2.0
"""What all views are made of."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from typing import Generic, Literal, NamedTuple, TypeVar

import numpy as np

from flathood.plan.model import Plan

NETWORK = "/etc/systemd/network"
#: Facet → sorted lines that the running kernel must show.
Live = dict[str, tuple[str, ...]]
Text = TypeVar("Text")


@dataclass(frozen=True)
class File:
    """One file of a machine: absolute path, whole content, mode."""

    path: str
    content: str
    mode: int = 0o644


@dataclass(frozen=True)
class RoleFiles:
    """What one role puts on one machine.

    ``owns``: globs of files on the machine that belong to the role; what matches and is not in ``files`` is removed.
    ``apply``: verbs that the machine does, in order, when bytes or live state differ: "link" (udev: name, alias, MTU),
    "networkd", "routes" (removes those that networkd leaves behind), "sysctl", "mptcp" (the service that sets
    endpoints), "hostname", "dnsmasq".
    ``live``: facet → sorted lines that the running kernel must show.
    """

    role: str
    files: tuple[File, ...]
    owns: tuple[str, ...]
    apply: tuple[str, ...]
    live: Live


@dataclass(frozen=True)
class Options:
    """The variables of the roles that change bytes, with the roles' defaults.

    ``node_device``: kind of the device `node0`; ifb or bridge where the kernel has no dummy.
    ``mpi_slots``: ranks that MPI starts on a node. ``hosts_extra``: lines to add to every /etc/hosts.
    """

    node_device: Literal["dummy", "ifb", "bridge"] = "dummy"
    mpi_slots: int = 1
    hosts_extra: tuple[str, ...] = ()


@dataclass(frozen=True)
class View:
    """A role: what it owns and applies (see `RoleFiles`), and its files and live facets for one machine."""

    owns: tuple[str, ...]
    apply: tuple[str, ...]
    files: Callable[[Plan, str, Options], tuple[File, ...]]
    live: Callable[[Plan, str, Options], Live]


def header(role: str) -> str:
    """The comment that a file begins with; no dates, so that it changes only when its meaning does."""
    return f"# Managed by flathood (role {role}): what is changed here is lost at the next run.\n"


def nic(slot: int) -> str:
    """Name of the NIC in a slot."""
    return f"fnn{slot}"


def drop_in(slot: int, role: str) -> str:
    """Path of the file that a role adds to a NIC's .network file."""
    return f"{NETWORK}/50-{nic(slot)}.network.d/{role}.conf"


def neighbor(address: object, mac: str) -> str:
    """One permanent neighbor entry (systemd.network(5), [Neighbor])."""
    return f"\n[Neighbor]\nAddress={address}\nLinkLayerAddress={mac}\n"


def sysctl_file(role: str, settings: Mapping[str, int | str], optional: dict[str, int] | None = None) -> File:
    """A file for /etc/sysctl.d; ``optional`` ones may fail (sysctl.d(5): a leading hyphen)."""
    lines = [f"{key} = {value}\n" for key, value in settings.items()]
    lines += [f"-{key} = {value}\n" for key, value in (optional or {}).items()]
    return File(f"/etc/sysctl.d/60-fnn-{role}.conf", header(role) + "".join(lines))


def sysctl_live(settings: Mapping[str, int | str]) -> tuple[str, ...]:
    """The facet of a sysctl file, without its optional lines."""
    return lines(f"{key} {value}" for key, value in settings.items())


def lines(texts: Iterable[str]) -> tuple[str, ...]:
    """The lines of one facet."""
    return tuple(sorted(texts))


class Pair(NamedTuple):
    """A node and a peer of it, the neighborhood chosen for them (-1: none) and all that they share."""

    node: int
    peer: int
    chosen: int
    shared: tuple[int, ...]


class PeerTexts(Generic[Text]):
    """Texts that a node has for each of its peers; ``none``: what is in its own place.

    They depend on the peer, the neighborhood chosen for the pair and those that it shares: far fewer combinations
    than pairs, so each text is made once and used by all nodes that see this peer alike. ``by_slot``: where a pair
    shares several neighborhoods they name NICs of the node, too, so that only nodes with the same cables in the same
    slots see such a peer alike.
    """

    def __init__(self, plan: Plan, make: Callable[[Pair], Text], none: Text, *, by_slot: bool = False) -> None:
        self._plan = plan
        self._make = make
        self._none = none
        self._kind = np.zeros(plan.node_count, dtype=np.int64)
        if by_slot:
            self._kind = np.unique(plan.usable, axis=0, return_inverse=True)[1].reshape(-1).astype(np.int64)
        self._known: list[dict[int, Text]] = [{} for _ in range(plan.node_count)]
        self._bits = 1 << np.arange(plan.usable.shape[1], dtype=np.int64)

    def of(self, node: int) -> list[Text]:
        """``make(pair)`` for each peer of a node, in number order; ``none`` in its own place."""
        plan = self._plan
        on = np.append(plan.slot_on[node] >= 0, False)  # the last place answers for -1, a slot that is not used
        shared = on[plan.usable] @ self._bits
        # The last place answers for -1, a pair without a neighborhood, too.
        keys = shared * (len(plan.subnets) + 1) + plan.chosen[node] % (len(plan.subnets) + 1)
        keys = keys * plan.node_count + np.where(shared & (shared - 1), self._kind[node], 0)
        keys[node] = -1  # no neighborhood is chosen for a node with itself
        codes = keys.tolist()
        found = list(map(dict.get, self._known, codes))
        for peer in [peer for peer, text in enumerate(found) if text is None]:
            pair = Pair(node, peer, int(plan.chosen[node, peer]), plan.shared(node, peer))
            found[peer] = self._known[peer][codes[peer]] = self._none if peer == node else self._make(pair)
        return [text for text in found if text is not None]
