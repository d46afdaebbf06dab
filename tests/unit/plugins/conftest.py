# SPDX-License-Identifier: Apache-2.0
"""Ansible's loader finds the collection in the checkout, as it does for a playbook."""

from pathlib import Path

from ansible.plugins.loader import init_plugin_loader

init_plugin_loader([str(Path(__file__).parents[3] / "collections")])
