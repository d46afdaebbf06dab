# SPDX-License-Identifier: Apache-2.0
"""`flathood options`: the front against all options one by one, bills against hand counts, what is printed."""

from __future__ import annotations

import dataclasses
import itertools
import json
import math
import re
import signal
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pytest
from click.testing import CliRunner, Result
from hypothesis import given, settings
from hypothesis import strategies as st

from flathood.catalogue import Catalogue, load_catalogue
from flathood.cli.main import cli
from flathood.design.folder import Options, design_folder
from flathood.design.objective import evaluate
from flathood.design.options.bill import Shop, cheapest_cable, cheapest_cards
from flathood.design.options.cluster import cluster_text
from flathood.design.options.fewest import fewest_switches, most_throughput
from flathood.design.options.front import Need, NothingFits, offers
from flathood.design.options.make import maker
from flathood.design.options.plot import plot
from flathood.design.planes import constructions
from flathood.design.profiles import traffic
from flathood.design.request import Request
from flathood.design.throughput import concurrent
from flathood.spec import load_cluster

INVENTORIES = Path(__file__).parents[2] / "inventories"
SMALL = Catalogue.model_validate(
    {
        "currency": "EUR",
        "date": "2026-01-02",
        "switches": [
            {"name": "four", "plug": "rj45", "rate": "1G", "ports": 5, "price": 10, "power": 2},
            {"name": "seven", "plug": "rj45", "rate": "1G", "ports": 8, "price": 30, "power": 5},
            {"name": "ten", "plug": "rj45", "rate": "1G", "ports": 11, "price": 100, "power": 9},
            {"name": "fast four", "plug": "sfp+", "rate": "10G", "ports": 5, "price": 150, "power": 20},
        ],
        "nics": [
            {"name": "on board", "plug": "rj45", "rate": "1G", "slots": 0, "most": 1, "price": 0},
            {"name": "single", "plug": "rj45", "rate": "1G", "price": 9, "power": 1},
            {"name": "double", "plug": "rj45", "rate": "1G", "ports": 2, "price": 15, "power": 3},
            {"name": "fast double", "plug": "sfp+", "rate": "10G", "ports": 2, "price": 80, "power": 6},
        ],
        "cables": [
            {"name": "patch", "plug": "rj45", "rate": "2.5G", "price": 2},
            {"name": "dear patch", "plug": "rj45", "rate": "10G", "price": 5},
            {"name": "copper", "plug": "sfp+", "rate": "10G", "price": 12},
        ],
    }
)
PART = {part.name: part for part in (*SMALL.switches, *SMALL.nics, *SMALL.cables)}


def need(nodes: int, nics: tuple[int, int] = (1, 4), profile: str = "all-to-all", **given) -> Need:
    return Need(nodes, given.pop("spares", 0), traffic(profile, nodes), profile, nics, given.pop("slots", 3), **given)


def shop(switch: str, nics: int, slots: int = 3, nodes: int = 8, spares: int = 0) -> Shop:
    cards = cheapest_cards(SMALL, PART[switch], nics, slots)
    assert cards is not None
    return Shop(SMALL, PART[switch], cards, cheapest_cable(SMALL, PART[switch]), nodes, spares)


def run(*given: str) -> Result:
    return CliRunner(env={"COLUMNS": "80"}).invoke(cli, ["options", *given], catch_exceptions=False)


# Bills


@pytest.mark.parametrize(
    ("nics", "slots", "expected"),
    [
        (1, 3, {"on board": 1}),
        (2, 3, {"on board": 1, "single": 1}),
        (3, 3, {"on board": 1, "double": 1}),
        (4, 3, {"on board": 1, "single": 1, "double": 1}),
        (3, 1, {"on board": 1, "double": 1}),
        (4, 1, None),
        (1, 0, {"on board": 1}),
        (2, 0, None),
    ],
)
def test_nodes_get_the_cheapest_cards_that_fit(nics: int, slots: int, expected: dict[str, int] | None) -> None:
    cards = cheapest_cards(SMALL, PART["four"], nics, slots)
    assert (cards and {card.name: count for card, count in cards}) == expected


@given(data=st.data())
@settings(max_examples=60, deadline=None)
def test_no_other_set_of_cards_is_cheaper(data: st.DataObject) -> None:
    number = st.integers(0, 6)
    models = [
        {
            "name": f"card {index}",
            "plug": "rj45",
            "rate": "1G",
            "ports": data.draw(st.integers(1, 4)),
            "slots": data.draw(st.integers(0, 2)),
            "most": data.draw(st.integers(1, 3)),
            "price": data.draw(number),
            "power": data.draw(number),
        }
        for index in range(3)
    ]
    catalogue = Catalogue.model_validate(SMALL.model_dump(mode="json") | {"nics": models})
    nics, slots = data.draw(st.integers(1, 7)), data.draw(st.integers(0, 4))
    sets = [
        (sum(n * m["price"] for n, m in zip(counts, models, strict=True)))
        for counts in itertools.product(range(4), repeat=3)
        if all(n <= m["most"] for n, m in zip(counts, models, strict=True))
        and sum(n * m["ports"] for n, m in zip(counts, models, strict=True)) >= nics
        and sum(n * m["slots"] for n, m in zip(counts, models, strict=True)) <= slots
    ]
    cards = cheapest_cards(catalogue, PART["four"], nics, slots)
    assert (cards is None) == (not sets)
    if cards is not None:
        assert sum(count * card.price for card, count in cards) == min(sets)
        assert sum(count * card.ports for card, count in cards) >= nics
        assert sum(count * card.slots for card, count in cards) <= slots
        assert all(count <= card.most for card, count in cards)


def test_bill_counts_everything_and_nothing_twice() -> None:
    bill = shop("four", 3, nodes=8, spares=2).bill(switches=6, cables=24)
    assert [(line.count, line.part.name, line.purpose) for line in bill.lines] == [
        (6, "four", "neighborhoods"),
        (10, "double", "NICs"),
        (10, "on board", "NICs"),
        (3, "four", "uplink"),  # 6 neighborhoods, 2 spares and the head: nine ports of three in a chain
        (24 + 9, "patch", "cables"),
    ]
    assert bill.price == 6 * 10 + 10 * 15 + 0 + 3 * 10 + 33 * 2
    assert bill.power == 6 * 2 + 10 * 3 + 3 * 2


@pytest.mark.parametrize(
    ("outside", "count", "model"), [(3, 1, "four"), (5, 1, "four"), (6, 2, "four"), (8, 2, "four"), (9, 3, "four")]
)
def test_uplink_is_the_cheapest_switch_or_chain_that_is_wide_enough(outside: int, count: int, model: str) -> None:
    line = shop("four", 1).bill(outside - 1, 8).lines[-2]
    assert (line.purpose, line.count, line.part.name) == ("uplink", count, model)
    assert line.count * line.part.ports - 2 * (line.count - 1) >= outside


# Bounds


@pytest.mark.parametrize(
    ("nodes", "nics", "ports", "least"),
    [(6, 2, 4, 3), (8, 3, 4, 6), (13, 4, 4, 13), (21, 5, 5, 21), (74, 3, 32, 7), (156, 4, 48, 13), (5, 1, 5, 1)],
)
def test_known_cases_need_as_many_switches_as_they_have(nodes: int, nics: int, ports: int, least: int) -> None:
    assert fewest_switches(nodes, nics, ports, 99)[0] == least


@pytest.mark.parametrize(("nodes", "nics", "ports"), [(128, 6, 24), (256, 6, 48), (6, 1, 5), (5, 2, 1), (14, 4, 4)])
def test_what_cannot_be_has_no_number_of_switches(nodes: int, nics: int, ports: int) -> None:
    assert fewest_switches(nodes, nics, ports, 999) is None


@given(nodes=st.integers(3, 7), nics=st.integers(1, 3), ports=st.integers(2, 5), seed=st.integers(0, 99))
@settings(max_examples=15, deadline=None)
def test_no_design_has_fewer_switches_or_more_throughput_than_the_bounds(
    nodes: int, nics: int, ports: int, seed: int
) -> None:
    switches = int(np.random.default_rng(seed).integers(1, 8))
    request = Request(np.full(nodes, nics), np.full(switches, ports), traffic("ring", nodes), "ring")
    found = maker(seed, rounds=0)(request, False)
    if found is not None:
        bound = fewest_switches(nodes, nics, ports, 99)
        assert bound is not None
        assert bound[0] <= int(found.design.any(axis=0).sum())
        cables = min(nodes * nics, switches * ports)
        assert found.throughput <= most_throughput(request.weights.sum(axis=1), nics, cables) + 1e-9


def test_throughput_bound_counts_whole_cables() -> None:
    uneven = np.array([2.0, 1.0, 1.0, 0.0])
    # With 3 NICs the busiest node sends 1.5 times its demand, and takes 3 cables; the other two need 2 each.
    assert most_throughput(uneven, 3, 7) == 1.5
    assert most_throughput(uneven, 3, 6) == 1.0
    assert most_throughput(uneven, 3, 1) == 0.0
    assert most_throughput(np.zeros(4), 3, 1) == 3.0


# The front


@pytest.mark.parametrize(("nodes", "profile"), [(6, "all-to-all"), (8, "all-to-all"), (9, "ring"), (8, "torus3d")])
def test_front_is_that_of_all_options_one_by_one(nodes: int, profile: str) -> None:
    make = maker(rounds=0)
    wanted = need(nodes, profile=profile)
    every = []
    for switch, nics in itertools.product(SMALL.switches, range(1, 5)):
        cards = cheapest_cards(SMALL, switch, nics, 3)
        if cards is None:
            continue
        for count in range(nics, max(math.ceil(nodes * nics / (switch.ports - 1)), nics**2 - nics + 1) + 1):
            ports = np.full(count, switch.ports - 1)
            made = make(Request(np.full(nodes, nics), ports, wanted.weights, profile), False)
            if made is not None:
                bill = Shop(SMALL, switch, cards, cheapest_cable(SMALL, switch), nodes, 0).bill(
                    count, int(made.design.sum())
                )
                every.append((bill.price, -made.throughput * switch.rate))
    front, best = [], 0.0
    for price, slow in sorted(every):
        if -slow > best * 1.02:
            front.append((price, -slow))
            best = -slow
    found = offers(SMALL, wanted, make)
    assert [(option.bill.price, option.throughput) for option in found.front] == front
    assert len(front) >= 3


def test_every_option_is_a_network_in_which_all_pairs_share_a_switch() -> None:
    for option in offers(SMALL, need(8), maker(rounds=0)).front:
        ports, nics = np.full(option.switches, option.switch.ports - 1), np.full(8, option.nics)
        request = Request(nics, ports, traffic("all-to-all", 8), "all-to-all")
        assert request.fits(option.made.design)
        evaluation = evaluate(request, option.made.design)
        assert evaluation.uncovered == 0
        assert option.made.throughput >= evaluation.throughput - 1e-6  # an even split is one of the splits
        assert option.throughput == concurrent(request, option.made.design).t * option.switch.rate
        assert option.switches >= option.least


def test_reasons_say_what_is_proved() -> None:
    found = offers(load_catalogue(), need(8, (1, 4)), maker(rounds=0))
    chosen = {(option.switches, option.switch.ports, option.nics): option for option in found.front}
    octet = chosen[6, 5, 3]  # the paper's second example: six switches of four ports, and the uplink's
    assert (octet.reason, octet.least, octet.theorem) == ("least", 6, "Schönheim 1964")
    assert octet.made.throughput == pytest.approx(3)
    assert chosen[2, 16, 2].reason == "bandwidth"


def test_numbers_that_were_tried_in_vain_are_no_proof() -> None:
    wanted = need(8, (3, 3))
    make = maker(rounds=0)

    def blind(request: Request, thorough: bool):
        return None if request.switches < 7 else make(request, thorough)

    option = offers(SMALL, wanted, blind).front[0]
    assert (option.switch.name, option.switches, option.least, option.reason) == ("four", 7, 6, "fewest known")


def test_budget_cuts_the_front() -> None:
    whole = offers(SMALL, need(8), maker(rounds=0)).front
    middle = whole[2].bill.price
    cut = offers(SMALL, need(8, budget=middle), maker(rounds=0)).front
    assert [option.bill.price for option in cut] == [option.bill.price for option in whole[:3]]


def test_ctrl_c_leaves_the_front_of_what_is_cheaper() -> None:
    make = maker(rounds=0)
    whole, shorter = offers(SMALL, need(8), make), 0
    for calls in range(1, whole.probes):
        left = iter(range(calls))

        def interrupted(request: Request, thorough: bool, left=left):
            if next(left, None) is None:
                raise KeyboardInterrupt
            return make(request, thorough)

        try:
            part = offers(SMALL, need(8), interrupted)
        except KeyboardInterrupt:
            continue
        prices = [option.bill.price for option in whole.front if option.bill.price < part.until]
        assert [option.bill.price for option in part.front if option.bill.price < part.until] == prices
        shorter += len(part.front) < len(whole.front)
    assert shorter > 5


def test_ctrl_c_in_a_search_ends_all_of_them(monkeypatch: pytest.MonkeyPatch) -> None:
    # Without a construction; the search itself keeps its best, and says that it was interrupted.
    request = Request(np.full(8, 3), np.full(5, 6), traffic("all-to-all", 8), "all-to-all")
    found = SimpleNamespace(interrupted=True, best=SimpleNamespace(design=np.ones((8, 5), dtype=bool), engine="x"))
    monkeypatch.setattr("flathood.design.options.make.search", lambda *_: found)
    with pytest.raises(KeyboardInterrupt):
        maker(rounds=1)(request, True)


def test_searches_are_for_the_least_number_and_for_each_further_cable() -> None:
    asked: dict[tuple[int, int, int], bool] = {}
    make = maker(rounds=0)

    def recorded(request: Request, thorough: bool):
        asked[int(request.ports[0]), int(request.nics[0]), request.switches] = thorough
        return make(request, thorough)

    offers(SMALL, need(8, (3, 3)), recorded)
    assert asked[4, 3, 6]  # Schönheim's bound is 6 switches of four ports; they carry three links of each node at once
    assert not any(thorough for (ports, _, switches), thorough in asked.items() if ports == 4 and switches > 6)
    assert asked[7, 3, 3]


def test_ctrl_c_still_works_once_a_solver_has_run() -> None:
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    try:
        request = Request(np.full(24, 4), np.full(9, 15), traffic("all-to-all", 24), "all-to-all")
        assert list(constructions(request, np.random.default_rng(0)))
        caught = re.search(r"SigCgt:\s*([0-9a-f]+)", Path("/proc/self/status").read_text())
        assert int(caught[1], 16) >> (signal.SIGINT - 1) & 1, "a solver took Python's handler away"
    finally:
        signal.signal(signal.SIGINT, before)


def test_when_nothing_fits_it_says_what_would() -> None:
    with pytest.raises(NothingFits, match="'ten', needs at least 11 NICs in each: allow more --nics or --slots, or"):
        offers(SMALL, need(95), maker(rounds=0))
    with pytest.raises(NothingFits, match=r"found for 1\.00 EUR: allow more --nics, --slots or --budget"):
        offers(SMALL, need(8, budget=1), maker(rounds=0))


# The command


def test_table_and_bills_fit_on_80_columns() -> None:
    result = run("--nodes", "8", "--nics", "1-3", "--budget", "1000", "--bill", "2")
    lines = result.stdout.splitlines()
    assert max(len(line) for line in lines) <= 80
    assert any(line.split()[:8] == ["1", "1", "x", "1GbE", "16-port", "unmanaged", "=", "1"] for line in lines)
    assert "Bill of materials, option 2" in result.stdout
    assert "as few switches as can be: proved" in result.stdout


def test_json_has_the_bill_of_every_option() -> None:
    report = json.loads(run("--nodes", "8", "--nics", "1-3", "--budget", "1000", "--json").stdout)
    assert (report["nodes"], report["currency"], report["date"]) == (8, "USD", "2026-11-21")
    prices = [option["price"] for option in report["front"]]
    speeds = [option["throughput"]["gbps"] for option in report["front"]]
    assert prices == sorted(set(prices))
    assert speeds == sorted(set(speeds))
    for option in report["front"] + report["beaten"]:
        assert option["price"] == pytest.approx(sum(line["count"] * line["each"] for line in option["bill"]))


def test_the_same_seed_gives_the_same_bytes() -> None:
    given = ("--nodes", "7", "--nics", "1-3", "--budget", "700", "--json")
    assert run(*given).stdout == run(*given).stdout


def test_a_folder_gives_nodes_spares_and_profile(tmp_path: Path) -> None:
    text = (INVENTORIES / "hexa" / "cluster.yml").read_text()
    (tmp_path / "cluster.yml").write_text(text + "\nspares: {count: 1, nics: 2}\nprofile: ring\n")
    report = json.loads(run(str(tmp_path), "--nics", "1-2", "--budget", "300", "--json").stdout)
    assert (report["nodes"], report["spares"], report["profile"]) == (6, 1, "ring")
    cards = [line["count"] for line in report["front"][0]["bill"] if line["for"] == "NICs"]
    assert cards == [7]
    assert (
        json.loads(run(str(tmp_path), "--profile", "torus2d", "--budget", "100", "--json").stdout)["profile"]
        == "torus2d"
    )


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ((), "give DIR, the folder of a cluster.yml, or --nodes N"),
        (("--nodes", "8", str(INVENTORIES / "hexa")), "give DIR, the folder of a cluster.yml, or --nodes N"),
        (("--nodes", "8", "--nics", "3-2"), "'3-2' is no span: write two numbers such as 1-16"),
        (("--nodes", "8", "--nics", "two"), "'two' is no span"),
        (("--nodes", "8", "--budget", "200", "--bill", "9"), "there is no option 9: the last is 1"),
    ],
)
def test_wrong_options_are_told(given: tuple[str, ...], message: str) -> None:
    result = run(*given)
    assert result.exit_code == 2
    assert message in result.stderr


def test_an_option_becomes_a_cluster_that_can_be_designed(tmp_path: Path) -> None:
    text = (INVENTORIES / "hexa" / "cluster.yml").read_text()
    (tmp_path / "hexa").mkdir()
    (tmp_path / "hexa" / "cluster.yml").write_text(text.replace("ports: 5}", "ports: 6}") + "\nspares: {count: 2}\n")
    target = tmp_path / "cluster.yml"
    given = ("--nics", "1-3", "--budget", "400", "--profile", "ring", "--save", "2", str(target))
    report = json.loads(run(str(tmp_path / "hexa"), *given, "--json").stdout)
    chosen, cluster = report["front"][1], load_cluster(target)
    assert (cluster.cluster, cluster.node_names, cluster.spare_names) == ("hexa", tuple("abcdef"), ("n00", "n01"))
    assert set(cluster.nic_counts.values()) == {chosen["nics"]}
    assert len(cluster.switches) == chosen["switches"]
    assert (cluster.profile, cluster.links.rate) == ("ring", 10**9)
    assert cluster.uplink.ports >= chosen["switches"] + 2 + 1
    assert design_folder(tmp_path, Options()).evaluation.uncovered == 0
    before = target.read_bytes()
    again = run("--nodes", "8", "--save", "1", str(target))
    assert (again.exit_code, target.read_bytes()) == (2, before)
    assert "is there already" in again.stderr


def test_a_cluster_of_many_switches_has_as_many_colours() -> None:
    option = next(o for o in offers(SMALL, need(8), maker(rounds=0)).front if o.nics == 3)
    many = dataclasses.replace(option, switches=1024)
    text = cluster_text(many, "wide", [f"n{i:02d}" for i in range(8)], [], "all-to-all")
    assert len(set(re.findall("#[0-9a-f]{6}", text))) == 1024
    assert "nodes: {count: 8, nics: 3}" in text


# The picture


@pytest.mark.parametrize("ending", ["png", "svg", "pdf"])
def test_picture_is_drawn_the_same_every_time(ending: str, tmp_path: Path) -> None:
    wanted = need(8, (1, 2))
    found = offers(SMALL, wanted, maker(rounds=0))
    first, second = tmp_path / f"one.{ending}", tmp_path / f"two.{ending}"
    for path in (first, second):
        plot(found, wanted, "EUR, 2026-01-02", path)
    assert first.read_bytes() == second.read_bytes()
    assert first.stat().st_size > 5000


def test_what_costs_nothing_can_be_drawn(tmp_path: Path, recwarn: pytest.WarningsRecorder) -> None:
    parts = SMALL.model_dump(mode="json")
    for part in (*parts["switches"], *parts["nics"], *parts["cables"]):
        part["price"] = 0
    wanted = need(6, (1, 2))
    plot(offers(Catalogue.model_validate(parts), wanted, maker(rounds=0)), wanted, "EUR", tmp_path / "free.svg")
    assert not recwarn.list


def test_command_draws_and_refuses_what_it_cannot_before_the_search(tmp_path: Path) -> None:
    given = ["options", "--nodes", "8", "--nics", "1-1", "--budget", "200", "--plot"]
    assert "a.svg: written" in CliRunner().invoke(cli, [*given, str(tmp_path / "a.svg")]).stdout
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("flathood.cli.offers.offers", None)
        result = CliRunner().invoke(cli, [*given, str(tmp_path / "a.bmp")])
        assert "ends in one of .png, .svg, .pdf" in str(result.exception)
        result = CliRunner().invoke(cli, [*given, str(tmp_path / "none" / "a.png")])
        assert "there is no folder" in str(result.exception)
    assert [path.name for path in tmp_path.iterdir()] == ["a.svg"]
