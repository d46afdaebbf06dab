# SPDX-License-Identifier: Apache-2.0
"""The audit: the as-is picture held against the plan. What differs, the least moves, and what adopting would cost."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from pydantic import JsonValue

from flathood.cabling.adopt import Adoption, Rows, adopt
from flathood.cabling.evidence import Evidence
from flathood.cabling.findings import Finding, Search, words
from flathood.cabling.fuse import fuse, planned_nics
from flathood.cabling.impact import Coverage, Impact
from flathood.cabling.moves import Cable, Move, least_moves
from flathood.cabling.picture import ABSENT, DARK, Nic, Picture
from flathood.cabling.ports import with_ports
from flathood.errors import FlathoodError
from flathood.inventory import Inventory
from flathood.registry.model import macs_of
from flathood.spec import Cluster
from flathood.spec.known import several
from flathood.wiring.model import Wiring


class CannotAdopt(FlathoodError):
    """The evidence does not tell enough of the cabling to take it as the wiring."""


@dataclass(frozen=True)
class Report:
    """What an audit found.

    ``moves`` restore the plan; ``repairs`` are the NICs that have no working cable where the plan has one (not part of
    the moves: a person has to look what broke). ``now``: what the cabling is worth as it is; ``meanwhile``: the most
    uncovered pairs and the least bandwidth while the moves are made. ``rows``: the switch of each slot of each node as
    found, as planned where nothing is known. ``unlit``: cables of switches without power, taken to be in them for an
    adoption. ``unjudged``: planned NICs of which the evidence says nothing certain. ``plan``: by the names of now.
    """

    cluster: str
    picture: Picture
    findings: tuple[Finding, ...]
    disagreements: tuple[str, ...]
    moves: tuple[Move, ...]
    repairs: tuple[Nic, ...]
    now: Impact
    meanwhile: tuple[int, float]
    rows: Rows
    unlit: tuple[Cable, ...]
    plan: Wiring
    judged: int
    unjudged: tuple[Nic, ...]
    warnings: tuple[str, ...] = field(default=())

    @property
    def exit_code(self) -> int:
        """0: as planned, 1: something differs, 2: nothing could be judged, 3: as planned as far as that is known."""
        if not self.judged:
            return 2
        if self.findings:
            return 1
        return 3 if self.unjudged or self.warnings or self.disagreements else 0

    @property
    def open_nodes(self) -> tuple[Nic, ...]:
        """NICs of nodes that are not judged: with any, the cabling cannot be adopted."""
        return tuple(nic for nic in self.unjudged if nic.machine in self.rows)

    def data(self) -> dict[str, object]:
        """The report, ready for JSON."""
        return {
            "cluster": self.cluster,
            "evidence": list(self.picture.kinds),
            "judged": self.judged,
            "unjudged": [str(nic) for nic in self.unjudged],
            "findings": [finding.data() for finding in self.findings],
            "disagreements": list(self.disagreements),
            "warnings": list(self.warnings),
            "notes": list(self.picture.notes),
            "now": self.now.data(),
            "restore": {
                "moves": [move.data() for move in self.moves],
                "repairs": [str(nic) for nic in self.repairs],
                "meanwhile": {"uncovered": self.meanwhile[0], "bandwidth": round(self.meanwhile[1], 4)},
            },
        }


def audit(inventory: Inventory, files: Mapping[str, Evidence]) -> Report:
    """Hold evidence, by file name, against a cluster's plan.

    Raises InvalidInput for evidence of another cluster, FlathoodError when macs.yml knows no NIC.
    """
    cluster, wiring, registry = inventory.cluster, inventory.wiring, inventory.registry
    if not any(macs_of(registry, name) for name in cluster.node_names):
        raise FlathoodError(
            f"{inventory.directory}: macs.yml knows no NIC of any node, so evidence cannot be put down to slots: "
            f"discover them first, or `flathood macs import FILE --into {inventory.directory}`"
        )
    picture = fuse(cluster, wiring, registry, files)
    planned = planned_nics(cluster, wiring)
    search = Search(cluster, planned, picture)
    findings = search.run()
    ports = {switch.name: switch.free for switch in cluster.switches} | {cluster.uplink.name: cluster.uplink.ports}
    off = {DARK, ABSENT}
    dark = [nic for nic in planned if picture.places.get(nic, frozenset()) & off]
    unlit = tuple(
        (nic, search.target(nic) or "") for nic in dark if planned[nic] in search.dead and picture.one(nic) == DARK
    )
    repairs = tuple(nic for nic in dark if nic not in dict(unlit))
    # Where a NIC may be in several places, one of them is its plan's, or it is wrong in each of them.
    found = {nic: _place(picture, nic, search) for nic in picture.places}
    cables: list[Cable] = [(nic, place) for nic, place in found.items() if place not in off]
    unknown = {nic for nic in planned if nic not in picture.places}
    wanted: list[Cable] = [
        (nic, search.target(nic) or switch) for nic, switch in planned.items() if nic not in unknown and nic not in dark
    ]
    moves = least_moves(cables, wanted, ports)
    plan = _renamed(wiring, search.renamed)
    coverage = Coverage(cluster, plan)
    rows = _rows(inventory, found, unknown)
    assumed = [(nic, planned[nic]) for nic in unknown]
    unjudged = tuple(sorted(nic for nic in planned if nic in unknown))
    silent = picture.silent
    return Report(
        cluster=cluster.cluster,
        picture=picture,
        findings=tuple(findings),
        disagreements=tuple(_disagreement(picture, nic) for nic in picture.disagreements),
        moves=tuple(moves),
        repairs=repairs,
        now=coverage.of(rows),
        meanwhile=coverage.meanwhile([*cables, *assumed], moves),
        rows=rows,
        unlit=unlit,
        plan=plan,
        judged=len(planned) - len(unjudged),
        unjudged=unjudged,
        warnings=(
            *picture.warnings,
            *([f"no word from {several(silent)}: their NICs are judged by what others say"] if silent else []),
        ),
    )


def adoption(inventory: Inventory, report: Report) -> Adoption:
    """The valid wiring nearest to what was found; raises CannotAdopt when the evidence leaves NICs of nodes open."""
    if report.open_nodes:
        names = several(map(str, report.open_nodes))
        raise CannotAdopt(
            f"the evidence says nothing certain of {len(report.open_nodes)} NICs ({names}), so the cabling cannot be "
            "adopted without guessing: gather more evidence"
        )
    rows = {node: list(slots) for node, slots in report.rows.items()}
    for nic, switch in report.unlit:
        if nic.machine in rows:
            rows[nic.machine][nic.slot] = switch
    found = {node: tuple(slots) for node, slots in rows.items()}
    return adopt(inventory.cluster, report.plan, found, frozenset(report.repairs))


def adopted(cluster: Cluster, wiring: Wiring, answer: Adoption) -> Wiring:
    """The wiring.yml that an adoption gives; it keeps what the design promises and leaves out."""
    design: dict[str, JsonValue] = {key: wiring.design[key] for key in ("mode", "without") if key in wiring.design}
    design |= {"engine": "adopted", "moves": len(answer.moves)}
    return with_ports(cluster, wiring, wiring.model_copy(update={"nodes": answer.rows, "design": design}))


def _place(picture: Picture, nic: Nic, search: Search) -> str:
    places, target = picture.places[nic], search.target(nic)
    return target if target in places else min(places)


def _rows(inventory: Inventory, found: Mapping[Nic, str], unknown: set[Nic]) -> dict[str, tuple[str | None, ...]]:
    """The switch of each slot of each node as found; of NICs that nothing is known of, as planned."""
    names = set(inventory.cluster.switch_names)
    rows: dict[str, tuple[str | None, ...]] = {}
    for node, slots in inventory.wiring.nodes.items():
        places = [
            slots[slot] if Nic(node, slot) in unknown else found.get(Nic(node, slot)) for slot in range(len(slots))
        ]
        rows[node] = tuple(place if place in names else None for place in places)
    return rows


def _renamed(wiring: Wiring, renamed: Mapping[str, str]) -> Wiring:
    """The plan by the names that the switches bear now."""
    if not renamed:
        return wiring
    nodes = {
        node: tuple(renamed.get(switch, switch) if switch else None for switch in switches)
        for node, switches in wiring.nodes.items()
    }
    return wiring.model_copy(update={"nodes": nodes})


def _disagreement(picture: Picture, nic: Nic) -> str:
    """Who says what of one NIC, and what was made of it."""
    told = ", ".join(
        f"{kind} {'say' if kind != 'lldp' else 'says'} {words(places)}" for kind, places in picture.told[nic].items()
    )
    taken = f"{words(picture.places[nic])} is taken" if nic in picture.places else "not judged"
    return f"{nic.machine}: {nic.device} is in {told}: {taken}; gather the evidence anew"
