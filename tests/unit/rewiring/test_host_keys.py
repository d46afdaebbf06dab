# SPDX-License-Identifier: Apache-2.0
"""Host keys change places with their machines in known_hosts, as ssh-keygen reads and hashes it."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

from flathood.bench import synthetic
from flathood.errors import FlathoodError
from flathood.inventory import load
from flathood.registry import save_registry
from flathood.rewiring.exchange import Replacing, exchange_keys, replacing
from flathood.rewiring.host_keys import Pair, change_over, files, known
from flathood.spec import load_cluster

NODE, SPARE = ("10.78.0.18", "k17", "k17-out"), ("10.78.0.65", "k64", "k64-out")


@pytest.fixture(scope="module")
def keys(tmp_path_factory: pytest.TempPathFactory) -> dict[str, str]:
    """Public keys as ssh-keygen makes them: two of the node's machine, one of the spare's, one of an authority."""
    folder = tmp_path_factory.mktemp("keys")
    kinds = {"node": "ed25519", "second": "ecdsa", "spare": "ed25519", "authority": "ed25519"}
    for name, kind in kinds.items():
        subprocess.run(["ssh-keygen", "-q", "-t", kind, "-N", "", "-f", folder / name], check=True)
    return {name: " ".join((folder / f"{name}.pub").read_text().split()[:2]) for name in kinds}


def looked_up(path: Path, name: str) -> list[str]:
    """The keys that ssh-keygen finds for a name."""
    done = subprocess.run(["ssh-keygen", "-F", name, "-f", path], capture_output=True, text=True, check=False)
    return sorted(" ".join(line.split()[1:3]) for line in done.stdout.splitlines() if not line.startswith("#"))


def written(path: Path, text: str, *, hashed: bool) -> Path:
    path.write_text(text)
    path.chmod(0o600)
    if hashed:
        subprocess.run(["ssh-keygen", "-q", "-H", "-f", path], check=True, capture_output=True)
        assert "10.78" not in path.read_text()
    return path


def pair(path: Path) -> Pair:
    return known([path], NODE), known([path], SPARE)


@pytest.mark.parametrize("hashed", [False, True])
def test_the_keys_of_two_machines_change_places_and_back(tmp_path: Path, keys: dict[str, str], hashed: bool) -> None:
    text = (
        f"# mine\n10.78.0.1 {keys['authority']} words\n"
        f"10.78.0.18,k17,gate {keys['node']} of k17\n10.78.0.18 {keys['second']}\n"
        f"10.78.0.65 {keys['spare']}\nk64 {keys['spare']}\n"
    )
    path = written(tmp_path / "known_hosts", text, hashed=hashed)
    before = pair(path)
    assert [len(one) for one in before] == [2, 1]
    assert change_over([path], (NODE, SPARE), before) == (path,)
    for name in ("10.78.0.18", "k17"):
        assert looked_up(path, name) == [keys["spare"]]
    for name in ("10.78.0.65", "k64"):
        assert looked_up(path, name) == sorted([keys["node"], keys["second"]])
    # Another name that the same machine had is none of the cluster's.
    assert looked_up(path, "gate") == [keys["node"]]
    assert looked_up(path, "10.78.0.1") == [keys["authority"]]
    assert path.stat().st_mode & 0o777 == 0o600
    # Once is enough, and the way back is the same once more.
    after = path.read_bytes()
    assert change_over([path], (NODE, SPARE), before) == ()
    assert path.read_bytes() == after
    assert change_over([path], (NODE, SPARE), pair(path)) == (path,)
    assert pair(path) == before


def test_what_is_the_same_unknown_signed_or_a_pattern_stays(tmp_path: Path, keys: dict[str, str]) -> None:
    signed = f"@cert-authority 10.78.0.18,10.78.0.65 {keys['authority']}\n@revoked * {keys['second']}\n"
    for text in (
        f"10.78.0.18 {keys['node']}\n10.78.0.65 {keys['node']}\n",
        f"10.78.0.18 {keys['node']}\n10.78.0.1 {keys['authority']}\n",
        f"10.78.0.* {keys['node']}\n10.78.0.65 {keys['spare']}\n",
        f"* {keys['node']}\n",
        signed,
        "",
    ):
        path = written(tmp_path / "known_hosts", text, hashed=False)
        assert change_over([path], (NODE, SPARE), pair(path)) == ()
        assert path.read_text() == text
    path = written(
        tmp_path / "known_hosts",
        f"{signed}10.78.0.18 {keys['node']}\n10.78.0.65 {keys['spare']}\n|1|bad {keys['node']}\n",
        hashed=False,
    )
    assert change_over([path], (NODE, SPARE), pair(path)) == (path,)
    text = path.read_text()
    assert text.startswith(signed)
    assert text.endswith(f"10.78.0.18 {keys['spare']}\n10.78.0.65 {keys['node']}\n|1|bad {keys['node']}\n")


def test_a_name_with_the_right_key_already_does_not_get_it_twice(tmp_path: Path, keys: dict[str, str]) -> None:
    """As after somebody accepted the new key by hand, beside the old one."""
    text = f"k17 {keys['node']}\nk17 {keys['spare']}\nk64 {keys['spare']}\n"
    path = written(tmp_path / "known_hosts", text, hashed=False)
    told: Pair = tuple(frozenset({(kind, key)}) for kind, key in (keys[n].split() for n in ("node", "spare")))  # type: ignore[assignment]
    assert change_over([path], (NODE, SPARE), told) == (path,)
    assert path.read_text() == f"k17 {keys['spare']}\nk64 {keys['node']}\n"


def test_the_files_are_those_that_ssh_is_told_of(tmp_path: Path) -> None:
    one, other = tmp_path / "one", tmp_path / "other"
    one.touch()
    other.touch()
    ssh = [
        "ssh",
        "-F",
        "none",
        "-o",
        f"UserKnownHostsFile={one} {tmp_path}/none",
        "-o",
        f"GlobalKnownHostsFile={other}",
    ]
    assert files(ssh, "10.78.0.18") == (one, other)
    with pytest.raises(FlathoodError, match="does not tell where it looks up host keys"):
        files(["ssh", "-o", "Nonsense=1"], "10.78.0.18")


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "cluster.yml").write_text(
        "cluster: tiny\nnodes: {names: [a, b], nics: 1}\nspares: {names: [x, y], nics: 1}\n"
        'switches: [{name: red, colour: "#c62828", ports: 4}]\nuplink: {name: white, ports: 8}\n'
    )
    (tmp_path / "wiring.yml").write_text("cluster: tiny\nnodes: {a: [red], b: [red]}\n")
    save_registry(tmp_path / "macs.yml", synthetic.registry(load_cluster(tmp_path / "cluster.yml")))
    return tmp_path


def wanted(folder: Path, spare: str | None = "x", *, back: bool = False) -> Replacing:
    found = replacing(folder, "b", spare, back)
    assert found is not None
    return found


def test_the_journal_has_the_keys_so_that_a_kill_loses_none(folder: Path, keys: dict[str, str]) -> None:
    # b is the second machine, x the third one.
    text = f"10.78.0.2 {keys['node']}\n10.78.0.3 {keys['spare']}\n10.78.0.4 {keys['second']}\n"
    path = written(folder / "known_hosts", text, hashed=True)
    before = path.read_bytes()
    made = wanted(folder).make()
    assert (made.living.alias, made.other.alias) == ("10.78.0.3", "10.78.0.2")
    assert exchange_keys(load(folder, need_macs=True), [path]) == ()
    made.end([path])  # and killed
    assert path.read_bytes() == before
    assert exchange_keys(load(folder, need_macs=True), [path]) == (path,)
    assert exchange_keys(load(folder, need_macs=True), [path]) == ()
    assert looked_up(path, "10.78.0.2") == [keys["spare"]]
    back = wanted(folder, back=True).make()
    # Each by the address that it had before the way back.
    assert (back.living.alias, back.other.alias) == ("10.78.0.2", "10.78.0.3")
    back.end([path])
    assert exchange_keys(load(folder, need_macs=True), [path]) == (path,)
    assert path.read_bytes() == before


def test_one_that_is_taken_back_before_its_end_leaves_them_alone(folder: Path, keys: dict[str, str]) -> None:
    path = written(folder / "known_hosts", f"10.78.0.2 {keys['node']}\n10.78.0.3 {keys['spare']}\n", hashed=False)
    before = path.read_bytes()
    wanted(folder).make()
    back = wanted(folder, None, back=True)
    assert (back.living.now, back.living.alias, back.other.alias) == ("b", "10.78.0.3", "10.78.0.2")
    assert wanted(folder, None, back=True).make().living.alias == "10.78.0.3"
    # And forth again.
    again = wanted(folder).make()
    assert (again.living.now, again.living.alias) == ("x", "10.78.0.3")
    wanted(folder, None, back=True).make().end([path])
    assert exchange_keys(load(folder, need_macs=True), [path]) == ()
    assert path.read_bytes() == before
