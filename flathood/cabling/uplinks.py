# SPDX-License-Identifier: Apache-2.0
"""Which ports of switches lead to other switches on purpose, where nobody has said so. From the MAC tables alone.

The head is on the uplink switch, so the port behind which a neighborhood switch has learnt it leads there. A port of
the uplink switch behind which is a MAC that some neighborhood switch has on a port of its own leads to that switch.
"""

from __future__ import annotations

from flathood.cabling.evidence import Tables


def with_uplinks(tables: Tables, uplink: str, head: str | None) -> Tables:
    """The tables with such ports of all switches; what was given of a switch stays. `head`: its MAC, if it is known.

    >>> from flathood.cabling.evidence import Learnt
    >>> red = (Learnt(mac="02:00:5e:10:00:01", port="1"), Learnt(mac="02:00:5e:10:00:09", port="48"))
    >>> with_uplinks(Tables(switches={"red": red}), "white", "02:00:5e:10:00:09").uplinks
    {'red': ('48',)}
    """
    ways = dict(tables.uplinks)
    for switch, table in tables.switches.items():
        ports = {entry.port for entry in table if entry.mac == head}
        if switch != uplink and ports:
            ways.setdefault(switch, tuple(sorted(ports)))
    homes = {
        entry.mac
        for switch, table in tables.switches.items()
        if switch in ways and switch != uplink
        for entry in table
        if entry.port not in ways[switch]
    }
    ports = {entry.port for entry in tables.switches.get(uplink, ()) if entry.mac in homes}
    if ports:
        ways.setdefault(uplink, tuple(sorted(ports)))
    return tables.model_copy(update={"uplinks": ways})
