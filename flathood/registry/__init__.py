# SPDX-License-Identifier: Apache-2.0
"""macs.yml: what is known of the NICs in the machines. Its model, loading and saving it."""

from flathood.registry.load import load_registry
from flathood.registry.model import Nic, Registry, State, macs_of, normal_mac
from flathood.registry.save import save_registry

__all__ = ["Nic", "Registry", "State", "load_registry", "macs_of", "normal_mac", "save_registry"]
