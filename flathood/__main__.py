# SPDX-License-Identifier: Apache-2.0
"""`python -m flathood` is the command line."""

from flathood.cli.main import main

if __name__ == "__main__":  # not in the workers of a search on several machines, which import this
    main()
