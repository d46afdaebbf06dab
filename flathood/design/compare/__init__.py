# SPDX-License-Identifier: Apache-2.0
"""A flat neighborhood beside a fat tree and a tree of the same switches.

What belongs here: how the other two are built, and the figures by which the three are compared (KLAT2 paper,
section 6.1).
"""
