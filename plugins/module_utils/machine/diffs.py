# SPDX-License-Identifier: GPL-3.0-or-later
"""What changed, in the form that Ansible's --diff prints; what is long is cut, and says by how much."""

from __future__ import annotations

import difflib

from .files import Change
from .role import Outcome


def of(outcome: Outcome, most: int) -> list[dict[str, str]]:
    """One entry per file that differs; where no file does, one per facet of the live state.

    ``most``: changed lines shown of each, 0 for all. A facet that differs only because its file does is not told
    twice, so that check mode foretells exactly what the run then shows.
    """
    if outcome.changes:
        return [_entry(*_texts(change), change.path, most) for change in outcome.changes]
    return [
        _entry("".join(f"{line}\n" for line in shown), "".join(f"{line}\n" for line in expected), f"live {facet}", most)
        for facet, (shown, expected) in outcome.drift.items()
    ]


def _texts(change: Change) -> tuple[str, str]:
    before, after = ((text or b"").decode(errors="replace") for text in (change.before, change.after))
    if before == after:
        return f"mode {change.mode_before:04o}\n", f"mode {change.mode_after:04o}\n"
    return before, after


def _entry(before: str, after: str, name: str, most: int) -> dict[str, str]:
    lines = list(
        difflib.unified_diff(
            before.splitlines(), after.splitlines(), f"before: {name}", f"after: {name}", "", "", 0, ""
        )
    )
    if not most or len(lines) - 2 <= most:
        return {"before": before, "after": after, "before_header": name, "after_header": name}
    cut = [*lines[: most + 2], f"… and {len(lines) - 2 - most} more lines of {name}"]
    return {"prepared": "\n".join(cut) + "\n"}
