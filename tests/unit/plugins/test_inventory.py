# SPDX-License-Identifier: Apache-2.0
"""flathood.cluster.inventory as Ansible's own inventory manager sets it up."""

import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest
from ansible.errors import AnsibleParserError
from ansible.inventory.data import InventoryData
from ansible.inventory.manager import InventoryManager
from ansible.parsing.dataloader import DataLoader
from ansible.plugins.loader import inventory_loader
from ansible.utils.display import Display
from ansible_collections.flathood.cluster.plugins.plugin_utils import machines

from flathood.plan import build
from flathood.rewiring import exchange
from flathood.rewiring import journal as rewiring

ROOT = Path(__file__).parents[3]
KEYS = """
compose: {rank: node_number + 1}
groups: {first: node_number < 2}
keyed_groups: [{key: neighborhoods | length | string, prefix: nics}]
"""


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A copy of hexa with nothing but what people write."""
    for name in ("cluster.yml", "wiring.yml"):
        shutil.copy(ROOT / "inventories/hexa" / name, tmp_path)
    return tmp_path


@pytest.fixture
def warnings(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    said: list[str] = []
    monkeypatch.setattr(Display, "warning", lambda _self, msg, *_, **__: said.append(msg))
    return said


@pytest.fixture
def cache(tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    place = tmp_path_factory.mktemp("cache")
    for key, value in {"": "1", "_PLUGIN": "ansible.builtin.jsonfile", "_CONNECTION": str(place)}.items():
        monkeypatch.setenv(f"ANSIBLE_INVENTORY_CACHE{key}", value)
    return place


def read(source: Path) -> InventoryManager:
    return InventoryManager(DataLoader(), sources=[str(source)])


def hosts(inventory: InventoryManager, group: str) -> list[str]:
    return [host.name for host in inventory.groups[group].get_hosts()]


def test_a_folder_gives_groups_and_small_variables_without_a_warning(folder: Path, warnings: list[str]) -> None:
    (folder / "macs.yml").write_text("cluster: hexa\nnodes: {}\n")
    for journal in (rewiring.FILE, exchange.FILE):
        (folder / journal).write_text("{}\n")
    inventory = read(folder)
    assert warnings == []
    assert hosts(inventory, "nodes") == ["a", "b", "c", "d", "e", "f"]
    assert hosts(inventory, "red") == ["a", "b", "c", "d"]
    assert hosts(inventory, "spares") == []
    assert inventory.get_host("f").get_vars() | {
        "inventory_file": "",
        "inventory_dir": "",
        "inventory_hostname": "",
    } == {
        "ansible_host": "10.78.0.6",
        "node_number": 5,
        "neighborhoods": ["green", "blue"],
        "inventory_file": "",
        "inventory_dir": "",
        "inventory_hostname": "",
        "inventory_hostname_short": "f",
        "group_names": ["blue", "green", "macs_unknown", "nodes"],
        "macs_state": "unknown",
    }
    assert inventory.get_host("head").vars["ansible_host"] == "10.78.0.254"
    assert inventory.groups["all"].vars == {
        "flathood_cluster": "hexa",
        "flathood_head": "head",
        "flathood_routing": "basic",
    }


def test_what_is_known_of_the_nics_is_a_variable_and_a_group(folder: Path) -> None:
    nics = {
        "a": [("verified", 1), ("verified", 2)],
        "b": [("verified", 3), ("seen", 4)],
        "c": [("seen", 5)],
        "d": [("expected", 6), ("expected", 7)],
        "e": [("conflicting", 8), ("verified", 9)],
        "head": [("verified", 10)],
    }
    rows = [
        f"  {name}: [{', '.join(f'{{mac: 02:00:00:00:00:{last:02x}, state: {state}}}' for state, last in known)}]"
        for name, known in nics.items()
    ]
    (folder / "macs.yml").write_text("\n".join(["cluster: hexa", "nodes:", *rows, ""]))
    inventory = read(folder)
    found = {host.name: host.get_vars()["macs_state"] for host in inventory.get_hosts()}
    wanted = {"a": "verified", "b": "complete", "c": "seen", "d": "expected", "e": "conflicting", "f": "unknown"}
    assert found == wanted | {"head": "verified"}
    assert {name: hosts(inventory, f"macs_{state}") for name, state in wanted.items() if name != "a"} == {
        name: [name] for name in "bcdef"
    }
    assert set(hosts(inventory, "macs_verified")) == {"a", "head"}


def test_the_file_alone_is_a_source_also_before_there_is_a_wiring(folder: Path, warnings: list[str]) -> None:
    (folder / "wiring.yml").unlink()
    inventory = read(folder / "cluster.yml")
    assert warnings == []
    assert hosts(inventory, "nodes") == ["a", "b", "c", "d", "e", "f"]
    assert hosts(inventory, "red") == []


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("cluster.yml", "plugin: another.one.inventory\n"),
        ("wiring.yml", "plugin: flathood.cluster.inventory\n"),
        ("hosts.yml", "plugin: flathood.cluster.inventory\n"),
        ("cluster.yml", "cluster: hexa # plugin: flathood.cluster.inventory\n"),
    ],
)
def test_other_files_are_declined(tmp_path: Path, name: str, text: str) -> None:
    plugin = inventory_loader.get("flathood.cluster.inventory")
    (tmp_path / name).write_text(text)
    assert not plugin.verify_file(str(tmp_path / name))


def test_every_problem_of_all_files_is_told_at_once(folder: Path) -> None:
    spec = folder / "cluster.yml"
    wiring = folder / "wiring.yml"
    wiring.write_text(wiring.read_text().replace("a: [red, green]", "a: [red, mauve]"))
    (folder / "macs.yml").write_text("cluster: hexa\nnodes: {z: []}\n")
    plugin = inventory_loader.get("flathood.cluster.inventory")
    with pytest.raises(AnsibleParserError) as caught:
        plugin.parse(InventoryData(), DataLoader(), str(spec), cache=False)
    assert "mauve" in str(caught.value)
    assert "macs.yml" in str(caught.value)
    assert "InvalidInput" not in str(caught.value)


def test_a_head_of_another_name_is_in_the_group_head(folder: Path, warnings: list[str]) -> None:
    spec = folder / "cluster.yml"
    spec.write_text(spec.read_text() + "head: {name: gate}\n")
    inventory = read(spec)
    assert hosts(inventory, "head") == ["gate"]
    assert [host.name for host in inventory.get_hosts("head")] == ["gate"]
    assert warnings == []


def test_on_a_management_network_nodes_are_reached_there(folder: Path) -> None:
    spec = folder / "cluster.yml"
    spec.write_text(spec.read_text() + 'management: {host: "{}.mgmt"}\n')
    inventory = read(spec)
    assert inventory.get_host("c").vars["ansible_host"] == "c.mgmt"
    assert inventory.get_host("head").vars["ansible_host"] == "10.78.0.254"


def test_it_is_a_constructed_inventory(folder: Path) -> None:
    spec = folder / "cluster.yml"
    spec.write_text(spec.read_text() + KEYS)
    inventory = read(spec)
    assert hosts(inventory, "first") == ["a", "b"]
    assert hosts(inventory, "nics_2") == ["a", "b", "c", "d", "e", "f"]
    assert inventory.get_host("e").vars["rank"] == 5


def test_the_cache_is_used_and_never_stale(folder: Path, cache: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    reads: list[Path] = []
    real = machines.read
    monkeypatch.setattr(machines, "read", lambda path: reads.append(path) or real(path))
    first = read(folder / "cluster.yml")
    assert list(cache.iterdir())
    second = read(folder / "cluster.yml")
    assert len(reads) == 1
    assert second.get_host("a").get_vars() == first.get_host("a").get_vars()
    wiring = folder / "wiring.yml"
    wiring.write_text(wiring.read_text().replace("[red, green]", "[green, red]", 1))
    third = read(folder / "cluster.yml")
    assert len(reads) == 2
    assert third.get_host("a").vars["neighborhoods"] == ["green", "red"]


def test_workers_inherit_a_compiled_plan(folder: Path) -> None:
    slots = {"a": 2, "b": 2, "c": 2, "d": 2, "e": 2, "f": 2, "head": 1}
    numbered = enumerate((name, count) for name, count in slots.items())
    rows = [
        f"  {name}: [{', '.join(f'{{mac: 02:00:00:00:{k:02x}:{s:02x}}}' for s in range(n))}]"
        for k, (name, n) in numbered
    ]
    (folder / "macs.yml").write_text("\n".join(["cluster: hexa", "nodes:", *rows, ""]))
    build._PLANS.clear()
    read(folder / "cluster.yml")
    assert [path for path, _ in build._PLANS] == [folder.resolve()]


def test_group_names_are_ones_that_ansible_takes() -> None:
    taken = {"a", "head"}
    assert machines.group_names(("sea-green", "all", "4th", "a", "neighborhood-all"), taken) == {
        "sea-green": "sea_green",
        "all": "neighborhood_all",
        "4th": "neighborhood_4th",
        "a": "neighborhood_a",
        "neighborhood-all": "neighborhood_neighborhood_all",
    }
