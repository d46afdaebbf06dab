# SPDX-License-Identifier: GPL-3.0-or-later
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
"""The cluster's own description as Ansible's inventory."""

from __future__ import annotations

DOCUMENTATION = r"""
name: inventory
short_description: Machines of a cluster from its cluster.yml
version_added: 0.1.0
description:
  - Reads C(cluster.yml), and C(wiring.yml) and C(macs.yml) beside it where they are there.
  - The groups are C(nodes), C(spares), C(head), and one per neighborhood with the nodes that are on it. A neighborhood
    whose name is that of another group or of a machine gets C(neighborhood_) before it; hyphens become underscores.
  - What is known of a machine's NICs is its variable C(macs_state), and the group C(macs_STATE) - V(unknown),
    V(expected) (from a list only), V(seen) (some of them), V(complete), V(verified) or V(conflicting).
  - A head node that is itself named C(head), as it is by default, is found by its name and needs no group, as
    Ansible warns where a host and a group share a name.
  - C(ansible_host) is the machine's address on the outside subnet, the same before and after it is provisioned.
    On a cluster with a management network it is what the pattern C(management.host) makes of the machine's name.
  - Hosts have small variables only. What the roles install is compiled once per run, in the process that reads the
    inventory, and inherited by every worker.
author:
  - The flathood contributors
extends_documentation_fragment:
  - ansible.builtin.constructed
  - ansible.builtin.inventory_cache
options:
  plugin:
    description: Marks the file as a source of this plugin.
    type: str
    required: true
    choices: [flathood.cluster.inventory]
notes:
  - Each node has the variables C(node_number) (its place in C(cluster.yml), counted from 0) and C(neighborhoods) (the
    neighborhood of each slot, in label order; empty text for a slot that is not used). All machines have
    C(flathood_cluster) and C(flathood_head), the names of the cluster and of its head, and C(flathood_routing), the
    mode of routing.
  - The cache's key has the digest of the three files in it, so that it can never be stale.
"""

EXAMPLES = r"""
# The file is the cluster's own description; inventories/octet/cluster.yml in full:
plugin: flathood.cluster.inventory
cluster: octet
nodes: {names: [a, b, c, d, e, f, g, h], nics: 3}
switches:
  - {name: red, colour: "#c62828", ports: 4}
  - {name: green, colour: "#2e7d32", ports: 4}
  - {name: blue, colour: "#1565c0", ports: 4}
  - {name: yellow, colour: "#f9a825", ports: 4}
  - {name: purple, colour: "#6a1b9a", ports: 4}
  - {name: grey, colour: "#616161", ports: 4}

# Groups and variables of one's own, as in every constructed inventory:
# groups:
#   first_rack: node_number < 4
# keyed_groups:
#   - {key: neighborhoods | length | string, prefix: nics}
# compose:
#   ansible_user: "'operator'"
"""

import re
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ansible.errors import AnsibleParserError
from ansible.plugins.inventory import BaseInventoryPlugin, Cacheable, Constructable
from ansible_collections.flathood.cluster.plugins.plugin_utils import library, machines

if TYPE_CHECKING:
    from ansible.inventory.data import InventoryData
    from ansible.parsing.dataloader import DataLoader

_MARK = re.compile(r"^plugin:\s*[\"']?flathood\.cluster\.inventory\b", re.MULTILINE)


class InventoryModule(BaseInventoryPlugin, Constructable, Cacheable):
    """Hosts and groups from cluster.yml."""

    NAME = "flathood.cluster.inventory"

    def verify_file(self, path: str) -> bool:
        """Take a cluster.yml that says that it is for this plugin, and nothing else."""
        file = Path(path)
        if not super().verify_file(path) or file.name not in {"cluster.yml", "cluster.yaml"}:
            return False
        return _MARK.search(file.read_text(encoding="utf-8", errors="replace")) is not None

    def parse(self, inventory: InventoryData, loader: DataLoader, path: str, cache: bool = True) -> None:
        """Fill the inventory; every problem of the three files is told at once."""
        super().parse(inventory, loader, path, cache)
        self._read_config_data(path)
        library.find_library()
        # Found only now: an error of the import would be swallowed while Ansible loads the plugin.
        from flathood.errors import FlathoodError  # noqa: PLC0415 - for this reason

        try:
            found = self._machines(Path(path), cache)
        except FlathoodError as error:
            raise AnsibleParserError(str(error)) from error
        self.inventory.set_variable("all", "flathood_cluster", found["cluster"])
        self.inventory.set_variable("all", "flathood_head", found["head"])
        self.inventory.set_variable("all", "flathood_routing", found["routing"])
        for group in found["groups"]:
            self.inventory.add_group(group)
        for name, machine in found["hosts"].items():
            self._add(name, machine)
        machines.compile_plan(Path(path).parent)

    def _machines(self, path: Path, cache: bool) -> dict[str, Any]:
        """The machines, from the cache where that knows these very bytes."""
        self.load_cache_plugin()
        key = f"{self.get_cache_key(str(path))}_{machines.digest(path)}"
        use = self.get_option("cache")
        if use and cache and key in self.cache:
            return self.cache[key]
        found = machines.read(path)
        if use:
            self.cache[key] = found
        return found

    def _add(self, name: str, machine: dict[str, Any]) -> None:
        self.inventory.add_host(name)
        for group in machine["groups"]:
            self.inventory.add_child(group, name)
        for variable, value in machine["vars"].items():
            self.inventory.set_variable(name, variable, value)
        strict = self.get_option("strict")
        known = self.inventory.get_host(name).get_vars()
        self._set_composite_vars(self.get_option("compose"), known, name, strict=strict)
        self._add_host_to_composed_groups(self.get_option("groups"), known, name, strict=strict)
        self._add_host_to_keyed_groups(self.get_option("keyed_groups"), known, name, strict=strict)
