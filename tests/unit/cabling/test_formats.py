# SPDX-License-Identifier: Apache-2.0
"""Files of other tools: what is written is read back, their own examples are understood, nonsense is told by line."""

from __future__ import annotations

from pathlib import Path

import pytest
from click.testing import CliRunner

from flathood import inventory
from flathood.cabling.formats import FORMATS, export, readings
from flathood.cabling.fuse import planned_nics
from flathood.cabling.picture import Nic
from flathood.cli.main import cli
from flathood.errors import InvalidInput

INVENTORIES = Path(__file__).resolve().parents[3] / "inventories"


@pytest.fixture(scope="module")
def hexa():
    return inventory.load(INVENTORIES / "hexa", need_macs=True)


@pytest.mark.parametrize("format_", FORMATS)
@pytest.mark.parametrize("name", ["hexa", "klat2"])
def test_what_is_exported_is_read_back(name, format_):
    base = inventory.load(INVENTORIES / name, need_macs=True)
    text = export(base.cluster, base.wiring, format_)
    found = {Nic(one.node, one.slot): one.switch for one in readings(base.cluster, "file", text, format_)}
    assert found == planned_nics(base.cluster, base.wiring)


def test_lines_are_as_the_other_tools_want_them(hexa):
    first, second = hexa.wiring.nodes["a"]
    ptm = export(hexa.cluster, hexa.wiring, "ptm").splitlines()
    assert ptm[:2] == ['graph "hexa" {', f'  "a":"fnn0" -- "{first}":"swp1";']
    topo = export(hexa.cluster, hexa.wiring, "ibdiagnet").splitlines()
    assert topo[1:3] == [f"FNN-SWITCH {first}", "\tP1 -> FNN-NODE a P1"]
    netbox = export(hexa.cluster, hexa.wiring, "netbox").splitlines()
    assert netbox[0].startswith("side_a_device,side_a_type,side_a_name,side_b_device,side_b_type,side_b_name")
    assert netbox[1] == f"a,dcim.interface,fnn0,{first},dcim.interface,port1,a 0 {first},c62828"
    assert second in netbox[2]


@pytest.mark.parametrize(
    ("format_", "text"),
    [
        ("ptm", 'graph G {\n  hostidtype="hostname"\n  red:swp3 -- a:fnn0 [label="x"]; // the other way round\n}'),
        ("ibdiagnet", "FNN-SWITCH red CFG: x=R\n  P3 -4x-10G-> HCA a P1\n"),
        ("netbox", "side_b_name,side_b_type,side_b_device,side_a_name,side_a_type,side_a_device\np,i,red,fnn0,i,a\n"),
    ],
)
def test_other_ways_to_write_a_cable_are_understood(hexa, format_, text):
    (one,) = readings(hexa.cluster, "file", text, format_)
    assert (one.node, one.slot, one.switch) == ("a", 0, "red")


@pytest.mark.parametrize(
    ("format_", "text", "message"),
    [
        ("ptm", "graph G {\n a -- red\n}", "file:2: is no cable"),
        ("ptm", "a:fnn7 -- red:swp1", "file:1: a fnn7 to red is no cable of this cluster"),
        ("ptm", "a:fnn0 -- red:swp1\na:fnn0 -- blue:swp1", "file:2: a fnn0 is in red already"),
        ("ptm", "", "holds no cable"),
        ("ibdiagnet", "P1 -> HCA a P1", "file:1: is no cable"),
        ("netbox", "device,port\na,b\n", "file:1: is no cable"),
    ],
)
def test_nonsense_is_told_by_line(hexa, format_, text, message):
    with pytest.raises(InvalidInput, match=message):
        readings(hexa.cluster, "file", text, format_)


def test_an_imported_file_is_evidence(tmp_path, hexa):
    text = export(hexa.cluster, hexa.wiring, "netbox").splitlines()
    first, second = hexa.wiring.nodes["a"]
    text[1], text[2] = text[1].replace(f",{first},", f",{second},"), text[2].replace(f",{second},", f",{first},")
    (tmp_path / "cables.csv").write_text("\n".join(text) + "\n")
    out = str(tmp_path / "e.json")
    folder = str(INVENTORIES / "hexa")
    argv = ["cables", "import", folder, str(tmp_path / "cables.csv"), "--format", "netbox", "--out", out]
    ran = CliRunner().invoke(cli, argv)
    assert (ran.exit_code, ran.output) == (0, f"{out}: 13 cables\n")
    told = CliRunner().invoke(cli, ["audit", folder, "--evidence", out])
    assert "a: the cables of fnn0 and fnn1 are exchanged" in told.output
    assert told.exit_code == 1
