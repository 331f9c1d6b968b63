"""An extension of griffe, which reads the package for the Python reference.

The classes of the compiled module are known from its stub `_ringjet.pyi` only. A stub has no code,
so three things are not where griffe expects them:

- a method with overloads has no implementation after them, and griffe would drop it;
- the arguments of a constructor are those of `__new__`;
- attributes of dataclasses have their descriptions in comments that begin with `#:`.
"""

from __future__ import annotations

from typing import Any

from griffe import Attribute, Class, Docstring, Extension, Function


def implementation(overloads: list[Function]) -> Function:
    """A function that stands for overloads, with the documentation that one of them has."""
    first = overloads[0]
    function = Function(
        first.name,
        lineno=first.lineno,
        endlineno=overloads[-1].endlineno,
        parameters=first.parameters,
        returns=first.returns,
    )
    function.docstring = next((o.docstring for o in overloads if o.docstring), None)
    function.overloads = overloads
    function.labels |= first.labels - {"overload"}
    return function


class Stubs(Extension):
    def on_class(self, *, cls: Class, **_: Any) -> None:
        for name, overloads in cls.overloads.items():
            if overloads and name not in cls.members:
                cls.set_member(name, implementation(overloads))
        if "__new__" in cls.members and "__init__" not in cls.members:
            new = cls.members["__new__"]
            assert isinstance(new, Function)
            made = Function("__init__", lineno=new.lineno, endlineno=new.endlineno, parameters=new.parameters)
            made.docstring = new.docstring
            cls.set_member("__init__", made)
        members = sorted(cls.members.items(), key=lambda member: member[1].lineno or 0)
        cls.members.clear()
        cls.members.update(members)

    def on_attribute_instance(self, *, attr: Attribute, **_: Any) -> None:
        if attr.docstring is not None or attr.lineno is None:
            return
        above = []
        for line in reversed(attr.module.lines[: attr.lineno - 1]):
            text = line.strip()
            if not text.startswith("#:"):
                break
            above.append(text.removeprefix("#:").strip())
        if above:
            # two brackets in a row would be a link in Markdown
            text = "\n".join(reversed(above)).replace("][", "]\\[")
            attr.docstring = Docstring(text, parent=attr)
