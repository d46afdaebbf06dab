# SPDX-License-Identifier: Apache-2.0
"""`python -m flathood` is the command line."""

from flathood.cli.main import main

main()
