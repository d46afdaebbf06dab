# SPDX-License-Identifier: GPL-3.0-or-later
"""The options of flathood.cluster.install and check; install checks them before any machine is asked, and on it."""

from __future__ import annotations

COMPILER = {
    "node_device": {"type": "str", "choices": ["dummy", "ifb", "bridge"]},
    "mpi_slots": {"type": "int"},
    "hosts_extra": {"type": "list", "elements": "str"},
}

ROUTING = {"type": "str", "choices": ["basic", "advanced", "tree"]}

CHECK = {
    "directory": {"type": "path", "required": True},
    "routing": ROUTING,
    "options": {"type": "dict", "options": COMPILER},
}

INSTALL = {
    "role": {
        "type": "str",
        "required": True,
        "choices": ["links", "arp", "hosts", "routes", "multicast", "mpi", "head", "all"],
    },
    "directory": {"type": "path", "required": True},
    "routing": ROUTING,
    "options": {"type": "dict", "options": COMPILER},
    "patience": {"type": "int", "default": 20},
    "settle": {"type": "int", "default": 30},
    "diff_lines": {"type": "int", "default": 60},
    "payload": {"type": "str"},
}
