"""Tenants, their tokens and quotas."""

from __future__ import annotations

import hashlib
import json
import re
import secrets
import time
from dataclasses import dataclass
from typing import Any, NamedTuple

from sqlalchemy import Connection, delete, func, insert, select

from ._options import Options
from ._problems import Problem, later
from ._tables import Database, data, jobs, keys, letters, tenants, tokens, uploads

NAME = re.compile("[a-z0-9][a-z0-9_-]{0,63}")
KEY_ID = re.compile("[0-9a-f]{32}")
#: The digits of a hash that name a token.
_SHOWN = 12


@dataclass(frozen=True)
class Caller:
    """Who sends a request. `keys`: the key identities that the token is bound to; None means all of
    the tenant's."""

    tenant: str
    keys: frozenset[str] | None = None
    admin: bool = False

    def may_use(self, key_id: str) -> bool:
        """Whether the token may use a key, and see its identity."""
        return self.keys is None or key_id in self.keys

    def check_key(self, key_id: str) -> None:
        """Refuses a key that the caller named and that the token is not bound to."""
        if not self.may_use(key_id):
            raise Problem("forbidden", f"the token is not bound to key {key_id}", key_id=key_id)

    def check_owner(self, key_id: str, what: str) -> None:
        """Refuses what belongs to a key that the token is not bound to, without naming the key."""
        if not self.may_use(key_id):
            raise Problem("forbidden", f"the token is not bound to the key of {what}")


class Listed(NamedTuple):
    """What is known of a token. `name`: the beginning of its hash, which reveals nothing of it. `keys`:
    as a list in JSON; None means all of the tenant's."""

    tenant: str
    name: str
    created: float
    keys: str | None
    admin: bool


@dataclass(frozen=True)
class Quota:
    """What a tenant may use: stored bytes, unfinished jobs, predicted seconds in an hour."""

    bytes: int
    jobs: int
    seconds: float


class Access:
    """The tokens in the database. Only hashes are stored."""

    def __init__(self, database: Database, options: Options) -> None:
        self._database, self._options = database, options

    def add(
        self,
        tenant: str,
        key_ids: list[str] | None = None,
        *,
        admin: bool = False,
        max_bytes: int | None = None,
        max_jobs: int | None = None,
        max_seconds: float | None = None,
    ) -> str:
        """Makes a token. This is the only time that anybody sees it."""
        if not NAME.fullmatch(tenant):
            raise ValueError(f"{tenant!r}: a name has 1 to 64 of a-z, 0-9, - and _, a letter or digit first")
        for key_id in key_ids or ():
            if not KEY_ID.fullmatch(key_id):
                raise ValueError(f"{key_id!r}: a key identity has 32 hexadecimal digits, as Client.key_id shows them")
        token = "rj_" + secrets.token_urlsafe(32)
        quotas = {"max_bytes": max_bytes, "max_jobs": max_jobs, "max_seconds": max_seconds}
        row = {"hash": hashed(token), "tenant": tenant, "keys": json.dumps(key_ids) if key_ids is not None else None}
        with self._database.write() as db:
            known = db.execute(select(tenants).where(tenants.c.name == tenant)).first()
            if known is None:
                db.execute(insert(tenants).values(name=tenant, created=time.time(), **quotas))
            elif changed := {name: value for name, value in quotas.items() if value is not None}:
                db.execute(tenants.update().where(tenants.c.name == tenant).values(**changed))
            db.execute(insert(tokens).values(**row, admin=admin, created=time.time()))
        return token

    def revoke(self, tenant: str, token: str | None = None) -> int:
        """Removes all tokens of a tenant, or the one that `listed` calls so, and returns how many."""
        mine = [tokens.c.tenant == tenant]
        if token is not None:
            if not re.fullmatch(f"[0-9a-f]{{{_SHOWN}}}", token):
                raise ValueError(
                    f"{token!r}: a token is named by {_SHOWN} hexadecimal digits, as `serve token list` shows them"
                )
            mine.append(tokens.c.hash.startswith(token))
        with self._database.write() as db:
            return int(db.execute(delete(tokens).where(*mine)).rowcount)

    def listed(self) -> list[Listed]:
        """All tokens, the oldest first."""
        with self._database.read() as db:
            rows = db.execute(select(tokens).order_by(tokens.c.created))
            return [Listed(r.tenant, r.hash[:_SHOWN], r.created, r.keys, r.admin) for r in rows]

    def caller(self, token: str | None) -> Caller:
        """Who has this token."""
        if self._options.open:
            return Caller("open", admin=True)
        if token:
            with self._database.read() as db:
                row = db.execute(select(tokens).where(tokens.c.hash == hashed(token))).first()
            if row is not None:
                bound = None if row.keys is None else frozenset(json.loads(row.keys))
                return Caller(row.tenant, bound, row.admin)
        detail = "send a token that `ringjet serve token add` made: Authorization: Bearer TOKEN"
        raise Problem("unauthorized", detail, headers={"WWW-Authenticate": 'Bearer realm="ringjet"'})

    def quota(self, db: Connection, tenant: str) -> Quota:
        """The quota of a tenant."""
        row = db.execute(select(tenants).where(tenants.c.name == tenant)).first()
        own: Any = (row.max_bytes, row.max_jobs, row.max_seconds) if row else (None, None, None)
        o = self._options
        default = (o.tenant_bytes, o.tenant_jobs, o.tenant_seconds)
        size, count, seconds = (
            given if given is not None else usual for given, usual in zip(own, default, strict=True)
        )
        return Quota(int(size), int(count), float(seconds))

    def check_jobs(self, db: Connection, tenant: str, seconds: float) -> None:
        """Refuses a job of so many predicted seconds that would exceed a quota."""
        quota, now = self.quota(db, tenant), time.time()
        mine = jobs.c.tenant == tenant
        count = db.execute(select(func.count()).where(mine, jobs.c.state.in_(("queued", "running")))).scalar_one()
        if count >= quota.jobs:
            detail = f"{count} jobs are not finished, which is the quota: wait for them, or cancel some"
            raise later("quota", detail, 1, quota="jobs", used=count, limit=quota.jobs)
        recent = select(func.coalesce(func.sum(jobs.c.predicted), 0.0), func.min(jobs.c.created))
        used, first = db.execute(recent.where(mine, jobs.c.created > now - 3600)).one()
        if used + seconds > quota.seconds:
            asked = f"{used:.3g} s of computing were asked for in this hour"
            detail = f"{asked}; {seconds:.3g} s more exceed the quota of {quota.seconds:g} s"
            raise later("quota", detail, (first or now) + 3600 - now, quota="seconds", used=used, limit=quota.seconds)


def stored_bytes(db: Connection, tenant: str) -> int:
    """The bytes that a tenant's keys, uploads, data, letters and jobs take."""
    columns = [keys.c.size, uploads.c.total, data.c.size, letters.c.size, jobs.c.input_bytes, jobs.c.result_bytes]
    sums = [select(func.coalesce(func.sum(c), 0)).where(c.table.c.tenant == tenant) for c in columns]
    return sum(int(db.execute(query).scalar_one()) for query in sums)


def hashed(token: str) -> str:
    """What is stored of a token. Tokens have 256 random bits, so a plain hash is enough."""
    return hashlib.sha256(token.encode()).hexdigest()
