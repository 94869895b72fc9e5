"""Flags as data: where a command's parameter is a dataclass, each field becomes a flag.

So flags that several commands share are declared once, and arrive as one value.
"""

from __future__ import annotations

from collections.abc import Callable, ItemsView, Mapping
from dataclasses import is_dataclass
from inspect import Parameter, Signature, signature  # noqa: TID253 (typer imports it)
from typing import Annotated, Any, Literal, TypeVar, get_args

from gradcli.cli.formats import FORMATS

Result = TypeVar("Result")


def expanded(command: Callable[..., Result], shows: str = "") -> Callable[..., Result]:
    """The command as typer takes it, with a flag for each field of its bundles.

    `shows` is the kind of answer that it shows: `--format` offers the formats of this kind, of
    which the first is the default.
    """
    parameters = signature(command, eval_str=True).parameters

    def run(**given: Any) -> Result:
        return command(**{name: _value(name, each, given) for name, each in parameters.items()})

    flags = [flag for each in parameters.values() for flag in _flags(each)]
    if shows:
        flags = [_offering(flag, tuple(FORMATS[shows])) for flag in flags]
    ordered = sorted(flags, key=lambda flag: flag.default is not Parameter.empty)
    run.__signature__ = Signature(ordered)  # type: ignore[attr-defined]
    run.__doc__ = command.__doc__
    return run


def _flags(parameter: Parameter) -> list[Parameter]:
    """The flags that a parameter stands for."""
    bundle: Any = parameter.annotation
    if not is_dataclass(bundle):
        return [parameter.replace(kind=Parameter.KEYWORD_ONLY)]
    return [flag for _, field in _members(bundle) for flag in _flags(field)]


def _value(name: str, parameter: Parameter, given: Mapping[str, Any]) -> Any:
    """The value of a parameter, from those of the flags."""
    bundle: Any = parameter.annotation
    if not is_dataclass(bundle):
        return given[name]
    members = {member: _value(member, each, given) for member, each in _members(bundle)}
    return parameter.annotation(**members)


def _members(bundle: Any) -> ItemsView[str, Parameter]:
    return signature(bundle, eval_str=True).parameters.items()


def _offering(flag: Parameter, formats: tuple[str, ...]) -> Parameter:
    """`--format` with its choices; other flags as they are."""
    if flag.name != "format_":
        return flag
    _, option = get_args(flag.annotation)
    choice = Literal[formats]  # type: ignore[valid-type]
    return flag.replace(annotation=Annotated[choice, option], default=formats[0])
