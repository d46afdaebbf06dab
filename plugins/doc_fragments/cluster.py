# SPDX-License-Identifier: GPL-3.0-or-later
"""Options of several plugins: which cluster, and what changes its compiled files."""

from __future__ import annotations


class ModuleDocFragment:
    """By itself the folder of the cluster; ``.routing`` and ``.compiler`` beside it."""

    DOCUMENTATION = r"""
options:
  directory:
    description: Directory of the cluster's three files (C(cluster.yml), C(wiring.yml), C(macs.yml)) on the controller.
    type: path
    required: true
"""

    ROUTING = r"""
options:
  routing:
    description: How pairs use the switches that they share. By default what C(cluster.yml) says.
    type: str
    choices: [basic, advanced, tree]
"""

    COMPILER = r"""
options:
  options:
    description: Role inputs that change the compiled files. Defaults are the library's, which are those of the roles.
    type: dict
    suboptions:
      node_device:
        description: Kind of the device C(node0), which has the node address.
        type: str
        choices: [dummy, ifb, bridge]
      mpi_slots:
        description: Ranks that MPI starts on a node.
        type: int
      hosts_extra:
        description: Lines to add to C(/etc/hosts).
        type: list
        elements: str
"""
