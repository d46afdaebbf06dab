# SPDX-License-Identifier: Apache-2.0
"""What the environment says of how the machines are made; every name has a default that suits most."""

from __future__ import annotations

import os
from collections.abc import Mapping
from pathlib import Path

from pydantic import BaseModel, ConfigDict

from flathood.errors import FlathoodError

DRIVERS = ("kvm", "qemu")
#: MiB that a machine has, and MiB that QEMU takes beside: an emulator keeps what it translated (measured).
MEMORY = 512
_BESIDE = {"kvm": 64, "qemu": 1200}
_LEAST = 256
#: Bytes of a machine's disk; it takes of the real one only what is written.
DISK = 4 << 30
#: A processor that an emulator does fully and fast; KVM hands the real one on.
_MODELS = {"kvm": "", "qemu": "Nehalem"}
#: Words for the kernel. QEMU 7.2 emulates CMPXCHG16B with wrong flags now and then, and Linux 6.12 died of it while it
#: booted; a model without that instruction is no way out, as Open MPI 5 needs it.
KERNEL = "console=ttyS0 mitigations=off clearcpuid=cx16"


class Settings(BaseModel):
    """`driver`: kvm or qemu (an emulator); `cpu`: its model, empty for the host's own; `memory` in MiB.

    `box`: a box's name; `box_file`: where it is, empty for one that Vagrant finds; `key`: what opens it, empty for
    Vagrant's own. `nodes`: only these, empty for all; `pxe`: those that boot from the network. `management`:
    the network by which Vagrant itself reaches the machines; `disk`: the size of one that boots from the network.
    """

    model_config = ConfigDict(extra="forbid", frozen=True)

    driver: str
    cpu: str
    memory: int
    beside: int
    box: str
    box_file: str
    key: str
    nodes: tuple[str, ...]
    pxe: tuple[str, ...]
    management: str
    disk: str


def from_environment(environment: Mapping[str, str] = os.environ) -> Settings:
    """Read the variables FLATHOOD_DRIVER, _CPU, _MEMORY, _BOX, _BOX_FILE, _KEY, _NODES, _PXE and _MANAGEMENT.

    Raises FlathoodError, which names all that are wrong.
    """
    wrong = []
    driver = environment.get("FLATHOOD_DRIVER") or ("kvm" if virtualizes() else "qemu")
    if driver not in DRIVERS:
        wrong.append(f"FLATHOOD_DRIVER={driver}: use {' or '.join(DRIVERS)}")
    memory = environment.get("FLATHOOD_MEMORY", str(MEMORY))
    if not memory.isdecimal() or int(memory) < _LEAST:
        wrong.append(f"FLATHOOD_MEMORY={memory}: use a number of MiB, {_LEAST} at least")
    if wrong:
        raise FlathoodError("\n".join(wrong))
    return Settings(
        driver=driver,
        cpu=environment.get("FLATHOOD_CPU", _MODELS[driver]),
        memory=int(memory),
        beside=_BESIDE[driver],
        box=environment.get("FLATHOOD_BOX", "debian/bookworm64"),
        box_file=environment.get("FLATHOOD_BOX_FILE", ""),
        key=environment.get("FLATHOOD_KEY", ""),
        nodes=_names(environment.get("FLATHOOD_NODES", "")),
        pxe=_names(environment.get("FLATHOOD_PXE", "")),
        management=environment.get("FLATHOOD_MANAGEMENT", "198.19.0.0/20"),
        disk=f"{DISK >> 30}G",
    )


def virtualizes() -> bool:
    """Whether this machine's processor runs virtual machines itself, and the kernel lets this user do it.

    A device /dev/kvm alone proves nothing: inside another virtual machine it may be there and run no usual kernel.
    """
    flags = next((line for line in Path("/proc/cpuinfo").read_text().splitlines() if line.startswith("flags")), "")
    return os.access("/dev/kvm", os.R_OK | os.W_OK) and not {"vmx", "svm"}.isdisjoint(flags.split())


def _names(text: str) -> tuple[str, ...]:
    return tuple(text.replace(",", " ").split())
