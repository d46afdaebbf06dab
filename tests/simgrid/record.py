# SPDX-License-Identifier: Apache-2.0
"""Have SimGrid simulate the cases in a JSON file: `python3 record.py CASES > FIGURES` (Debian: python3-simgrid).

Each transfer gets hosts of its own, joined by its links. Model CM02 (P. Velho et al., ACM TOMACS 23(4), 2013, is about
its limits) without latency shares links max-min fairly, as each of our figures is meant to.
"""

import json
import subprocess
import sys
from pathlib import Path

from simgrid import Actor, Engine, LinkInRoute, Mailbox, NetZone


def simulate(case):
    """Seconds of each transfer of a case; an engine can be made once in a process only."""
    engine = Engine(["record", "--cfg=network/model:CM02", "--cfg=network/crosstraffic:0", "--log=root.thres:critical"])
    zone = NetZone.create_full_zone("zone")
    cables = [zone.create_link(f"l{k}", float(rate)) for k, rate in enumerate(case["capacity"])]
    for cable in cables:
        cable.set_latency(0).seal()
    ends = {}

    def send(number, size):
        Mailbox.by_name(str(number)).put("x", size)

    def receive(number):
        Mailbox.by_name(str(number)).get()
        ends[number] = Engine.clock

    for number, (row, size) in enumerate(zip(case["links"], case["sizes"], strict=True)):
        here, there = (zone.create_host(f"{side}{number}", 1e9) for side in ("from", "to"))
        crossed = [LinkInRoute(cables[link]) for link in row if link < len(cables)]
        zone.add_route(here.netpoint, there.netpoint, None, None, crossed, False)
        here.seal()
        there.seal()
        Actor.create(f"send{number}", here, send, number, round(size))
        Actor.create(f"receive{number}", there, receive, number)
    zone.seal()
    engine.run()
    return [round(ends[number], 9) for number in sorted(ends)]


if __name__ == "__main__":
    cases = json.loads(Path(sys.argv[1]).read_text())
    if len(sys.argv) > 2:
        print(json.dumps(simulate(cases[sys.argv[2]])))
    else:
        for name in cases:
            argv = [sys.executable, __file__, sys.argv[1], name]
            told = subprocess.run(argv, capture_output=True, text=True, check=True).stdout
            cases[name]["simgrid"] = json.loads(told.splitlines()[-1])
        rows = ",\n".join(f"{json.dumps(name)}: {json.dumps(case)}" for name, case in cases.items())
        print(f"{{\n{rows}\n}}")
