#!/usr/bin/python
# SPDX-License-Identifier: GPL-3.0-or-later
"""The node's side of the validation: start, run, collect."""

from __future__ import annotations

DOCUMENTATION = r"""
module: probe
short_description: Hold a node's network against the plan, over real traffic
version_added: 0.1.0
description:
  - Does all checks of one node in one process per phase. Only what differs from the plan comes back, with counts.
  - What is expected is worked out on the controller from C(cluster.yml), C(wiring.yml) and C(macs.yml), and shipped
    to the node.
author:
  - The flathood contributors
extends_documentation_fragment:
  - flathood.cluster.cluster.routing
  - ansible.builtin.action_common_attributes
attributes:
  check_mode:
    support: full
    details: The module changes nothing, so it does the same in check mode.
  diff_mode:
    support: none
  platform:
    platforms: linux
    details: It needs raw sockets (root) and iproute2.
options:
  phase:
    description:
      - V(start) compares names, routes, neighbor entries, NICs, addresses and kernel settings with the plan, makes
        every NIC known to the switches, and leaves a recorder of ARP frames and multicast datagrams that ends by
        itself.
      - V(run) sends an ICMP echo to every address of every peer and numbered datagrams to the multicast group.
      - V(collect) ends the recorder and returns what it heard.
    type: str
    choices: [start, run, collect]
    required: true
  work:
    description: What the node has to compare, send or expect. Set by the action plugin; not for playbooks.
    type: dict
    default: {}
notes:
  - Python's standard library and C(ip) are all that a node needs.
"""

EXAMPLES = r"""
- name: Compare the node with its plan and begin to record
  flathood.cluster.probe:
    phase: start

- name: Send traffic to every peer
  flathood.cluster.probe:
    phase: run

- name: Collect what was recorded
  flathood.cluster.probe:
    phase: collect
"""

RETURN = r"""
deviations:
  description: What was seen instead of what the plan expects, by kind of check (an empty string for nothing at all).
  returned: always
  type: dict
  sample: {"route": {"10.80.1.7": "dev fnn0 src 10.80.0.1"}}
troubles:
  description: Kinds of checks that could not be done on this node, each with the reason.
  returned: always
  type: dict
  sample: {"multicast": "239.192.70.76 cannot be joined: No such device"}
arp:
  description: Every ARP frame of the NICs of the fabric and how many frames the capture lost.
  returned: when O(phase=collect)
  type: dict
echoes:
  description: For each NIC, how many echoes were exchanged and how many had to be repeated.
  returned: when O(phase=run)
  type: dict
"""

from ansible.module_utils.basic import AnsibleModule
from ansible_collections.flathood.cluster.plugins.module_utils.probe import (
    echo,
    kernel,
    listen,
    names,
    recorder,
)


def start(work: dict) -> dict:
    """Record from now on, then compare the kernel's state with the plan."""
    trouble = recorder.start(work["nics"], tuple(work["group"]), work["token"], work["lifetime"])
    deviations = kernel.static_deviations(work["expected"])
    named = work["expected"].get("name", {})
    wrong = kernel.deviations(named, names.resolve_all(named))
    if wrong:
        deviations["name"] = wrong
    return {"deviations": deviations, "troubles": {"multicast": trouble} if trouble else {}}


def run(work: dict) -> dict:
    """Send the datagrams, then exchange the echoes."""
    trouble = listen.send_datagrams(work["group"][0], work["group"][1], work["label"], work["datagrams"])
    tally = echo.echo_all(work["echo"], work["mtu"], work["rate"])
    return {
        "deviations": {"echo": tally.failed} if tally.failed else {},
        "troubles": {"send": trouble} if trouble else {},
        "echoes": {nic: [count, tally.repeats.get(nic, 0)] for nic, count in tally.echoes.items()},
    }


def collect(work: dict) -> dict:
    """End the recorder and hold what it heard against the plan."""
    report = recorder.ask("collect")
    if report is None:
        gone = "the recorder on this node was gone before it could be asked"
        return {"deviations": {}, "troubles": {"silence": gone, "multicast": gone}}
    wrong = listen.multicast_deviations(work["multicast"], report["heard"], work["datagrams"])
    arp = {"frames": report["frames"], "lost": report["lost"]}
    return {"deviations": {"multicast": wrong} if wrong else {}, "troubles": {}, "arp": arp}


PHASES = {"start": start, "run": run, "collect": collect}


def main() -> None:
    """Do one phase."""
    module = AnsibleModule(
        argument_spec={
            "phase": {"type": "str", "choices": list(PHASES), "required": True},
            "routing": {"type": "str", "choices": ["basic", "advanced", "tree"]},
            "work": {"type": "dict", "default": {}},
        },
        supports_check_mode=True,
        no_log=True,  # the work is tens of kilobytes: nothing for the journal
    )
    try:
        result = PHASES[module.params["phase"]](module.params["work"])
    except (OSError, ValueError) as error:
        module.fail_json(msg=f"{module.params['phase']}: {error}")
    # The work is long and known to the controller: it does not travel back with the result.
    module.exit_json(changed=False, invocation={"module_args": {"phase": module.params["phase"]}}, **result)


if __name__ == "__main__":
    main()
