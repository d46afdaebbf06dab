# SPDX-License-Identifier: Apache-2.0
"""From the wiring that is plugged to another one: which one is worth how many moves, and how to get there.

`front` has the wirings worth choosing from, `least` the fewest moves to a wiring that is chosen. A wiring is a plan as
everywhere; that it is what is plugged is for the audit to say.
"""

from flathood.rewiring.front import Front, Point, Wish, front
from flathood.rewiring.least import Least, least, moves_between

__all__ = ["Front", "Least", "Point", "Wish", "front", "least", "moves_between"]
