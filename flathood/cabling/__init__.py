# SPDX-License-Identifier: Apache-2.0
"""What people need who plug cables: the picture of a wiring."""
