# SPDX-License-Identifier: Apache-2.0
"""A role's files on a machine, over a scratch root directory."""

import os
from pathlib import Path

import pytest
from ansible_collections.flathood.cluster.plugins.module_utils.machine import diffs, files
from ansible_collections.flathood.cluster.plugins.module_utils.machine.files import Change, Wanted
from ansible_collections.flathood.cluster.plugins.module_utils.machine.role import Outcome

HOSTS = "/etc/hosts"
DROP_IN = "/etc/systemd/network/50-fnn0.network.d/arp.conf"
OWNS = ["/etc/systemd/network/50-fnn*.network.d/arp.conf"]


@pytest.fixture
def root(tmp_path: Path) -> Path:
    (tmp_path / "etc").mkdir()
    (tmp_path / "etc/hosts").write_text("127.0.0.1 localhost\n")
    (tmp_path / "etc/hosts").chmod(0o644)
    return tmp_path


def settle(root: Path, wanted: list[Wanted], owns: list[str]) -> list[Change]:
    found = files.changes(root, wanted, owns)
    for change in found:
        files.apply(root, change)
    return found


def test_files_are_written_once_with_their_mode_and_folders(root: Path) -> None:
    wanted = [Wanted(HOSTS, 0o644, b"new\n"), Wanted(DROP_IN, 0o640, b"[Link]\n")]
    assert [change.path for change in settle(root, wanted, OWNS)] == [HOSTS, DROP_IN]
    assert files.on(root, HOSTS).read_bytes() == b"new\n"
    assert files.on(root, DROP_IN).stat().st_mode & 0o777 == 0o640
    assert settle(root, wanted, OWNS) == []


def test_what_is_owned_and_not_wanted_goes_and_nothing_else_does(root: Path) -> None:
    stale = files.on(root, "/etc/systemd/network/50-fnn7.network.d/arp.conf")
    other = files.on(root, "/etc/systemd/network/50-fnn7.network.d/routes.conf")
    stale.parent.mkdir(parents=True)
    stale.write_text("old\n")
    other.write_text("another role's\n")
    settle(root, [Wanted(DROP_IN, 0o644, b"x\n")], OWNS)
    assert not stale.exists()
    assert other.exists()


def test_a_mode_alone_is_a_change(root: Path) -> None:
    (root / "etc/hosts").chmod(0o600)
    [change] = settle(root, [Wanted(HOSTS, 0o644, b"127.0.0.1 localhost\n")], [])
    assert (change.mode_before, change.mode_after) == (0o600, 0o644)
    assert diffs.of(Outcome([change], {}), 0)[0]["before"] == "mode 0600\n"


def test_a_symbolic_link_is_replaced_by_the_file_and_its_target_left_alone(root: Path) -> None:
    target = root / "elsewhere"
    target.write_text("new\n")
    (root / "etc/hosts").unlink()
    (root / "etc/hosts").symlink_to(target)
    wanted = [Wanted(HOSTS, 0o644, b"new\n")]
    assert len(settle(root, wanted, [])) == 1
    assert not (root / "etc/hosts").is_symlink()
    assert target.read_text() == "new\n"
    assert settle(root, wanted, []) == []
    (root / "etc/hosts").unlink()
    (root / "etc/hosts").symlink_to("nowhere")
    assert len(settle(root, wanted, [])) == 1
    assert (root / "etc/hosts").read_text() == "new\n"


def test_a_write_that_fails_leaves_the_old_file_and_no_rubbish(root: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def full(_descriptor: int) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, "fsync", full)
    with pytest.raises(OSError, match="No space"):
        settle(root, [Wanted(HOSTS, 0o644, b"new\n")], [])
    assert (root / "etc/hosts").read_text() == "127.0.0.1 localhost\n"
    assert [path.name for path in (root / "etc").iterdir()] == ["hosts"]


def test_the_original_is_kept_once(root: Path) -> None:
    assert files.keep_original(root, HOSTS, ".before") == "/etc/hosts.before"
    settle(root, [Wanted(HOSTS, 0o644, b"ours\n")], [])
    assert files.keep_original(root, HOSTS, ".before") is None
    assert (root / "etc/hosts.before").read_text() == "127.0.0.1 localhost\n"
    assert files.keep_original(root, "/etc/nothing", ".before") is None


def test_undo_puts_back_what_was_there_and_removes_what_was_not(root: Path) -> None:
    done = settle(root, [Wanted(HOSTS, 0o600, b"ours\n"), Wanted(DROP_IN, 0o644, b"x\n")], OWNS)
    files.undo(root, done)
    assert (root / "etc/hosts").read_text() == "127.0.0.1 localhost\n"
    assert (root / "etc/hosts").stat().st_mode & 0o777 == 0o644
    assert not files.on(root, DROP_IN).exists()


def test_signatures_tell_bytes_modes_and_links_apart(root: Path) -> None:
    before = files.signatures(root, [HOSTS])
    assert before == {HOSTS: files.signature(b"127.0.0.1 localhost\n", 0o644)}
    (root / "etc/hosts").chmod(0o600)
    assert files.signatures(root, [HOSTS]) != before
    (root / "etc/hosts").unlink()
    (root / "etc/hosts").symlink_to("nowhere")
    assert files.signatures(root, [HOSTS]) == {HOSTS: "no plain file"}


def test_a_long_difference_is_cut_and_says_by_how_much() -> None:
    change = Change(HOSTS, None, "".join(f"{k}\n" for k in range(100)).encode(), None, 0o644)
    [cut] = diffs.of(Outcome([change], {}), 10)
    assert cut["prepared"].splitlines()[-1] == "… and 91 more lines of /etc/hosts"
    assert len(cut["prepared"].splitlines()) == 13
    [whole] = diffs.of(Outcome([change], {}), 0)
    assert whole["after"].count("\n") == 100


def test_live_differences_are_told_where_no_file_explains_them() -> None:
    drift = {"neighbors": (["a"], ["a", "b"])}
    [told] = diffs.of(Outcome([], drift), 0)
    assert (told["before"], told["after"]) == ("a\n", "a\nb\n")
    change = Change(HOSTS, b"", b"x\n", 0o644, 0o644)
    assert [one["after_header"] for one in diffs.of(Outcome([change], drift), 0)] == [HOSTS]
