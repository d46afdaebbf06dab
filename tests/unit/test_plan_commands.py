# SPDX-License-Identifier: Apache-2.0
"""flathood compile, check and show: what they print, write and return, also when something is wrong."""

from __future__ import annotations

import json
import re
import shutil
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from flathood.cli.bench import bench
from flathood.cli.check import check
from flathood.cli.compile import compile_
from flathood.cli.show import ranges, show
from flathood.errors import InvalidInput
from flathood.inventory import load

ROOT = Path(__file__).parents[2]
HEXA = str(ROOT / "inventories/hexa")
KLAT2 = str(ROOT / "inventories/klat2")


def run(command: object, *arguments: str) -> Result:
    return CliRunner().invoke(command, arguments, env={"COLUMNS": "80"})


@pytest.fixture
def bundle(tmp_path: Path) -> Path:
    assert run(compile_, HEXA, "--out", str(tmp_path / "bundle")).exit_code == 0
    return tmp_path / "bundle"


def test_a_bundle_is_replaced_whole_and_leaves_nothing_behind(bundle: Path) -> None:
    (bundle / "stale").write_text("from before")
    result = run(compile_, HEXA, "--out", str(bundle), "--node", "a", "--routing", "tree")
    assert result.exit_code == 0, result.output
    assert sorted(path.name for path in bundle.iterdir()) == ["a", "bundle.json"]
    assert [path.name for path in bundle.parent.iterdir()] == ["bundle"]
    assert json.loads((bundle / "bundle.json").read_text())["routing"] == "tree"


def test_a_folder_that_is_no_bundle_is_never_replaced(tmp_path: Path) -> None:
    (tmp_path / "letters").write_text("dear to somebody")
    result = run(compile_, HEXA, "--out", str(tmp_path))
    assert result.exit_code != 0
    assert "no bundle" in str(result.exception)
    assert (tmp_path / "letters").read_text() == "dear to somebody"


def test_a_machine_that_there_is_none_of_is_refused_before_anything_is_written(tmp_path: Path) -> None:
    result = run(compile_, HEXA, "--out", str(tmp_path / "bundle"), "--node", "zz")
    assert result.exit_code == 2
    assert "no machine 'zz' in hexa" in result.output
    assert list(tmp_path.iterdir()) == []


def _hexa_with(folder: Path, design: str, cables_of_f: str) -> Path:
    for name in ("cluster.yml", "macs.yml"):
        shutil.copy(Path(HEXA) / name, folder)
    text = (Path(HEXA) / "wiring.yml").read_text().split("design:")[0]
    text = re.sub(r"(  f: ).*", rf"\g<1>{cables_of_f}", text)
    (folder / "wiring.yml").write_text(f"{text}design: {{{design}}}\n")
    return folder


def test_pairs_that_share_no_switch_are_compiled_through_the_uplink(tmp_path: Path) -> None:
    folder = _hexa_with(tmp_path, "mode: sparse", "[blue, null]")
    assert run(compile_, str(folder), "--out", str(tmp_path / "bundle")).exit_code == 0
    hosts = (tmp_path / "bundle/a/etc/hosts").read_text()
    assert "\n10.78.0.6 f f-out\n10.79.0.6 f-node\n" in hosts
    routes = (tmp_path / "bundle/a/etc/systemd/network/50-fnn0.network.d/routes.conf").read_text()
    assert "Destination=10.80.2.6/32\nGateway=10.78.0.6\n" in routes
    assert run(check, str(folder)).exit_code == 0


def test_a_node_without_a_cable_is_not_compiled(tmp_path: Path) -> None:
    folder = _hexa_with(tmp_path, "without: [f]", "[null, null]")
    assert load(folder, need_macs=True)
    result = run(compile_, str(folder), "--out", str(tmp_path / "bundle"))
    assert isinstance(result.exception, InvalidInput)
    assert str(result.exception).startswith("wiring.yml: nodes.f: has no cable")
    assert not (tmp_path / "bundle").exists()


@pytest.mark.parametrize("routing", ["basic", "advanced", "tree"])
def test_check_proves_hexa(routing: str) -> None:
    result = run(check, HEXA, "--routing", routing)
    assert result.exit_code == 0, result.output
    assert "all proved" in result.output
    assert max(map(len, result.output.splitlines())) <= 80


def test_check_of_a_bundle_names_what_was_changed_in_it(bundle: Path) -> None:
    assert run(check, HEXA, "--bundle", str(bundle)).exit_code == 0
    path = bundle / "b/etc/systemd/network/50-fnn1.network.d/arp.conf"
    path.write_text(path.read_text().replace("ARP=no", "ARP=yes"))
    result = run(check, HEXA, "--bundle", str(bundle), "--json")
    assert result.exit_code == 1
    report = json.loads(result.output)
    assert {(f["machine"], f["nic"], f["check"]) for f in report["failures"]} == {
        ("b", "fnn1", "arp"),
        ("b", "fnn1", "neighbors"),
    }
    assert report["checks"]["arp"] == {"what": "NICs that never ask who has an address", "proved": 11, "failed": 1}


def test_check_warns_of_machines_that_are_not_in_the_cluster(bundle: Path) -> None:
    (bundle / "old").mkdir()
    result = run(check, HEXA, "--bundle", str(bundle))
    assert result.exit_code == 3
    assert "is of no machine of hexa" in result.output


def test_check_of_something_that_is_no_bundle_proves_nothing(tmp_path: Path) -> None:
    result = run(check, HEXA, "--bundle", str(tmp_path))
    assert result.exit_code == 2
    assert "is no bundle" in result.output


def test_check_of_another_cluster_s_bundle_proves_nothing(bundle: Path) -> None:
    result = run(check, str(ROOT / "inventories/octet"), "--bundle", str(bundle))
    assert result.exit_code == 2
    assert "is a bundle of hexa, not of octet" in result.output


def test_benchmarks_print_json() -> None:
    for name in ("compile", "proof"):
        result = run(bench, name, "--nodes", "6", "--json")
        assert result.exit_code == 0, result.output
        report = json.loads(result.output)
        assert (report["benchmark"], report["rows"][0]["nodes"]) == (name, 6)


def test_a_long_list_of_failures_is_cut_short_in_the_terminal_only(bundle: Path) -> None:
    for path in (bundle / "c/etc").rglob("*.conf"):
        path.unlink()
    text = run(check, HEXA, "--bundle", str(bundle)).output
    failures = json.loads(run(check, HEXA, "--bundle", str(bundle), "--json").output)["failures"]
    assert len(failures) > 20
    assert f"… and {len(failures) - 20} more" in text


@pytest.mark.parametrize(("folder", "machine"), [(HEXA, "a"), (KLAT2, "k17"), (KLAT2, "k64"), (KLAT2, "head")])
def test_show_fits_a_terminal_and_names_every_cable(folder: str, machine: str) -> None:
    result = run(show, folder, machine)
    assert result.exit_code == 0, result.output
    assert max(map(len, result.output.splitlines())) <= 80
    view = json.loads(run(show, folder, machine, "--json").output)
    for nic in view["nics"]:
        assert nic["mac"] in result.output
        assert nic["switch"] in result.output
    chosen = [peer for group in view.get("neighborhoods", []) for peer in group["chosen"]]
    assert sorted(chosen) == sorted(peer["name"] for peer in view.get("peers", []))


def test_show_of_nobody_says_who_there_is() -> None:
    result = run(show, KLAT2, "k99")
    assert result.exit_code == 2
    assert "k00-k65 head" in result.output


def test_ranges_join_only_names_that_count_up() -> None:
    assert ranges(["a", "b", "k1", "k2", "k3", "k04", "k05", "k9"]) == "a b k1-k3 k04 k05 k9"
