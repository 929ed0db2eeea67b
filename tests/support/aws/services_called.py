"""Which AWS services code may call: each client or resource of ``boto3``, each use of the AWS command."""

from __future__ import annotations

import ast
import re
from functools import cache
from pathlib import Path

CODE = Path(__file__).parents[3] / "functions"
MAKERS = {"client", "resource"}
#: whose ``client`` and ``resource`` are calls to AWS
SESSIONS = {"boto3", "session", "_session", "Session"}


def services_called(module: str) -> set[str]:
    """Services named in ``module`` and in all of ours that it imports, however indirectly.

    More than is called at run time, never less: a module may be imported and its client never made.
    """
    return {service for name in _closure(module) for service in _named(name)}


def _closure(module: str) -> set[str]:
    found: set[str] = set()
    pending = [module]
    while pending:
        name = pending.pop()
        if name not in found and _path(name):
            found.add(name)
            pending += _imports(name)
    return found


@cache
def _path(module: str) -> Path | None:
    base = CODE / module.replace(".", "/")
    candidates = (base.with_suffix(".py"), base / "__init__.py")
    return next((path for path in candidates if path.is_file()), None)


@cache
def _tree(module: str) -> ast.Module:
    path = _path(module)
    assert path is not None
    return ast.parse(path.read_text())


@cache
def _imports(module: str) -> tuple[str, ...]:
    names = []
    for node in ast.walk(_tree(module)):
        if isinstance(node, ast.Import):
            names += [alias.name for alias in node.names]
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, f"{module}: a relative import"
            names += [str(node.module), *(f"{node.module}.{alias.name}" for alias in node.names)]
    parents = {name.rpartition(".")[0] for name in names} - {""}
    return (*names, *parents)


@cache
def _named(module: str) -> frozenset[str]:
    return frozenset(
        _service(node, module)
        for node in ast.walk(_tree(module))
        if isinstance(node, ast.Call)
        and isinstance(node.func, ast.Attribute)
        and node.func.attr in MAKERS
        and _is_session(node.func.value)
    )


def _is_session(value: ast.expr) -> bool:
    name = value.id if isinstance(value, ast.Name) else value.attr if isinstance(value, ast.Attribute) else ""
    return name in SESSIONS


def _service(call: ast.Call, module: str) -> str:
    (service, *_) = call.args
    assert isinstance(service, ast.Constant), f"{module}:{call.lineno}: a service that can't be read here"
    return str(service.value)


def services_of_scripts(folder: Path) -> set[str]:
    """Services that shell scripts in ``folder`` call by the AWS command: the word behind its options."""
    lines = [line for path in folder.rglob("*") if path.is_file() for line in path.read_text().splitlines()]
    code = "\n".join(line for line in lines if not line.lstrip().startswith("#"))
    return set(re.findall(r"(?:^|[\s;&|(])aws\s+(?:(?:--|\$)\S+\s+)*([a-z][a-z0-9-]*)", code))
