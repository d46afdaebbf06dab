# SPDX-License-Identifier: Apache-2.0
"""How the switches' SNMP agents are reached: addresses, communities or SNMPv3 users, VLANs. Secrets are never shown.

Nothing of this is in the cluster's files: it comes from Ansible's variables, where a vault can keep what is secret.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from typing import Annotated, Any, Literal

from pydantic import BeforeValidator, Field, SecretStr

from flathood.document import Document, kind
from flathood.errors import InvalidInput, Problem
from flathood.spec import Cluster
from flathood.spec.fields import HostName, Strictly, Whole
from flathood.spec.known import several
from flathood.structure import fit

#: The keys that say who asks. A switch that has one of its own takes none of the defaults'.
_CREDENTIALS = ("community", "user", "auth", "auth_key", "priv", "priv_key", "context")
#: RFC 3414, section 11.2: a password of fewer characters makes no key.
_SHORTEST = 8


def _secret(value: object) -> object:
    if not isinstance(value, str) or not value:
        raise ValueError(f"expected text, found {'no' if value == '' else kind(value)}: put it in quotes")
    return value


def _key(value: object) -> object:
    if isinstance(value, str) and len(value) < _SHORTEST:
        raise ValueError(f"is too short: SNMPv3 wants at least {_SHORTEST} characters")
    return _secret(value)


Name = Annotated[str, Field(min_length=1, max_length=255)]
Key = Annotated[SecretStr, BeforeValidator(_key)]


class Agent(Strictly):
    """The agent of one neighborhood switch, or of the uplink switch; a switch may be a VLAN of a larger one."""

    address: Name = Field(description="Where the switch is asked: an address or a name")
    port: Annotated[Whole, Field(ge=1, le=65535)] = 161
    community: Annotated[SecretStr, BeforeValidator(_secret)] | None = Field(default=None, description="SNMP v2c")
    user: Name | None = Field(default=None, description="SNMPv3")
    auth: Literal["md5", "sha", "sha224", "sha256", "sha384", "sha512"] = "sha"
    auth_key: Key | None = None
    priv: Literal["des", "aes", "aes192", "aes256"] = "aes"
    priv_key: Key | None = None
    context: str = Field(default="", description="SNMPv3 context; some makers have one for each VLAN")
    vlan: Annotated[Whole, Field(ge=1, le=4094)] | None = Field(
        default=None, description="The VLAN that is this neighborhood, where one switch is several"
    )
    uplinks: tuple[Name, ...] = Field(
        default=(), description="Ports that lead to other switches on purpose; found out where not given"
    )


class _Agents(Strictly):
    switches: dict[HostName, Agent]


def agents(cluster: Cluster, given: Mapping[str, Any], source: str = "audit_snmp") -> dict[str, Agent]:
    """The agents that variables describe: ``switches`` by name, with ``defaults`` for what they have in common.

    Raises InvalidInput with all that is wrong in them; no message holds a community or a key.

    >>> from flathood.spec import load_cluster
    >>> hexa = load_cluster("inventories/hexa/cluster.yml")
    >>> agents(hexa, {"defaults": {"community": "public"}, "switches": {"red": {"address": "10.0.0.2"}}})["red"].port
    161
    """
    problems = [
        Problem(source, 0, key, "is not known here: write `defaults` and `switches`")
        for key in sorted(given.keys() - {"defaults", "switches"})
    ]
    defaults, switches = given.get("defaults") or {}, given.get("switches") or {}
    if not isinstance(defaults, Mapping) or not isinstance(switches, Mapping):
        raise InvalidInput([*problems, Problem(source, 0, "", "`defaults` and `switches` are mappings")])
    merged = {name: _merged(defaults, own) for name, own in switches.items()}
    # Variables of Ansible are texts and numbers of its own kinds: here they become plain ones.
    plain = json.loads(json.dumps({"switches": merged}))
    fitted = fit(_Agents, Document(source, b"", plain, {}))
    problems += fitted.problems
    found: dict[str, Agent] = fitted.model.switches if fitted.has("switches") else {}
    for name, agent in found.items():
        problems += [Problem(source, 0, f"switches.{name}", message) for message in _wrong(cluster, name, agent)]
    if problems:
        raise InvalidInput(problems)
    return found


def _merged(defaults: Mapping[str, Any], own: object) -> object:
    if not isinstance(own, Mapping):
        return own
    named = bool({"community", "user"} & own.keys())
    return {key: value for key, value in defaults.items() if not (named and key in _CREDENTIALS)} | dict(own)


def _wrong(cluster: Cluster, name: str, agent: Agent) -> Iterator[str]:
    names = (*cluster.switch_names, cluster.uplink.name)
    if name not in names:
        yield f"is no switch of cluster.yml, which has {several(names, shown=9)}"
    if (agent.community is None) == (agent.user is None):
        yield "needs either a `community` (SNMP v2c) or a `user` (SNMPv3)"
    if agent.user is None and (agent.auth_key or agent.priv_key):
        yield "has a key and no `user`: SNMP v2c has no keys"
    if agent.priv_key and not agent.auth_key:
        yield "has a `priv_key` and no `auth_key`: SNMPv3 does not encrypt what it does not authenticate (RFC 3411)"
