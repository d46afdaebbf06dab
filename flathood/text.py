# SPDX-License-Identifier: Apache-2.0
"""The text of a file that somebody else wrote: bounded in size, UTF-8, nothing in it that does not print."""

from __future__ import annotations

import re
from pathlib import Path

from flathood.errors import InvalidInput, Problem

#: Most bytes of one file. A macs.yml of 8,192 nodes with four NICs each is about 3 MiB.
MAX_BYTES = 8 * 1024 * 1024

# YAML 1.2.2 section 5.1 (c-printable), without the surrogates that UTF-8 cannot hold anyway.
_UNPRINTABLE = re.compile("[^\t\n\r\x20-\x7e\x85\xa0-\ufefe\uff00-\ufffd\U00010000-\U0010ffff]")


def is_missing(path: Path) -> bool:
    """Whether there is no such file; one that is there but cannot be looked at is told when it is read."""
    try:
        path.stat()
    except FileNotFoundError:
        return True
    except OSError:
        return False
    return False


def read_bytes(path: Path) -> bytes:
    """The bytes of a regular file of at most MAX_BYTES; raises InvalidInput when that is not what is there."""
    file = str(path)
    try:
        if path.exists() and not path.is_file():
            raise InvalidInput([Problem(file, 0, "", "is no regular file")])
        with path.open("rb") as stream:
            return bounded(file, stream.read(MAX_BYTES + 1), path.stat().st_size)
    except OSError as error:
        raise InvalidInput([Problem(file, 0, "", f"cannot be read: {error.strerror or error}")]) from error


def bounded(file: str, raw: bytes, size: int) -> bytes:
    """Pass on what was read, at most MAX_BYTES + 1 bytes of a file of `size`; raises InvalidInput when it is more."""
    if len(raw) > MAX_BYTES:
        message = f"is {size:,} bytes; at most {MAX_BYTES:,} (8 MiB) are read: is this the right file?"
        raise InvalidInput([Problem(file, 0, "", message)])
    return raw


def decode(file: str, raw: bytes) -> str:
    """Text of a file: UTF-8, a byte order mark allowed, no control characters; raises InvalidInput otherwise."""
    try:
        text = raw.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        line = raw.count(b"\n", 0, error.start) + 1
        message = f"byte 0x{raw[error.start]:02x} is not UTF-8: save the file as UTF-8"
        raise InvalidInput([Problem(file, line, "", message)]) from error
    bad = _UNPRINTABLE.search(text)
    if bad is not None:
        line = text.count("\n", 0, bad.start()) + 1
        message = f"control character U+{ord(bad[0]):04X} is not allowed in YAML: remove it"
        raise InvalidInput([Problem(file, line, "", message)])
    return text
