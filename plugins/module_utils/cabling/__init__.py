# SPDX-License-Identifier: GPL-3.0-or-later
"""The node's side of the evidence of the cabling: its NICs, their carriers, and probes from each of them."""
