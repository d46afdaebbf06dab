# SPDX-License-Identifier: Apache-2.0
"""What a switch's BRIDGE-MIB (RFC 4188) and Q-BRIDGE-MIB (RFC 4363) say: which MAC it has learnt on which port.

Switches count the ports of their bridge by themselves; `dot1dBasePortIfIndex` leads from there to the interface, and
`ifName` (RFC 2863) to the name that is printed beside the socket. A switch with VLANs has a table for each of its
filtering databases, and `dot1qVlanFdbId` says which VLAN uses which; one that knows no VLANs has `dot1dTpFdbTable`.
"""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import suppress

from flathood.cabling.evidence import Learnt
from flathood.registry.model import normal_mac

Oid = tuple[int, ...]
#: The rows of one column: the part of the name behind the column's own, and the value.
Column = Mapping[Oid, int | bytes]

_MIB2 = (1, 3, 6, 1, 2, 1)
_BRIDGE = (*_MIB2, 17)
#: The columns that are read.
COLUMNS: dict[str, Oid] = {
    "ifName": (*_MIB2, 31, 1, 1, 1, 1),
    "dot1dBasePortIfIndex": (*_BRIDGE, 1, 4, 1, 2),
    "dot1qVlanFdbId": (*_BRIDGE, 7, 1, 4, 2, 1, 3),
    "dot1qTpFdbPort": (*_BRIDGE, 7, 1, 2, 2, 1, 2),
    "dot1qTpFdbStatus": (*_BRIDGE, 7, 1, 2, 2, 1, 3),
    "dot1dTpFdbPort": (*_BRIDGE, 4, 3, 1, 2),
    "dot1dTpFdbStatus": (*_BRIDGE, 4, 3, 1, 3),
}
#: TpFdbStatus: 1 other, 2 invalid, 3 learned, 4 the switch's own, 5 set by the operator.
_LEARNED = 3
#: Bytes of a MAC address, the last part of a row's name.
_MAC = 6


def learnt(columns: Mapping[str, Column], vlan: int | None = None) -> tuple[Learnt, ...]:
    """The MACs that were learnt, with the names of their ports; of one VLAN only, or of all.

    A switch that has both tables tells the same in both; the one with VLANs is taken. Entries that were not learnt, and
    such whose port the switch does not know (0), are left out.
    """
    kind = "dot1q" if vlan is not None or columns["dot1qTpFdbPort"] else "dot1d"
    status = columns[f"{kind}TpFdbStatus"]
    databases = None if vlan is None else _databases(columns["dot1qVlanFdbId"], vlan)
    found: dict[tuple[str, str], Learnt] = {}
    for row, port in columns[f"{kind}TpFdbPort"].items():
        if status.get(row, _LEARNED) != _LEARNED or port == 0 or not isinstance(port, int):
            continue
        if databases is not None and row[0] not in databases:
            continue
        with suppress(ValueError):  # a group address has no place
            mac = normal_mac(bytes(row[-_MAC:]).hex())
            name = _port_name(columns, port)
            found[mac, name] = Learnt(mac=mac, port=name)
    return tuple(found[key] for key in sorted(found))


def _databases(column: Column, vlan: int) -> set[int | bytes]:
    """The filtering databases of a VLAN; rows are named by a time and the VLAN.

    A switch that does not say has the same number for both.
    """
    return {number for row, number in column.items() if row[-1] == vlan} or {vlan}


def _port_name(columns: Mapping[str, Column], port: int) -> str:
    name = columns["ifName"].get((index,)) if isinstance(index := _interface(columns, port), int) else None
    text = name.decode("ascii", "replace").strip() if isinstance(name, bytes) else ""
    return text[:128] if text and text.isprintable() else f"port {port}"


def _interface(columns: Mapping[str, Column], port: int) -> int | bytes | None:
    return columns["dot1dBasePortIfIndex"].get((port,))
