# SPDX-License-Identifier: Apache-2.0
"""`flathood rehearse`: a cluster from its description to a proved network, in the lab; bin/rehearse calls it."""

from __future__ import annotations

import os
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager

import click
from rich.console import Console

from flathood.lab import Lab, LabError
from flathood.lab.progress import Note, Progress, shown
from flathood.lab.recipe import SUITES
from flathood.rehearse import rehearse as run_rehearsal
from flathood.rehearse import rehearse_virtual
from flathood.rehearse.summary import print_summary
from flathood.vms import Vms
from flathood.vms.settings import from_environment

#: How long bin/rehearse needed to set the machine up, in seconds.
SETUP_SECONDS = "FLATHOOD_SETUP_SECONDS"
#: Seconds between two lines in a log about the same stage.
_PAUSE = 3.0


@click.command()
@click.argument("cluster", default="hexa")
@click.option("--vagrant", is_flag=True, help="As virtual machines with kernels of their own, by Vagrant and libvirt.")
@click.option("--down", is_flag=True, help="Take the cluster's machines away; its files and logs stay.")
@click.option(
    "--suite", type=click.Choice(SUITES), default=SUITES[0], show_default=True, help="Debian of the machines."
)
def rehearse(cluster: str, suite: str, *, vagrant: bool, down: bool) -> None:
    """Bring CLUSTER up in the lab, provision it with the playbook, prove it, and say what was proved.

    CLUSTER is a folder or the name of an inventory. Run it again at any time: it goes on where it was, and changes
    nothing where all is in place. Exit codes are those of `flathood validate`; 1 also where a stage failed.
    """
    console = Console()
    progress = _told(console)
    ground: Lab | Vms = Vms.open(cluster) if vagrant else Lab.open(cluster)
    if down:
        if not ground.down(progress):
            console.print(f"{cluster} is not up", highlight=False)
        return
    if ground.directory is None:
        raise LabError(f"lab {ground.name} is up, but its folder is gone: name a cluster's folder")
    try:
        if isinstance(ground, Vms):
            choose_bare(ground)
            done = rehearse_virtual(ground, ground.directory, progress, suite)
        else:
            done = run_rehearsal(ground, ground.directory, progress, suite)
    except KeyboardInterrupt:
        console.print("interrupted; run it again, it goes on from here")
        sys.exit(130)
    print_summary(done, console, float(os.environ.get(SETUP_SECONDS, "0")), "vms" if vagrant else "lab")
    sys.exit(done.exit)


def choose_bare(ground: Vms) -> None:
    """Have the last node boot from the network, with an empty disk, unless FLATHOOD_PXE says which do (empty: none).

    By the environment, as that is where Vagrant's own processes look too.
    """
    nodes = from_environment(os.environ).nodes or ground.cluster.node_names
    os.environ.setdefault("FLATHOOD_PXE", nodes[-1])


def _told(console: Console) -> Progress:
    """Progress for a terminal and for a log: a log has no spinner, so it gets a line now and then."""
    stages = shown(console)
    if console.is_terminal:
        return stages

    @contextmanager
    def stage(title: str) -> Iterator[Note]:
        with stages(title):
            told, last = time.monotonic(), ""

            def tell(text: str) -> None:
                nonlocal told, last
                if text != last and time.monotonic() - told >= _PAUSE:
                    told, last = time.monotonic(), text
                    console.print(f"    {text}", markup=False, highlight=False, overflow="ellipsis", no_wrap=True)

            yield tell

    return stage
