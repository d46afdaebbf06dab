# SPDX-License-Identifier: Apache-2.0
"""Marks of switches: short letters beside every colour.

Colour alone says nothing to some eyes, nor on paper from a black and white printer.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache

from flathood.drawing.page import INK
from flathood.spec import Cluster

_MOST = 3  # letters of a mark


def marks(cluster: Cluster) -> dict[str, str]:
    """The mark of every switch of a cluster, the uplink too: the same on every label, sheet and picture."""
    names = (*cluster.switch_names, cluster.uplink.name)
    return dict(zip(names, letters(names), strict=True))


def letters(names: Sequence[str]) -> tuple[str, ...]:
    """One to three letters for each switch, all different; its number where the names give none.

    Alone with its first letter, a name has that one; among others, also the first one by which all of them differ; else
    what comes after their common beginning.

    >>> letters(["red", "green", "blue"]), letters(["green", "grey", "red"])
    (('R', 'G', 'B'), ('GE', 'GY', 'R'))
    >>> letters(["s00", "s01", "s10", "white"])
    ('00', '01', '10', 'W')

    """
    numbers = [str(index + 1) for index in range(len(names))]
    short = [
        _letters(name, [other for other in names if other[0] == name[0]]) or number
        for name, number in zip(names, numbers, strict=True)
    ]
    return tuple(short if len(set(short)) == len(short) else numbers)


def _letters(name: str, alike: Sequence[str]) -> str:
    """Letters for one of the names that have its first letter; nothing when they give none."""
    if len(alike) == 1:
        return name[0].upper()
    places = [at for at in range(1, min(map(len, alike))) if len({other[at] for other in alike}) == len(alike)]
    if places:
        return (name[0] + name[places[0]]).upper()
    common = next(at for at in range(len(name) + 1) if len({other[: at + 1] for other in alike}) > 1)
    rests = [len(other) - common for other in alike]
    return name[common:].upper() if min(rests) > 0 and max(rests) <= _MOST else ""


def ink_on(fill: str) -> str:
    """Dark or white, whichever has more contrast on a colour (WCAG 2.2, contrast ratio).

    >>> ink_on("#f9a825"), ink_on("#1565c0")
    ('#1f2933', '#ffffff')

    """
    return max((INK, "#ffffff"), key=lambda ink: contrast(ink, fill))


@cache
def contrast(one: str, other: str) -> float:
    """How well two colours can be told apart: from 1 for the same to 21 for black and white.

    >>> contrast("#ffffff", "#000000")
    21.0

    """
    darker, lighter = sorted((_luminance(one), _luminance(other)))
    return (lighter + 0.05) / (darker + 0.05)


def _luminance(colour: str) -> float:
    def linear(channel: int) -> float:
        value = channel / 255
        return value / 12.92 if value <= 0.04045 else ((value + 0.055) / 1.055) ** 2.4

    red, green, blue = (linear(int(colour[at : at + 2], 16)) for at in (1, 3, 5))
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue
