# SPDX-License-Identifier: GPL-3.0-or-later
"""What the actions of this collection have in common. Once it is imported, `import flathood` works."""

from __future__ import annotations

import shlex
from abc import abstractmethod
from itertools import chain
from typing import Any, ClassVar

from ansible.errors import AnsibleActionFail
from ansible.plugins.action import ActionBase
from ansible_collections.flathood.cluster.plugins.plugin_utils.library import find_library

find_library()

from flathood.errors import FlathoodError


class Action(ActionBase):
    """An action whose arguments are checked first; what the library finds wrong fails the task in its words."""

    TRANSFERS_FILES = False
    _supports_check_mode = True
    #: The arguments as `validate_argument_spec` takes them; None where the module on the machine checks them.
    ARGUMENTS: ClassVar[dict[str, Any] | None] = None
    #: What holds between them, by the names of `validate_argument_spec`, such as ``required_by``.
    RULES: ClassVar[dict[str, Any]] = {}

    def run(self, tmp: None = None, task_vars: dict[str, Any] | None = None) -> dict[str, Any]:
        """Do it; the result says that nothing changed unless `act` says otherwise."""
        result = super().run(tmp, task_vars)
        given = self._task.args
        if self.ARGUMENTS is not None:
            _, given = self.validate_argument_spec(self.ARGUMENTS, **self.RULES)
        try:
            return result | {"changed": False} | self.act(given, task_vars or {})
        except FlathoodError as error:
            raise AnsibleActionFail(str(error)) from error

    def ssh(self) -> list[str]:
        """How Ansible calls ssh for this task's machine, without what is meant for this machine only.

        Empty where it is not reached by ssh.
        """
        if self._connection.transport != "ssh":
            return []
        option = self._connection.get_option
        words = (shlex.split(option(name) or "") for name in ("ssh_args", "ssh_common_args"))
        return [option("ssh_executable") or "ssh", *chain.from_iterable(words)]

    @abstractmethod
    def act(self, given: dict[str, Any], known: dict[str, Any]) -> dict[str, Any]:
        """What the action does with its arguments and the variables of the task; the task's result."""
