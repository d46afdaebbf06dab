# SPDX-License-Identifier: GPL-3.0-or-later
"""A node's service that goes around dead NICs, cables and switches. Standard library only."""
