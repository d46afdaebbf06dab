# SPDX-License-Identifier: Apache-2.0
"""What could be bought: networks of the parts of a catalogue that let every pair of nodes share a switch.

What belongs here: the bill of materials of a network, the least switches that a network needs, and the front of those
options that no other beats in both price and throughput.
"""
