# SPDX-License-Identifier: Apache-2.0
"""The offline proof: from the bytes of every machine's files, that each pair of nodes talks as the design says.

It shares nothing with the compiler but the three files. What a machine would do is worked out from its own files, read
as systemd-networkd, the kernel and the C library read them; where a frame then arrives is worked out from the wiring
and the registry; and what the far end does with it from the far end's files.

- `findings`: what was proved, what is wrong.
- `source`: where the bytes come from.
- `cabling`: which NIC is on which cable.
- `syntax`, `machine`: from bytes to what they mean.
- `network`: every machine's addresses together.
- `links`, `names`, `paths`, `settings`, `head`: the checks.
- `run`: all of it, for all machines.
"""

from flathood.plan.proof.findings import Finding, Report
from flathood.plan.proof.run import prove
from flathood.plan.proof.source import Compiled, OnDisk, Source

__all__ = ["Compiled", "Finding", "OnDisk", "Report", "Source", "prove"]
