# SPDX-License-Identifier: Apache-2.0
"""Which NIC goes to which switch: first slots as even as any choice of them, against every choice."""

from __future__ import annotations

from collections import Counter
from itertools import product

from hypothesis import given
from hypothesis import strategies as st

from flathood.design.slots import _even

SWITCHES = "abcd"
NODES = st.lists(st.lists(st.sampled_from(SWITCHES), min_size=1, max_size=3, unique=True), max_size=6)


@given(NODES, st.lists(st.integers(0, 3), min_size=4, max_size=4))
def test_no_choice_is_more_even(switches: list[list[str]], before: list[int]) -> None:
    choices = {f"n{k}": mine for k, mine in enumerate(switches)}
    loads = dict(zip(SWITCHES, before, strict=True))

    def squares(chosen: tuple[str, ...]) -> int:
        counts = Counter(chosen)
        return sum((counts[switch] + load) ** 2 for switch, load in zip(SWITCHES, before, strict=True))

    found = _even(choices, loads)
    assert all(found[name] in mine for name, mine in choices.items())
    assert squares(tuple(found.values())) == min(squares(chosen) for chosen in product(*switches))
