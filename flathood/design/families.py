# SPDX-License-Identifier: Apache-2.0
"""Small intersecting families: sets of switches that meet pairwise, for sizes at which no plane does as well.

A node on the switches of one set meets every node on those of another. How many nodes each set may stand for is
`blowup`'s business; `planes` has the families that geometry gives.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import combinations
from string import ascii_letters

import numpy as np
import numpy.typing as npt

#: A family: bool[sets, switches], every two rows with a true column in common.
Family = npt.NDArray[np.bool_]

#: Dense families on a few switches, found by exact search (`exact`); the densest there are on up to 8, the densest
#: known on 9 to 11. A set is written by the letters of its switches.
_FEW_SWITCHES = {
    4: "ab bc bd acd",  # 5 nodes on 3-port switches, and so many times more on wider ones
    5: "ad de abe ace bcd",  # 9 on 5
    6: "abc abd ace adf aef bcf bde bef cde cdf",  # 2 on 1
    8: "acf adh bdf cde dfg efh abeg bcgh",  # 12 on 5
    9: "abh acf bdf cdh adei bceg fghi",  # 5 on 2
    10: "bci beg cfg efi abfj aceh adgi bdfh cdej ghij",  # 8 on 3
    11: "cik abij acfj adek aghk bcdh befk bfgk cegj dejk dfgi efhi hijk",  # 11 on 4
}
#: Designs for switches of three ports, in which every node is a set of its own; found by exact search.
_TEN_NODES = "abcde abfgh aijkl bijmn cfkmo cflnp dgiop dhknq eglmq ehjop"
#: Blocks of which each is moved round the circle of so many nodes: every two nodes are in one block (a difference
#: family, the Steiner triple system of 13 points).
_THIRTEEN_NODES = (13, ((0, 1, 4), (0, 2, 7)))


def small_families(nics: int) -> Iterator[tuple[str, Family]]:
    """The small families whose sets have at most so many switches, each with its name, those of few switches first."""
    for switches, text in _FEW_SWITCHES.items():
        family = _read(text)
        if family.sum(axis=1).max() <= nics:
            yield f"family on {switches} switches", family
    if nics > 1:
        yield f"a cable for every two of {nics + 1} nodes", _mesh(nics + 1)
    if nics >= 5:
        yield "pairs of ten nodes in threes", _read(_TEN_NODES)
    if nics >= 6:
        yield "pairs of thirteen nodes in threes", _circle(*_THIRTEEN_NODES)


def _read(text: str) -> Family:
    """A family from the letters of its sets."""
    sets = [[ascii_letters.index(letter) for letter in word] for word in text.split()]
    family = np.zeros((len(sets), 1 + max(map(max, sets))), dtype=np.bool_)
    for row, switches in zip(family, sets, strict=True):
        row[switches] = True
    return family


def _mesh(nodes: int) -> Family:
    """Every two nodes on a switch of their own."""
    return np.array([[node in pair for pair in combinations(range(nodes), 2)] for node in range(nodes)])


def _circle(nodes: int, blocks: tuple[tuple[int, ...], ...]) -> Family:
    """Every block at every place of the circle as a switch."""
    moved = [{(member + step) % nodes for member in block} for block in blocks for step in range(nodes)]
    return np.array([[node in block for block in moved] for node in range(nodes)])
