# SPDX-License-Identifier: Apache-2.0
"""Fat tree, tree and FNN: the predicted figures of the KLAT2 paper (section 6.1), and brute force on small cases."""

from __future__ import annotations

import itertools
import json
from pathlib import Path

import numpy as np
import pytest
from click.testing import CliRunner
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.sparse import csr_array
from scipy.sparse.csgraph import maximum_flow

from flathood.cli.main import cli
from flathood.design.compare.bisection import tree_bisection
from flathood.design.compare.hierarchy import NoTree, fat_tree, tree
from flathood.design.compare.networks import compare
from flathood.design.profiles import traffic
from flathood.design.request import Request
from flathood.errors import FlathoodError

INVENTORIES = Path(__file__).parents[2] / "inventories"
#: The wiring pattern of the paper's second example: which of six switches each of four groups of nodes is on.
PATTERN = np.array([[1, 1, 1, 0, 0, 0], [1, 0, 0, 1, 1, 0], [0, 1, 0, 1, 0, 1], [0, 0, 1, 0, 1, 1]], dtype=bool)


@pytest.fixture
def scaled(tmp_path: Path) -> Path:
    """The paper's 64 PCs on six 32-way switches: the second example's pattern, sixteen nodes for two."""
    switches = [f"s{number}" for number in range(6)]
    lines = ["cluster: scaled", "nodes: {count: 64, nics: 3}", "switches:"]
    lines += [f'  - {{name: {name}, colour: "#00000{index}", ports: 32}}' for index, name in enumerate(switches)]
    (tmp_path / "cluster.yml").write_text("\n".join(lines))
    rows = ["cluster: scaled", "nodes:"]
    for node in range(64):
        rows.append(f"  n{node:02d}: [{', '.join(switches[s] for s in np.flatnonzero(PATTERN[node // 16]))}]")
    (tmp_path / "wiring.yml").write_text("\n".join(rows))
    return tmp_path


def report(folder: Path, *options: str) -> dict[str, dict[str, float]]:
    result = CliRunner().invoke(cli, ["compare", str(folder), "--json", *options], catch_exceptions=False)
    assert result.exit_code == 0
    return {network["name"]: network for network in json.loads(result.stdout)["networks"]}


def cells(folder: Path, row: str) -> list[str]:
    """A row of the printed table."""
    result = CliRunner(env={"COLUMNS": "80"}).invoke(cli, ["compare", str(folder)], catch_exceptions=False)
    assert max(len(line) for line in result.stdout.splitlines()) <= 80
    return next(line.replace("│", " ").split()[-3:] for line in result.stdout.splitlines() if row in line)


def test_eight_pcs_have_the_papers_figures_as_it_prints_them() -> None:
    octet = INVENTORIES / "octet"
    assert cells(octet, "pairwise bandwidth") == ["1.0", "1.0", "1.28571428"]
    assert cells(octet, "bisection, best case") == ["8.0", "4.0", "24.0"]
    assert cells(octet, "bisection, conservative") == ["8.0", "4.0", "10.28571428"]
    assert cells(octet, "latency in switches") == ["2.7", "2.7", "1.0"]
    assert cells(octet, "switches") == ["2.7", "2.7", "1.0"]
    figures = report(octet)
    assert [figures[name]["switches"] for name in ("fat tree", "tree", "FNN")] == [6, 5, 6]
    assert [figures[name]["cables"] for name in ("fat tree", "tree", "FNN")] == [16, 12, 24]
    assert [figures[name]["nics"] for name in ("fat tree", "tree", "FNN")] == [8, 8, 24]


def test_sixty_four_pcs_have_the_papers_figures_as_it_prints_them(scaled: Path) -> None:
    assert cells(scaled, "pairwise bandwidth") == ["1.0", "1.0", "1.47619047"]
    assert cells(scaled, "latency in switches") == ["2.5", "2.5", "1.0"]
    figures = report(scaled)
    assert [figures[name]["switches"] for name in ("fat tree", "tree", "FNN")] == [6, 5, 6]
    assert figures["FNN"]["bisection_best"] == 64 * 3.0
    assert figures["FNN"]["bisection_conservative"] == 94.47619047
    assert figures["fat tree"]["bisection_conservative"] == 64.0


def test_width_of_the_trees_can_be_given(scaled: Path) -> None:
    assert report(scaled, "--ports", "64")["fat tree"]["switches"] == 1
    assert report(scaled, "--ports", "64")["tree"]["latency"] == 1.0
    assert report(scaled, "--ports", "16")["fat tree"]["switches"] == 12


def test_a_folder_without_a_wiring_is_told_how_to_make_one(tmp_path: Path) -> None:
    (tmp_path / "cluster.yml").write_bytes((INVENTORIES / "hexa" / "cluster.yml").read_bytes())
    result = CliRunner().invoke(cli, ["compare", str(tmp_path)])
    assert "design it with `flathood design" in str(result.exception)


@pytest.mark.parametrize(("ports", "nodes"), [(4, 16), (6, 54), (8, 128), (16, 1024)])
def test_fat_trees_of_three_levels_are_the_known_ones(ports: int, nodes: int) -> None:
    """A k-ary fat tree joins k³/4 nodes by 5k²/4 switches (Al-Fares, Loukissas and Vahdat, SIGCOMM 2008, section 3)."""
    built = fat_tree(nodes, ports)
    assert (built.switches, built.cables) == (5 * ports**2 // 4, 3 * nodes)


def test_switches_too_narrow_for_a_tree_are_refused() -> None:
    assert fat_tree(3, 3).switches == 1
    for build in (fat_tree, tree):
        with pytest.raises(NoTree, match="at least 4 ports"):
            build(4, 3)


@given(nodes=st.integers(2, 200), ports=st.integers(4, 20))
@settings(max_examples=60, deadline=None)
def test_no_switch_of_a_tree_has_more_links_than_ports(nodes: int, ports: int) -> None:
    for build in (fat_tree, tree):
        groups = build(nodes, ports).groups
        assert not groups[-1].any()
        assert np.bincount(groups[0]).max() <= (ports if len(groups) == 1 else ports // 2)
        for below, above in itertools.pairwise(groups):
            assert len(np.unique(np.stack([below, above]), axis=1).T) == below.max() + 1  # one switch above each
    groups = tree(nodes, ports).groups
    for level, (below, above) in enumerate(itertools.pairwise(groups)):
        children = np.bincount(np.unique(np.stack([below, above]), axis=1)[1])
        assert children.max() <= (ports if level == len(groups) - 2 else ports - 1)
    assert tree(nodes, ports).switches == sum(len(np.unique(level)) for level in groups)


@given(nodes=st.integers(2, 60), ports=st.integers(4, 12))
@settings(max_examples=60, deadline=None)
def test_latency_is_the_mean_over_all_pairs(nodes: int, ports: int) -> None:
    for build in (fat_tree, tree):
        built = build(nodes, ports)
        ways = [
            1 + 2 * sum(int(level[a] != level[b]) for level in built.groups)
            for a, b in itertools.combinations(range(nodes), 2)
        ]
        assert built.latency == pytest.approx(sum(ways) / len(ways))


def _flow(groups: np.ndarray, half: set[int]) -> int:
    """The most that one half of the nodes can send to the other in a tree, by maximum flow."""
    n = groups.shape[1]
    sizes = [int(level.max()) + 1 for level in groups]
    starts = n + np.cumsum([0, *sizes])
    source, sink = int(starts[-1]), int(starts[-1]) + 1
    links = {(node, int(starts[0] + groups[0, node])) for node in range(n)}
    for level in range(len(sizes) - 1):
        links |= {
            (int(starts[level] + a), int(starts[level + 1] + b))
            for a, b in zip(groups[level], groups[level + 1], strict=True)
        }
    capacity = np.zeros((sink + 1, sink + 1), dtype=np.int32)
    for a, b in links:
        capacity[a, b] = capacity[b, a] = 1
    for node in range(n):
        if node in half:
            capacity[source, node] = 1
        else:
            capacity[node, sink] = 1
    return int(maximum_flow(csr_array(capacity), source, sink).flow_value)


@pytest.mark.parametrize(("nodes", "ports"), [(4, 4), (6, 4), (8, 4), (10, 4), (8, 6), (10, 8), (6, 8)])
def test_bisection_of_a_tree_is_the_worst_of_all_divisions(nodes: int, ports: int) -> None:
    built = tree(nodes, ports)
    halves = itertools.combinations(range(nodes), nodes // 2)
    assert tree_bisection(built) == 2 * min(_flow(built.groups, set(half)) for half in halves)


def test_throughput_of_a_tree_is_that_of_its_busiest_link() -> None:
    # Eight nodes in four leaves of two: in a ring one of a node's two neighbors is below the same leaf, and each leaf's
    # link carries half the traffic of both its nodes; a torus of 2 x 4 has the third neighbor four nodes away.
    design = np.repeat(PATTERN, 2, axis=0)
    for profile, expected in (("ring", 1.0), ("torus2d", 0.75), ("all-to-all", 7 / 12)):
        request = Request(np.full(8, 3), np.full(6, 4), traffic(profile, 8), profile)
        _, simple, _ = compare(request, design)
        assert simple.throughput == pytest.approx(expected)


def test_nodes_that_are_not_to_be_used_are_in_none_of_the_networks() -> None:
    design = np.repeat(PATTERN, 2, axis=0)
    request = Request(np.full(8, 3), np.full(6, 4), traffic("all-to-all", 8), "all-to-all")
    seven = Request(np.full(7, 3), np.full(6, 4), traffic("all-to-all", 7), "all-to-all")
    weights = np.pad(traffic("all-to-all", 7), (0, 1))
    without = Request(np.array([3] * 7 + [0]), request.ports, weights, "all-to-all")
    assert compare(without, design * (np.arange(8) < 7)[:, None]) == compare(seven, design[:7])
    with pytest.raises(FlathoodError, match="at least two"):
        compare(Request(np.array([1]), np.array([2]), np.zeros((1, 1)), "ring"), np.ones((1, 1), dtype=bool))
