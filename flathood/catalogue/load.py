# SPDX-License-Identifier: Apache-2.0
"""Reading a catalogue: its structure, then what its sections mean together; all problems at once."""

from __future__ import annotations

from pathlib import Path

from flathood.catalogue.checks import check_catalogue
from flathood.catalogue.model import Catalogue
from flathood.document import read
from flathood.structure import fit

#: The catalogue that is used when none is given.
EXAMPLE = Path(__file__).with_name("example.yml")


def load_catalogue(path: Path = EXAMPLE) -> Catalogue:
    """Load a catalogue of parts; raises InvalidInput with every problem in it."""
    fitted = fit(Catalogue, read(Path(path)))
    check_catalogue(fitted)
    return fitted.finish()
