# SPDX-License-Identifier: Apache-2.0
"""What is saved is loaded again as it was, and no bytes at all make a loader do anything but say what is wrong."""

from __future__ import annotations

import tempfile
from contextlib import suppress
from datetime import UTC, datetime, timedelta, timezone
from pathlib import Path

from hypothesis import example, given, settings
from hypothesis import strategies as st

from flathood.document import read
from flathood.errors import InvalidInput
from flathood.registry import Nic, Registry, State, load_registry, save_registry
from flathood.registry.lists import read_list
from flathood.spec import Cluster, load_cluster
from flathood.spec.fields import LABEL
from flathood.wiring import Wiring, load_wiring, save_wiring

NAMES = st.from_regex(LABEL, fullmatch=True) | st.sampled_from(["no", "on", "y", "null", "1e3", "010", "7", "1-2"])
TEXTS = st.text(st.characters(codec="utf-8"))
PLAIN = st.recursive(
    st.none()
    | st.booleans()
    | st.integers(-(10**20), 10**20)
    | st.floats(allow_nan=False, allow_infinity=False)
    | TEXTS,
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(TEXTS, inner, max_size=4),
    max_leaves=12,
)
ZONES = st.integers(-14 * 60, 14 * 60).map(lambda minutes: timezone(timedelta(minutes=minutes)))


@st.composite
def clusters(draw) -> Cluster:
    """A small cluster with odd but lawful names, and switches that have room for everybody."""
    names = draw(st.lists(NAMES, min_size=3, max_size=9, unique=True))
    count = draw(st.integers(1, len(names) - 2))
    nodes, switches = names[:count], names[count:-1]
    nics = draw(st.integers(1, len(switches)))
    return Cluster.model_validate(
        {
            "cluster": names[-1],
            "nodes": {"names": nodes, "nics": nics},
            "switches": [
                {"name": name, "colour": f"#{number:06x}", "ports": len(nodes)} for number, name in enumerate(switches)
            ],
        }
    )


@given(clusters(), st.data(), st.dictionaries(TEXTS.filter(lambda key: key != "mode"), PLAIN, max_size=4))
def test_a_wiring_survives_saving(cluster, data, design):
    slots = st.permutations(cluster.switch_names[1:]).map(
        lambda rest: (cluster.switch_names[0], *rest)[: cluster.nodes[0].nics]
    )
    nodes = {name: data.draw(slots) for name in cluster.node_names}
    wiring = Wiring(cluster=cluster.cluster, nodes=nodes, design=design)
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "wiring.yml"
        assert save_wiring(path, wiring)
        assert not save_wiring(path, wiring)
        assert load_wiring(path, cluster) == wiring


@given(clusters(), st.data())
def test_a_registry_survives_saving(cluster, data):
    moments = st.datetimes(datetime(1990, 1, 1), datetime(2100, 1, 1), timezones=ZONES | st.just(UTC))
    numbers = iter(range(1 << 30))

    def nic(state: State, seen: datetime | None) -> Nic:
        return Nic(mac=f"02:00:{next(numbers):08x}".replace(":", ""), state=state, seen=seen)

    nics = st.none() | st.builds(nic, st.sampled_from(State), st.none() | moments)
    machines = data.draw(st.lists(st.sampled_from(cluster.node_names), unique=True))
    nodes = {name: data.draw(st.lists(nics, max_size=cluster.nic_counts[name]).map(tuple)) for name in machines}
    registry = Registry(cluster=cluster.cluster, nodes=nodes)
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "macs.yml"
        assert save_registry(path, registry)
        assert load_registry(path, cluster) == registry


HEXA = Path(__file__).parents[2] / "inventories" / "hexa" / "cluster.yml"
VALID = HEXA.read_bytes()


@st.composite
def damaged(draw) -> bytes:
    """A good file with a piece cut out, doubled or replaced by noise."""
    start = draw(st.integers(0, len(VALID)))
    end = draw(st.integers(start, min(len(VALID), start + 60)))
    noise = draw(st.binary(max_size=12) | st.sampled_from([b"", b"{", b"- ", b": ", b"*a", b"&a ", b"!!set ", b"null"]))
    return VALID[:start] + draw(st.sampled_from([b"", VALID[start:end] * 2])) + noise + VALID[end:]


@settings(max_examples=300)
@given(st.binary(max_size=200) | st.text(max_size=200).map(lambda text: text.encode("utf-8", "replace")) | damaged())
@example(b"\x00")
@example(b"a: !!binary x")
@example(b"? {a: b}\n: c")
@example(b"{a: 1, ? , : }")
@example(b"%YAML 9.9\n--- {}")
@example(b"nodes: {count: 99999999999999999999999999999999999999999999}")
def test_any_bytes_are_loaded_or_refused(raw):
    cluster = load_cluster(HEXA)
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "file.yml"
        path.write_bytes(raw)
        for load in (read, load_cluster, lambda p: load_wiring(p, cluster), lambda p: load_registry(p, cluster)):
            with suppress(InvalidInput):
                load(path)
        for name in ("list.csv", "list.yml", "-"):
            read_list(name, raw)
