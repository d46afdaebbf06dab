# SPDX-License-Identifier: Apache-2.0
"""What a long verb tells while it works: one line a stage, with the time that it took."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager

from rich.console import Console

#: Tells what the stage is busy with just now.
Note = Callable[[str], None]
#: Opens a stage by its title.
Progress = Callable[[str], AbstractContextManager[Note]]


@contextmanager
def silent(title: str) -> Iterator[Note]:
    """For callers that show nothing."""
    yield lambda text: None


def shown(console: Console) -> Progress:
    """Stages on a console: a spinner on a terminal, and one line at each stage's end everywhere."""

    @contextmanager
    def stage(title: str) -> Iterator[Note]:
        start = time.monotonic()
        if not console.is_terminal:
            console.print(f"… {title}", markup=False, highlight=False)
        try:
            with console.status(title) as status:
                yield lambda text: status.update(f"{title}: {text}")
        except BaseException:
            console.print(f"✗ {title}  {time.monotonic() - start:.1f} s", markup=False, highlight=False)
            raise
        console.print(f"✓ {title}  {time.monotonic() - start:.1f} s", markup=False, highlight=False)

    return stage
