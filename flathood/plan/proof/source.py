# SPDX-License-Identifier: Apache-2.0
"""Where the bytes come from: compiled in memory, or a bundle on disk."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Protocol

from pydantic import TypeAdapter

from flathood.errors import FlathoodError
from flathood.plan.bundle import MANIFEST, machine_files
from flathood.plan.model import Plan
from flathood.plan.views import Options, kind_of, render_files
from flathood.spec.model import Routing

#: Folder of the files that name NICs and give addresses.
NETWORK = "/etc/systemd/network/"


class Source(Protocol):
    """The files of machines: absolute path on the machine → bytes."""

    def small(self, host: str) -> Mapping[str, bytes]:
        """The files right in NETWORK: those that name NICs and give addresses; more does no harm."""

    def files(self, host: str) -> Mapping[str, bytes]:
        """All files of a machine; empty when there is none."""


class Compiled:
    """What the compiler makes of a plan, one machine at a time."""

    def __init__(self, plan: Plan, options: Options) -> None:
        self._plan = plan
        self._options = options

    def small(self, host: str) -> Mapping[str, bytes]:
        """See `Source`."""
        role = "head" if kind_of(self._plan, host) == "head" else "links"
        return {file.path: file.content.encode() for file in render_files(self._plan, host, role, self._options)}

    def files(self, host: str) -> Mapping[str, bytes]:
        """See `Source`."""
        return {file.path: file.content.encode() for file in machine_files(self._plan, host, self._options)}


class OnDisk:
    """A bundle as `flathood compile` wrote it, or as somebody changed it since."""

    def __init__(self, root: Path) -> None:
        self._root = root
        try:
            manifest = json.loads((root / MANIFEST).read_text(encoding="utf-8"))
            saved = dict(manifest["options"])
            self.options = Options(**{**saved, "hosts_extra": tuple(saved["hosts_extra"])})
            self.cluster = str(manifest["cluster"])
            self.routing: Routing = TypeAdapter(Routing).validate_python(manifest["routing"])
        except (OSError, ValueError, KeyError, TypeError) as error:
            raise FlathoodError(
                f"{root}: is no bundle ({MANIFEST}: {error}): make one with `flathood compile`"
            ) from error

    def hosts(self) -> tuple[str, ...]:
        """The machines that the bundle has a folder for."""
        return tuple(sorted(path.name for path in self._root.iterdir() if path.is_dir()))

    def small(self, host: str) -> Mapping[str, bytes]:
        """See `Source`."""
        return self._read(host, (self._root / host / NETWORK.strip("/")).glob("*"))

    def files(self, host: str) -> Mapping[str, bytes]:
        """See `Source`."""
        return self._read(host, (self._root / host).rglob("*"))

    def _read(self, host: str, paths: Iterable[Path]) -> Mapping[str, bytes]:
        top = len(str(self._root / host))
        return {str(path)[top:]: path.read_bytes() for path in paths if path.is_file()}
