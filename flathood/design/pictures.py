# SPDX-License-Identifier: Apache-2.0
"""Writing plots into files: which kinds there are, and the same bytes for the same plot."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from flathood.errors import FlathoodError

if TYPE_CHECKING:
    from matplotlib.figure import Figure

#: What can be written, by the file's ending, with what would tell the time or the library's version taken out.
_STAMPS: dict[str, dict[str, None]] = {
    ".png": {"Software": None},
    ".svg": {"Date": None},
    ".pdf": {"CreationDate": None, "Producer": None},
}
FORMATS = tuple(_STAMPS)


def check_target(path: Path) -> None:
    """Raise FlathoodError when no picture can be written to a file: told before the long work, not after it."""
    if path.suffix.lower() not in FORMATS:
        raise FlathoodError(f"{path}: a picture's name ends in one of {', '.join(FORMATS)}")
    if not path.parent.is_dir():
        raise FlathoodError(f"{path}: there is no folder {path.parent}: make it, or choose another")


def write(figure: Figure, path: Path, dpi: int = 120) -> None:
    """Write a figure into a file, whose ending says of which kind; raises FlathoodError when that fails."""
    import matplotlib as mpl  # noqa: PLC0415 - takes longer to import than many a command to run

    check_target(path)
    with mpl.rc_context({"svg.hashsalt": "flathood"}):  # else the names inside an SVG are drawn by lot
        try:
            figure.savefig(path, dpi=dpi, metadata=_STAMPS[path.suffix.lower()])
        except OSError as error:
            raise FlathoodError(f"{path}: the picture cannot be written: {error.strerror or error}") from error
