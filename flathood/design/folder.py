# SPDX-License-Identifier: Apache-2.0
"""Designing in a cluster's folder: cluster.yml in, the wiring that should be there out, and how it differs.

A wiring that is there is cables that people have plugged, so it stays unless a better one is found.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path

from pydantic import JsonValue

from flathood.design.bounds import most_nodes
from flathood.design.designer import Candidate, Limits, Progress, search
from flathood.design.objective import Evaluation, evaluate
from flathood.design.request import Request, design_of, slots_of
from flathood.errors import InvalidInput
from flathood.inventory import CLUSTER, WIRING
from flathood.spec import Cluster, load_cluster
from flathood.wiring import Wiring, load_wiring, save_wiring
from flathood.wiring.save import render_wiring


@dataclass(frozen=True)
class Options:
    """What an operator may ask for: another profile than cluster.yml's, the limits, and to replace a wiring as good."""

    profile: object = None
    limits: Limits = field(default_factory=Limits)
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
        found: the figures of the best design of the search; None: not searched, what is there is proved optimal.
        before: the text of wiring.yml without its leading comment; empty when there is none.
        cables: how many cables have to be plugged that were not, and unplugged that were.
        interrupted: Ctrl-C ended the search early.

    """

    directory: Path
    wiring: Wiring
    evaluation: Evaluation
    given: Evaluation | None
    unfit: InvalidInput | None
    found: Evaluation | None
    before: str
    cables: tuple[int, int]
    interrupted: bool = False

    @property
    def after(self) -> str:
        """The text that wiring.yml should have, without its leading comment."""
        return render_wiring(self.wiring)

    @property
    def changed(self) -> bool:
        """Whether saving would change wiring.yml."""
        return self.before != self.after

    def save(self) -> bool:
        """Write wiring.yml, whole or not at all; True when it changed."""
        return self.changed and save_wiring(self.directory / WIRING, self.wiring)

    def verdict(self) -> str:
        """What came out, in a sentence."""
        proved = "; it is proved optimal" if self.evaluation.optimal else ""
        if self.given is None:
            return f"A new wiring was designed{proved}."
        if self.found is None:
            return "The wiring that is there is proved optimal: there is nothing to improve."
        if not self.changed:
            return f"The wiring that is there stays: the search found none better{proved}."
        return f"The wiring that is there is replaced (quality {self.given.quality:.4f} before){proved}."


def design_folder(
    directory: Path, options: Options | None = None, progress: Callable[[Progress], None] = lambda _: None
) -> Outcome:
    """Design the wiring of a cluster's folder; nothing is written.

    Raises InvalidInput when cluster.yml or the profile is wrong, Impossible or NotFound when no wiring can be given.
    """
    options = options or Options()
    directory = Path(directory)
    cluster = load_cluster(directory / CLUSTER)
    request = Request.of(cluster, directory, options.profile)
    there, unfit = _there(directory / WIRING, cluster)
    before = render_wiring(there) if there else ""
    given = Candidate(design_of(there, cluster), evaluate(request, design_of(there, cluster)), "") if there else None
    if there and given and given.evaluation.optimal and not options.force:
        return Outcome(directory, there, given.evaluation, given.evaluation, unfit, None, before, (0, 0))
    found = search(request, options.limits, progress)
    best = found.best
    if there and given and not options.force and not best.better_than(given):
        stays = given.evaluation
        return Outcome(directory, there, stays, stays, unfit, best.evaluation, before, (0, 0), found.interrupted)
    wiring = Wiring(
        cluster=cluster.cluster,
        nodes=slots_of(best.design, cluster),
        design=_block(request, best, options.limits.seed, found.rounds),
    )
    old = given.design if given else best.design & False
    cables = int((best.design & ~old).sum()), int((old & ~best.design).sum())
    return Outcome(
        directory,
        wiring,
        best.evaluation,
        given.evaluation if given else None,
        unfit,
        best.evaluation,
        before,
        cables,
        found.interrupted,
    )


def _there(path: Path, cluster: Cluster) -> tuple[Wiring | None, InvalidInput | None]:
    """The wiring that is there, or what is wrong with it: after a change of cluster.yml it may not fit any more."""
    if not path.exists():
        return None, None
    try:
        return load_wiring(path, cluster), None
    except InvalidInput as error:
        return None, error


def _block(request: Request, best: Candidate, seed: int, rounds: int) -> dict[str, JsonValue]:
    """The `design` part of wiring.yml: how the wiring was made, how good it is, what is proved."""
    limit = most_nodes(int(request.usable_nics.max()), int(request.ports.max()), request.switches)
    return {
        "mode": "universal",
        "profile": request.profile,
        "engine": best.engine,
        "seed": seed,
        "rounds": rounds,
        **best.evaluation.report(),
        "bounds": {"nodes_most": limit.most, "theorem": limit.theorem},
    }
