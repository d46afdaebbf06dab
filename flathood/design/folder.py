# SPDX-License-Identifier: Apache-2.0
"""Designing in a cluster's folder: cluster.yml in, the wiring that should be there out, and how it differs.

A wiring that is there is cables that people have plugged, so it stays unless a better one is found, and what stays of
it stays in its NIC and its port. Where nothing is plugged yet and it is known where racks stand, cables are as short as
they can be for nothing.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

import numpy as np
from pydantic import JsonValue

from flathood.cabling.lengths import metres
from flathood.cabling.ports import with_ports
from flathood.design.designer import Candidate, Found, Progress, search
from flathood.design.engine import Budget
from flathood.design.engines import AUTO
from flathood.design.least import lower_bounds
from flathood.design.objective import Evaluation
from flathood.design.request import Design, Request, design_of
from flathood.design.shorter import shorter_as_good, total
from flathood.design.slots import slots_of
from flathood.errors import InvalidInput, Problem
from flathood.inventory import CLUSTER, WIRING
from flathood.spec import Cluster, load_cluster
from flathood.spec.known import several
from flathood.spec.rule_faults import faults
from flathood.spec.rules import DesignRules, Mode
from flathood.wiring import Wiring, load_wiring, save_wiring
from flathood.wiring.save import render_wiring


@dataclass(frozen=True)
class Options:
    """What an operator may ask for.

    Attributes:
        profile: another one than cluster.yml's; None: its own.
        mode, keep, without: other rules than those under `design` in cluster.yml; None: its own.
        budget: how long to search.
        engine: the engine to ask; "auto": those that suit.
        force: replace a wiring that is there by one that is only as good.

    """

    profile: object = None
    mode: Mode | None = None
    keep: Mapping[str, Sequence[str]] | None = None
    without: Sequence[str] | None = None
    budget: Budget = field(default_factory=Budget)
    engine: str = AUTO
    force: bool = False


@dataclass(frozen=True)
class Outcome:
    """What a design run found for a folder; nothing is written until `save`.

    Attributes:
        directory: the cluster's folder.
        wiring: the wiring that should be there.
        evaluation: its figures.
        given: the figures of the wiring that is there; None: there is none that fits cluster.yml.
        unfit: why the wiring that is there does not fit.
        found: what the search found; None: not searched, what is there is proved optimal.
        before: the text of wiring.yml without its leading comment; empty when there is none.
        cables: how many cables have to be plugged that were not, and unplugged that were.

    """

    directory: Path
    wiring: Wiring
    evaluation: Evaluation
    given: Evaluation | None
    unfit: InvalidInput | None
    found: Found | None
    before: str
    cables: tuple[int, int]

    @property
    def after(self) -> str:
        """The text that wiring.yml should have, without its leading comment."""
        return render_wiring(self.wiring)

    @property
    def changed(self) -> bool:
        """Whether saving would change wiring.yml."""
        return self.before != self.after

    @property
    def interrupted(self) -> bool:
        """Whether Ctrl-C ended the search early."""
        return self.found is not None and self.found.interrupted

    def save(self) -> bool:
        """Write wiring.yml, whole or not at all; True when it changed."""
        return self.changed and save_wiring(self.directory / WIRING, self.wiring)

    def verdict(self) -> str:
        """What came out, in a sentence."""
        proved = "; it is proved optimal" if self.wiring.design.get("optimal") else ""
        if self.given is None:
            return f"A new wiring was designed{proved}."
        if self.found is None:
            return "The wiring that is there is proved optimal: there is nothing to improve."
        if not any(self.cables):
            return f"The wiring that is there stays: the search found none better{proved}."
        return f"The wiring that is there is replaced (quality {self.given.quality:.4f} before){proved}."


def design_folder(
    directory: Path, options: Options | None = None, progress: Callable[[Progress], None] = lambda _: None
) -> Outcome:
    """Design the wiring of a cluster's folder; nothing is written.

    Raises InvalidInput when cluster.yml, the profile or the rules are wrong, Impossible or NotFound when no wiring can
    be given.
    """
    options = options or Options()
    directory = Path(directory)
    cluster = load_cluster(directory / CLUSTER)
    given_rules = {"mode": options.mode, "without": options.without, "keep": options.keep}
    rules = rules_with(cluster, {key: value for key, value in given_rules.items() if value is not None})
    request = Request.of(cluster, directory, options.profile, rules)
    there, unfit = _there(directory / WIRING, cluster, request)
    old = design_of(there, cluster) if there else np.zeros((request.nodes, request.switches), dtype=np.bool_)
    given = Candidate.of(request, old, "given") if there and not unfit else None
    best, found = _best(request, given, options, progress)
    lengths = metres(cluster)
    if lengths is not None and there is None and found is not None:
        best = Candidate.of(request, shorter_as_good(request, lengths, best.design), best.engine)
        found = replace(found, best=best)
    if there and best is given and _says(there, rules):
        wiring = there
    else:
        nodes = there.nodes if there and best is given else slots_of(best.design, cluster, there)
        block = _block(request, rules, best, found, options.budget)
        block |= {} if lengths is None else {"metres": total(lengths, best.design)}
        wiring = Wiring(cluster=cluster.cluster, nodes=nodes, design=block)
        wiring = with_ports(cluster, there, wiring) if there else wiring
    return Outcome(
        directory=directory,
        wiring=wiring,
        evaluation=best.evaluation,
        given=given.evaluation if given else None,
        unfit=unfit,
        found=found,
        before=render_wiring(there) if there else "",
        cables=(int((best.design & ~old).sum()), int((old & ~best.design).sum())),
    )


def _best(
    request: Request, given: Candidate | None, options: Options, progress: Callable[[Progress], None]
) -> tuple[Candidate, Found | None]:
    """The design that should be there, and what the search found where there was one."""
    if given and given.evaluation.optimal and not options.force:
        return given, None
    found = search(request, options.budget, progress, options.engine)
    if given and not options.force and not found.best.better_than(given):
        return given, found
    return found.best, found


def rules_with(cluster: Cluster, changes: Mapping[str, object]) -> DesignRules:
    """The rules of cluster.yml with others in the place of some; raises InvalidInput with all that is wrong.

    A problem is told under the option that is called as the rule.
    """
    rules = cluster.design.model_copy(update=dict(changes))
    nics = {name: cluster.nic_counts[name] for name in cluster.node_names}
    ports = {switch.name: switch.free for switch in cluster.switches}
    problems = [
        Problem(f"--{place[0]}", 0, ".".join(str(step) for step in place[1:]), message)
        for place, message in faults(rules, nics, ports)
    ]
    if problems:
        raise InvalidInput(problems)
    return rules


def _there(path: Path, cluster: Cluster, request: Request) -> tuple[Wiring | None, InvalidInput | None]:
    """The wiring that is there, and what is wrong with it: after a change of cluster.yml it may not fit any more."""
    if not path.exists():
        return None, None
    try:
        wiring = load_wiring(path, cluster)
    except InvalidInput as error:
        return None, error
    problems = [
        Problem(str(path), 0, "", message) for message in _breaches(request, design_of(wiring, cluster), cluster)
    ]
    return wiring, InvalidInput(problems) if problems else None


def _breaches(request: Request, design: Design, cluster: Cluster) -> Iterator[str]:
    """Which rules of the design a wiring breaks, in words."""
    for name, nics in zip(cluster.node_names, request.nics, strict=True):
        if not nics and design[cluster.node_names.index(name)].any():
            yield f"node {name!r} is not to be used, and has cables"
    for column, (name, ports) in enumerate(zip(cluster.switch_names, request.ports, strict=True)):
        if not ports and design[:, column].any():
            yield f"switch {name!r} is not to be used, and has cables"
    if request.keep is not None and (missing := np.argwhere(request.keep & ~design)).size:
        cables = several(f"{cluster.node_names[node]} on {cluster.switch_names[switch]}" for node, switch in missing)
        yield f"it lacks cables that are to stay: {cables}"


def _says(wiring: Wiring, rules: DesignRules) -> bool:
    """Whether a wiring tells the mode of its design and what is left out."""
    return wiring.design.get("mode", "universal") == rules.mode and wiring.left_out == set(rules.without)


def _block(
    request: Request, rules: DesignRules, best: Candidate, found: Found | None, budget: Budget
) -> dict[str, JsonValue]:
    """The `design` part of wiring.yml: how the wiring was made, how good it is, what is proved."""
    block: dict[str, JsonValue] = {"mode": rules.mode, "profile": request.profile, "engine": best.engine}
    if found:
        block |= {"engines": [turn.engine for turn in found.turns], "seed": budget.seed, "jobs": budget.jobs}
        block |= {"rounds": budget.rounds} if budget.rounds else {}
        block |= {"seconds": budget.seconds} if budget.seconds else {}
    if rules.without:
        block["without"] = list(rules.without)
    block |= best.evaluation.report()
    block["required"] = {"pairs": int(request.required.sum()) // 2, "missing": best.missing}
    block["bounds"] = {
        bound.what: {"least": bound.least, "theorem": bound.theorem} for bound in lower_bounds(request.without_unused())
    }
    if found and found.proof and best is found.best:
        block["optimal"] = block["optimal"] or found.proof.kind == "optimal"
        block["proof"] = {"theorem": found.proof.theorem, "because": found.proof.because}
    return block
