# SPDX-License-Identifier: GPL-3.0-or-later
"""The part that runs on a machine: its files, the live state, the verbs that make it so. Standard library only."""
