# SPDX-License-Identifier: Apache-2.0
"""Holding what a file says against its model: every structure error as a plain sentence, and what is left is used.

A fault in one place must not hide faults elsewhere, so what is wrong is told and taken out (an unknown key, the item
of a list, else the whole section), and everything else is checked on.
"""

from __future__ import annotations

import copy
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Annotated, Any, Generic, TypeVar, get_args, get_origin

from pydantic import BaseModel, TypeAdapter, ValidationError
from pydantic.fields import FieldInfo

from flathood.document import Document, KeyPath
from flathood.errors import InvalidInput, Problem
from flathood.sentences import sentence, unknown_key

Model = TypeVar("Model", bound=BaseModel)
_ROUNDS = 8


@dataclass
class Fitted(Generic[Model]):
    """A model made of all that is right in a document, and what is wrong in it.

    ``model`` lacks the sections in ``absent`` and some items of those in ``partial``, so while there are problems it is
    good for further checks only.
    """

    document: Document
    model: Model
    problems: list[Problem] = field(default_factory=list)
    absent: set[str] = field(default_factory=set)
    partial: set[str] = field(default_factory=set)
    places: dict[str, list[int]] = field(default_factory=dict)

    def has(self, *sections: str) -> bool:
        """Whether these sections hold anything that can be checked."""
        return not self.absent.intersection(sections)

    def whole(self, *sections: str) -> bool:
        """Whether these sections are complete, so that a check may conclude from what is not in them."""
        return not (self.absent | self.partial).intersection(sections)

    def items(self, section: str) -> Iterator[tuple[KeyPath, Any]]:
        """The items of a list section, with their places in the document."""
        values = () if section in self.absent else getattr(self.model, section)
        places = self.places.get(section) or range(len(values))
        for place, value in zip(places, values, strict=True):
            yield (section, place), value

    def say(self, path: KeyPath, message: str) -> None:
        """Note a problem at one key or item."""
        self.problems.append(self.document.problem(path, message))

    def finish(self) -> Model:
        """The model; raises InvalidInput with every problem when there is one."""
        if self.problems:
            raise InvalidInput(self.problems)
        return self.model


def fit(model: type[Model], document: Document) -> Fitted[Model]:
    """Hold a document against a model; what does not fit is in the result's problems and not in its model."""
    try:
        return Fitted(document, model.model_validate(document.data))
    except ValidationError:
        fitted = Fitted(document, model.model_construct())
    for key in document.data:
        if key not in model.model_fields:
            fitted.say((key,), unknown_key(key, model.model_fields))
    values: dict[str, Any] = {}
    for name, info in model.model_fields.items():
        if name in document.data:
            _section(fitted, name, info, values)
        elif info.is_required():
            fitted.absent.add(name)
            fitted.say((name,), sentence({"type": "missing"}))
    fitted.model = model.model_construct(**values)
    return fitted


def _section(fitted: Fitted[Any], name: str, info: FieldInfo, values: dict[str, Any]) -> None:
    """Fit one section, dropping what is wrong until the rest is right, or nothing is left."""
    adapter: TypeAdapter[Any] = TypeAdapter(Annotated[info.annotation, info])
    data = copy.deepcopy(fitted.document.data[name])
    places = list(range(len(data))) if isinstance(data, list) else []
    itemised = bool(places) or (isinstance(data, dict) and get_origin(info.annotation) is dict)
    for _ in range(_ROUNDS):
        try:
            values[name] = adapter.validate_python(data)
            fitted.places[name] = places
            return
        except ValidationError as error:
            drops: set[Any] = set()
            for detail in error.errors(include_url=False):
                path = _path(data, detail["loc"])
                drops |= _wrong(fitted, name, data, path, detail, places, itemised)
        if _WHOLE in drops:
            break
        if drops:
            fitted.partial.add(name)
        for drop in sorted(drops, reverse=True):
            del data[drop]
            if places:
                del places[drop]
        if not data:
            break
    fitted.absent.add(name)


_WHOLE = object()


def _wrong(
    fitted: Fitted[Any], name: str, data: Any, path: KeyPath, detail: Mapping[str, Any], places: list[int], itemised: bool
) -> set[Any]:
    """Tell one fault; take an unknown key out at once, else say what must go: items, or the whole section."""
    shown = (places[path[0]], *path[1:]) if places and path and isinstance(path[0], int) else path
    if detail["type"] == "extra_forbidden":
        model = _model_at(fitted.document.data[name], type(fitted.model).model_fields[name], path)
        fitted.say((name, *shown), unknown_key(str(path[-1]), model.model_fields if model else ()))
        parent = data
        for step in path[:-1]:
            parent = parent[step]
        parent.pop(path[-1], None)
        return set()
    fitted.say((name, *shown), sentence(detail))
    return {path[0]} if itemised and path else {_WHOLE}


def _path(data: Any, loc: tuple[str | int, ...]) -> KeyPath:
    """Where an error's location is in the data: pydantic also names union members and the items of short forms."""
    path: list[str | int] = []
    for index, step in enumerate(loc):
        inside = (isinstance(data, dict) and step in data) or (
            isinstance(data, list) and isinstance(step, int) and step < len(data)
        )
        if inside:
            data = data[step]
            path.append(step)
        elif index == len(loc) - 1 and isinstance(data, dict) and isinstance(step, str):
            path.append(step)
    return tuple(path)


def _model_at(data: Any, info: FieldInfo, path: KeyPath) -> type[BaseModel] | None:
    """The model that a path's last key was looked for in: the innermost one along the way."""
    found = _first_model(info.annotation)
    for step in path[:-1]:
        if found is not None and isinstance(step, str) and step in found.model_fields:
            found = _first_model(found.model_fields[step].annotation)
    return found


def _first_model(annotation: Any) -> type[BaseModel] | None:
    if isinstance(annotation, type) and issubclass(annotation, BaseModel):
        return annotation
    for part in get_args(annotation):
        found = _first_model(part)
        if found is not None:
            return found
    return None
