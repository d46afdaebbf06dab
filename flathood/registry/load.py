# SPDX-License-Identifier: Apache-2.0
"""Reading macs.yml: its structure, then what it says of this cluster; all problems at once."""

from __future__ import annotations

from pathlib import Path

from flathood.document import Document, read
from flathood.registry.checks import check_registry
from flathood.registry.model import Registry
from flathood.spec.known import Known
from flathood.spec.model import Cluster
from flathood.structure import Fitted, fit
from flathood.text import is_missing


def load_registry(path: Path, cluster: Cluster) -> Registry:
    """What is known of a cluster's NICs, nothing when the file is missing; raises InvalidInput with every problem."""
    if is_missing(Path(path)):
        return Registry(cluster=cluster.cluster)
    return fit_registry(read(Path(path)), Known.of(cluster)).finish()


def fit_registry(document: Document, known: Known) -> Fitted[Registry]:
    """As much of a registry as is right in a document, with every problem in it."""
    fitted = fit(Registry, document)
    check_registry(fitted, known)
    return fitted
