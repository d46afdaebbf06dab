# SPDX-License-Identifier: Apache-2.0
"""Role links: every NIC has its name, its neighborhood as alias, its MTU and its addresses; `node0` the node's own.

NICs are matched by their MAC address, so that files hold before and after a rename; `Type=ether` keeps a bridge or a
VLAN that borrows the address of a NIC out (systemd.link(5), systemd.network(5); systemd 252 and later).
"""

from __future__ import annotations

from flathood.plan.model import NODE_DEVICE, Plan
from flathood.plan.views.base import NETWORK, File, Live, Options, View, header, lines, nic

_OWNS = (f"{NETWORK}/50-fnn*.link", f"{NETWORK}/50-fnn*.network", f"{NETWORK}/50-fnn*.netdev")
_APPLY = ("link", "networkd")
UNUSED = "unused"
_HEADER = header("links")


def files(plan: Plan, host: str, options: Options) -> tuple[File, ...]:
    """A .link and a .network file for each NIC whose MAC address is known, and the device `node0` of a node."""
    number = plan.numbers[host]
    used = plan.used_slots(number)
    made = []
    for slot, mac in enumerate(plan.macs(host)):
        if mac is None:
            continue
        made.append(link_file(_HEADER, slot, mac, alias(plan, number, slot), plan.cluster.links.mtu))
        body = _used(plan, number, slot) if slot in used else _waiting() if plan.waits(number, slot) else _unused()
        made.append(File(f"{NETWORK}/50-{nic(slot)}.network", _HEADER + match(mac) + body))
    if number < plan.node_count:
        made += _node_device(plan, number, options)
    return tuple(made)


def live(plan: Plan, host: str, options: Options) -> Live:
    """Facets `links` and `addresses`."""
    number = plan.numbers[host]
    mtu = plan.cluster.links.mtu
    known = [(slot, mac) for slot, mac in enumerate(plan.macs(host)) if mac is not None]
    shown = [f"{nic(slot)} {address}" for slot in plan.used_slots(number) for address in _addresses(plan, number, slot)]
    if number < plan.node_count:
        shown.append(f"{NODE_DEVICE} {plan.node_ip(number)}/32")
    return {
        "links": lines(f"{nic(slot)} {mac} mtu {mtu} alias {alias(plan, number, slot)}" for slot, mac in known),
        "addresses": lines(shown),
    }


def link_file(head: str, slot: int, mac: str, name: str, mtu: int) -> File:
    """The .link file that names a NIC."""
    text = f"[Match]\nMACAddress={mac}\nType=ether\n\n[Link]\nName={nic(slot)}\nAlias={name}\nMTUBytes={mtu}\n"
    return File(f"{NETWORK}/50-{nic(slot)}.link", head + text)


def match(mac: str) -> str:
    """The section of a .network file that ties it to one NIC."""
    return f"[Match]\nMACAddress={mac}\nType=ether\n"


def alias(plan: Plan, number: int, slot: int) -> str:
    """What a NIC is plugged into: a neighborhood, the uplink, or nothing."""
    if slot not in plan.used_slots(number):
        return UNUSED
    return plan.switches[plan.attach[number, slot]] if number < plan.node_count else plan.cluster.uplink.name


def _addresses(plan: Plan, number: int, slot: int) -> list[str]:
    """The NIC's neighborhood address first: programs that look at one address of a NIC find that one."""
    texts = []
    if number < plan.node_count:
        switch = int(plan.attach[number, slot])
        texts.append(f"{plan.neighborhood_ip(number, switch)}/{plan.subnets[switch].prefixlen}")
    if slot == plan.outside_slot(number):
        texts.append(f"{plan.outside_ip(number)}/{plan.cluster.addresses.outside.prefixlen}")
    return texts


def _used(plan: Plan, number: int, slot: int) -> str:
    # Online means that the outside NIC is: were every NIC required, one dead cable would hold up each boot by the two
    # minutes of systemd-networkd-wait-online; were none, it would always wait that long.
    online = "yes" if slot == plan.outside_slot(number) else "no"
    return network(_addresses(plan, number, slot), online)


def network(addresses: list[str], online: str) -> str:
    """What follows [Match] for a NIC in use: the addresses and nothing automatic.

    It holds whether there is a carrier or not (which includes that it stays when the carrier goes, systemd.network(5)):
    a dead cable then is a fault of the cable alone, and putting it in is all there is to do. systemd 252 even loses
    the routes of a NIC whose cable is pulled and put back quickly: it sets them before their next hops are on-link.
    """
    texts = "".join(f"Address={address}\n" for address in addresses)
    return (
        f"\n[Link]\nRequiredForOnline={online}\n"
        f"\n[Network]\nDHCP=no\nLinkLocalAddressing=no\nIPv6AcceptRA=no\nConfigureWithoutCarrier=yes\n{texts}"
    )


def _waiting() -> str:
    """A NIC that a cable is about to be put into: up, so that its carrier shows."""
    return (
        "\n[Link]\nRequiredForOnline=no\nARP=yes\n"
        "\n[Network]\nDHCP=no\nLinkLocalAddressing=no\nIPv6AcceptRA=no\nConfigureWithoutCarrier=yes\n"
    )


def _unused() -> str:
    # A NIC whose cable was taken away is as one that never had any.
    return (
        "\n[Link]\nRequiredForOnline=no\nActivationPolicy=always-down\nARP=yes\n"
        "\n[Network]\nDHCP=no\nLinkLocalAddressing=no\nIPv6AcceptRA=no\n"
    )


def _node_device(plan: Plan, number: int, options: Options) -> list[File]:
    path = f"{NETWORK}/50-fnn-{NODE_DEVICE}"
    text = (
        f"[Match]\nName={NODE_DEVICE}\n\n[Link]\nRequiredForOnline=no\n"
        "\n[Network]\nDHCP=no\nLinkLocalAddressing=no\nIPv6AcceptRA=no\nConfigureWithoutCarrier=yes\n"
        f"Address={plan.node_ip(number)}/32\n"
    )
    return [
        File(f"{path}.netdev", f"{_HEADER}[NetDev]\nName={NODE_DEVICE}\nKind={options.node_device}\n"),
        File(f"{path}.network", _HEADER + text),
    ]


VIEW = View(_OWNS, _APPLY, files, live)
