# SPDX-License-Identifier: GPL-3.0-or-later
"""Power-on discovery on the head: its DHCP server and journal (`service`, `hook`), what to check before (`checks`)."""
