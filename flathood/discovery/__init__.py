# SPDX-License-Identifier: Apache-2.0
"""Power-on discovery: which MACs are in which machine, from the DHCP events while one machine after another is powered.

`journal` reads the head's log of events, `session` keeps what was heard (bounded, whatever the wire brings), `decide`
says what that proves of one machine, `record` writes it into the registry, `report` reads what a machine says of its
own NICs, `replay` does all of it from a log. No module here touches a machine: the same log gives the same answer.
"""

from flathood.discovery.decide import Finding, Outcome
from flathood.discovery.journal import read_journal
from flathood.discovery.session import Session
from flathood.discovery.work import Work

__all__ = ["Finding", "Outcome", "Session", "Work", "read_journal"]
