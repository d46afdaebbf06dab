# SPDX-License-Identifier: Apache-2.0
"""Asks switches for their MAC tables by SNMP (v2c, or v3 with keys), all of them at once, by pysnmp."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from pyasn1.type.univ import Integer, OctetString  # type: ignore[import-untyped]  # has none
from pysnmp.error import PySnmpError  # type: ignore[import-untyped]  # has none
from pysnmp.hlapi.v3arch import asyncio as hlapi  # type: ignore[import-untyped]  # has none

from flathood.cabling.agents import Agent
from flathood.cabling.bridge_mib import COLUMNS, Column, Oid, learnt
from flathood.cabling.evidence import Learnt, Tables

#: Seconds to wait for an answer, and how often to ask again: RFC 1157 leaves lost datagrams to the one who asks.
_TIMEOUT, _RETRIES = 2.0, 3
#: Seconds after which a switch that answers and comes to no end is given up.
_PATIENCE = 120.0
#: Rows that one answer may hold, and rows that one column of one switch may have at the most.
_BULK, _MOST = 40, 1 << 17
#: Switches that are asked at the same time.
_AT_ONCE = 32
_AUTH = {
    "md5": hlapi.usmHMACMD5AuthProtocol,
    "sha": hlapi.usmHMACSHAAuthProtocol,
    "sha224": hlapi.usmHMAC128SHA224AuthProtocol,
    "sha256": hlapi.usmHMAC192SHA256AuthProtocol,
    "sha384": hlapi.usmHMAC256SHA384AuthProtocol,
    "sha512": hlapi.usmHMAC384SHA512AuthProtocol,
}
_PRIV = {
    "des": hlapi.usmDESPrivProtocol,
    "aes": hlapi.usmAesCfb128Protocol,
    "aes192": hlapi.usmAesCfb192Protocol,
    "aes256": hlapi.usmAesCfb256Protocol,
}


class _Refused(Exception):
    """One switch did not tell; the sentence says why."""


@dataclass(frozen=True)
class Answers:
    """What the switches said. ``uplinks``: only such as were given; ``notes``: who did not answer, and why."""

    tables: dict[str, tuple[Learnt, ...]] = field(default_factory=dict)
    uplinks: dict[str, tuple[str, ...]] = field(default_factory=dict)
    notes: tuple[str, ...] = ()

    def evidence(self) -> Tables:
        """The part of an evidence file that these answers are."""
        return Tables(switches=self.tables, uplinks=self.uplinks)


def ask(agents: Mapping[str, Agent]) -> Answers:
    """Ask all agents; one that does not answer leaves a note and no table.

    >>> ask({})
    Answers(tables={}, uplinks={}, notes=())
    """
    return asyncio.run(_ask_all(agents))


async def _ask_all(agents: Mapping[str, Agent]) -> Answers:
    turns = asyncio.Semaphore(_AT_ONCE)

    async def one(name: str, agent: Agent) -> tuple[Learnt, ...] | str:
        async with turns:
            try:
                async with asyncio.timeout(_PATIENCE):
                    table = learnt(await _columns(agent), agent.vlan)
            except TimeoutError:
                return f"snmp: switch {name} at {agent.address} was not done in {_PATIENCE:.0f} s: it is left out"
            except (_Refused, PySnmpError, OSError) as error:
                return f"snmp: switch {name} at {agent.address} told nothing ({error}): {_advice(agent)}"
        return table or f"snmp: switch {name} at {agent.address} has an empty MAC table: {_empty(agent)}"

    said = dict(zip(agents, await asyncio.gather(*(one(*each) for each in agents.items())), strict=True))
    tables = {name: words for name, words in said.items() if isinstance(words, tuple)}
    return Answers(
        tables=tables,
        uplinks={name: agents[name].uplinks for name in tables if agents[name].uplinks},
        notes=tuple(words for words in said.values() if isinstance(words, str)),
    )


def _advice(agent: Agent) -> str:
    who = "the community" if agent.community else "user and keys"
    return f"check its address, that SNMP is on and allowed from here, and {who}"


def _empty(agent: Agent) -> str:
    return f"is {agent.vlan} the right VLAN?" if agent.vlan is not None else "does its agent have the BRIDGE-MIB?"


async def _columns(agent: Agent) -> dict[str, Column]:
    """All columns of one switch."""
    engine = hlapi.SnmpEngine()
    try:
        kind = hlapi.Udp6TransportTarget if ":" in agent.address else hlapi.UdpTransportTarget
        target = await kind.create((agent.address, agent.port), timeout=_TIMEOUT, retries=_RETRIES)
        return {name: await _walk(engine, agent, target, column) for name, column in COLUMNS.items()}
    finally:
        engine.close_dispatcher()


async def _walk(engine: Any, agent: Agent, target: Any, column: Oid) -> Column:  # noqa: ANN401 - pysnmp has no types
    """One column. Raises _Refused when the switch says no or nothing."""
    rows: dict[Oid, int | bytes] = {}
    answers = hlapi.bulk_walk_cmd(
        engine,
        _who(agent),
        target,
        hlapi.ContextData(contextName=agent.context.encode()),
        0,
        _BULK,
        hlapi.ObjectType(hlapi.ObjectIdentity(column)),
        lookupMib=False,
        lexicographicMode=False,
    )
    async for trouble, status, _, found in answers:
        if trouble or status:
            raise _Refused(str(trouble) if trouble else f"error {status.prettyPrint()}")
        for name, value in found:
            row = tuple(name)[len(column) :]
            if isinstance(value, OctetString):
                rows[row] = bytes(value)
            elif isinstance(value, Integer):
                rows[row] = int(value)
        if len(rows) > _MOST:
            raise _Refused(f"more than {_MOST:,} rows")
    return rows


def _who(agent: Agent) -> Any:  # noqa: ANN401 - pysnmp has no types
    if agent.community is not None:
        return hlapi.CommunityData(agent.community.get_secret_value(), mpModel=1)  # noqa: S508 - all that some switches know
    keys = {
        "authKey": agent.auth_key.get_secret_value() if agent.auth_key else None,
        "privKey": agent.priv_key.get_secret_value() if agent.priv_key else None,
    }
    return hlapi.UsmUserData(
        agent.user,
        **keys,
        authProtocol=_AUTH[agent.auth] if agent.auth_key else hlapi.usmNoAuthProtocol,
        privProtocol=_PRIV[agent.priv] if agent.priv_key else hlapi.usmNoPrivProtocol,
    )
