"""`ringjet serve`."""

from __future__ import annotations

import argparse
import importlib
import re
import sys
import time
from dataclasses import fields
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ..errors import RingjetError
from ..program._file import ProgramError, module
from ._options import Options
from ._service import Service
from ._transport import is_loopback

if TYPE_CHECKING:
    from ._access import Access

_DESCRIPTION = """
Offers programs on encrypted numbers over HTTP. Without a program it offers a few of its own. The first start in an empty folder
prints a token for clients. `serve token add NAME` makes more. `serve token list` names them; `serve token revoke NAME` removes
all tokens of a tenant, and `serve token revoke NAME TOKEN` the one that the list calls so.
"""

#: What must be installed, and is not with ringjet alone.
_PACKAGES = ("fastapi", "uvicorn", "sqlalchemy", "prometheus_client")

#: Options with a number, and what they mean.
_NUMBERS = {
    "port": "0: any that is free",
    "workers": "jobs that run at the same time",
    "max_key_bytes": "the largest set of evaluation keys",
    "max_data_bytes": "the largest ciphertext",
    "max_memory": "bytes of memory for expanded keys",
    "max_queue_seconds": "predicted work that may wait",
    "max_queue_jobs": "jobs that may wait",
    "max_wait": "the longest time in seconds that a request waits for its result",
    "body_timeout": "seconds in which --body-rate times as many bytes of a body must come",
    "body_rate": "the least bytes a second of a body",
    "address_connections": "connections of an address at a time; behind a proxy, of all its clients",
    "tenant_requests": "requests of a tenant at a time",
    "key_ttl": "seconds that keys are kept",
    "data_ttl": "seconds that ciphertexts are kept",
    "job_ttl": "seconds that finished jobs are kept, 3600 or more",
    "tenant_bytes": "stored bytes of a tenant",
    "tenant_jobs": "unfinished jobs of a tenant",
    "tenant_seconds": "predicted seconds of computing of a tenant in an hour",
    "max_attempts": "starts of a job, after which it is taken for the reason why the service stops",
    "grace": "seconds that a stop waits for running jobs",
}
_DEFAULTS: dict[str, Any] = {field.name: field.default for field in fields(Options)}


class MissingPackagesError(ImportError):
    """The packages of the extra `serve` are not installed."""


def add_to(commands: Any) -> None:
    """Adds the command to a parser."""
    form = argparse.ArgumentDefaultsHelpFormatter
    p = commands.add_parser("serve", help="offer programs over HTTP", description=_DESCRIPTION, formatter_class=form)
    what = "file.py:service or module:service; or: token add NAME, token list, token revoke NAME [TOKEN]"
    p.add_argument("words", nargs="*", metavar="PROGRAMS", help=what, default=argparse.SUPPRESS)
    p.add_argument("--folder", type=Path, default=Path("ringjet-service"), help="where everything is kept")
    what = "for SQLAlchemy, such as postgresql+psycopg://...; a SQLite file in the folder unless given"
    p.add_argument("--database", metavar="URL", help=what)
    p.add_argument("--host", default=_DEFAULTS["host"], help="the address to listen on")
    p.add_argument("--device", default=_DEFAULTS["device"], help="whose profile predicts times")
    p.add_argument("--open", action="store_true", help="no tokens; for addresses of this machine only")
    what = "the origin of pages that may call the service from a browser, such as https://host; may be repeated"
    p.add_argument("--allow-origin", action="append", metavar="ORIGIN", default=[], help=what)
    what = "a name of the service in the address that clients use, such as compute.example; may be repeated; '*' for any name"
    p.add_argument("--allow-host", action="append", metavar="NAME", default=[], help=what)
    p.add_argument("--check", action="store_true", help="only plan the programs and print what they need")
    for name, meaning in _NUMBERS.items():
        default = _DEFAULTS[name]
        p.add_argument("--" + name.replace("_", "-"), type=type(default), default=default, metavar="N", help=meaning)
    t = p.add_argument_group("of token add")
    t.add_argument(
        "--keys", metavar="ID,ID", help="key identities that the token is bound to; all of the tenant's unless given"
    )
    t.add_argument("--admin", action="store_true", help="may see the status of all tenants, and metrics")
    t.add_argument("--quota-bytes", type=int, metavar="N", help="instead of --tenant-bytes")
    t.add_argument("--quota-jobs", type=int, metavar="N", help="instead of --tenant-jobs")
    t.add_argument("--quota-seconds", type=float, metavar="N", help="instead of --tenant-seconds")
    p.set_defaults(run=run)


def run(arguments: argparse.Namespace) -> int:
    """Runs the command and returns the exit status."""
    try:
        require_packages()
        words = getattr(arguments, "words", [])
        if words[:1] == ["token"]:
            return _token(arguments, words[1:])
        return _serve(arguments, words)
    except KeyboardInterrupt:
        return 130
    except (RingjetError, ProgramError, MissingPackagesError, ValueError, OSError, RuntimeError) as error:
        print(f"error: {error}", file=sys.stderr)
        return 1


def require_packages() -> None:
    """Refuses to go on without the packages of the extra."""
    for name in _PACKAGES:
        try:
            importlib.import_module(name)
        except ModuleNotFoundError:
            raise MissingPackagesError(f"a service needs {name}: pip install ringjet[serve]") from None


def loaded(name: str) -> Service:
    """The service that `name` gives as `file.py:service` or `module:service`."""
    place, found, attribute = name.rpartition(":")
    if not found or not place or not attribute:
        raise ProgramError(f"{name!r}: programs are file.py:service or module:service")
    service = getattr(module(place), attribute, None)
    if not isinstance(service, Service):
        raise ProgramError(f"{place} has no ringjet.serve.Service called {attribute}")
    if not service.programs:
        raise ProgramError(f"{name} has no programs: add functions with @{attribute}.program(params=...)")
    return service


def _options(a: argparse.Namespace) -> Options:
    found = {field.name: getattr(a, field.name) for field in fields(Options)}
    options = Options(**found | {"allow_origin": tuple(a.allow_origin), "allow_host": tuple(a.allow_host)})
    for origin in options.allow_origin:
        if not re.fullmatch(r"https?://[^/?#@*\s]+", origin):
            raise ValueError(f"--allow-origin {origin}: an origin looks like https://host or http://127.0.0.1:8000")
    for host in options.allow_host:
        if not re.fullmatch(r"[A-Za-z0-9._-]{1,253}|\*", host):
            raise ValueError(
                f"--allow-host {host}: a name looks like compute.example, without a scheme and without a port"
            )
    for name in _NUMBERS:
        value, least = getattr(options, name), {"port": 0, "job_ttl": 3600, "grace": 0, "max_wait": 0}.get(name, 1)
        if not least <= value < 1 << 60:
            raise ValueError(f"--{name.replace('_', '-')} {value}: a number from {least} on is needed")
    if options.port > 65535:
        raise ValueError(f"--port {options.port}: a number up to 65535 is needed")
    if options.open and not is_loopback(options.host):
        raise ValueError(
            f"--open with --host {options.host}: without tokens, only this machine may have access (127.0.0.1)"
        )
    return options


def _serve(a: argparse.Namespace, words: list[str]) -> int:
    from ._builtin import service as builtin
    from ._run import serve

    if len(words) > 1:
        raise ValueError(f"{' '.join(words)}: one file.py:service or module:service is needed, or nothing")
    service = loaded(words[0]) if words else builtin
    options = _options(a)
    if a.check:
        for program in service.programs.values():
            planned = program.planned(options.device)
            print(f"{planned.name}({', '.join(i.name for i in planned.inputs)})")
            print("  " + str(planned.plan).replace("\n", "\n  "))
        return 0
    return serve(service, options)


def _token(a: argparse.Namespace, words: list[str]) -> int:
    from ._access import Access
    from ._blobs import service_folder
    from ._tables import Database

    options = _options(a)
    service_folder(options.folder)
    database = Database.of(options.folder, options.database)
    try:
        return _managed(Access(database, options), a, words)
    finally:
        database.close()


def _managed(access: Access, a: argparse.Namespace, words: list[str]) -> int:
    match words:
        case ["add", name]:
            keys = a.keys.split(",") if a.keys is not None else None
            quotas = {"max_bytes": a.quota_bytes, "max_jobs": a.quota_jobs, "max_seconds": a.quota_seconds}
            print(access.add(name, keys, admin=a.admin, **quotas))
        case ["list"]:
            for token in access.listed():
                since = time.strftime("%Y-%m-%d %H:%M UTC", time.gmtime(token.created))
                keys = token.keys or "all of the tenant's"
                rights = "  admin" if token.admin else ""
                print(f"{token.tenant}  {token.name}  since {since}  keys: {keys}{rights}")
        case ["revoke", name, *rest] if len(rest) < 2:
            print(f"{access.revoke(name, *rest)} token(s) of {name} removed")
        case _:
            raise ValueError("serve token: add NAME, list, revoke NAME, or revoke NAME TOKEN")
    return 0
