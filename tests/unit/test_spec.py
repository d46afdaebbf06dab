# SPDX-License-Identifier: Apache-2.0
"""cluster.yml: defaults that grow, short forms, numbers."""

from __future__ import annotations

from ipaddress import IPv4Network

import pytest
import yaml
from pydantic import TypeAdapter

from flathood.errors import InvalidInput
from flathood.spec import load_cluster
from flathood.spec.fields import Rate

HEAD = "cluster: x\nswitches: [{name: red, colour: '#c62828', ports: 2000}]\n"


def _load(tmp_path, text):
    path = tmp_path / "cluster.yml"
    path.write_text(HEAD + text)
    return load_cluster(path)


@pytest.mark.parametrize(
    ("nodes", "spares", "outside"),
    [(1, 1, "10.78.0.0/24"), (251, 1, "10.78.0.0/24"), (252, 1, "10.78.0.0/23"), (1024, 2, "10.78.0.0/21")],
)
def test_the_outside_range_grows_with_the_cluster(tmp_path, nodes, spares, outside):
    cluster = _load(tmp_path, f"nodes: {{count: {nodes}, nics: 1}}\nspares: {{count: {spares}, name: 's{{}}'}}\n")
    assert cluster.addresses.outside == IPv4Network(outside)


def test_an_outside_range_that_is_given_is_kept(tmp_path):
    cluster = _load(tmp_path, "nodes: {count: 2, nics: 1}\naddresses: {outside: 192.168.7.0/25}\n")
    assert cluster.addresses.outside == IPv4Network("192.168.7.0/25")


def test_one_group_or_a_list_of_groups(tmp_path):
    cluster = _load(tmp_path, "nodes: [{count: 2, nics: 1}, {names: ['no', '7'], nics: 1}]\nspares: {names: [on]}\n")
    assert cluster.node_names == ("n00", "n01", "no", "7")
    assert cluster.spare_names == ("on",)
    assert cluster.nic_counts == {"n00": 1, "n01": 1, "no": 1, "7": 1, "on": 2}


@pytest.mark.parametrize(
    "profile",
    [
        "ring",
        "{file: cfd.csv}",
        "[{profile: torus3d, weight: 3}, {profile: {file: cfd.csv}, weight: 0.5}]",
    ],
)
def test_a_profile_stays_plain_data(tmp_path, profile):
    cluster = _load(tmp_path, f"nodes: {{count: 2, nics: 1}}\nprofile: {profile}\n")
    assert cluster.profile == yaml.safe_load(profile)


@pytest.mark.parametrize(
    ("text", "bits"), [("100M", 10**8), ("2.5G", 2_500_000_000), ("25 Gbit/s", 25 * 10**9), ("1Tbps", 10**12)]
)
def test_rates(text, bits):
    assert TypeAdapter(Rate).validate_python(text) == bits


@pytest.mark.parametrize(("switches", "prefix"), [(1, 24), (2, 23), (4, 22), (5, 21)])
def test_ranges_that_just_fit_are_fine(tmp_path, switches, prefix):
    path = tmp_path / "cluster.yml"
    lines = "".join(f"  - {{name: s{i}, colour: '#{i:06x}', ports: 2}}\n" for i in range(switches))
    ranges = f"{{neighborhoods: 10.80.0.0/{prefix}, nodes: 10.79.0.0/30, outside: 10.78.0.0/29}}"
    path.write_text(f"cluster: x\nnodes: {{count: 2, nics: 1}}\nswitches:\n{lines}addresses: {ranges}\n")
    assert load_cluster(path).addresses.neighborhoods.prefixlen == prefix
    path.write_text(path.read_text().replace(f"10.80.0.0/{prefix}", f"10.80.0.0/{prefix + 1}"))
    with pytest.raises(InvalidInput, match=f"/{prefix} or larger is needed"):
        load_cluster(path)
