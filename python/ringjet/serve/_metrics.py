"""Metrics for Prometheus."""

from __future__ import annotations

from typing import Any

from prometheus_client import CollectorRegistry, Counter, Gauge, Histogram, generate_latest

_BUCKETS = (0.001, 0.003, 0.01, 0.03, 0.1, 0.3, 1, 3, 10, 30, 100, 300, 1000)


class Metrics:
    """The metrics of one service."""

    def __init__(self) -> None:
        self.registry = CollectorRegistry()
        name: Any = {"namespace": "ringjet", "registry": self.registry}
        self._requests = Counter("requests", "Requests by route and status", ["method", "route", "status"], **name)
        self._seconds = Histogram("request_seconds", "Time of requests", ["route"], buckets=_BUCKETS, **name)
        self._jobs = Counter("jobs", "Finished jobs", ["program", "state"], **name)
        self._job_seconds = Histogram("job_seconds", "Time of jobs", ["program"], buckets=_BUCKETS, **name)
        self._predicted = Counter("job_predicted_seconds", "Predicted time of finished jobs", ["program"], **name)
        self.waiting = Gauge("queue_jobs", "Jobs that wait", **name)
        self.running = Gauge("running_jobs", "Jobs that run", **name)
        self.queue_seconds = Gauge("queue_seconds", "Predicted seconds until all jobs are done", **name)
        self.key_bytes = Gauge("key_memory_bytes", "Memory of expanded keys", **name)
        self.key_sets = Gauge("key_sets_in_memory", "Sets of expanded keys", **name)

    def request(self, method: str, route: str, status: int, seconds: float) -> None:
        """Counts a request."""
        self._requests.labels(method, route, str(status)).inc()
        self._seconds.labels(route).observe(seconds)

    def job(self, program: str, state: str, seconds: float, predicted: float) -> None:
        """Counts a finished job."""
        self._jobs.labels(program, state).inc()
        self._job_seconds.labels(program).observe(seconds)
        self._predicted.labels(program).inc(predicted)

    def text(self) -> bytes:
        """All metrics in the format of Prometheus."""
        return generate_latest(self.registry)
