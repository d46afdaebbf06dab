# SPDX-License-Identifier: Apache-2.0
"""Role mpi: what each node needs so that stock MPIs, NCCL and Gloo use the neighborhoods, unpatched.

With basic routing all of them use the node addresses: these lead over the one neighborhood that was chosen for a pair,
whatever a library itself makes of several NICs. With advanced routing Open MPI and UCX (under MPICH) are told the NICs
and stripe over them by themselves, while NCCL and Gloo keep to the node address, whose route has many next hops.

Open MPI then may try any pair of addresses; the host routes of role routes make each of them work. It takes a list of
interfaces to be in the order in which the kernel has them, and pairs wrong addresses where it is not: after a NIC went
and came back, or where slots are not in the order in which the NICs were found at boot. So it is told what to leave
out, which has no order. Its file takes the place of the distribution's, which keeps UCX and libfabric out: so does this
one, by naming what stripes over TCP. Open MPI 5 may have another place for its file, and its launcher, PRRTE, reads
none: both are told by the environment.
"""

from __future__ import annotations

from functools import lru_cache
from string import ascii_lowercase

import numpy as np

from flathood.plan.model import NODE_DEVICE, Plan
from flathood.plan.views.base import File, Live, Options, View, header, nic

FOLDER = "/etc/flathood/mpi"
OPEN_MPI_HOSTS = f"{FOLDER}/openmpi.hosts"
MPICH_HOSTS = f"{FOLDER}/mpich.hosts"
OPEN_MPI = "/etc/openmpi/openmpi-mca-params.conf"
#: What is right for Ethernet in any version: messages by ob1, which spreads them over all connections of the TCP
#: transport, and nothing that needs or imitates another kind of network. ob1 would "put" a long message in one piece,
#: and its word that the other direction may begin waits behind it: two nodes that send to each other then take turns.
#: Without "put" long messages go in pieces of 128 KiB, so many of them at a time that each of four NICs has two.
#: One-sided communication over TCP is pt2pt's in version 4.1, which Debian leaves out. Debian 13's version 5 asks
#: the kernel by netlink which interface leads to a peer, and takes no other: to a node address that is never node0.
_TRANSPORTS = {
    "pml": "ob1",
    "pml_ob1_send_pipeline_depth": "8",
    "btl": "^openib,ofi,uct",
    "btl_tcp_flags": "send,inplace,need-ack,need-csum,hetero-rdma",
    "osc": "^ucx",
    "reachable": "^netlink",
}
ENVIRONMENT = "/etc/profile.d/fnn-mpi.sh"
#: Open MPI takes a word of btl_tcp_if_exclude for the beginning of names: these are those of all but our NICs.
_NOT_OURS = tuple("fnn"[:place] + letter for place in range(3) for letter in ascii_lowercase if letter != "fnn"[place])
_OWNS = (f"{FOLDER}/*", OPEN_MPI, ENVIRONMENT)
_APPLY = ()
_HEADER = header("mpi")


def files(plan: Plan, host: str, options: Options) -> tuple[File, ...]:
    """Host files, Open MPI's parameters, and the environment of the others."""
    number = plan.numbers[host]
    slots = np.flatnonzero(plan.usable[number] >= 0).tolist()
    everywhere = plan.cluster.addresses.nodes
    devices, nics = [NODE_DEVICE], [nic(slot) for slot in slots]
    if plan.routing == "tree":
        everywhere = plan.cluster.addresses.outside
        devices = nics = [nic(plan.outside_slot(number))]
    networks = f"include = {everywhere}"
    if plan.routing == "advanced":
        devices = nics
        idle = [nic(slot) for slot in plan.used_slots(number) if not any(name.startswith(nic(slot)) for name in nics)]
        networks = f"exclude = {','.join([*_NOT_OURS, *idle])}"
    transports = "".join(f"{key} = {value}\n" for key, value in _TRANSPORTS.items())
    return (
        *_host_files(plan, options.mpi_slots),
        File(
            OPEN_MPI,
            f"{_HEADER}{transports}"
            f"btl_tcp_if_{networks}\noob_tcp_if_include = {everywhere}\n"
            f"orte_default_hostfile = {OPEN_MPI_HOSTS}\n",
        ),
        File(
            ENVIRONMENT,
            f"{_HEADER}"
            f"export OMPI_MCA_mca_base_param_files=$HOME/.openmpi/mca-params.conf,{OPEN_MPI}\n"
            f"export PRTE_MCA_prte_default_hostfile={OPEN_MPI_HOSTS}\n"
            # PRRTE 3.0 finds no interface for a subnet that is larger than the interface's own, and fails with several.
            f"export PRTE_MCA_prte_if_include={nic(plan.outside_slot(number))}\n"
            f"export HYDRA_HOST_FILE={MPICH_HOSTS}\n"
            f"export UCX_NET_DEVICES={','.join(devices)}\n"
            f"export UCX_MAX_RNDV_RAILS={len(devices)}\n"
            f"{_sockets(plan, len(slots))}"
            f"export NCCL_SOCKET_IFNAME=={NODE_DEVICE}\n"  # "=": this very name, not a prefix
            f"export GLOO_SOCKET_IFNAME={NODE_DEVICE}\n",
        ),
    )


def live(plan: Plan, host: str, options: Options) -> Live:
    """Nothing in the kernel."""
    return {}


def _sockets(plan: Plan, nics: int) -> str:
    """NCCL's sockets between two nodes in advanced mode: each is a flow that takes a switch of its own.

    NCCL opens threads * sockets of them for a channel, 64 at most (NCCL's environment variables); with four for each
    NIC few switches are left out by chance.
    """
    if plan.routing != "advanced":
        return ""
    return f"export NCCL_SOCKET_NTHREADS={min(nics, 16)}\nexport NCCL_NSOCKS_PERTHREAD=4\n"


@lru_cache(maxsize=4)
def _host_files(plan: Plan, slots: int) -> tuple[File, File]:
    """The same on every node, as each looks the names up in an /etc/hosts of its own."""
    names = plan.names[: plan.node_count]
    return (
        File(MPICH_HOSTS, _HEADER + "".join(f"{name}:{slots}\n" for name in names)),
        File(OPEN_MPI_HOSTS, _HEADER + "".join(f"{name} slots={slots}\n" for name in names)),
    )


VIEW = View(_OWNS, _APPLY, files, live)
