# SPDX-License-Identifier: Apache-2.0
"""Every file says its licence as REUSE asks: plugins/ run inside Ansible and are GPL, all else is Apache-2.0."""

from __future__ import annotations

import re
import subprocess
import tomllib
from pathlib import Path, PurePosixPath

import pytest

ROOT = Path(__file__).parents[2]
# The tag is put together here, so that this line is not taken for one.
TAG = re.compile("SPDX-License" + r"-Identifier: *([A-Za-z0-9.+-]+)")


def files() -> list[str]:
    """Tracked files and those about to be; a link has no text of its own, LICENSES/ has the licences' texts."""
    listing = subprocess.run(
        ["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard"],
        cwd=ROOT,
        check=True,
        capture_output=True,
    ).stdout.decode()
    names = (name for name in listing.split("\0") if name and not name.startswith("LICENSES/"))
    return [name for name in names if (ROOT / name).is_file() and not (ROOT / name).is_symlink()]


def pattern(glob: str) -> re.Pattern[str]:
    """A path pattern of REUSE.toml: `*` stops at a slash, `**` does not."""
    parts = re.split(r"(\*\*|\*)", glob)
    return re.compile("".join({"**": ".*", "*": "[^/]*"}.get(part, re.escape(part)) for part in parts))


def spoken_for() -> list[re.Pattern[str]]:
    """The files for which REUSE.toml says the licence."""
    notes = tomllib.loads((ROOT / "REUSE.toml").read_text())["annotations"]
    return [pattern(glob) for note in notes if "SPDX-License-Identifier" in note for glob in note["path"]]


def licence_of(name: str, others: list[re.Pattern[str]]) -> str | None:
    head = (ROOT / name).read_bytes()[:1000].decode(errors="replace")
    if found := TAG.search(head):
        return found[1]
    return "Apache-2.0" if any(glob.fullmatch(name) for glob in others) else None


@pytest.fixture(scope="module")
def licences() -> dict[str, str | None]:
    others = spoken_for()
    return {name: licence_of(name, others) for name in files()}


def test_every_file_says_its_licence(licences: dict[str, str | None]) -> None:
    assert [name for name, licence in licences.items() if licence is None] == []


def test_the_licence_goes_by_the_folder(licences: dict[str, str | None]) -> None:
    wrong = {
        name: licence
        for name, licence in licences.items()
        if licence and licence != ("GPL-3.0-or-later" if PurePosixPath(name).parts[0] == "plugins" else "Apache-2.0")
    }
    assert wrong == {}


def test_the_texts_of_both_licences_are_there() -> None:
    assert {path.stem for path in (ROOT / "LICENSES").iterdir()} == {"Apache-2.0", "GPL-3.0-or-later"}
