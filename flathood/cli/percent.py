# SPDX-License-Identifier: Apache-2.0
"""A share as an option's value: `80`, `80%` or `0.8`."""

from __future__ import annotations

import click


class Percent(click.ParamType[float]):
    """A share from 0 to 1; a number above 1, or one with a sign, is percent."""

    name = "percent"

    def convert(self, value: str | float, param: click.Parameter | None, ctx: click.Context | None) -> float:
        """The share; refuses anything else with what would do."""
        text = str(value)
        try:
            number = float(text.removesuffix("%"))
        except ValueError:
            number = -1.0
        share = number if number <= 1 and not text.endswith("%") else number / 100
        if not 0 <= share <= 1:
            self.fail(f"{value!r} is no share: write a number of percent from 0 to 100, such as 80", param, ctx)
        return share
