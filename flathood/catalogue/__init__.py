# SPDX-License-Identifier: Apache-2.0
"""catalogue.yml: the parts that a network can be bought of. Its model, loading it, and the example that is shipped."""

from flathood.catalogue.load import EXAMPLE, load_catalogue
from flathood.catalogue.model import Catalogue

__all__ = ["EXAMPLE", "Catalogue", "load_catalogue"]
