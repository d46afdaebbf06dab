# SPDX-License-Identifier: Apache-2.0
"""The figures of a design as rows of a table, the same wherever they are printed."""

from __future__ import annotations

from flathood.design.objective import Evaluation, figure

#: Figure, field of the evaluation, and its bound: a field too, or a text.
ROWS = (
    ("pairs of nodes", "pairs", ""),
    ("pairs that share no switch", "uncovered", "0"),
    ("pairs with 0, 1, 2, … shared", "histogram", ""),
    ("mean shared switches", "mean", "mean_bound"),
    ("mean, by the profile", "profile_mean", "profile_bound"),
    ("traffic that needs no uplink", "served", "1"),
    ("throughput, even split", "throughput", "throughput_bound"),
    ("bisection, best case", "bisection_best", ""),
    ("bisection, conservative", "bisection_conservative", ""),
    ("latency in switches", "latency", "1"),
    ("ports in use on each switch", "fill", ""),
    ("quality", "quality", "1"),
)


def value_of(evaluation: Evaluation, field: str) -> str:
    """A figure as it is printed; a field that is no name of a figure is a text of its own."""
    return text(getattr(evaluation, field)) if field.isidentifier() else field


def text(value: float | tuple[int, ...]) -> str:
    """A number, or several, as the paper prints them: cut to eight digits."""
    if isinstance(value, tuple):
        return " ".join(str(number) for number in value)
    return str(value if isinstance(value, int) else figure(value))
