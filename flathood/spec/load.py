# SPDX-License-Identifier: Apache-2.0
"""Reading cluster.yml: its structure, then what its sections mean together; all problems at once."""

from __future__ import annotations

from pathlib import Path

from flathood.document import Document, read
from flathood.spec.checks import check_cluster
from flathood.spec.model import Cluster
from flathood.structure import Fitted, fit


def load_cluster(path: Path) -> Cluster:
    """Load the cluster that a cluster.yml describes; raises InvalidInput with every problem in it."""
    return fit_cluster(read(Path(path))).finish()


def fit_cluster(document: Document) -> Fitted[Cluster]:
    """As much of a cluster as is right in a document, with every problem in it."""
    fitted = fit(Cluster, document)
    check_cluster(fitted)
    return fitted
