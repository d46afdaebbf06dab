# SPDX-License-Identifier: Apache-2.0
"""Reading wiring.yml: its structure, then what it says of this cluster; all problems at once."""

from __future__ import annotations

from pathlib import Path

from flathood.document import Document, read
from flathood.spec.known import Known
from flathood.spec.model import Cluster
from flathood.structure import Fitted, fit
from flathood.wiring.checks import check_wiring
from flathood.wiring.model import Wiring


def load_wiring(path: Path, cluster: Cluster) -> Wiring:
    """The wiring of a cluster; raises InvalidInput with every problem in the file."""
    return fit_wiring(read(Path(path)), Known.of(cluster)).finish()


def fit_wiring(document: Document, known: Known) -> Fitted[Wiring]:
    """As much of a wiring as is right in a document, with every problem in it."""
    fitted = fit(Wiring, document)
    check_wiring(fitted, known)
    return fitted
