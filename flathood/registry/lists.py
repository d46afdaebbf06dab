# SPDX-License-Identifier: Apache-2.0
"""Reading the lists of MAC addresses that vendors, spreadsheets and the lab deliver, as CSV or YAML."""

from __future__ import annotations

import csv
import io
import re
from dataclasses import dataclass

from flathood.document import KeyPath, kind, parse
from flathood.errors import InvalidInput, Problem, enough
from flathood.text import decode

#: What the columns are called in the wild, in lower case.
_COLUMNS = {
    "node": ("node", "host", "hostname", "machine", "name"),
    "slot": ("slot", "nic", "port", "interface"),
    "mac": ("mac", "mac address", "macaddress", "mac_address", "address"),
}
_DELIMITERS = ",;\t|"
_YAML = re.compile(r"(?:---|- |\[|\{|[^,;\t|]+:(?: *$| +\[| +&| *#))")


@dataclass(frozen=True)
class Entry:
    """One NIC of a list, as it stands in its line."""

    line: int
    node: str
    slot: int
    mac: str


def read_list(file: str, raw: bytes) -> tuple[list[Entry], list[Problem]]:
    """The entries of a list in CSV or YAML, by the file's name or else by its first line, and what is wrong in it."""
    try:
        is_yaml = _is_yaml(file, decode(file, raw))
        entries, problems = _from_yaml(file, raw) if is_yaml else _from_csv(file, decode(file, raw))
    except InvalidInput as error:
        return [], list(error.problems)
    if not entries and not problems:
        problems.append(Problem(file, 0, "", "has no entries: expected lines of node, slot, MAC"))
    return entries, problems


def _is_yaml(file: str, text: str) -> bool:
    ending = file.rpartition(".")[2].lower()
    if ending in ("csv", "tsv", "yml", "yaml"):
        return ending in ("yml", "yaml")
    lines = (line for line in text.splitlines() if line.strip() and not line.startswith("#"))
    return _YAML.match(next(lines, "")) is not None


def _from_csv(file: str, text: str) -> tuple[list[Entry], list[Problem]]:
    entries: list[Entry] = []
    problems: list[Problem] = []
    columns: dict[str, int] | None = None
    body = [line for line in text.split("\n") if line.strip() and not line.startswith("#")]
    delimiter = max(_DELIMITERS, key=body[0].count) if body else ","
    reader = csv.reader(io.StringIO(text, newline=""), delimiter=delimiter, skipinitialspace=True)
    try:
        for fields in reader:
            row = [value.strip() for value in fields]
            if not any(row) or row[0].startswith("#"):
                continue
            if columns is None:
                columns = _columns(row)
                if columns is not None:
                    missing = [name for name in _COLUMNS if name not in columns]
                    if missing:
                        message = (
                            f"the header has no column {' and no column '.join(missing)}: node, slot and mac are needed"
                        )
                        return [], [Problem(file, reader.line_num, "", message)]
                    continue
                columns = {"node": 0, "slot": 1, "mac": 2}
            entry = _entry(reader.line_num, row, columns)
            if isinstance(entry, Entry):
                entries.append(entry)
            else:
                problems.append(Problem(file, reader.line_num, "", entry))
                enough(problems)
    except csv.Error as error:
        problems.append(Problem(file, reader.line_num, "", f"is no CSV: {error}"))
    return entries, problems


def _columns(row: list[str]) -> dict[str, int] | None:
    """The columns that a header names; None when the row is no header."""
    names = [value.lower() for value in row]
    found = {
        column: next(names.index(alias) for alias in aliases if alias in names)
        for column, aliases in _COLUMNS.items()
        if not set(aliases).isdisjoint(names)
    }
    return found if len(found) >= 2 else None


def _entry(line: int, row: list[str], columns: dict[str, int]) -> Entry | str:
    """The entry in a row, or what is wrong with it."""
    if len(row) <= max(columns.values()):
        return f"{len(row)} column{'s' * (len(row) > 1)}, expected node, slot and MAC (`k00,0,02:00:5e:10:00:01`)"
    node, slot, mac = (row[columns[name]] for name in ("node", "slot", "mac"))
    if not (slot.isascii() and slot.isdigit() and len(slot) < 6):
        return f"{slot!r} is no slot: write the number of the slot, from 0"
    return Entry(line, node, int(slot), mac)


def _from_yaml(file: str, raw: bytes) -> tuple[list[Entry], list[Problem]]:
    document = parse(file, raw)
    entries: list[Entry] = []
    problems: list[Problem] = []

    def say(path: KeyPath, message: str) -> None:
        problems.append(Problem(file, document.line(path), "", message))
        enough(problems)

    def add(path: KeyPath, node: object, slot: object, mac: object) -> None:
        wrong = _wrong_types(node, slot, mac)
        if wrong:
            say(path, wrong)
        else:
            entries.append(Entry(document.line(path), str(node), int(str(slot)), str(mac)))

    if isinstance(document.data, list):
        for index, item in enumerate(document.data):
            if isinstance(item, dict) and set(item) == set(_COLUMNS):
                add((index,), item["node"], item["slot"], item["mac"])
            else:
                say((index,), "expected {node: NAME, slot: NUMBER, mac: ADDRESS} with these three keys")
    elif isinstance(document.data, dict):
        for node, macs in document.data.items():
            if not isinstance(macs, list):
                say((node,), f"{node}: expected a list of MAC addresses in slot order, found {kind(macs)}")
                continue
            for slot, mac in enumerate(macs):
                if mac is not None:
                    add((node, slot), node, slot, mac)
    else:
        problems.append(Problem(file, 0, "", "expected a list of {node, slot, mac}, or each node's list of MACs"))
    return entries, problems


def _wrong_types(node: object, slot: object, mac: object) -> str:
    if not isinstance(node, str):
        return f"node: expected text, found {kind(node)}: put it in quotes"
    if not isinstance(slot, int) or isinstance(slot, bool) or slot < 0:
        return f"{slot!r} is no slot: write the number of the slot, from 0"
    return "" if isinstance(mac, str) else f"mac: expected text, found {kind(mac)}: put it in quotes"
