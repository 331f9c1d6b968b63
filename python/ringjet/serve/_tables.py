"""The tables of a service's database."""

from __future__ import annotations

import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

from sqlalchemy import (
    BigInteger,
    Boolean,
    Column,
    Connection,
    Engine,
    Float,
    Index,
    Integer,
    MetaData,
    String,
    Table,
    Text,
    UniqueConstraint,
    create_engine,
    event,
    insert,
    inspect,
    select,
)
from sqlalchemy.exc import DBAPIError, IntegrityError

metadata = MetaData()
#: The version of the tables below. It grows when one of them changes.
VERSION = 1

#: How often tables are made when the database refuses, and the seconds between two attempts.
_ATTEMPTS, _PAUSE = 5, 0.2


class DatabaseVersionError(RuntimeError):
    """The tables of a database are those of another version of ringjet."""


def _text(name: str, **options: Any) -> Column[str]:
    return Column(name, String(200), **{"nullable": False, **options})


def _time(name: str, **options: Any) -> Column[float]:
    return Column(name, Float(53), **{"nullable": False, **options})


#: Tenants with their own quotas; None means the default of the service.
tenants = Table(
    "tenants",
    metadata,
    _text("name", primary_key=True),
    Column("max_bytes", BigInteger),
    Column("max_jobs", Integer),
    Column("max_seconds", Float(53)),
    _time("created"),
)

#: Hashes of tokens. `keys` is a list in JSON of the key identities that the token may use; None
#: means all of the tenant's.
tokens = Table(
    "tokens",
    metadata,
    _text("hash", primary_key=True),
    _text("tenant"),
    Column("keys", Text),
    Column("admin", Boolean, nullable=False),
    _time("created"),
)

#: Complete and verified evaluation keys. `spec` says in JSON which keys they are, `memory` how many
#: bytes they take when they are expanded.
keys = Table(
    "keys",
    metadata,
    _text("tenant", primary_key=True),
    _text("key_id", primary_key=True),
    _text("digest"),
    Column("size", BigInteger, nullable=False),
    Column("memory", BigInteger, nullable=False),
    _text("fingerprint"),
    Column("spec", Text, nullable=False),
    _time("created"),
    _time("expires"),
)

#: Evaluation keys of which only a part has come.
uploads = Table(
    "uploads",
    metadata,
    _text("tenant", primary_key=True),
    _text("key_id", primary_key=True),
    _text("digest"),
    Column("total", BigInteger, nullable=False),
    _text("file"),
    _time("expires"),
)

#: Ciphertexts that clients stored.
data = Table(
    "data",
    metadata,
    _text("tenant", primary_key=True),
    _text("id", primary_key=True),
    _text("digest", index=True),
    Column("size", BigInteger, nullable=False),
    _text("fingerprint"),
    _text("key_id"),
    _time("created"),
    _time("expires"),
)

#: What parties of a session send to all others: in each round, a letter of each of them.
letters = Table(
    "letters",
    metadata,
    _text("tenant", primary_key=True),
    _text("session", primary_key=True),
    _text("topic", primary_key=True),
    _text("sender", primary_key=True),
    _text("digest", index=True),
    Column("size", BigInteger, nullable=False),
    _time("created"),
    _time("expires"),
)

#: The journal of jobs. `inputs` is a list of digests in JSON. `request` identifies what was asked
#: for, so that a repeated request with the same `idempotency` key finds its job.
jobs = Table(
    "jobs",
    metadata,
    _text("id", primary_key=True),
    _text("tenant"),
    _text("program"),
    _text("key_id"),
    Column("inputs", Text, nullable=False),
    Column("input_bytes", BigInteger, nullable=False),
    _text("request"),
    _text("idempotency", nullable=True),
    _text("state"),
    Column("attempts", Integer, nullable=False),
    _time("predicted"),
    Column("problem", Text),
    Column("outputs", Text),
    _text("result", nullable=True),
    Column("result_bytes", BigInteger, nullable=False),
    _time("created"),
    _time("started", nullable=True),
    _time("finished", nullable=True),
    _time("expires"),
    UniqueConstraint("tenant", "idempotency"),
    Index("jobs_by_state", "state"),
    Index("jobs_by_tenant", "tenant", "created"),
    Index("jobs_by_result", "result"),
)


#: The version of the tables, in one row.
about = Table("about", metadata, Column("version", Integer, primary_key=True))


class Database:
    """The database. One process writes at a time, in one thread at a time."""

    def __init__(self, url: str) -> None:
        self._engine = _engine(url)
        self._lock = threading.RLock()
        try:
            self._expect_version()
            self._make_tables()
            # another process may have stated its version meanwhile
            self._expect_version()
        except BaseException:
            self.close()
            raise

    @staticmethod
    def of(folder: Path, url: str | None) -> Database:
        """The database at `url`, or the SQLite file in the folder."""
        return Database(url or f"sqlite:///{folder / 'ringjet.db'}")

    @contextmanager
    def read(self) -> Iterator[Connection]:
        """A connection for reading."""
        with self._engine.connect() as connection:
            yield connection

    @contextmanager
    def write(self) -> Iterator[Connection]:
        """A transaction. It is on the disk when the block ends, or undone by an exception."""
        with self._lock, self._engine.begin() as connection:
            yield connection

    def close(self) -> None:
        """Closes all connections."""
        self._engine.dispose()

    def _expect_version(self) -> None:
        """Refuses tables of another version. A new database has none."""
        if not inspect(self._engine).has_table(about.name):
            return
        with self.read() as db:
            others = set(db.scalars(select(about.c.version))) - {VERSION}
        if others:
            found = ", ".join(map(str, sorted(others)))
            detail = f"the database has tables of version {found}, and this ringjet those of version {VERSION}"
            raise DatabaseVersionError(f"{detail}: use the ringjet that made them, or a new folder and database")

    def _make_tables(self) -> None:
        """Makes the tables that are not there, and states their version."""
        for attempt in range(_ATTEMPTS):
            try:
                metadata.create_all(self._engine)
                break
            except DBAPIError:
                # another process may be making the same tables
                if attempt == _ATTEMPTS - 1:
                    raise
                time.sleep(_PAUSE)
        # another process may state the version first
        with suppress(IntegrityError), self.write() as db:
            if db.execute(select(about.c.version)).first() is None:
                db.execute(insert(about).values(version=VERSION))


def _engine(url: str) -> Engine:
    engine = create_engine(url, pool_pre_ping=not url.startswith("sqlite"))
    if engine.dialect.name == "sqlite":

        @event.listens_for(engine, "connect")
        def _(connection: Any, _record: Any) -> None:
            for setting in ("busy_timeout = 30000", "journal_mode = WAL", "synchronous = FULL"):
                connection.execute(f"PRAGMA {setting}")

    return engine
