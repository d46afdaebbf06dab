# SPDX-License-Identifier: Apache-2.0
"""The journal of a rewiring: what is begun and what is done, one JSON object a line, on disk before anything else.

It lies beside the three files (`rewiring.jsonl`), as it is what a rewiring goes on from after any interruption. It is
only ever appended to; where a rewiring stands follows from reading it from the beginning:

- ``begin``: what was wished for, the text of wiring.yml before and after, and the batches between them;
- ``open``: paths leave the cables of the next batch, whose plugs may have been moved from here on;
- ``done``: evidence has shown that all plugs of the open batch are where they belong;
- ``turn``: from here on back ``toward`` the wiring before, or on to the new one;
- ``end``: wiring.yml is whole, and installed.
"""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from flathood.cabling.moves import Cable, Move
from flathood.cabling.picture import Nic
from flathood.rewiring.batches import Batch
from flathood.rewiring.lines import append, edited, lines, sync

FILE = "rewiring.jsonl"
BEFORE, AFTER = "before", "after"


@dataclass(frozen=True)
class Standing:
    """Where a rewiring stands.

    Attributes:
        wish: what was asked for, to tell whether somebody asks for the same again.
        texts: wiring.yml as it was before, and as it is to be, by `BEFORE` and `AFTER`.
        batches: from the one to the other.
        at: how many of the batches are made; of an open one some of the plugs may be moved.
        toward: which way it goes.
        open: whether a batch is under way.
        ended: whether it has come to its end.

    """

    wish: Mapping[str, Any]
    texts: Mapping[str, str]
    batches: tuple[Batch, ...]
    at: int = 0
    toward: str = AFTER
    open: bool = False
    ended: bool = False

    @property
    def batch(self) -> Batch | None:
        """The batch that is under way or is the next; None: all are made."""
        if self.toward == AFTER:
            return self.batches[self.at] if self.at < len(self.batches) else None
        return self.batches[self.at - 1].reverse() if self.at > 0 else None

    @property
    def number(self) -> int:
        """How many batches are made, the way that it goes."""
        return self.at if self.toward == AFTER else len(self.batches) - self.at

    def after(self, event: str, toward: str = "") -> Standing:
        """Where it stands after one more line."""
        step = 1 if self.toward == AFTER else -1
        if event == "open":
            return replace(self, open=True, ended=False)
        if event == "done":
            return replace(self, at=self.at + step, open=False)
        if event == "turn":
            # A batch that is under way counts as made: then taking it back is the first thing to do.
            at = self.at + step if self.open and toward != self.toward else self.at
            return replace(self, at=at, toward=toward, ended=False)
        return replace(self, ended=True)


def standing(directory: Path) -> Standing | None:
    """Where the rewiring of a cluster's folder stands; None: there was none. Raises InvalidInput."""
    path = Path(directory) / FILE
    found: Standing | None = None
    for number, said in lines(path):
        try:
            if said["event"] == "begin":
                texts = {BEFORE: said[BEFORE], AFTER: said[AFTER]}
                found = Standing(said["wish"], texts, tuple(map(_batch, said["batches"])))
            elif found is None or said["event"] not in ("open", "done", "turn", "end"):
                raise ValueError(f"{said['event']!r} is not to be expected here")
            else:
                found = found.after(said["event"], said.get("toward", ""))
        except (ValueError, KeyError, TypeError) as error:
            raise edited(path, number, error) from error
    return found


def begin(directory: Path, where: Standing) -> Standing:
    """Begin a journal anew, in the place of one that has come to its end."""
    said = {"event": "begin", "wish": dict(where.wish), **where.texts, "batches": list(map(_data, where.batches))}
    path = Path(directory) / FILE
    fresh = path.with_name(f".{FILE}.new")
    fresh.unlink(missing_ok=True)
    append(fresh, said)
    os.replace(fresh, path)  # noqa: PTH105 - Path.replace is the same call, this one says that it is atomic
    sync(path.parent)
    return where


def note(directory: Path, where: Standing, event: str, toward: str = "") -> Standing:
    """Append a line; back when it is on disk. Where it stands then."""
    append(Path(directory) / FILE, {"event": event, **({"toward": toward} if toward else {})})
    return where.after(event, toward)


def _data(batch: Batch) -> dict[str, Any]:
    return {
        "apart": batch.apart,
        "moves": [[_end(move.before), _end(move.after)] for move in batch.moves],
    }


def _end(cable: Cable | None) -> list[Any] | None:
    return None if cable is None else [cable[0].machine, cable[0].slot, cable[1]]


def _batch(data: Mapping[str, Any]) -> Batch:
    return Batch(tuple(Move(_cable(one), _cable(other)) for one, other in data["moves"]), int(data["apart"]))


def _cable(end: Sequence[Any] | None) -> Cable | None:
    return None if end is None else (Nic(str(end[0]), int(end[1])), str(end[2]))
