# SPDX-License-Identifier: GPL-3.0-or-later
"""Which of a node's NICs work, judged from carriers and from answers. Pure: the clock is the caller's.

A NIC is dead when it is missing, has no carrier, or when several questions in a row got no answer. It lives again when
it has had a carrier for a while and, if it was silent, an answer: one that flaps stays out of use.
"""

from __future__ import annotations

from dataclasses import dataclass

#: Seconds between two questions, and how many in a row stay without an answer when a NIC is dead: 2 s.
EVERY, UNANSWERED = 0.4, 5
#: Seconds that a NIC has to work before it is used again.
STEADY = 2.0


@dataclass
class Health:
    """One NIC. ``since``: when it last began to work, None: it does not."""

    since: float | None
    dead: bool
    asked: int = 0
    silent: bool = False

    def carrier(self, up: bool, now: float) -> None:
        """There is a carrier, or none (or no NIC at all)."""
        if not up:
            self.since, self.dead = None, True
        elif self.since is None:
            self.since, self.asked = now, 0

    def ask(self) -> None:
        """A question is sent."""
        self.asked += 1
        if self.asked > UNANSWERED:
            self.silent = self.dead = True

    def answered(self, now: float) -> None:
        """An answer has come."""
        self.asked = 0
        if self.silent:
            self.silent, self.since = False, now if self.since is not None else None

    def late(self) -> None:
        """The service itself was held up: nobody can say what was unanswered meanwhile."""
        self.asked = 0

    def judge(self, now: float) -> bool:
        """Whether the NIC is dead now."""
        if self.dead and not self.silent and self.since is not None and now - self.since >= STEADY:
            self.dead = False
        return self.dead
