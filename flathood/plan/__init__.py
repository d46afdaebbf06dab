# SPDX-License-Identifier: Apache-2.0
"""The plan of a cluster, every machine's view of it rendered to files, and the offline proof over their bytes."""

from flathood.plan.build import load_plan, make_plan, routed
from flathood.plan.model import Plan
from flathood.plan.views import File, Options, RoleFiles, render

__all__ = ["File", "Options", "Plan", "RoleFiles", "load_plan", "make_plan", "render", "routed"]
