# SPDX-License-Identifier: Apache-2.0
"""JSON schemas of the three files and of the parts catalogue, made from their models: for editors and checkers."""

from __future__ import annotations

import json
from pathlib import Path

from pydantic import BaseModel

from flathood.catalogue import Catalogue
from flathood.registry.model import Registry
from flathood.spec.model import Cluster
from flathood.wiring.model import Wiring
from flathood.writing import save

MODELS: dict[str, type[BaseModel]] = {"cluster": Cluster, "wiring": Wiring, "macs": Registry, "catalogue": Catalogue}
DIALECT = "https://json-schema.org/draft/2020-12/schema"


def schema_text(name: str) -> str:
    """The JSON schema of `cluster`, `wiring`, `macs` or `catalogue` as the bytes of its file in schemas/."""
    schema = MODELS[name].model_json_schema(mode="validation")
    schema = {"$schema": DIALECT, **schema, "title": f"{name}.yml of flathood"}
    return json.dumps(schema, indent=2, ensure_ascii=False) + "\n"


def write_schemas(folder: Path) -> list[Path]:
    """Write every schema into a folder; the files whose bytes changed."""
    paths = {name: folder / f"{name}.schema.json" for name in MODELS}
    return [path for name, path in paths.items() if save(path, schema_text(name))]
