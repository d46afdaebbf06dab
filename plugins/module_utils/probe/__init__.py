# SPDX-License-Identifier: GPL-3.0-or-later
"""What a node does to validate itself: read the kernel's state, send traffic, record what arrives."""
