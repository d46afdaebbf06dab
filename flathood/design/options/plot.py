# SPDX-License-Identifier: Apache-2.0
"""The front as a picture: price against throughput, both by factors, numbered as in the table."""

from __future__ import annotations

from pathlib import Path

from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.ticker import FuncFormatter, LogLocator, NullFormatter

from flathood.design.options.front import Need, Offers, Option
from flathood.design.pictures import write


def plot(offers: Offers, need: Need, unit: str, path: Path) -> None:
    """Draw the front into a file, whose ending says of which kind; the same front gives the same bytes.

    Args:
        offers: what there is to choose from.
        need: what the networks are for.
        unit: what prices are in, and as of when.
        path: the file, see `pictures.check_target`.

    Raises:
        FlathoodError: the file cannot be written.

    """
    figure = Figure(figsize=(9, 6), layout="constrained")
    axes = figure.subplots()
    _draw(axes, offers)
    axes.set_title(f"{need.nodes} nodes, {need.profile}: what a node can send while all others do")
    axes.set_xlabel(f"price of the network ({unit})")
    axes.set_ylabel("throughput of each node (Gb/s)")
    write(figure, path)


def _draw(axes: Axes, offers: Offers) -> None:
    axes.scatter(*_places(offers.beaten), s=12, color="0.75", label="designed, and beaten", zorder=1)
    # Between two options the cheaper one is what there is for the money: a stair.
    axes.step(*_places(offers.front), where="post", color="0.5", linewidth=1, zorder=2)
    rates = sorted({option.switch.rate for option in offers.front})
    for index, rate in enumerate(rates):
        mine = [option for option in offers.front if option.switch.rate == rate]
        axes.scatter(*_places(mine), s=45, color=f"C{index}", label=f"{rate / 1e9:g} Gb/s links", zorder=3)
    for number, option in enumerate(offers.front, 1):
        place = option.bill.price, option.throughput / 1e9
        # Above and below by turns, as two neighbors on the front may be hardly apart.
        above = number % 2 == 1
        shift, side, base = ((-3, 6), "right", "baseline") if above else ((4, -5), "left", "top")
        axes.annotate(str(number), place, xytext=shift, textcoords="offset points", ha=side, va=base, fontsize=8)
    if offers.front[0].bill.price > 0:  # what costs nothing has no place on a scale of factors
        axes.set_xscale("log")
        axes.xaxis.set_major_locator(LogLocator(subs=(1, 2, 5)))
    axes.set_yscale("log")
    axes.yaxis.set_major_locator(LogLocator(subs=(1, 2, 5)))
    for axis in (axes.xaxis, axes.yaxis):
        axis.set_major_formatter(FuncFormatter(lambda value, _: f"{value:,g}"))
        axis.set_minor_formatter(NullFormatter())
    axes.grid(color="0.9")
    axes.set_axisbelow(True)
    axes.legend(loc="upper left", framealpha=1)


def _places(options: list[Option] | tuple[Option, ...]) -> tuple[list[float], list[float]]:
    return [option.bill.price for option in options], [option.throughput / 1e9 for option in options]
