# SPDX-License-Identifier: GPL-3.0-or-later
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
"""Documentation of flathood.cluster.design, which runs on the controller as an action plugin."""

from __future__ import annotations

DOCUMENTATION = r"""
module: design
short_description: Design the wiring of a cluster
version_added: 0.1.0
description:
  - Makes the C(wiring.yml) of a cluster from its C(cluster.yml), so that every pair of nodes shares a switch and the
    traffic of its profile finds as many links as the hardware has.
  - A wiring that is there stays unless a better one is found, as people have plugged its cables.
  - The same O(seed) and O(rounds) give the same bytes; with O(seconds) the speed of the controller counts too.
  - It runs on the controller and makes no connection, whatever machine the task is for. Run it once per play.
author:
  - The flathood contributors
extends_documentation_fragment:
  - ansible.builtin.action_common_attributes
  - ansible.builtin.action_common_attributes.conn
  - ansible.builtin.action_common_attributes.flow
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
    support: full
  interpreter_discovery:
    support: none
  platform:
    platforms: all
  tags:
    support: full
  until:
    support: full
  idempotent:
    description: When run twice in a row outside check mode, the second time reports no change.
    support: full
    details:
      - Not with O(force), nor with O(seconds) when the second run finds a better wiring.
options:
  src:
    description: The cluster's folder on the controller, or the C(cluster.yml) in it.
    type: path
    required: true
  profile:
    description:
      - Who talks to whom, in the forms of C(profile) in C(cluster.yml), which this replaces for this run.
      - One of V(all-to-all), V(ring), V(torus2d), V(torus3d), V(hypercube), a matrix file C({file}) with a path from
        O(src), or a list of C({profile, weight}).
    type: raw
  seed:
    description: Where the search's chances come from.
    type: int
    default: 0
  rounds:
    description: How many times the search starts anew; it ends early when it has met a bound.
    type: int
    default: 4
  seconds:
    description: Search for so long instead of O(rounds) rounds.
    type: float
  force:
    description: Replace the wiring that is there even when the search finds none better.
    type: bool
    default: false
seealso:
  - module: flathood.cluster.check
"""

EXAMPLES = r"""
- name: Design the wiring
  flathood.cluster.design:
    src: inventories/klat2
  run_once: true

- name: Design it anew for a program's traffic
  flathood.cluster.design:
    src: inventories/klat2
    profile:
      - {profile: torus3d, weight: 3}
      - {profile: all-to-all, weight: 1}
    seconds: 60
  run_once: true
"""

RETURN = r"""
path:
  description: The file that has the wiring.
  returned: success
  type: str
  sample: inventories/klat2/wiring.yml
cables:
  description: How many cables of the wiring were not in the one before, and the other way round.
  returned: success
  type: dict
  sample: {plug: 256, unplug: 0}
evaluation:
  description: >-
    How good the wiring is: C(quality) from 0 to 1, C(optimal) when that is proved, switches shared,
    bisection, latency and throughput beside their bounds.
  returned: success
  type: dict
  sample: {quality: 1.0, optimal: true, pairs: 15, uncovered: 0}
"""
