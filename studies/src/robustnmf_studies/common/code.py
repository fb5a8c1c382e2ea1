"""The version of the code that computes results, so that results of two versions never mix.

It is a digest of the sources that a module reaches by its imports. Figures and reports are not
reached from what computes, so that changing them leaves results as they are.
"""

from __future__ import annotations

import ast
import functools
import hashlib
import re
from importlib.util import find_spec
from pathlib import Path

_OURS = ("robustnmf", "robustnmf_studies")
_WHERE = re.compile(r"([A-Za-z_][\w.]*):\w+")


@functools.cache
def code_version(*modules: str) -> str:
    """Return a short name of the code of some modules and of all of ours that they import.

    It is the same for the same code: comments, docstrings and layout do not count.
    """
    sources = reached(*modules)
    digest = hashlib.sha256()
    for name in sorted(sources):
        digest.update(name.encode() + sources[name].encode())
    return digest.hexdigest()[:12]


def reached(*modules: str) -> dict[str, str]:
    """Return the code of some modules and of all of ours that they import, by name.

    Imports inside functions count as others do, and so do modules that a table of names points to;
    those of mere types do not.
    """
    found: dict[str, str] = {}
    open_ = list(modules)
    while open_:
        name = open_.pop()
        path = _path(name)
        if path is None or name in found:
            continue
        tree = _Bare().visit(ast.parse(path.read_text(encoding="utf-8")))
        found[name] = ast.unparse(tree)
        # A module's packages are loaded before it.
        parts = name.split(".")
        open_ += [".".join(parts[:end]) for end in range(1, len(parts))]
        for node in ast.walk(tree):
            if isinstance(node, ast.Import):
                open_ += [alias.name for alias in node.names]
            elif isinstance(node, ast.ImportFrom) and node.module:
                # What is imported from a package may be one of its modules.
                open_ += [node.module, *(f"{node.module}.{alias.name}" for alias in node.names)]
            elif isinstance(node, ast.Constant) and isinstance(node.value, str):
                # Tables of names hold where a thing is, as "module:thing", to load it when needed.
                open_ += [match[1]] if (match := _WHERE.fullmatch(node.value)) else []
    return found


class _Bare(ast.NodeTransformer):
    """Leave out docstrings and what only type checkers read."""

    def visit_Expr(self, node: ast.Expr) -> ast.AST | None:
        text = isinstance(node.value, ast.Constant) and isinstance(node.value.value, str)
        return None if text else node

    def visit_If(self, node: ast.If) -> ast.AST | None:
        if isinstance(node.test, ast.Name) and node.test.id == "TYPE_CHECKING":
            return None
        return self.generic_visit(node)


def _path(name: str) -> Path | None:
    """Return the file of a module of ours."""
    first, *rest = name.split(".")
    spec = find_spec(first) if first in _OURS else None
    if spec is None or spec.origin is None:
        return None
    path = Path(spec.origin).parent.joinpath(*rest)
    files = (path / "__init__.py", path.with_suffix(".py"))
    return next((file for file in files if file.is_file()), None)
