# SPDX-License-Identifier: Apache-2.0
"""No two things of a cluster may answer to one name, also not by the names that are made from others.

Every machine gets `NAME-SWITCH`, `NAME-node` and `NAME-out` in the hosts files (see the hosts role), so a node called
`a-red` would be mistaken for node `a` on switch `red`.
"""

from __future__ import annotations

from collections.abc import Iterator

from flathood.document import KeyPath
from flathood.spec.model import Cluster
from flathood.structure import Fitted

SUFFIXES = ("node", "out")
# Names that hosts files and Ansible inventories have a use for already.
_RESERVED = frozenset({"localhost", "all", "ungrouped", "nodes", "spares"})

_Named = tuple[KeyPath, str, str]  # place, kind of thing, name


def check_names(fitted: Fitted[Cluster]) -> None:
    """Note every name that is taken twice, reserved, too long once a switch is added, or made from others.

    What has such a fault counts as not whole: nothing is concluded from its names.
    """
    machines = [*_machines(fitted)]
    switches = [*_switches(fitted)]
    taken: dict[str, _Named] = {}
    twice: dict[KeyPath, list[tuple[str, _Named]]] = {}
    for place, kind, name in (*machines, *switches):
        if name in _RESERVED:
            _say(fitted, f"{name!r} cannot be the name of a {kind}: hosts files or Ansible use it", place)
        elif name in taken:
            twice.setdefault(place, []).append((name, taken[name]))
        else:
            taken[name] = (place, kind, name)
    for place, faults in twice.items():
        name, (at, other, _) = faults[0]
        more = f" (and {len(faults) - 1} more names)" if len(faults) > 1 else ""
        message = f"{name!r} is the name of a {other} already{_line(fitted, at)}{more}: choose another"
        _say(fitted, message, place, *(at for _, (at, _, _) in faults))
    _derived(fitted, {name: place for place, _, name in machines}, [name for _, _, name in switches])
    _length(fitted, machines, switches)


def _say(fitted: Fitted[Cluster], message: str, place: KeyPath, *others: KeyPath) -> None:
    fitted.say(place, message)
    fitted.partial.update(str(each[0]) for each in (place, *others))


def _machines(fitted: Fitted[Cluster]) -> Iterator[_Named]:
    for section, kind in (("nodes", "node"), ("spares", "spare")):
        for place, group in fitted.items(section):
            for index, name in enumerate(group.expand()):
                yield ((*place, "names", index) if group.names is not None else place), kind, name
    if fitted.has("head"):
        yield ("head", "name"), "head", fitted.model.head.name


def _switches(fitted: Fitted[Cluster]) -> Iterator[_Named]:
    for place, switch in fitted.items("switches"):
        yield (*place, "name"), "switch", switch.name
    if fitted.has("uplink"):
        yield ("uplink", "name"), "uplink switch", fitted.model.uplink.name


def _line(fitted: Fitted[Cluster], place: KeyPath) -> str:
    line = fitted.document.line(place)
    return f" (line {line})" if line else " (the default)"


def _derived(fitted: Fitted[Cluster], machines: dict[str, KeyPath], switches: list[str]) -> None:
    """Note machines whose own or made names another machine's made names would hide.

    Two such names can only be equal when the longer machine's name begins with the shorter one's and a hyphen, so only
    the hyphens of the names are looked at.
    """
    suffixes = {*switches, *SUFFIXES}
    for name in switches:
        if name in SUFFIXES:
            place = next(place for place, _, other in _switches(fitted) if other == name)
            _say(
                fitted, f"{name!r} cannot be the name of a switch: NODE-{name} is another address of every node", place
            )
    for name, place in machines.items():
        for at in (index for index, char in enumerate(name) if char == "-"):
            base, rest = name[:at], name[at + 1 :]
            if base not in machines:
                continue
            if rest in suffixes:
                message = f"{name!r} is also what hosts files call {_meaning(rest)} of {base!r}: rename one"
                _say(fitted, message, place, machines[base])
            for suffix in sorted(suffix for suffix in suffixes if f"{rest}-{suffix}" in suffixes):
                one, other = f"{_meaning(suffix)} of {name!r}", f"{_meaning(f'{rest}-{suffix}')} of {base!r}"
                _say(fitted, f"hosts files would call '{name}-{suffix}' both {one} and {other}: rename one", place)


def _meaning(suffix: str) -> str:
    """What NAME-SUFFIX is in the hosts files."""
    what = {"node": "the node address", "out": "the outside address"}
    return what.get(suffix, f"the address on switch {suffix!r}")


def _length(fitted: Fitted[Cluster], machines: list[_Named], switches: list[_Named]) -> None:
    """Note the longest machine and switch when NAME-SWITCH is longer than a host name may be (63 characters)."""
    if not machines or not switches:
        return
    machine, switch = (max(names, key=lambda named: len(named[2])) for names in (machines, switches))
    together = f"{machine[2]}-{switch[2]}"
    if len(together) > 63:
        message = f"{together!r} is {len(together)} characters, a host name has at most 63: shorten one"
        _say(fitted, message, machine[0], switch[0])
