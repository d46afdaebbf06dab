# SPDX-License-Identifier: GPL-3.0-or-later
"""What all actions have in common that run on the controller only."""

from __future__ import annotations


class ModuleDocFragment:
    """Their attributes; each says of itself what it does in check mode, and whether it shows differences."""

    DOCUMENTATION = r"""
attributes:
  action:
    support: full
  async:
    support: none
  become:
    support: none
  bypass_host_loop:
    support: none
  bypass_task_loop:
    support: none
  check_mode:
    support: full
  connection:
    support: none
  delegation:
    support: none
  diff_mode:
    support: none
  interpreter_discovery:
    support: none
  platform:
    platforms: all
    details: It runs on the controller and makes no connection, whatever machine the task is for.
  tags:
    support: full
  until:
    support: full
"""
