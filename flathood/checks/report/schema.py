# SPDX-License-Identifier: Apache-2.0
"""The JSON schema of report.json. To renew it: `python -m flathood.checks.report.schema > FILE` in schemas/."""

from __future__ import annotations

import json

from flathood.checks.results import Report

_DIALECT = "https://json-schema.org/draft/2020-12/schema"


def schema_text() -> str:
    """The schema, as the bytes of its file."""
    schema = Report.model_json_schema(mode="serialization")
    schema = {"$schema": _DIALECT, **schema, "title": "report.json of flathood validate"}
    return json.dumps(schema, indent=2, ensure_ascii=False) + "\n"


if __name__ == "__main__":
    print(schema_text(), end="")
