# SPDX-License-Identifier: Apache-2.0
"""cluster.yml: what people want. Its model, and loading it."""

from flathood.spec.load import load_cluster
from flathood.spec.model import Cluster

__all__ = ["Cluster", "load_cluster"]
