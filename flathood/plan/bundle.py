# SPDX-License-Identifier: Apache-2.0
"""The bundle: every machine's files as a tree, ``BUNDLE/MACHINE/etc/…``, and what they were made with."""

from __future__ import annotations

import json
import os
import shutil
import tempfile
from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path

from flathood.errors import Conflict, FlathoodError
from flathood.plan.model import Plan
from flathood.plan.views import ROLES_OF, File, Options, kind_of, render_files

#: The file beside the machines' folders that says what a bundle was made with; also what tells one from any folder.
MANIFEST = "bundle.json"


@dataclass(frozen=True)
class Written:
    """How much was written."""

    machines: int
    files: int
    bytes: int


def machines(plan: Plan) -> tuple[str, ...]:
    """Every machine that has a view: nodes, spares, the head."""
    return (*plan.names, plan.head)


def machine_files(plan: Plan, host: str, options: Options) -> Iterator[File]:
    """All files of one machine, role by role."""
    for role in ROLES_OF[kind_of(plan, host)]:
        yield from render_files(plan, host, role, options)


def write_bundle(plan: Plan, out: Path, options: Options, hosts: Sequence[str] | None = None) -> Written:
    """Write the files of all machines, or of ``hosts``, in place of the bundle ``out``, if there is one.

    Machine by machine, into a new folder that takes the name at the end: who reads ``out`` finds the old tree or the
    new one, never half of one. Raises Conflict when ``out`` is there and no bundle; KeyError for an unknown host.
    """
    out = out.absolute()
    if out.exists() and not (out / MANIFEST).is_file() and not (out.is_dir() and not any(out.iterdir())):
        raise Conflict(f"{out}: is there, and no bundle (it has no {MANIFEST}): give another place, or remove it", out)
    hosts = machines(plan) if hosts is None else hosts
    for host in hosts:
        kind_of(plan, host)
    try:
        out.parent.mkdir(parents=True, exist_ok=True)
        fresh = Path(tempfile.mkdtemp(prefix=f".{out.name}.", dir=out.parent))
    except OSError as error:
        raise FlathoodError(f"{out}: cannot be written: {error.strerror}") from error
    try:
        fresh.chmod(0o755)
        written = _write(plan, fresh, options, hosts)
        if out.exists():
            old = Path(tempfile.mkdtemp(prefix=f".{out.name}.", dir=out.parent))
            out.replace(old)
            fresh.replace(out)
            shutil.rmtree(old)
        else:
            fresh.replace(out)
    except BaseException:
        shutil.rmtree(fresh, ignore_errors=True)
        raise
    return written


def _write(plan: Plan, root: Path, options: Options, hosts: Sequence[str]) -> Written:
    manifest = {
        "cluster": plan.cluster.cluster,
        "routing": plan.routing,
        "machines": len(hosts),
        "options": asdict(options),
    }
    (root / MANIFEST).write_text(json.dumps(manifest, indent=1, sort_keys=True) + "\n", encoding="utf-8")
    count = size = 0
    for host in hosts:
        top, made = f"{root}/{host}", set[str]()
        for file in machine_files(plan, host, options):
            path = top + file.path
            folder = path.rpartition("/")[0]
            if folder not in made:
                made.add(folder)
                Path(folder).mkdir(parents=True, exist_ok=True)
            data = file.content.encode()
            handle = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, file.mode)
            try:
                _write_all(handle, data)
            finally:
                os.close(handle)
            count += 1
            size += len(data)
    return Written(len(hosts), count, size)


def _write_all(handle: int, data: bytes) -> None:
    view = memoryview(data)
    while view:
        view = view[os.write(handle, view) :]
