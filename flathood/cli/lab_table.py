# SPDX-License-Identifier: Apache-2.0
"""How a lab's status looks on a terminal."""

from __future__ import annotations

from typing import Any

from rich.console import Console
from rich.table import Table
from rich.text import Text


def show_status(report: dict[str, Any], console: Console) -> None:
    """Print the report of `Lab.status`: a row for each machine, one for each switch, then what is broken."""
    colours = {name: switch["colour"] for name, switch in report["switches"].items()}
    machines = Table("machine", "power", "NICs (slot: switch)", box=None, pad_edge=False)
    for name, machine in report["machines"].items():
        machines.add_row(name, machine["power"], _nics(machine["nics"], colours))
    switches = Table("switch", "power", "cables", "with carrier", box=None, pad_edge=False)
    for name, switch in report["switches"].items():
        label = Text(name, style=switch["colour"] or "")
        switches.add_row(label, "on" if switch["on"] else "off", str(switch["cables"]), str(switch["carriers"]))
    console.print(f"lab {report['lab']}: {report['directory']}", markup=False, highlight=False)
    console.print(machines, switches, sep="\n")
    for fault in report["faults"]:
        console.print(f"fault {fault}", markup=False, highlight=False, style="red")


def _nics(nics: list[dict[str, Any]], colours: dict[str, str]) -> Text:
    text = Text()
    for slot, nic in enumerate(nics):
        end = nic["to"] or "-"
        dead = "" if nic["carrier"] or not nic["to"] else " no carrier"
        text.append(f"{slot}: ").append(end + dead, style=colours.get(end) or "").append("  ")
    return text
