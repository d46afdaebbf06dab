# SPDX-License-Identifier: Apache-2.0
"""What a program that runs in the room of a cluster's virtual machines finds there."""

from __future__ import annotations

import os

from flathood.spec import Cluster
from flathood.vms.fabric import Fabric
from flathood.vms.room import Room
from flathood.vms.site import Site

#: Set for every command that runs in the room of virtual machines: their cluster's name.
IN_VMS = "FLATHOOD_VMS"


def fabric(cluster: Cluster) -> Fabric | None:
    """The switches of the cluster's virtual machines; None where this process is not in their room."""
    if os.environ.get(IN_VMS) != cluster.cluster:
        return None
    return Fabric(Site.model_validate_json(Room(cluster.cluster).note.read_bytes()), cluster.links.rate, list)
