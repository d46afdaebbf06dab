# SPDX-License-Identifier: Apache-2.0
"""The files that are right or wrong by themselves: sysctls, the host name, MPI's settings."""

from __future__ import annotations

from collections.abc import Mapping
from string import ascii_lowercase

import numpy as np

from flathood.plan.proof.cabling import Cabling
from flathood.plan.proof.findings import Ledger, Place
from flathood.plan.proof.syntax import dotted, sections, settings_of
from flathood.plan.proof.world import Role, World

_SYSCTL = "/etc/sysctl.d/60-fnn-"
_FOLDER = "/etc/flathood/mpi/"
_OPEN_MPI = "/etc/openmpi/openmpi-mca-params.conf"
_ENVIRONMENT = "/etc/profile.d/fnn-mpi.sh"
_MPTCP = "/etc/systemd/system/fnn-mptcp.service"
_WANTED = "/etc/systemd/system/multi-user.target.d/fnn-mptcp.conf"
#: The kernel has room for so many endpoints.
_ENDPOINTS = 8
#: The size at which the kernel refuses new neighbor entries, unless told otherwise.
_KERNEL_LIMIT = 1024


def expected_files(cabling: Cabling, machine: int) -> set[str]:
    """The files that a machine must have, but for drop-ins with routes, which depend on the choice, and thresholds."""
    network = "/etc/systemd/network/50-fnn"
    if machine == len(cabling.names) - 1:
        return {
            f"{network}0.link",
            f"{network}0.network",
            f"{network}0.network.d/arp.conf",
            "/etc/hosts",
            "/etc/dnsmasq.d/fnn.conf",
        }
    known = [slot for slot, mac in enumerate(cabling.mac[machine]) if mac >= 0]
    files = {f"{network}{slot}{end}" for slot in known for end in (".link", ".network")}
    files |= {f"{network}{slot}.network.d/arp.conf" for slot in cabling.used(machine)}
    files |= {"/etc/hosts", "/etc/hostname", f"{_SYSCTL}arp.conf"}
    if machine < cabling.nodes:
        files |= {
            f"{network}-node0.netdev",
            f"{network}-node0.network",
            f"{_SYSCTL}routes.conf",
            _OPEN_MPI,
            _ENVIRONMENT,
        }
        files |= {f"{_FOLDER}openmpi.hosts", f"{_FOLDER}mpich.hosts"}
        files |= {_MPTCP, _WANTED} if cabling.cluster.routing == "advanced" else set()
    return files


def check_hostname(ledger: Ledger, data: bytes) -> None:
    """The machine's name is its own."""
    shown = data.decode("utf-8", "replace").strip()
    message = f"the host name is {shown!r}, not {ledger.machine!r}"
    ledger.expect("names", data == f"{ledger.machine}\n".encode(), Place("/etc/hostname"), message)


def check_sysctls(ledger: Ledger, cabling: Cabling, machine: int, files: Mapping[str, bytes], entries: int) -> None:
    """Every sysctl has the value that a host with NICs in several neighborhoods needs, and no other is set."""
    base = "net.ipv4.conf."
    wanted = {f"{base}{scope}.arp_ignore": "1" for scope in ("all", "default")}
    wanted |= {f"{base}{scope}.arp_announce": "2" for scope in ("all", "default")}
    if machine < cabling.nodes:
        scopes = ["all", "default", *(f"fnn{slot}" for slot in cabling.used(machine))]
        wanted |= {f"{base}{scope}.{way}_redirects": "0" for scope in scopes for way in ("accept", "send")}
        wanted |= {f"{base}{scope}.rp_filter": "2" for scope in ("all", "default")}
        wanted |= {"net.ipv4.ip_forward": "0", "net.ipv4.fib_multipath_hash_policy": "1"}
        wanted |= {"net.ipv4.tcp_slow_start_after_idle": "0", "net.ipv4.tcp_congestion_control": "cubic"}
        advanced = cabling.cluster.routing == "advanced"
        wanted[f"{base}all.ignore_routes_with_linkdown"] = "1" if advanced else "0"
    if machine == len(cabling.names) - 1:
        wanted = {}
    found: dict[str, str] = {}
    limits: dict[int, int] = {}
    file = f"{_SYSCTL}arp.conf"
    for path, data in files.items():
        if not path.startswith(_SYSCTL):
            continue
        settings = settings_of(data.decode("utf-8", "replace").split("\n"), " = ")
        if settings is None or settings.keys() & found.keys():
            ledger.fail("forwarding", Place(path), "has a line that is no setting, or one that is there twice")
        for key, value in (settings or {}).items():
            name, _, level = key.partition("-net.ipv4.neigh.default.gc_thresh")
            if name == "" and level in ("1", "2", "3") and value.isdecimal():
                limits[int(level)] = int(value)
                file = path
            else:
                found[key] = value
    for key in sorted(wanted.keys() | found.keys()):
        message = f"{key} is {found.get(key, 'not set')}; right is {wanted.get(key, 'not to set it')}"
        path = next((path for path, data in files.items() if path.startswith(_SYSCTL) and key.encode() in data), "")
        ledger.expect("forwarding", found.get(key) == wanted.get(key), Place(path or f"{_SYSCTL}*.conf"), message)
    sizes = [limits.get(level, 0) for level in (1, 2, 3)]
    enough = entries < sizes[0] < sizes[1] < sizes[2] if limits else entries <= _KERNEL_LIMIT // 2
    message = f"gc_thresh1 to 3 are {sizes}: they must rise and be above the {entries} neighbor entries"
    ledger.expect("forwarding", enough, Place(file), message)


def check_mpi(ledger: Ledger, world: World, machine: int, files: Mapping[str, bytes]) -> None:
    """Host files in node order, and every library told the NICs or addresses that it may use."""
    cabling, options = world.cabling, world.options
    nodes = cabling.names[: cabling.nodes]
    for name, form in (("openmpi.hosts", "{} slots={}"), ("mpich.hosts", "{}:{}")):
        data = files.get(f"{_FOLDER}{name}")
        lines = [line for line in (data or b"").decode("utf-8", "replace").split("\n") if line and line[0] != "#"]
        holds = lines == [form.format(node, options.mpi_slots) for node in nodes]
        message = f"does not list all {len(nodes)} nodes once, in their order, with {options.mpi_slots} slots"
        if data is not None:
            ledger.expect("mpi", holds, Place(f"{_FOLDER}{name}"), message)
    slots, idle = _slots(world, machine)
    ranges, routing = cabling.cluster.addresses, cabling.cluster.routing
    everywhere = str(ranges.outside if routing == "tree" else ranges.nodes)
    nics = [f"fnn{slot}" for slot in slots]
    row = world.row(machine, Role.OUTSIDE)
    outside = f"fnn{world.slot[row]}" if row >= 0 else "the NIC with the outside address"
    devices = nics if routing != "basic" else ["node0"]
    wanted = {
        "pml": "ob1",
        "pml_ob1_send_pipeline_depth": "8",
        "btl": "^openib,ofi,uct",
        "btl_tcp_flags": "send,inplace,need-ack,need-csum,hetero-rdma",
        "osc": "^ucx",
        "reachable": "^netlink",
        "oob_tcp_if_include": everywhere,
        "orte_default_hostfile": f"{_FOLDER}openmpi.hosts",
    }
    if routing == "advanced":
        found = (_settings(files, _OPEN_MPI, " = ") or {}).get("btl_tcp_if_exclude", "")
        wanted["btl_tcp_if_exclude"] = _exclusion(found, nics, idle)
    else:
        wanted["btl_tcp_if_include"] = everywhere
    _table(ledger, files, _OPEN_MPI, " = ", wanted)
    environment = {
        "OMPI_MCA_mca_base_param_files": f"$HOME/.openmpi/mca-params.conf,{_OPEN_MPI}",
        "PRTE_MCA_prte_default_hostfile": f"{_FOLDER}openmpi.hosts",
        "PRTE_MCA_prte_if_include": outside,
        "HYDRA_HOST_FILE": f"{_FOLDER}mpich.hosts",
        "UCX_NET_DEVICES": ",".join(devices),
        "UCX_MAX_RNDV_RAILS": str(len(devices)),
        "NCCL_SOCKET_IFNAME": "=node0",
        "GLOO_SOCKET_IFNAME": "node0",
    }
    if routing == "advanced":
        environment |= {"NCCL_SOCKET_NTHREADS": str(min(len(slots), 16)), "NCCL_NSOCKS_PERTHREAD": "4"}
    _table(ledger, files, _ENVIRONMENT, "=", {f"export {key}": value for key, value in environment.items()})


def check_endpoints(ledger: Ledger, world: World, machine: int, files: Mapping[str, bytes]) -> None:
    """The service that sets the MPTCP endpoints sets one for each neighborhood, takes each back, and is started."""
    if _MPTCP not in files or _WANTED not in files:
        return
    found = sections(files[_MPTCP]) or []
    lines = [(key, value.removeprefix("-")) for _, pairs in found for key, value in pairs]
    mine = (world.machine == machine) & (world.role == Role.NEIGHBORHOOD) & (world.slot >= 0)
    mine &= ~world.cabling.idle[world.machine, world.slot]
    rows = sorted((int(world.slot[row]), dotted(int(world.ip[row]))) for row in mine.nonzero()[0])[:_ENDPOINTS]
    wanted = {
        ("ExecStart", f"ip mptcp endpoint add {ip} id {slot + 1} dev fnn{slot} subflow"): f"adds that of fnn{slot}"
        for slot, ip in rows
    }
    wanted |= {("ExecStop", f"ip mptcp endpoint delete id {slot + 1}"): "takes it back" for slot, _ in rows}
    limits = f"ip mptcp limits set subflow {_ENDPOINTS} add_addr_accepted {_ENDPOINTS}"
    wanted |= {("ExecStart", limits): "allows a subflow by each", ("Type", "oneshot"): "ends when all is set"}
    wanted |= {("RemainAfterExit", "yes"): "has it taken back at its end"}
    place = Place(_MPTCP)
    for line, what in wanted.items():
        ledger.expect("endpoints", lines.count(line) == 1, place, f"lacks {'='.join(line)}, or has it twice: it {what}")
    for key, value in lines:
        if key == "ExecStart" and (key, value) not in wanted:
            ledger.fail("endpoints", place, f"starts `{value}`, which is none of this node's", "remove it")
    unit = _MPTCP.rpartition("/")[2]
    started = sections(files[_WANTED]) == [("Unit", (("Wants", unit),))]
    ledger.expect("endpoints", started, Place(_WANTED), f"does not want {unit}, so nothing starts it at boot")


def _slots(world: World, machine: int) -> tuple[list[int], list[int]]:
    """The NICs that MPI may use, all that are in neighborhoods or in tree mode the outside one; and those that idle."""
    role = Role.OUTSIDE if world.cabling.cluster.routing == "tree" else Role.NEIGHBORHOOD
    mine = (world.machine == machine) & (world.role == role) & (world.slot >= 0)
    mine &= ~world.cabling.idle[world.machine, world.slot]
    idle: list[int] = np.flatnonzero(world.cabling.idle[machine]).tolist()
    return sorted(int(slot) for slot in world.slot[mine]), idle


def _exclusion(found: str, nics: list[str], idle: list[int]) -> str:
    """The words that Open MPI is to leave names out by, each the beginning of some: as found, if they are right.

    They can't name an idle NIC whose name begins that of another, as that of slot 1 does that of slot 10.
    """
    others = {"lo", "node0", *(f"{stem}{letter}" for stem in ("", "f", "fn") for letter in ascii_lowercase)}
    others |= {f"fnn{slot}" for slot in idle}
    others = {other for other in others if not any(name.startswith(other) for name in nics)}
    words = tuple(word for word in found.split(",") if word)
    right = all(name.startswith(words) != (name in nics) for name in others | set(nics))
    return found if right else f"the beginnings of all names but {', '.join(nics)}"


def _table(ledger: Ledger, files: Mapping[str, bytes], file: str, separator: str, wanted: Mapping[str, str]) -> None:
    if file not in files:
        return
    found = _settings(files, file, separator)
    if found is None:
        ledger.fail("mpi", Place(file), "has a line that is no setting, or one that is there twice")
        return
    for key in sorted(wanted.keys() | found.keys()):
        message = f"{key} is {found.get(key, 'not set')}; right is {wanted.get(key, 'not to set it')}"
        ledger.expect("mpi", found.get(key) == wanted.get(key), Place(file), message)


def _settings(files: Mapping[str, bytes], file: str, separator: str) -> dict[str, str] | None:
    return settings_of(files.get(file, b"").decode("utf-8", "replace").split("\n"), separator)
