# SPDX-License-Identifier: Apache-2.0
"""Ends the reboot that a machine asked for inside: the machine itself has stopped, and is switched on again here."""

from __future__ import annotations

import sys

from flathood.lab.lab import Lab


def main() -> None:
    """Switch the machine on, unless somebody has taken its power meanwhile."""
    name, machine = sys.argv[1:]
    lab = Lab.open(name)
    if machine not in lab.state.off:
        lab.power_on(machine)


if __name__ == "__main__":
    main()
