# SPDX-License-Identifier: Apache-2.0
"""wiring.yml: which switch each slot of each node goes to. Its model, loading and saving it."""

from flathood.wiring.load import load_wiring
from flathood.wiring.model import Idle, Wiring
from flathood.wiring.save import save_wiring

__all__ = ["Idle", "Wiring", "load_wiring", "save_wiring"]
