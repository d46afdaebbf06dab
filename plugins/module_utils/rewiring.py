# SPDX-License-Identifier: GPL-3.0-or-later
"""The options of flathood.cluster.rewire and flathood.cluster.replace."""

from __future__ import annotations

#: Of a step that has plugs moved, and of the one that judges them.
PLUGS = {
    "hands": {"type": "str", "choices": ["auto", "lab", "people"], "default": "auto"},
    "attempt": {"type": "int", "default": 0},
    "mistakes": {"type": "int", "default": 0},
    "problems": {"type": "list", "elements": "str", "default": []},
    "token": {"type": "str", "no_log": False},
    "silent": {"type": "list", "elements": "str", "default": []},
}
OPTIONS = {
    "phase": {"type": "str", "choices": ["begin", "enter", "plug", "judge", "end"], "required": True},
    "directory": {"type": "path", "required": True},
    "profile": {"type": "str"},
    "moves": {"type": "int"},
    "gain": {"type": "float", "default": 1.0},
    "without": {"type": "list", "elements": "str", "default": []},
    "wiring": {"type": "path"},
    "undo": {"type": "bool", "default": False},
    "most": {"type": "int", "default": 16},
    "seconds": {"type": "float", "default": 20.0},
    "people": {"type": "int", "default": 1},
    **PLUGS,
}
REPLACE = {
    "phase": {
        "type": "str",
        "choices": ["begin", "keys", "look", "exchange", "plug", "judge", "end"],
        "required": True,
    },
    "directory": {"type": "path", "required": True},
    "node": {"type": "str"},
    "spare": {"type": "str"},
    "back": {"type": "bool", "default": False},
    "witnesses": {"type": "list", "elements": "str", "default": []},
    "among": {"type": "list", "elements": "str", "default": []},
    **PLUGS,
}
