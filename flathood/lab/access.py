# SPDX-License-Identifier: Apache-2.0
"""Finds the lab that somebody means, and the way into it: environment and commands of an operator at the head."""

from __future__ import annotations

from pathlib import Path

from flathood.errors import FlathoodError
from flathood.lab import machines, paths, state, teardown
from flathood.lab.errors import LabError
from flathood.lab.state import State
from flathood.spec import load_cluster
from flathood.spec.fields import LABEL

#: Where an inventory is looked for by its name: the working folder's, then the checkout's.
_INVENTORIES = (Path("inventories"), Path(__file__).resolve().parents[2] / "inventories")


def folder(where: str | Path) -> Path:
    """A cluster's folder from itself or from an inventory's name; LabError if there is none."""
    for each in (Path(where), *(base / where for base in _INVENTORIES)):
        if (each / "cluster.yml").is_file():
            return each.resolve()
    raise LabError(f"{where}: no folder with a cluster.yml, and no inventory of this name")


def find(where: str | Path) -> tuple[str, Path | None]:
    """The lab's name and its cluster's folder (None: only the lab is there) from a folder or a name.

    A lab that is up is found by its own notes, so that it can be used and taken down whatever became of its files.
    """
    folders = [Path(where), *(base / where for base in _INVENTORIES)]
    folder = next((each.resolve() for each in folders if (each / "cluster.yml").is_file()), None)
    for name in state.labs():
        try:
            found = state.load(name)
        except FlathoodError:
            found = None
        if name == str(where) or (folder is not None and found is not None and found.directory == folder):
            return name, folder or (found.directory if found else None)
    if LABEL.fullmatch(str(where)) and teardown.known(str(where)):
        return str(where), folder
    if folder is not None:
        return load_cluster(folder / "cluster.yml").cluster, folder
    raise LabError(f"{where}: no folder with a cluster.yml, no inventory and no lab of this name")


def environment(current: State) -> dict[str, str]:
    """What Ansible and ssh need to know to reach the lab's machines from its head."""
    lab = current.planned.lab
    known_hosts = paths.lab_run(lab) / "ssh" / "known_hosts"
    return {
        "FLATHOOD_LAB": lab,
        "FLATHOOD_NODE_DEVICE": current.node_device,
        **ssh(paths.key_file(lab), known_hosts, paths.control_sockets(lab)),
    }


def ssh(key: Path, known_hosts: Path, sockets: Path) -> dict[str, str]:
    """How Ansible logs in to machines as root: by this key, if they are those of `known_hosts`."""
    options = (
        *("-o ControlMaster=auto", "-o ControlPersist=60s"),
        # A machine that was switched off leaves its connection behind, which must not be waited for.
        *("-o ServerAliveInterval=5", "-o ServerAliveCountMax=4"),
        *(f"-o UserKnownHostsFile={known_hosts}", "-o GlobalKnownHostsFile=none", "-o StrictHostKeyChecking=yes"),
        *("-o IdentitiesOnly=yes", "-F none"),
    )
    return {
        "ANSIBLE_PRIVATE_KEY_FILE": str(key),
        "ANSIBLE_REMOTE_USER": "root",
        "ANSIBLE_SSH_ARGS": " ".join(options),
        "ANSIBLE_SSH_CONTROL_PATH_DIR": str(sockets),
        "ANSIBLE_HOST_KEY_CHECKING": "True",
    }


def at_head(current: State, argv: list[str]) -> list[str]:
    """The command that runs `argv` on this machine's files but in the head's network; it ends with the lab."""
    head = current.planned.head
    if head in current.off:
        raise LabError(f"{head} is off: nothing can be reached from there (flathood lab power on {head})")
    space = paths.NETNS / paths.namespace(current.planned.lab, head)
    return machines.joined(current.planned.lab, ("nsenter", f"--net={space}", *argv))
