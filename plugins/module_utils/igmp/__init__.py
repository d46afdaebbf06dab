# SPDX-License-Identifier: GPL-3.0-or-later
"""An IGMP querier: asks who is a member of which group, for switches that snoop. Standard library only."""
