# SPDX-License-Identifier: Apache-2.0
"""Rates of links on the command line, as they are written in cluster.yml."""

from __future__ import annotations

import click
from pydantic import TypeAdapter, ValidationError

from flathood.spec.fields import Rate


class _Rate(click.ParamType[int]):
    name = "rate"

    def convert(self, value: object, param: click.Parameter | None, ctx: click.Context | None) -> int:
        if isinstance(value, int):
            return value
        try:
            return TypeAdapter(Rate).validate_python(value)
        except ValidationError as error:
            self.fail(str(error.errors()[0]["ctx"]["error"]), param, ctx)


#: A word such as 10M; bit/s.
RATE = _Rate()
