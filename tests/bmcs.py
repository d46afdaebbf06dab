# SPDX-License-Identifier: Apache-2.0
"""Controllers of machines' power, which is the lab's: OpenIPMI's simulator and sushy-tools' Redfish emulator.

Run as a program it is the Redfish emulator of the file that it is given.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from flathood.lab import Lab

CHECKOUT = Path(__file__).resolve().parents[1]
USER, PASSWORD = "operator", "Secret-of-the-BMC"
IPMI_PORT, REDFISH_PORT = 1623, 1443
_LAN = """\
name "{node}"
set_working_mc 0x20
  startlan 1
    addr 127.0.0.1 {port}
    priv_limit admin
    allowed_auths_admin none md2 md5 straight
    guid a123456789abcdefa123456789abcdef
  endlan
  chassis_control "{work}/chassis"
  user 2 true "{user}" "{password}" admin 10 none md2 md5 straight
"""
_CONTROLLER = """\
mc_setbmc 0x20
mc_add 0x20 0 no-device-sdrs 0x23 9 8 0x9f 0x1291 0xf02 persist_sdr
mc_enable 0x20
"""
#: A controller answers at once, the machine takes its time. One that is switched on waits until it is off: the process
#: that does that holds the lock, taken before the controller has answered.
_CHASSIS = """\
#!/bin/sh
cd {checkout}
exec 9> {work}/lock
wait_and() {{ setsid flock -o {work}/lock "$@" > {work}/on.log 2>&1 < /dev/null 9>&- & }}
case "$1 $2 $3" in
"get power "*) echo "power:$(cat {work}/power)" ;;
"set power 0") flock 9; echo 0 > {work}/power; setsid {lab} off {node} {name} > {work}/off.log 2>&1 < /dev/null & ;;
"set power 1") echo 1 > {work}/power; wait_and {lab} on {node} {name} ;;
esac
"""


@contextmanager
def _running(lab: Lab, work: Path, argv: list[str]) -> Iterator[None]:
    """A program at the head, ended afterwards."""
    with (work / "log").open("w") as log:
        process = subprocess.Popen(lab.at_head(argv), cwd=CHECKOUT, stdin=subprocess.DEVNULL, stdout=log, stderr=log)
        try:
            yield
        finally:
            process.terminate()
            process.wait(30)


@contextmanager
def ipmi(lab: Lab, work: Path, node: str) -> Iterator[dict[str, object]]:
    """An IPMI controller of a node that is on; the node's variables for the playbook."""
    work.mkdir()
    (work / "state").mkdir()
    (work / "power").write_text("1\n")
    (work / "controller").write_text(_CONTROLLER)
    (work / "lan").write_text(_LAN.format(node=node, port=IPMI_PORT, work=work, user=USER, password=PASSWORD))
    power = f"{sys.executable} -m flathood lab power"
    script = work / "chassis"
    script.write_text(_CHASSIS.format(checkout=CHECKOUT, lab=power, node=node, name=lab.name, work=work))
    script.chmod(0o755)
    argv = ["ipmi_sim", "-n", "-c", str(work / "lan"), "-f", str(work / "controller"), "-s", str(work / "state")]
    with _running(lab, work, argv):
        yield {"bmc_host": "127.0.0.1", "bmc_port": IPMI_PORT, "bmc_user": USER, "bmc_password": PASSWORD}


@contextmanager
def redfish(lab: Lab, work: Path, *nodes: str) -> Iterator[dict[str, dict[str, object]]]:
    """A Redfish service for several nodes that are on; each one's variables for the playbook."""
    work.mkdir()
    systems = {node: f"27946b59-9e44-4fa7-8e91-{number:012x}" for number, node in enumerate(nodes)}
    (work / "config.json").write_text(json.dumps({"lab": lab.name, "systems": systems, "work": str(work)}))
    with _running(lab, work, [sys.executable, "-m", "tests.bmcs", str(work / "config.json")]):
        common = {"bmc_host": f"127.0.0.1:{REDFISH_PORT}", "bmc_user": USER, "bmc_password": PASSWORD}
        yield {node: common | {"bmc_resource": number} for node, number in systems.items()}


def main(config: Path) -> None:
    """Serve Redfish until killed."""
    import bcrypt  # noqa: PLC0415 - all this is only there where the emulator runs
    from sushy_tools.emulator import main as emulator  # noqa: PLC0415 - as above
    from sushy_tools.emulator.resources.systems import fakedriver  # noqa: PLC0415 - as above

    known = json.loads(config.read_text())
    lab = Lab.open(known["lab"])

    class Driver(fakedriver.FakeDriver):
        def set_power_state(self, identity: str, state: str) -> None:
            system = self._get(identity)
            on = state in ("On", "ForceOn")
            (lab.power_on if on else lab.power_off)(system["name"])
            self._update(system, power_state="On" if on else "Off")

    fakedriver.FakeDriver = Driver
    work = Path(known["work"])
    secret = bcrypt.hashpw(PASSWORD.encode(), bcrypt.gensalt(4)).decode()
    (work / "htpasswd").write_text(f"{USER}:{secret}\n")
    systems = [
        {"uuid": number, "name": name, "power_state": "On", "external_notifier": False, "nics": []}
        for name, number in known["systems"].items()
    ]
    settings = {
        "SUSHY_EMULATOR_FAKE_DRIVER": True,
        "SUSHY_EMULATOR_FAKE_SYSTEMS": systems,
        "SUSHY_EMULATOR_STATE_DIR": str(work),
        "SUSHY_EMULATOR_AUTH_FILE": str(work / "htpasswd"),
    }
    emulator.app.configure(extra_config=settings)
    emulator.app.run(host="127.0.0.1", port=REDFISH_PORT, ssl_context="adhoc")


if __name__ == "__main__":
    os.chdir(CHECKOUT)
    main(Path(sys.argv[1]))
