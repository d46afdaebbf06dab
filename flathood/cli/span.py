# SPDX-License-Identifier: Apache-2.0
"""A span of whole numbers as an option's value: `3-8`, or `4` for 4 to 4."""

from __future__ import annotations

import re

import click


class Span(click.ParamType[tuple[int, int]]):
    """Two whole numbers, the first no larger than the second, both within limits."""

    name = "A-B"

    def __init__(self, low: int, high: int) -> None:
        self.low, self.high = low, high

    def convert(
        self, value: str | tuple[int, int], param: click.Parameter | None, ctx: click.Context | None
    ) -> tuple[int, int]:
        """The two numbers; refuses anything else with what would do."""
        if isinstance(value, tuple):
            return value
        match = re.fullmatch(r"([0-9]{1,9})(?:-([0-9]{1,9}))?", value)
        first = int(match[1]) if match else 0
        last = int(match[2] or match[1]) if match else 0
        if not match or not self.low <= first <= last <= self.high:
            self.fail(
                f"{value!r} is no span: write two numbers such as {self.low}-{self.high}, within those", param, ctx
            )
        return first, last
