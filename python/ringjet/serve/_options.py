"""The options and limits of a service."""

from __future__ import annotations

import os
from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple

_DAY = 86400.0


class Pace(NamedTuple):
    """How fast a body must come: in each `window` of seconds that the service waits for it, `rate`
    times as many bytes."""

    window: float
    rate: float


@dataclass(frozen=True)
class Options:
    """What the command line sets. Sizes are in bytes, times in seconds."""

    folder: Path
    #: An address for SQLAlchemy; None for a SQLite file in the folder.
    database: str | None = None
    host: str = "127.0.0.1"
    port: int = 8080
    #: No tokens: everybody who reaches the port is the same tenant.
    open: bool = False
    #: Origins of pages that may call the service from a browser, beside its own.
    allow_origin: tuple[str, ...] = ()
    #: Names of the service in the address that clients use, beside localhost and the host's; "*" for
    #: any.
    allow_host: tuple[str, ...] = ()
    #: Jobs that run at the same time.
    workers: int = 2
    #: The device whose profile predicts the time of programs.
    device: str = "cpu-ifma-2core"
    #: The largest set of evaluation keys, and the largest ciphertext.
    max_key_bytes: int = 8 << 30
    max_data_bytes: int = 256 << 20
    #: Memory for expanded keys.
    max_memory: int = 4 << 30
    #: Predicted work, and jobs, that may wait in the queue.
    max_queue_seconds: float = 600.0
    max_queue_jobs: int = 1000
    #: The longest time that a request waits for its result.
    max_wait: float = 60.0
    #: In so many seconds, `body_rate` times as many bytes of a request's body must come.
    body_timeout: float = 20.0
    body_rate: float = 16384.0
    #: Connections of an address, and requests of a tenant, at a time.
    address_connections: int = 256
    tenant_requests: int = 256
    #: How long keys, ciphertexts and finished jobs are kept.
    key_ttl: float = 30 * _DAY
    data_ttl: float = 7 * _DAY
    job_ttl: float = _DAY
    #: Quotas of tenants that have none of their own: stored bytes, unfinished jobs, and predicted
    #: seconds of computing in an hour.
    tenant_bytes: int = 32 << 30
    tenant_jobs: int = 100
    tenant_seconds: float = 3600.0
    #: How often a job is started before it counts as the reason why the service stops.
    max_attempts: int = 3
    #: How long a stop waits for running jobs.
    grace: float = 30.0

    @property
    def pace(self) -> Pace:
        """How fast bodies must come."""
        return Pace(self.body_timeout, self.body_rate)

    @property
    def threads(self) -> int:
        """Threads of each job."""
        return max(1, (os.cpu_count() or 1) // self.workers)
