"""Turns the docstrings' Sphinx roles and directives into what the site's Markdown knows."""

from __future__ import annotations

import re
import textwrap
from typing import Any

import griffe

_ROLE = re.compile(r":(?:class|func|meth|mod|attr|exc|data):`~?([\w.]+)`")
_CODE = re.compile(r"^( *)\.\. code-block:: (\w+)\n((?:\1 +\S.*\n?|[ ]*\n)+)", re.MULTILINE)


class Roles(griffe.Extension):
    """Works on whole packages, when every name is known."""

    def on_package(self, *, pkg: griffe.Module, **kwargs: Any) -> None:
        """Rewrite every docstring of the package."""
        _visit(pkg, pkg)


def _visit(thing: griffe.Object, package: griffe.Module) -> None:
    if thing.docstring is not None:
        text = _ROLE.sub(lambda match: _link(match[1], thing, package), thing.docstring.value)
        thing.docstring.value = _CODE.sub(_fence, text + "\n").rstrip("\n")
    for member in list(thing.members.values()):
        if not member.is_alias:
            _visit(member, package)  # type: ignore[arg-type]


def _link(name: str, thing: griffe.Object, package: griffe.Module) -> str:
    """A link to what ``name`` means where it stands; the build stops at one that is nowhere."""
    short = name.rpartition(".")[2]
    if name.split(".")[0].startswith("seams_"):
        return f"[`{short}`][{name}]"
    scope: griffe.Object | None = thing
    while scope is not None:
        found = scope.members.get(name.split(".")[0])
        if found is not None:
            path = found.target_path if found.is_alias else found.path
            return f"[`{short}`][{'.'.join([path, *name.split('.')[1:]])}]"
        scope = scope.parent
    return f"`{name}`"


def _fence(match: re.Match[str]) -> str:
    body = textwrap.dedent(match[3]).strip("\n")
    return textwrap.indent(f"```{match[2]}\n{body}\n```\n\n", match[1])
