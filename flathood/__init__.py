# SPDX-License-Identifier: Apache-2.0
"""Flat neighborhood networks: design, wire, provision, rehearse and validate clusters of many cheap switches."""

__version__ = "0.1.0"
