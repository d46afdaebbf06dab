# SPDX-License-Identifier: Apache-2.0
"""Holding what a file says against its model: every structure error as a plain sentence, and what is left is used.

A fault in one place must not hide faults elsewhere, so what is wrong is told and taken out (an unknown key, the item
of a list, else the whole section), and everything else is checked on.
"""

from __future__ import annotations

import copy
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Annotated, Any, Generic, TypeVar, get_args, get_origin, get_type_hints

from pydantic import BaseModel, TypeAdapter, ValidationError
from pydantic.fields import FieldInfo
from typing_extensions import is_typeddict

from flathood.document import Document, KeyPath
from flathood.errors import InvalidInput, Problem, enough
from flathood.sentences import sentence, unknown_key

Model = TypeVar("Model", bound=BaseModel)
#: Rounds of dropping and trying again: validators that look at a whole item only run once its keys are right.
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
        values = getattr(self.model, section) if self.has(section) else ()
        places = self.places.get(section) or range(len(values))
        for place, value in zip(places, values, strict=True):
            yield (section, place), value

    def say(self, path: KeyPath, message: str) -> None:
        """Note a problem at one key or item; raises InvalidInput when there are very many."""
        self.problems.append(self.document.problem(path, message))
        enough(self.problems)

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
            _Section(fitted, name, info).fit(values)
        elif info.is_required():
            fitted.absent.add(name)
            fitted.say((name,), sentence({"type": "missing"}))
    fitted.model = model.model_construct(**values)
    return fitted


class _Section:
    """One section on its way into the model: drops what is wrong until the rest is right, or nothing is left."""

    def __init__(self, fitted: Fitted[Any], name: str, info: FieldInfo) -> None:
        self._fitted = fitted
        self._name = name
        self._annotation: Any = Annotated[info.annotation, info]
        self._data = copy.deepcopy(fitted.document.data[name])
        self._places = list(range(len(self._data))) if isinstance(self._data, list) else []
        by_name = isinstance(self._data, dict) and get_origin(info.annotation) is dict
        self._itemised = by_name or bool(self._places)

    def fit(self, values: dict[str, Any]) -> None:
        adapter: TypeAdapter[Any] = TypeAdapter(self._annotation)
        for _ in range(_ROUNDS):
            try:
                values[self._name] = adapter.validate_python(self._data)
                self._fitted.places[self._name] = self._places
                return
            except ValidationError as error:
                if not self._drop(error):
                    break
        self._fitted.absent.add(self._name)

    def _drop(self, error: ValidationError) -> bool:
        """Tell every fault and take out what has one; False when nothing usable is left."""
        items: set[Any] = set()
        lost = False
        for detail in error.errors(include_url=False):
            path = _path(self._data, detail["loc"])
            if detail["type"] == "too_short" and detail["input"]:
                continue  # items that are told one by one are not counted
            if detail["type"] == "extra_forbidden":
                self._unknown(path)
                continue
            self._say(path, sentence(detail))
            if self._itemised and path:
                items.add(path[0])
            else:
                lost = True
        for item in sorted(items, reverse=True):
            self._fitted.partial.add(self._name)
            del self._data[item]
            if self._places:
                del self._places[item]
        return not lost and bool(self._data or not items)

    def _unknown(self, path: KeyPath) -> None:
        parent = self._data
        for step in path[:-1]:
            parent = parent[step]
        self._say(path, unknown_key(str(path[-1]), _known_keys(self._annotation, path, parent)))
        parent.pop(path[-1], None)

    def _say(self, path: KeyPath, message: str) -> None:
        if self._places and path and isinstance(path[0], int):
            path = (self._places[path[0]], *path[1:])
        self._fitted.say((self._name, *path), message)


def _path(data: Any, loc: tuple[str | int, ...]) -> KeyPath:  # noqa: ANN401  # whatever the file holds
    """Where an error's location is in the data: pydantic also names union members and the items of short forms."""
    path: list[str | int] = []
    for index, step in enumerate(loc):
        if isinstance(data, dict):
            inside = step in data
            if not inside and index == len(loc) - 1 and isinstance(step, str):
                path.append(step)  # a key that is missing
        else:
            inside = isinstance(data, list) and isinstance(step, int) and step < len(data)
        if inside:
            data = data[step]
            path.append(step)
    return tuple(path)


def _known_keys(annotation: object, path: KeyPath, found: Mapping[str, object]) -> list[str]:
    """The keys that are known where an unknown one was found, `found` being the mapping it was found in."""
    shapes = _shapes(annotation)
    for step in path[:-1]:
        if isinstance(step, str):
            inner = [below for shape in shapes if step in shape for below in _shapes(shape[step])]
            shapes = inner or shapes  # a name that is no key of a model: one item of a mapping of items
    if not shapes:
        return []
    return list(max(shapes, key=lambda shape: len(set(shape) & set(found))))


def _shapes(annotation: object) -> list[dict[str, object]]:
    """Keys and types of every model or typed mapping that an annotation allows, one level down."""
    if isinstance(annotation, type) and issubclass(annotation, BaseModel):
        return [{name: info.annotation for name, info in annotation.model_fields.items()}]
    if is_typeddict(annotation):
        return [dict(get_type_hints(annotation, include_extras=True))]
    return [shape for part in get_args(annotation) for shape in _shapes(part)]
