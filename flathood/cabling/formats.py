# SPDX-License-Identifier: Apache-2.0
"""The cabling in the files of other tools: PTM's topology.dot, ibdiagnet's .topo and NetBox's cable CSV.

All three name a port at the switch's end, see `flathood.cabling.ports`; it does not matter which port of a switch a
cable is in, so reading them back, only node, slot and switch are taken.

Formats: NVIDIA Cumulus Linux, "Prescriptive Topology Manager"; ibdm-topo-file(1); NetBox, "Bulk import: cables".
"""

from __future__ import annotations

import csv
import io
import re
from collections.abc import Callable, Iterable, Iterator

from flathood.cabling.evidence import Reading
from flathood.cabling.ports import ports
from flathood.errors import InvalidInput, Problem
from flathood.spec import Cluster
from flathood.wiring.model import Wiring

#: Node, slot, switch, number of the port.
_Cable = tuple[str, int, str, int]

_DEVICE = re.compile(r"(?:fnn|eth|P)(\d{1,3})")
_EDGE = re.compile(r'"?([\w.-]+)"?\s*:\s*"?([\w./-]+)"?\s*--\s*"?([\w.-]+)"?\s*:\s*"?([\w./-]+)"?')
_LINK = re.compile(r"(\S+)\s+(?:-\S*)?->\s+(\S+)\s+(\S+)\s+(\S+)")
_COLUMNS = ("side_a_device", "side_a_type", "side_a_name", "side_b_device", "side_b_type", "side_b_name")
_NODE_TYPE = "FNN-NODE"
_SWITCH_TYPE = "FNN-SWITCH"


def export(cluster: Cluster, wiring: Wiring, format_: str) -> str:
    """The planned cabling as a file of another tool; `format_` is one of FORMATS."""
    return _WRITERS[format_](cluster, list(_cables(cluster, wiring)))


def readings(cluster: Cluster, file: str, text: str, format_: str) -> tuple[Reading, ...]:
    """The cables of a file as what people read; raises InvalidInput with every line that is not understood."""
    switches = {*cluster.switch_names, cluster.uplink.name}
    counts = {**cluster.nic_counts, cluster.head.name: 1}
    found: dict[tuple[str, int], str] = {}
    problems = []
    for line, ends in _READERS[format_](text):
        if ends is None:
            problems.append(Problem(file, line, "", f"is no cable as {format_} writes one"))
            continue
        (one, device), (other, port) = ends
        if one in switches:
            (one, device), (other, port) = (other, port), (one, device)
        if one in switches and other in switches:
            continue  # a switch's cable to the uplink switch
        match = _DEVICE.fullmatch(device)
        slot = -1 if match is None else int(match[1]) - device.startswith("P")
        if one not in counts or not 0 <= slot < counts[one] or other not in switches:
            message = f"{one} {device} to {other} is no cable of this cluster: NODE fnnSLOT to SWITCH is"
            problems.append(Problem(file, line, "", message))
        elif found.setdefault((one, slot), other) != other:
            problems.append(Problem(file, line, "", f"{one} {device} is in {found[one, slot]} already"))
    if not found and not problems:
        problems.append(Problem(file, 0, "", f"holds no cable as {format_} writes one"))
    if problems:
        raise InvalidInput(problems)
    return tuple(Reading(node=node, slot=slot, switch=switch) for (node, slot), switch in sorted(found.items()))


def _cables(cluster: Cluster, wiring: Wiring) -> Iterator[_Cable]:
    """All cables of nodes, spares and head; ports from 1 on each switch."""
    for (node, slot), port in ports(cluster, wiring).items():
        yield node, slot, wiring.nodes[node][slot] or "", port
    for port, machine in enumerate((*cluster.spare_names, cluster.head.name), start=1):
        yield machine, 0, cluster.uplink.name, port


def _to_ptm(cluster: Cluster, cables: Iterable[_Cable]) -> str:
    edges = "".join(f'  "{node}":"fnn{slot}" -- "{switch}":"swp{port}";\n' for node, slot, switch, port in cables)
    return f'graph "{cluster.cluster}" {{\n{edges}}}\n'


def _to_topo(cluster: Cluster, cables: Iterable[_Cable]) -> str:
    sections: dict[str, list[str]] = {}
    for node, slot, switch, port in cables:
        sections.setdefault(switch, []).append(f"\tP{port} -> {_NODE_TYPE} {node} P{slot + 1}\n")
    text = "".join(f"{_SWITCH_TYPE} {switch}\n{''.join(lines)}\n" for switch, lines in sections.items())
    return f"# {cluster.cluster}\n{text}"


def _to_netbox(cluster: Cluster, cables: Iterable[_Cable]) -> str:
    colours = {switch.name: switch.colour for switch in cluster.switches}
    colours[cluster.uplink.name] = cluster.uplink.colour
    out = io.StringIO()
    writer = csv.writer(out, lineterminator="\n")
    writer.writerow((*_COLUMNS, "label", "color"))
    for node, slot, switch, port in cables:
        ends = (node, "dcim.interface", f"fnn{slot}", switch, "dcim.interface", f"port{port}")
        writer.writerow((*ends, f"{node} {slot} {switch}", colours[switch].removeprefix("#")))
    return out.getvalue()


_Ends = tuple[tuple[str, str], tuple[str, str]]
_Lines = Iterator[tuple[int, _Ends | None]]


def _from_ptm(text: str) -> _Lines:
    for number, line in enumerate(text.splitlines(), start=1):
        bare = re.sub(r"//.*|#.*", "", line)
        edges = _EDGE.findall(bare)
        if "--" in bare and not edges:
            yield number, None
        for one, device, other, port in edges:
            yield number, ((one, device), (other, port))


def _from_topo(text: str) -> _Lines:
    here = ""
    for number, line in enumerate(text.splitlines(), start=1):
        bare = line.split("#")[0].strip()
        link = _LINK.fullmatch(bare)
        if link is not None and here:
            yield number, ((here, link[1]), (link[3], link[4]))
        elif "->" in bare:
            yield number, None
        elif bare:
            words = bare.split()
            here = words[1] if len(words) > 1 else ""
            if not here:
                yield number, None


def _from_netbox(text: str) -> _Lines:
    reader = csv.DictReader(io.StringIO(text))
    if not set(_COLUMNS) <= set(reader.fieldnames or ()):
        yield 1, None
        return
    for row in reader:
        values = [row[name] or "" for name in _COLUMNS]
        whole = all((values[0], values[2], values[3], values[5]))
        yield reader.line_num, ((values[0], values[2]), (values[3], values[5])) if whole else None


_WRITERS: dict[str, Callable[[Cluster, list[_Cable]], str]] = {
    "ptm": _to_ptm,
    "ibdiagnet": _to_topo,
    "netbox": _to_netbox,
}
_READERS: dict[str, Callable[[str], _Lines]] = {
    "ptm": _from_ptm,
    "ibdiagnet": _from_topo,
    "netbox": _from_netbox,
}
#: The formats by name.
FORMATS = tuple(_WRITERS)
