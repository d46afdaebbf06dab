# SPDX-License-Identifier: GPL-3.0-or-later
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
"""Documentation of flathood.cluster.design, which runs on the controller as an action plugin."""

from __future__ import annotations

DOCUMENTATION = r"""
module: design
short_description: Design the wiring of a cluster
version_added: 0.1.0
description:
  - Makes the C(wiring.yml) of a cluster from its C(cluster.yml), so that every pair of nodes shares a switch (or as
    O(mode) says) and the traffic of its profile finds as many links as the hardware has.
  - A wiring that is there stays unless a better one is found, as people have plugged its cables.
  - The same O(seed), O(rounds) and O(jobs) give the same bytes; with O(seconds) the controller's speed counts too.
  - It runs on the controller and makes no connection, whatever machine the task is for. Run it once per play.
author:
  - The flathood contributors
extends_documentation_fragment:
  - flathood.cluster.controller
  - flathood.cluster.idempotent
  - ansible.builtin.action_common_attributes
  - ansible.builtin.action_common_attributes.conn
  - ansible.builtin.action_common_attributes.flow
attributes:
  diff_mode:
    support: full
  idempotent:
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
  mode:
    description:
      - Which pairs of nodes must share a switch, in place of C(design.mode) in C(cluster.yml).
      - V(universal) is all, V(fractional) as many as the hardware allows, V(sparse) those that the profile names.
      - Only a wiring in which all pairs share one can be provisioned.
    type: str
    choices: [universal, fractional, sparse]
  keep:
    description:
      - Cables that must stay, as a dictionary of nodes with lists of switches, in place of C(design.keep).
    type: dict
  without:
    description:
      - Nodes and switches that are not to be used, in place of C(design.without).
    type: list
    elements: str
  engine:
    description:
      - Who searches; V(auto) asks those that suit, one after the other.
    type: str
    choices: [auto, construction, exact, genetic, local, judged]
    default: auto
  seed:
    description: Where the search's chances come from.
    type: int
    default: 0
  jobs:
    description: How many processes search.
    type: int
    default: 1
  rounds:
    description:
      - How many rounds each engine searches; its own number when left out. It ends early when a bound is met.
    type: int
  seconds:
    description: How many seconds the search takes at most.
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
    jobs: 4
  run_once: true

- name: Design around a broken node, and leave a cable where it is
  flathood.cluster.design:
    src: inventories/klat2
    without: [k17]
    keep: {k00: [red]}
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
engines:
  description: Which engines ran, with the quality of what each gave (null for nothing) and the seconds it took.
  returned: success
  type: list
  elements: dict
evaluation:
  description: >-
    How good the wiring is: C(quality) from 0 to 1, C(optimal) when that is proved, switches shared,
    bisection, latency and throughput beside their bounds.
  returned: success
  type: dict
  sample: {quality: 1.0, optimal: true, pairs: 15, uncovered: 0}
"""
