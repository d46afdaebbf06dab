# SPDX-License-Identifier: Apache-2.0
"""Waiting for one machine, as long as it takes and no longer; fed with what the journal grew by since the last look."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass, field

from flathood.discovery.journal import MAX_LINE, read_journal
from flathood.discovery.session import Session

#: Addresses that are asked for a report, beyond one for each NIC: a second machine shows itself by then.
_MORE = 4


@dataclass
class Watch:
    """``timeout``: seconds until the machine must have shown all NICs; ``settle``: seconds to listen for more then."""

    session: Session
    timeout: float
    settle: float
    clock: Callable[[], float] = time.monotonic
    _rest: str = ""
    _began: float = field(init=False)
    _grew: float = field(init=False)
    _count: int = 0

    def __post_init__(self) -> None:
        """Begin to wait."""
        self._began = self._grew = self.clock()

    def feed(self, text: str) -> None:
        """Take in what was appended to the journal; a line that is not whole yet waits for its end."""
        *lines, self._rest = (self._rest + text).split("\n")
        # Whatever is longer than any line is none: it must not grow for ever.
        self._rest = self._rest[-2 * MAX_LINE :]
        for entry in read_journal(lines):
            self.session.feed(entry)
        if self.heard != self._count:
            self._count, self._grew = self.heard, self.clock()

    @property
    def unfinished(self) -> int:
        """Characters of a last line that has no end yet."""
        return len(self._rest)

    @property
    def heard(self) -> int:
        """How many NICs of the machine were heard so far."""
        return len(self.session.window.candidates) if self.session.window is not None else 0

    @property
    def left(self) -> float:
        """Seconds until the time is over."""
        return max(0.0, self._began + self.timeout - self.clock())

    @property
    def done(self) -> bool:
        """Whether there is nothing to wait for: all were heard and it has settled, or the time is over."""
        window = self.session.window
        if window is None or self.left == 0 or window.flooded:
            return True
        return window.full and self.clock() - self._grew >= self.settle

    @property
    def to_ask(self) -> list[dict[str, str]]:
        """MAC and address of each NIC that was heard, in order: where the machine can be asked for a report."""
        window = self.session.window
        if window is None or window.flooded:
            return []
        heard = [{"mac": each.mac, "ip": each.ip} for each in window.candidates.values() if each.ip]
        return heard[: window.slots + _MORE]
