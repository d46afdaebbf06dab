# SPDX-License-Identifier: Apache-2.0
"""The embedded lab: a whole cluster on one machine, on real kernel networking.

Nodes are systemd-nspawn machines with a real systemd, systemd-networkd and sshd; switches are Linux bridges in a
namespace of their own; cables are veth pairs with a rate. Nothing here has a link to the machine's own network.
"""

from flathood.lab.errors import LabError
from flathood.lab.lab import Lab

__all__ = ["Lab", "LabError"]
