# SPDX-License-Identifier: Apache-2.0
"""One check: a statement about one machine that evidence can bear out or refute."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Check:
    """``key`` is what the check is about, in the words of the probe; ``expected`` is what has to be seen.

    ``nic`` is the host's own NIC that is concerned (a name such as fnn0), ``switch`` the name of the switch that this
    NIC's cable goes to, ``peer`` the other machine; each is "" where there is none.
    """

    kind: str
    host: str
    key: str
    expected: str
    nic: str = ""
    switch: str = ""
    peer: str = ""

    @property
    def identity(self) -> tuple[str, str, str]:
        """Kind, host and key: no two checks of a catalogue have the same."""
        return self.kind, self.host, self.key
