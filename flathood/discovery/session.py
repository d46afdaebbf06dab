# SPDX-License-Identifier: Apache-2.0
"""What was heard so far, entry by entry: a window for the machine that is being powered, a bounded memory for the rest.

A MAC counts as new in a window when it was never heard before; when its lease had ended; or when its lease was renewed
before it was due, which a client that stays up does not do (RFC 2131 section 4.4.5: at half of the lease), one that
boots does. What was on the wire before stays out of every window.
"""

from __future__ import annotations

from dataclasses import dataclass, field

from flathood.discovery.decide import Finding, decide
from flathood.discovery.journal import Entry, Lease, Mark, Told
from flathood.discovery.window import Window
from flathood.discovery.work import Place, Work
from flathood.registry.model import State

#: MACs that are remembered; the oldest goes first. One costs about 300 bytes.
MAX_REMEMBERED = 32_768
#: A renewal sooner than this part of the lease after the one before was not due.
_EARLY = 0.4
#: Seconds in which a client asks again when it got no answer; its lease counts from the first time it asked, the
#: server's from the last (RFC 2131 section 4.1: after 4, 8 and 16 seconds, one more or less).
_RETRIES = 31.0
#: Leases end at whole seconds.
_ROUNDING = 1.0
DEFAULT_LEASE = 120.0


@dataclass(slots=True)
class _Heard:
    """The last that was heard of a MAC: when its lease was given, first and last, and whether that has ended since."""

    granted: float
    first: float
    ended: bool = False


@dataclass
class Session:
    """Feed it the journal's entries in order; `findings` has the last one of each machine."""

    work: Work
    lease: float = DEFAULT_LEASE
    window: Window | None = None
    findings: dict[str, Finding] = field(default_factory=dict)
    unsaved: dict[str, float] = field(default_factory=dict)  # machine → when its turn ended
    unreadable: int = 0
    last_at: float = 0.0
    _heard: dict[str, _Heard] = field(default_factory=dict)
    _forgot_at: float | None = None

    @property
    def remembered(self) -> int:
        """How many MACs are in memory."""
        return len(self._heard)

    def feed(self, entry: Entry | None) -> Finding | None:
        """Take one entry in (None: a line that was none); the finding when it closes a machine's window."""
        if entry is None:
            self.unreadable += 1
            return None
        self.last_at = entry.at
        if isinstance(entry, Lease):
            self._hear(entry)
        elif isinstance(entry, Told):
            if self.window is not None:
                self.window.tell(entry.macs)
        elif entry.event == "begin":
            self.lease = entry.lease
        elif entry.event == "open":
            self._open(entry)
        elif entry.event == "saved":
            self.unsaved.pop(entry.node, None)
        elif self.window is not None and self.window.node == entry.node:
            self.unsaved[entry.node] = entry.at
            return self.close()
        return None

    def look(self) -> Finding | None:
        """What would be found if the window closed now."""
        return decide(self.window, self.work) if self.window is not None else None

    def close(self) -> Finding | None:
        """End the window; what it proves is known from now on."""
        finding = self.look()
        if finding is None:
            return None
        self.window = None
        self.findings[finding.node] = finding
        for mac in finding.replaced:
            self.work.places.pop(mac, None)
        for placed in finding.placed:
            state = State.VERIFIED if placed.verified else State.SEEN
            self.work.places[placed.mac] = Place(finding.node, placed.slot, state)
        for mac in finding.disputed:
            place = self.work.places[mac]
            self.work.places[mac] = Place(place.node, place.slot, State.CONFLICTING)
        return finding

    def _open(self, mark: Mark) -> None:
        """Begin a machine's turn; a turn that was broken off and begins again goes on with what it had heard."""
        if self.window is not None and self.window.node == mark.node:
            return
        if mark.node in self.work.cabled:
            before = self.findings.get(mark.node)
            own = frozenset(before.loose) if before is not None else frozenset()
            self.window = Window(mark.node, mark.at, len(self.work.cabled[mark.node]), own)

    def _hear(self, lease: Lease) -> None:
        before = self._heard.pop(lease.mac, None)
        if lease.event == "del":
            if before is not None:
                self._heard[lease.mac] = _Heard(before.granted, before.first, ended=True)
            return
        granted = lease.expires - self.lease if lease.expires is not None else lease.at
        again = before is not None and not before.ended and granted - before.first < _RETRIES
        self._remember(lease.mac, _Heard(granted, before.first if before and again else granted), lease.at)
        window = self.window
        if window is None or granted < window.opened - _ROUNDING:
            return
        if before is not None and not before.ended and granted - before.granted < _ROUNDING:
            # The same lease told again: dnsmasq does so when it starts, and when a name moves to another NIC.
            return
        fresh = before is None or before.ended or granted - before.first < _EARLY * self.lease
        if before is None and self._forgot_at is not None and lease.at - self._forgot_at < 2 * self.lease:
            # It may be one of those that were forgotten: nothing is proved by its being new.
            window.flooded = True
        window.hear(lease, fresh, self.work.places.get(lease.mac), self._loose_elsewhere(lease.mac))

    def _loose_elsewhere(self, mac: str) -> str:
        """The other machine that a MAC was heard from, though its slot could not be told."""
        for node, finding in self.findings.items():
            if mac in finding.loose and self.window is not None and node != self.window.node:
                return node
        return ""

    def _remember(self, mac: str, heard: _Heard, at: float) -> None:
        self._heard[mac] = heard
        if len(self._heard) > MAX_REMEMBERED:
            del self._heard[next(iter(self._heard))]
            self._forgot_at = at
