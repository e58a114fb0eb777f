"""Named tuples and protocols that cost next to nothing to declare.

`typing.NamedTuple` compiles each annotation and a constructor for each class
while its module is imported: for the classes of this engine that was a fifth
of a command's start-up (ADR 0003). Here annotations stay texts, and the
constructor is compiled when the first value is made. Values behave as those
of `typing.NamedTuple`, and for type checkers it is that very class.

What is left out: generic records, and a class docstring per member.
"""

from __future__ import annotations

from _collections import _tuplegetter  # type: ignore[import-not-found]  # as collections does

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import NamedTuple as NamedTuple  # noqa: TID251
    from typing import Protocol as Protocol  # noqa: TID251
else:

    class Protocol:
        """A protocol says something to type checkers only."""

    class _RecordType(type):
        """Turns a class body with annotations into a class of tuples."""

        def __new__(mcs, name, bases, body):
            if not bases:
                return super().__new__(mcs, name, bases, body)
            fields = tuple(body.get("__annotations__", ()))
            defaults = {field: body.pop(field) for field in fields if field in body}
            if fields[len(fields) - len(defaults) :] != tuple(defaults):
                raise TypeError(f"{name}: a member without default follows one with a default")
            members = {field: _tuplegetter(place, "") for place, field in enumerate(fields)}
            body["__slots__"] = ()
            body["__match_args__"] = body["_fields"] = fields
            body["_field_defaults"] = defaults
            return type(name, (tuple,), {**_COMMON, **members, **body})

    class NamedTuple(metaclass=_RecordType):
        """Base of records: members are the annotations, in their order."""

    def _first_new(cls, *values, **named):
        """Compile the constructor for the first value; later ones go there directly."""
        owner = next(one for one in cls.__mro__ if "_fields" in vars(one))
        names = "".join(f"{field}, " for field in owner._fields)
        # The names come from a class body, so they are identifiers.
        constructor = eval(f"lambda _cls, {names}: _new(_cls, ({names}))", {"_new": tuple.__new__})
        constructor.__defaults__ = tuple(owner._field_defaults.values())
        constructor.__name__ = "__new__"
        constructor.__qualname__ = f"{owner.__qualname__}.__new__"
        owner.__new__ = staticmethod(constructor)
        return constructor(cls, *values, **named)

    def _make(cls, values):
        made = tuple.__new__(cls, values)
        if len(made) != len(cls._fields):
            raise TypeError(f"{cls.__name__} has {len(cls._fields)} members, not {len(made)}")
        return made

    def _replace(self, /, **changes):
        made = tuple.__new__(type(self), map(changes.pop, self._fields, self))
        if changes:
            raise TypeError(f"{type(self).__name__} has no member {', '.join(changes)}")
        return made

    def _asdict(self):
        return dict(zip(self._fields, self, strict=True))

    def _values(self):
        return tuple(self)

    def _shown(self):
        members = zip(self._fields, self, strict=True)
        inside = ", ".join(f"{name}={value!r}" for name, value in members)
        return f"{type(self).__name__}({inside})"

    _COMMON = {
        "__new__": _first_new,
        "__repr__": _shown,
        "__getnewargs__": _values,
        "_make": classmethod(_make),
        "_replace": _replace,
        "_asdict": _asdict,
    }
