# SPDX-License-Identifier: Apache-2.0
"""The designer: which NIC goes to which switch, how good that is, and what is proved of it.

What belongs here: traffic profiles, bounds with their theorems, constructions, searches, the evaluation of any wiring
and `designer`, the one entry. A design is a boolean array, nodes by switches; files and colours stay outside.
"""
