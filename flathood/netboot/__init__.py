# SPDX-License-Identifier: Apache-2.0
"""What machines boot that come without a disk image: a kernel and a root file system that the head serves.

`recipe` says what is in the root file system, `initramfs` has the program that puts it onto a machine's disk, and
`image` makes the files that the role head serves.
"""

from flathood.netboot.image import ensure

__all__ = ["ensure"]
