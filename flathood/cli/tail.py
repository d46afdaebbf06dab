# SPDX-License-Identifier: Apache-2.0
"""Commands that take another command after ``--``."""

from __future__ import annotations

import click


class WithTail(click.Command):
    """A command that hands on whatever follows ``--``, untouched, as `ctx.obj`."""

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        """Keep what follows for the command itself."""
        cut = args.index("--") if "--" in args else len(args)
        ctx.obj = args[cut + 1 :]
        return super().parse_args(ctx, args[:cut])

    def collect_usage_pieces(self, ctx: click.Context) -> list[str]:
        """Show that a command may follow."""
        return [*super().collect_usage_pieces(ctx), "-- COMMAND…"]
