# SPDX-License-Identifier: GPL-3.0-or-later
"""The recorder that is always there, as its service runs it.

It sends nothing by itself. A machine that nobody can reach takes part in the rounds of probes that it hears of, and its
neighbors can tell of it; what it recorded is collected when it can be reached again.
"""

from __future__ import annotations

import sys

from ansible_collections.flathood.cluster.plugins.module_utils import daemon

from .recorder import Recorder
from .runs import STANDING

if __name__ == "__main__":
    Recorder(sys.argv[1], joins=True).run(daemon.control_socket(STANDING))
