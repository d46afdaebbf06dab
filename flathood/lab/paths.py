# SPDX-License-Identifier: Apache-2.0
"""Every name that the lab gives to something outside itself: folders, namespaces, control groups."""

from __future__ import annotations

from pathlib import Path

#: Volatile: locks, states, consoles, keys. Gone when no lab is up.
RUN = Path("/run/flathood")
#: The labs, one folder each, while they are up.
LABS = RUN / "lab"
#: Our own mount of the cgroup v2 hierarchy, as /sys/fs/cgroup may be v1, elsewhere, or missing.
CGROUP_MOUNT = RUN / "cgroup"
CGROUPS = CGROUP_MOUNT / "flathood"
#: The machines' disks (overlays), one folder a lab, while it is up.
DISKS = Path("/var/lib/flathood/lab")
#: Root file systems, kept from lab to lab.
CACHE = Path("/var/cache/flathood")
NETNS = Path("/run/netns")
#: The pseudo-machine whose namespace holds the switches; no machine may have this name.
FABRIC = "fabric"


def lab_run(lab: str) -> Path:
    """The folder of a lab's state, keys and consoles."""
    return LABS / lab


def lab_lock(lab: str) -> Path:
    """The lock that every verb that changes the lab holds; beside the folder, which comes and goes."""
    return LABS / f"{lab}.lock"


def state_file(lab: str) -> Path:
    """The lab's own truth: hardware, cables, faults."""
    return lab_run(lab) / "state.json"


def console(lab: str, machine: str) -> Path:
    """What the machine printed since it was last switched on."""
    return lab_run(lab) / "console" / f"{machine}.log"


def key_file(lab: str) -> Path:
    """The private key that opens root's account on every machine of the lab."""
    return lab_run(lab) / "ssh" / "id_ed25519"


def control_sockets(lab: str) -> Path:
    """Folder of the sockets of ssh's shared connections."""
    return lab_run(lab) / "ssh" / "sockets"


def disk(lab: str, machine: str) -> Path:
    """The machine's disk: the folders `upper`, `work` and the mount point `root`."""
    return DISKS / lab / "machines" / machine


def common_layer(lab: str) -> Path:
    """The layer between the shared root file system and each machine's disk: keys, bare network configuration."""
    return DISKS / lab / "common"


def namespace(lab: str, machine: str) -> str:
    """Name of the network namespace of a machine, or of the switches (`FABRIC`)."""
    return f"fl-{lab}-{machine}"


def lab_cgroup(lab: str) -> Path:
    """The control group that holds every process of a lab."""
    return CGROUPS / lab


def machine_cgroup(lab: str, machine: str) -> Path:
    """The control group of one machine: writing to its cgroup.kill is the power cord."""
    return lab_cgroup(lab) / f"m-{machine}"


def command_cgroup(lab: str) -> Path:
    """The control group of what people run in the lab from outside (`run`, `shell`): it ends with the lab."""
    return lab_cgroup(lab) / "commands"
