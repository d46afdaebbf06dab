# SPDX-License-Identifier: Apache-2.0
"""A file is written whole or not at all, and only when bytes differ."""

from __future__ import annotations

import os
import stat
from pathlib import Path

import pytest
import yaml

from flathood.errors import Conflict
from flathood.parsing import core_scalar
from flathood.writing import header, locked, save, scalar


def test_save_writes_once_and_keeps_mode(tmp_path):
    path = tmp_path / "wiring.yml"
    assert save(path, "one\n")
    path.chmod(0o640)
    assert save(path, "two\n")
    before = path.stat()
    assert not save(path, "two\n")
    assert path.stat() == before
    assert stat.S_IMODE(before.st_mode) == 0o640
    assert [each.name for each in tmp_path.iterdir()] == ["wiring.yml"]


def test_a_new_file_has_the_mode_of_the_umask(tmp_path):
    old = os.umask(0o027)
    try:
        save(tmp_path / "new", "x")
    finally:
        os.umask(old)
    assert stat.S_IMODE((tmp_path / "new").stat().st_mode) == 0o640


def test_an_interrupted_save_leaves_the_old_file_and_nothing_else(tmp_path, monkeypatch):
    path = tmp_path / "macs.yml"
    path.write_text("old")

    def interrupted(self: Path, target: Path) -> Path:
        raise KeyboardInterrupt

    monkeypatch.setattr(Path, "replace", interrupted)
    with pytest.raises(KeyboardInterrupt):
        save(path, "new")
    assert path.read_text() == "old"
    assert [each.name for each in tmp_path.iterdir()] == ["macs.yml"]


def test_a_link_stays_a_link(tmp_path):
    (tmp_path / "real").write_text("old")
    (tmp_path / "link").symlink_to("real")
    save(tmp_path / "link", "new")
    assert (tmp_path / "link").is_symlink()
    assert (tmp_path / "real").read_text() == "new"


def test_header_is_the_leading_comment(tmp_path):
    path = tmp_path / "x"
    assert header(path) == ""
    path.write_text("# yaml-language-server: $schema=x\n# SPDX\ncluster: a\n# not this\n")
    assert header(path) == "# yaml-language-server: $schema=x\n# SPDX\n"


def test_the_second_writer_is_told_and_the_lock_ends_with_the_block(tmp_path):
    path = tmp_path / "macs.yml"
    with locked(path), pytest.raises(Conflict, match="another flathood command"), locked(path):
        pass
    with locked(path):
        pass


@pytest.mark.parametrize("text", ["no", "1e3", "on", "010", "52:54:00:12:34:56", "~", "a: b", "#x", "", "-", "y", "é"])
def test_text_is_text_for_readers_of_yaml_1_1_and_1_2(text):
    written = scalar(text)
    assert yaml.safe_load(written) == text
    assert written.startswith('"') or core_scalar(written) == text
