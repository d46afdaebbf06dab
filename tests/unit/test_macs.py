# SPDX-License-Identifier: Apache-2.0
"""Lists of MACs become macs.yml: in every form that they are delivered in, and never over what was seen."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest
import yaml
from click.testing import CliRunner

from flathood.cli.macs import macs
from flathood.errors import Conflict, InvalidInput
from flathood.registry import Nic, Registry, State, load_registry, save_registry
from flathood.spec import load_cluster
from flathood.writing import locked

ROOT = Path(__file__).parents[2]
FIRST, SECOND, THIRD = (f"02:00:5e:10:00:0{digit}" for digit in (1, 2, 3))


@pytest.fixture
def folder(tmp_path):
    shutil.copy(ROOT / "inventories" / "hexa" / "cluster.yml", tmp_path)
    return tmp_path


def _import(folder, text, *options, name="list.csv"):
    (folder / name).write_bytes(text if isinstance(text, bytes) else text.encode())
    result = CliRunner().invoke(macs, ["import", str(folder / name), "--into", str(folder), *options])
    if result.exception:
        raise result.exception
    return result.output


def _known(folder):
    registry = load_registry(folder / "macs.yml", load_cluster(folder / "cluster.yml"))
    return {name: [nic and (nic.mac, nic.state.value) for nic in nics] for name, nics in registry.nodes.items()}


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("list.csv", f"node,slot,mac\na,1,{FIRST}\nhead,0,{SECOND}\n"),
        ("list.csv", f"a,1,{FIRST}\nhead,0,{SECOND}\n"),
        ("list.csv", f"\ufeffHost;Serial;MAC Address;NIC\r\na;S1;{FIRST.upper()};1\r\n\r\nhead;S2;{SECOND};0\r\n"),
        ("list.tsv", f"# vendor's list\na\t1\t{FIRST.replace(':', '-')}\nhead\t0\t{SECOND.replace(':', '')}\n"),
        ("list.txt", f'"a", "1", "{FIRST}"\n"head", "0", "{SECOND}"\n'),
        ("list.yml", f"- {{node: head, slot: 0, mac: {SECOND}}}\n- {{node: a, slot: 1, mac: {FIRST}}}\n"),
        ("list.yaml", f"a: [null, {FIRST}]\nhead: [{SECOND}]\n"),
        ("list", f"a: [null, {FIRST}]\nhead: [{SECOND}]\n"),
        ("list", f"a:\n  - null\n  - {FIRST}\nhead:\n  - {SECOND}\n"),
    ],
)
def test_every_form_of_a_list(folder, name, text):
    _import(folder, text, name=name)
    assert _known(folder) == {"a": [None, (FIRST, "expected")], "head": [(SECOND, "expected")]}


def test_standard_input(folder):
    result = CliRunner().invoke(macs, ["import", "-", "--into", str(folder)], input=f"a,0,{FIRST}\n")
    assert result.exit_code == 0
    assert _known(folder) == {"a": [(FIRST, "expected")]}


def test_the_second_run_changes_nothing_and_says_so(folder):
    text = f"a,0,{FIRST}\n"
    assert "macs.yml: written (NICs of the list: 1 added)" in _import(folder, text)
    before = (folder / "macs.yml").stat()
    assert "macs.yml: unchanged (NICs of the list: 1 known before)" in _import(folder, text)
    assert (folder / "macs.yml").stat() == before


def test_dry_run_shows_the_diff_and_writes_nothing(folder):
    output = _import(folder, f"a,0,{FIRST}\n", "--dry-run")
    assert f'+    - {{mac: "{FIRST}", state: expected}}' in output
    assert not (folder / "macs.yml").exists()


def test_what_is_still_missing_is_named(folder):
    nodes = [f"{node},{slot},02:00:00:00:0{node}:0{slot}\n" for node in "abcdef" for slot in (0, 1)]
    assert "not known yet: head slot 0\n" in _import(folder, "".join(nodes))


def test_verified_stays_verified_and_expected_is_replaced(folder):
    path = folder / "macs.yml"
    nics = (Nic(mac=FIRST, state=State.VERIFIED), Nic(mac=SECOND))
    save_registry(path, Registry(cluster="hexa", nodes={"b": nics}))
    _import(folder, f"b,0,{FIRST}\nb,1,{THIRD}\na,1,{SECOND}\n")
    assert _known(folder) == {
        "a": [None, (SECOND, "expected")],
        "b": [(FIRST, "verified"), (THIRD, "expected")],
    }


@pytest.mark.parametrize("state", [State.SEEN, State.VERIFIED, State.CONFLICTING])
def test_a_nic_that_was_seen_is_never_overwritten(folder, state):
    path = folder / "macs.yml"
    save_registry(path, Registry(cluster="hexa", nodes={"b": (Nic(mac=FIRST, state=state),)}))
    before = path.read_bytes()
    with pytest.raises(InvalidInput, match=f"slot 0 of 'b' has {FIRST} by macs.yml"):
        _import(folder, f"b,0,{SECOND}\n")
    with pytest.raises(InvalidInput, match=f"{FIRST} is slot 0 of 'b' by macs.yml"):
        _import(folder, f"a,0,{FIRST}\n")
    assert path.read_bytes() == before


def test_two_expected_nics_may_change_places(folder):
    _import(folder, f"a,0,{FIRST}\nb,0,{SECOND}\n")
    _import(folder, f"a,0,{SECOND}\nb,0,{FIRST}\n")
    assert _known(folder) == {"a": [(SECOND, "expected")], "b": [(FIRST, "expected")]}


def test_a_locked_folder_is_left_alone(folder):
    with locked(folder / "macs.yml"), pytest.raises(Conflict):
        _import(folder, f"a,0,{FIRST}\n")
    assert not (folder / "macs.yml").exists()


def test_the_comment_above_is_kept(folder):
    (folder / "macs.yml").write_text("# ours\ncluster: hexa\n")
    _import(folder, f"a,0,{FIRST}\n")
    assert (folder / "macs.yml").read_text().startswith("# ours\ncluster: hexa\nnodes:\n")
    assert yaml.safe_load((folder / "macs.yml").read_text())["nodes"]["a"][0]["mac"] == FIRST


def test_show_lists_what_is_known_and_counts_what_is_not(folder):
    _import(folder, f"a,0,{FIRST}\n")
    output = CliRunner().invoke(macs, ["show", str(folder)]).output
    assert FIRST in output
    assert "1 expected" in output
    assert "not known yet: a slot 1, b slot 0, b slot 1, c slot 0 and 8 more" in output
