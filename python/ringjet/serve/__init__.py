"""A service that computes on the ciphertexts of many clients, and its client.

`Service` collects programs: plain functions of ciphertexts. `ringjet serve
file.py:service` offers them over HTTP, and `ringjet.connect(url, token)` calls them. The service
needs the extra packages of `pip install ringjet[serve]`; the client needs nothing beyond ringjet.

    service = rj.serve.Service()

    @service.program(params="n14-depth6")
    def score(x, w):
        return x.dot(w)
"""

from __future__ import annotations

from ._arguments import Stored
from ._client import ServiceClient, connect
from ._jobs import Job, JobStatus, JobTimeoutError
from ._service import Service, progress
from ._transport import ServiceError

__all__ = [
    "Job",
    "JobStatus",
    "JobTimeoutError",
    "Service",
    "ServiceClient",
    "ServiceError",
    "Stored",
    "connect",
    "progress",
]
