# SPDX-License-Identifier: Apache-2.0
"""Reports of one run: JSON for programs, a page that stands alone for people, a screenful for the terminal."""
