# SPDX-License-Identifier: Apache-2.0
"""A rewiring, step by step: what to plug next, and the wiring.yml that holds meanwhile.

wiring.yml is always what is plugged, or about to be: whoever compiles and installs it at any moment gets a cluster in
which every pair talks. A step is noted in the journal before it is done, so it can be repeated from there.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path
from typing import Any

from flathood.cabling.picture import Nic
from flathood.document import parse
from flathood.errors import Conflict, FlathoodError
from flathood.inventory import WIRING
from flathood.rewiring import journal
from flathood.rewiring.batches import MOST, Batch, batches
from flathood.rewiring.journal import AFTER, BEFORE, FILE, Standing
from flathood.rewiring.stages import stage
from flathood.spec.known import Known
from flathood.spec.model import Cluster
from flathood.wiring.load import fit_wiring
from flathood.wiring.model import Wiring
from flathood.wiring.save import SCHEMA_LINE, render_wiring
from flathood.writing import header, locked, save


@dataclass(frozen=True)
class Work:
    """The rewiring of a cluster's folder."""

    directory: Path
    cluster: Cluster
    where: Standing

    @classmethod
    def of(cls, directory: Path, cluster: Cluster) -> Work | None:
        """The rewiring that was begun in a folder, ended or not; None: there was none."""
        where = journal.standing(directory)
        return None if where is None else cls(directory, cluster, where)

    @classmethod
    def to(
        cls, directory: Path, cluster: Cluster, target: Wiring, most: int = MOST, wish: Mapping[str, Any] | None = None
    ) -> Work:
        """The rewiring to ``target``, not begun yet (see `begun`); ``wish`` is what the target was found for.

        Raises Conflict when another rewiring is under way, FlathoodError when there is nothing to move.
        """
        path = directory / WIRING
        there = cls.of(directory, cluster)
        if there and not there.where.ended:
            message = f"a rewiring is under way ({there.told()}): go on with it, or undo it"
            raise Conflict(f"{directory / FILE}: {message}", path)
        before = path.read_text(encoding="utf-8")
        wiring = _wiring(path, before, cluster)
        after = (header(path) or SCHEMA_LINE) + render_wiring(target)
        dead = [Nic(one.node, one.slot) for one in wiring.idle if (one.node, one.slot) not in wiring.coming]
        found = batches(cluster, wiring.plugged, target.plugged, dead, most)
        if not found:
            raise FlathoodError("nothing is to be moved: the cables are where the new wiring has them")
        return cls(directory, cluster, Standing(wish or {}, {BEFORE: before, AFTER: after}, found))

    def begun(self) -> Work:
        """Write the journal's first line, unless wiring.yml has been changed since this rewiring was found."""
        path = self.directory / WIRING
        with locked(path):
            if path.read_text(encoding="utf-8") != self.where.texts[BEFORE]:
                raise Conflict(f"{path} was changed meanwhile: begin anew", path)
            journal.begin(self.directory, self.where)
        return self

    @cached_property
    def before(self) -> Wiring:
        """The wiring that the rewiring began with."""
        return _wiring(self.directory / WIRING, self.where.texts[BEFORE], self.cluster)

    @property
    def text(self) -> str:
        """What wiring.yml says at this step: the cables of the batch that is the next are idle."""
        where = self.where
        if where.batch is None:
            return where.texts[where.toward]
        return self._text(where.at, where.batch)

    @property
    def left(self) -> int:
        """How many batches are still to be made."""
        return len(self.where.batches) - self.where.number

    @property
    def before_this(self) -> tuple[str, ...]:
        """The nodes of the batch that was made last, the way that it goes."""
        where = self.where
        at = where.at - 1 if where.toward == AFTER else where.at
        return where.batches[at].nodes if where.number else ()

    @property
    def alone(self) -> tuple[str, ...]:
        """The nodes of the next batch that have no cable beside it: they are out of reach while theirs are moved."""
        return self._alone(self.where.at, self.where.batch)

    @property
    def alone_before(self) -> tuple[str, ...]:
        """The same of the batch that was made last, the way that it goes."""
        where = self.where
        if not where.number:
            return ()
        step = 1 if where.toward == AFTER else -1
        return self._alone(where.at - step, replace(where, at=where.at - step).batch)

    def told(self) -> str:
        """How far it is, in words."""
        where = self.where
        way = "" if where.toward == AFTER else "undoing, "
        return f"{way}{where.number} of {len(where.batches)} batches made"

    def enter(self) -> Work:
        """Begin the next batch, or go on with it: paths may leave its cables now. At the end: the last wiring."""
        with locked(self.directory / WIRING):
            self._check()
            where = self.where
            if where.batch is not None and not where.open:
                where = journal.note(self.directory, where, "open")
            entered = Work(self.directory, self.cluster, where)
            save(self.directory / WIRING, entered.text)
        return entered

    def done(self) -> Work:
        """Note that the plugs of the open batch are where they belong."""
        return self._noted("done")

    @property
    def settled(self) -> bool:
        """Whether wiring.yml is what it is to be in the end."""
        return (self.directory / WIRING).read_text(encoding="utf-8") == self.where.texts[self.where.toward]

    def turn(self, toward: str, dry: bool = False) -> Work:
        """Go the other way from here on: `BEFORE` undoes, `AFTER` goes on again. ``dry``: nothing is written."""
        if self.where.toward == toward and not self.where.ended:
            return self
        if dry:
            return Work(self.directory, self.cluster, self.where.after("turn", toward))
        return self._noted("turn", toward)

    def end(self) -> Work:
        """Note that the wiring at the end is installed."""
        return self if self.where.ended else self._noted("end")

    def _noted(self, event: str, toward: str = "") -> Work:
        with locked(self.directory / WIRING):
            return Work(self.directory, self.cluster, journal.note(self.directory, self.where, event, toward))

    def _text(self, at: int, ahead: Batch | None) -> str:
        path = self.directory / WIRING
        return (header(path) or SCHEMA_LINE) + render_wiring(self._stage(at, ahead))

    def _stage(self, at: int, ahead: Batch | None) -> Wiring:
        return stage(self.before, self.where.batches[:at], ahead, self.cluster.uplink.name)

    def _alone(self, at: int, ahead: Batch | None) -> tuple[str, ...]:
        if ahead is None:
            return ()
        wiring = self._stage(at, ahead)
        idle = {(one.node, one.slot) for one in wiring.idle}
        return tuple(
            node
            for node in ahead.nodes
            if all(switch is None or (node, slot) in idle for slot, switch in enumerate(wiring.nodes[node]))
        )

    def _check(self) -> None:
        """Raise Conflict when wiring.yml is none of this rewiring's: somebody has changed it meanwhile."""
        path = self.directory / WIRING
        shown = path.read_text(encoding="utf-8")
        ways: Sequence[tuple[int, Batch | None]] = [
            *((at, batch) for at, batch in enumerate(self.where.batches)),
            *((at + 1, batch.reverse()) for at, batch in enumerate(self.where.batches)),
        ]
        known = [*self.where.texts.values(), *(self._text(at, ahead) for at, ahead in ways)]
        if shown not in known:
            raise Conflict(
                f"{path} was changed since the rewiring began ({self.told()}): put it back as it was, or move {FILE} "
                "away and begin anew from what is plugged (playbooks/audit.yml)",
                path,
            )


def _wiring(path: Path, text: str, cluster: Cluster) -> Wiring:
    """A wiring from its text; raises InvalidInput."""
    return fit_wiring(parse(str(path), text.encode()), Known.of(cluster)).finish()
