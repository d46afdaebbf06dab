# SPDX-License-Identifier: GPL-3.0-or-later
"""One step of power-on discovery, on the controller; the head is only asked for its journal, and told the marks."""

from __future__ import annotations

import shlex
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any, ClassVar

from ansible.errors import AnsibleActionFail
from ansible.utils.display import Display
from ansible.utils.unsafe_proxy import wrap_var
from ansible_collections.flathood.cluster.plugins.module_utils.discovery import hook
from ansible_collections.flathood.cluster.plugins.plugin_utils.action import Action

from flathood.discovery.folder import Folder
from flathood.discovery.report import SCRIPT, read_report
from flathood.discovery.session import Session
from flathood.discovery.steps import close_turn, judge, survey
from flathood.discovery.watch import Watch

#: Bytes of the journal that are fetched at once; seconds between two looks, and between two words on the countdown.
_CHUNK = 4 * 1024 * 1024
_PAUSE = 0.3
_COUNTDOWN = 15


class ActionModule(Action):
    """Surveys, opens a machine's turn, waits for it, closes it, judges all of them."""

    ARGUMENTS: ClassVar[dict[str, Any]] = {
        "phase": {"type": "str", "choices": ["survey", "open", "wait", "close", "judge"], "required": True},
        "directory": {"type": "path", "required": True},
        "node": {"type": "str"},
        "nodes": {"type": "list", "elements": "str", "default": []},
        "head_mac": {"type": "str"},
        "say": {"type": "str", "default": ""},
        "reports": {"type": "list", "elements": "str", "default": []},
        "timeout": {"type": "float", "default": 300},
        "settle": {"type": "float", "default": 3},
    }

    def act(self, given: dict[str, Any], known: dict[str, Any]) -> dict[str, Any]:
        """Do one phase; what the wire said is never taken for a template."""
        phases: dict[str, Callable[[dict[str, Any], Folder], dict[str, Any]]] = {
            "survey": self._survey,
            "open": self._open,
            "wait": self._wait,
            "close": self._close,
            "judge": self._judge,
        }
        found: dict[str, Any] = wrap_var(phases[given["phase"]](given, Folder.load(Path(given["directory"]))))
        return found

    def _survey(self, wanted: dict[str, Any], folder: Folder) -> dict[str, Any]:
        session, _ = self._replay(folder)
        found = survey(folder, session, wanted["nodes"], wanted["head_mac"], write=not self._task.check_mode)
        return {"todo": found.todo, "changed": found.changed, "msg": found.text, "number": len(found.todo)}

    def _open(self, wanted: dict[str, Any], folder: Folder) -> dict[str, Any]:
        self._mark("open", wanted["node"])
        if wanted["say"]:
            Display().display(wanted["say"])
        return {}

    def _wait(self, wanted: dict[str, Any], folder: Folder) -> dict[str, Any]:
        """Read the journal as it grows, and show each NIC as it comes and the time that is left."""
        session, offset = self._replay(folder)
        watch = Watch(session, wanted["timeout"], wanted["settle"])
        slots = len(folder.work.cabled[wanted["node"]])
        shown, next_word = -1, watch.left - _COUNTDOWN
        while True:
            text = self._read(offset)
            offset += len(text)
            watch.feed(text)
            if watch.heard != shown or watch.left < next_word:
                shown, next_word = watch.heard, min(next_word, watch.left) - _COUNTDOWN
                Display().display(f"  {wanted['node']}: {shown} of {slots} NICs, {watch.left:.0f} s left")
            if watch.done:
                return {"ask": watch.to_ask, "heard": watch.heard, "script": SCRIPT}
            time.sleep(_PAUSE)

    def _close(self, wanted: dict[str, Any], folder: Folder) -> dict[str, Any]:
        for report in dict.fromkeys(read_report(text) for text in wanted["reports"]):
            if report:
                self._mark("report", *report)
        self._mark("close", wanted["node"])
        session, _ = self._replay(folder)
        done = close_turn(folder, session, wanted["node"])
        self._mark("saved", wanted["node"])
        for sentence in done.sentences:
            Display().display(f"  {sentence}")
        return {"changed": done.changed, "outcome": done.outcome, "sentences": done.sentences, "msg": done.text}

    def _judge(self, wanted: dict[str, Any], folder: Folder) -> dict[str, Any]:
        session, _ = self._replay(folder)
        verdict = judge(folder, session, wanted["nodes"])
        return {"failed": not verdict.good, "msg": verdict.text, "states": verdict.states}

    def _replay(self, folder: Folder) -> tuple[Session, int]:
        """All of the journal so far, and how many bytes of it were read; nothing where there is none yet."""
        watch = Watch(Session(folder.work), 0, 0)
        offset = 0
        while text := self._read(offset):
            watch.feed(text)
            offset += len(text)
            if len(text) < _CHUNK:
                break
        return watch.session, offset - watch.unfinished

    def _read(self, offset: int) -> str:
        """At most a chunk of the journal; it is ASCII, so that bytes are characters.

        ssh may give the command a terminal, which writes each line's end as two.
        """
        place = shlex.quote(hook.JOURNAL)
        text = self._command(f"test ! -e {place} || tail -c +{offset + 1} {place} | head -c {_CHUNK}")
        return text.replace("\r\n", "\n")

    def _mark(self, *words: str) -> None:
        self._command(shlex.join([hook.HOOK, *words]))

    def _command(self, command: str) -> str:
        done = self._low_level_execute_command(command)
        if done["rc"]:
            said = done["stderr"].strip() or done["stdout"].strip()
            raise AnsibleActionFail(f"the head could not be asked ({command}): {said}")
        return str(done["stdout"])
