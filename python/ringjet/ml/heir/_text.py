"""The text of MLIR as `heir-opt` prints it: one operation a line, functions, regions, aliases of types."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from functools import partial
from typing import TypeVar

from ..._checks import refusal
from ...errors import ArgumentError, MalformedError, RingjetError

#: The version of HEIR (the package heir_py) whose output is read.
VERSION = "2026.11.1"

_VALUE = r"%[\w$.-]+(?:#\d+)?"
_HEAD = re.compile(r"(?:(%[\w$.-]+)(?::(\d+))?\s*=\s*)?([a-z_]\w*(?:\.\w+)*)(?=[\s@(]|$)(.*)", re.DOTALL)
_T = TypeVar("_T")

_PAIRS = {"(": ")", "[": "]", "{": "}", "<": ">"}


@dataclass(frozen=True)
class Operation:
    """An operation of a function."""

    name: str
    line: int
    #: The names of its results.
    results: tuple[str, ...]
    #: The values that it uses, without those in brackets.
    operands: tuple[str, ...]
    #: The lists in brackets: names of values, and numbers.
    brackets: tuple[tuple[str, ...], ...]
    #: What stands between its name and its types, without attributes.
    text: str
    #: Its types.
    types: str
    #: Its attributes, as text.
    attributes: dict[str, str]
    regions: tuple[tuple[Operation, ...], ...] = ()


@dataclass(frozen=True)
class Function:
    """A function: names and types of its arguments, types of its results, and its operations."""

    name: str
    line: int
    arguments: tuple[tuple[str, str, dict[str, str]], ...]
    results: tuple[str, ...]
    interface: dict[str, str]
    operations: tuple[Operation, ...]

    @property
    def roles(self) -> list[str]:
        """What the function is for, such as "client.encrypt"."""
        return re.findall(r'"([^"]*)"', self.interface.get("roles", ""))


@dataclass(frozen=True)
class Module:
    """A file: its attributes, functions, aliases, and the bytes of its resources in hexadecimal."""

    attributes: dict[str, str]
    functions: dict[str, Function]
    aliases: dict[str, str] = field(repr=False)
    resources: dict[str, str] = field(repr=False)

    def resolved(self, type_: str) -> str:
        """A type, for an alias what it stands for."""
        return self.aliases.get(type_, type_)


def malformed(line: int, text: str) -> MalformedError:
    """The error for text that is not read."""
    return MalformedError(f"line {line}: {text}: not as heir-opt of HEIR {VERSION} prints it")


def unsupported(line: int, found: str, expected: str = "an operation that ringjet reads") -> ArgumentError:
    """The error for what the reader does not know."""
    return refusal(f"line {line}", found, f"{expected}; the reader is for HEIR {VERSION}")


def split(text: str, at: str = ",") -> list[str]:
    """The parts of a list, without splitting what is in brackets."""
    parts, start = [], 0
    for i in _outside(text):
        if text.startswith(at, i):
            parts.append(text[start:i].strip())
            start = i + len(at)
    rest = text[start:].strip()
    return [*parts, rest] if rest or parts else []


def dictionary(text: str) -> dict[str, str]:
    """The attributes between braces; an attribute without a value is "unit"."""
    pairs = (split(part, " = ") for part in split(text))
    return {pair[0].strip('"'): " = ".join(pair[1:]) or "unit" for pair in pairs}


def parsed(text: str) -> Module:
    """Reads a file."""
    return _Reader(text).module()


def _outside(text: str) -> Iterator[int]:
    """The positions outside of all brackets and strings, with those of the opening brackets."""
    depth, quoted, i = 0, False, 0
    while i < len(text):
        c = text[i]
        if quoted:
            i += c == "\\"
            quoted = c != '"'
        elif text.startswith("->", i):
            if not depth:
                yield i
            i += 1
        else:
            if not depth:
                yield i
            quoted = c == '"'
            depth += (c in _PAIRS) - (c in _PAIRS.values())
        i += 1


def _closing(text: str, start: int) -> int:
    """Where the bracket at `start` is closed."""
    steps = _outside(text[start:])
    next(steps)
    end = next(steps, None)
    if end is not None:
        return start + end - 1
    if text[-1:] == _PAIRS[text[start]]:
        return len(text) - 1
    raise ValueError(f"{text[start : start + 20]} is not closed")


class _Reader:
    def __init__(self, text: str) -> None:
        body, _, tail = text.partition("{-#")
        self._lines = body.split("\n")
        self._at = 0
        self._resources = dict(re.findall(r'([\w.$-]+): "0x([0-9A-Fa-f]*)"', tail))
        self._aliases: dict[str, str] = {}

    def module(self) -> Module:
        attributes: dict[str, str] = {}
        functions: dict[str, Function] = {}
        while (line := self._next()) is not None:
            if line[0] in "#!":
                name, _, meaning = line.partition(" = ")
                self._aliases[name] = meaning
            elif line.startswith("module"):
                attributes = self._try(partial(_module_attributes, line))
            elif line.startswith("func.func"):
                function = self._try(partial(self._function, line))
                functions[function.name] = function
            elif line != "}":
                raise malformed(self._at, line[:60])
        return Module(attributes, functions, self._aliases, self._resources)

    def _next(self) -> str | None:
        """The next line that is not empty, without spaces around it."""
        while self._at < len(self._lines):
            self._at += 1
            line = self._lines[self._at - 1].strip()
            if line and not line.startswith("//"):
                return line
        return None

    def _try(self, read: Callable[[], _T]) -> _T:
        at = self._at
        try:
            return read()
        except (IndexError, KeyError, StopIteration, ValueError) as error:
            if isinstance(error, RingjetError):
                raise
            raise malformed(at, f"{self._lines[at - 1].strip()[:60]}: {error}") from None

    def _function(self, line: str) -> Function:
        at = self._at
        found = re.match(r'func\.func\s+(?:private |public )?@([\w$.-]+|"[^"]*")\(', line)
        if found is None:
            raise ValueError("a function without a name")
        start = found.end() - 1
        end = _closing(line, start)
        arguments = tuple(self._argument(part) for part in split(line[start + 1 : end]))
        rest, _, attributes = line[end + 1 :].partition(" attributes {")
        has_body = line.endswith("{")
        results = rest.strip().removeprefix("->").removesuffix("{").strip()
        listed = split(results[1:-1]) if results.startswith("(") else [results] if results else []
        interface: dict[str, str] = {}
        if attributes:
            whole = dictionary(attributes[: _closing("{" + attributes, 0) - 1])
            interface = dictionary(whole.get("heir.interface", "{}")[1:-1])
        types = tuple(split(part, " {")[0] for part in listed)
        body = self._operations() if has_body else ()
        return Function(found[1].strip('"'), at, arguments, types, interface, body)

    def _argument(self, text: str) -> tuple[str, str, dict[str, str]]:
        name, _, rest = text.partition(": ")
        type_, *attributes = split(rest, " {")
        return name, type_, dictionary(attributes[0].removesuffix("}")) if attributes else {}

    def _operations(self) -> tuple[Operation, ...]:
        """The operations up to the closing brace, which becomes the current line."""
        found: list[Operation] = []
        while (line := self._next()) is not None:
            if line.startswith("}"):
                return tuple(found)
            found.append(self._try(partial(self._operation, line)))
        raise malformed(self._at, "the file ends within a function")

    def _operation(self, line: str) -> Operation:
        at = self._at
        head = _HEAD.match(line)
        if head is None:
            raise ValueError("not an operation")
        name = head[3] if "." in head[3] else f"func.{head[3]}"
        rest = head[4].strip()
        opens = rest.endswith("{")
        body, types = _typed(rest.removesuffix("{").rstrip() if opens else rest)
        body, attributes = _without_attributes(body)
        plain, brackets = _without_brackets(body)
        count = int(head[2]) if head[2] else None
        names = (
            () if head[1] is None else (head[1],) if count is None else tuple(f"{head[1]}#{i}" for i in range(count))
        )
        operands = tuple(re.findall(_VALUE, plain))
        regions = tuple(self._regions()) if opens else ()
        return Operation(name, at, names, operands, brackets, plain, types, attributes, regions)

    def _regions(self) -> Iterator[tuple[Operation, ...]]:
        yield self._operations()
        while self._lines[self._at - 1].strip().startswith("} else {"):
            yield self._operations()


def _module_attributes(line: str) -> dict[str, str]:
    _, found, attributes = line.partition(" attributes {")
    return dictionary(attributes[: _closing("{" + attributes, 0) - 1]) if found else {}


def _typed(text: str) -> tuple[str, str]:
    """What stands before and after the colon before types."""
    at = next((i for i in _outside(text) if text.startswith(" : ", i)), None)
    return (text, "") if at is None else (text[:at], text[at + 3 :])


def _without_attributes(text: str) -> tuple[str, dict[str, str]]:
    """The text without properties `<name = value>` and attributes `{name = value}`, and both of these."""
    starts = [i for i in _outside(text) if text[i] == "{" or re.match(r" <\w+ = ", text[i:])]
    found: dict[str, str] = {}
    for i in reversed(starts):
        start = i + (text[i] == " ")
        end = _closing(text, start)
        found |= dictionary(text[start + 1 : end])
        text = text[:i] + text[end + 1 :]
    return text.strip(), found


def _without_brackets(text: str) -> tuple[str, tuple[tuple[str, ...], ...]]:
    """The text without its lists in brackets, and these."""
    if text.startswith("dense"):
        return text, ()
    starts = [i for i in _outside(text) if text[i] == "["]
    found = []
    for i in reversed(starts):
        end = _closing(text, i)
        found.append(tuple(split(text[i + 1 : end])))
        text = text[:i] + text[end + 1 :]
    return text, tuple(reversed(found))
