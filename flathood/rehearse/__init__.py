# SPDX-License-Identifier: Apache-2.0
"""A rehearsal: a cluster comes up in the embedded lab, is provisioned by its playbook and proved, in one go.

`rehearsal` runs the stages in order, `command` runs one long program with its output in a log, `folder` keeps the MACs
of a rehearsal apart from those of the real machines, `summary` is what the operator reads at the end.
"""

from flathood.rehearse.rehearsal import Rehearsal, RehearsalFailed, rehearse, rehearse_virtual

__all__ = ["Rehearsal", "RehearsalFailed", "rehearse", "rehearse_virtual"]
