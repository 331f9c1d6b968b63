"""Rounds over a service, which stores what parties send and learns nothing from it."""

from __future__ import annotations

import hashlib
import ssl
import time
import urllib.parse
from collections.abc import Iterable
from typing import Any

from ..errors import PartyMissingError
from ..serve._transport import Transport
from ._session import Session

_LETTERS = {"letters": [{"sender": str, "size": int, "sha256": str}]}
_OCTETS = {"Content-Type": "application/octet-stream"}
#: The longest pause between two questions whether a letter has come, in seconds.
_PAUSE = 1.0


class Mailbox:
    """What parties send to each other in rounds, over a service (`ringjet serve`).

    `Mailbox(session, url, token)`: the service keeps a letter of each party for each round, which does
    not change any more, and tells all letters to all who have a token of the tenant. **Never
    send hellos or deals with it**: they are secret, and travel in private by other ways. It cannot
    say two things to two parties without their noticing; it can keep letters back. Whoever has a token
    of the tenant can send under any name: of two letters under one name the first one counts.

    - timeout: of one answer of the service, in seconds.
    - max_bytes: the longest letter that is taken.
    - context: for TLS.
    """

    def __init__(
        self,
        session: Session,
        url: str,
        token: str | None = None,
        *,
        timeout: float = 60.0,
        max_bytes: int = 1 << 30,
        context: ssl.SSLContext | None = None,
    ) -> None:
        self.session = session
        self._transport = Transport(url, token, timeout, context)
        self._name, self._names = session.party.name, session.party.spec.names
        self._max_bytes = max_bytes

    def send(self, topic: str, data: bytes) -> None:
        """Stores this party's letter. The same bytes may be sent again.

        topic: up to 64 letters, digits, - and _. Raises a `ServiceError` where another letter of this
        party is there, and for other refusals.
        """
        self._transport.request("PUT", self._path(topic, self._name), data, _OCTETS)

    def letters(self, topic: str, *, known: Iterable[str] = ()) -> dict[str, bytes]:
        """The letters of the topic that have come, by the names of parties, without those in `known`.
        Raises a `ServiceError` for a letter that is not what the service announced."""
        listed = self._transport.request("GET", self._path(topic)).json(_LETTERS)["letters"]
        skipped, found = set(known), {}
        for letter in listed:
            name = letter["sender"]
            if name in self._names and name not in skipped:
                answer = self._transport.request("GET", self._path(topic, name), max_bytes=self._max_bytes)
                found[name] = answer.body
        return found

    def gather(self, topic: str, count: int | None = None, *, timeout: float = 600.0) -> dict[str, bytes]:
        """The letters of the topic, by the names of parties: waits until at least `count` have come, by
        default one of each party. Raises `PartyMissingError` after `timeout` seconds."""
        wanted = len(self._names) if count is None else count
        found: dict[str, bytes] = {}
        for _ in _waiting(timeout):
            found |= self.letters(topic, known=found)
            if len(found) >= wanted:
                return found
        absent = [name for name in self._names if name not in found]
        error = PartyMissingError(f"no letter {topic} came from {', '.join(absent)} in {timeout:g} s")
        error.what, error.pieces, error.parties = f"letter {topic}", [], absent
        raise error

    def make_keys(self, *, lost: Iterable[str] = (), timeout: float = 600.0, progress: Any = None) -> None:
        """Sends and takes letters until the session is ready. After a crash it goes on where it was.

        - lost: names of parties that send nothing any more; all others must name the same.
        - timeout: the longest time to wait for the letters of a round, in seconds.
        - progress: as for `Session.next`.

        Raises what `Session.receive` raises; `PartyMissingError` when the time is over: call it again,
        or with `lost`.
        """
        gone = sorted(set(lost))
        while not self.session.ready:
            name = self.session.round
            topic = name if not gone else f"{name}-{hashlib.sha256(repr(gone).encode()).hexdigest()[:16]}"
            self.send(topic, self.session.next(lost=gone, progress=progress))
            if self.session.round == name:
                self._take(name, {name, topic}, {self._name, *gone}, timeout)

    def _take(self, name: str, topics: set[str], skipped: set[str], timeout: float) -> None:
        """Takes the letters of a round, without those of `skipped`, until it is done."""
        taken = {topic: set(skipped) for topic in topics}
        error: PartyMissingError | None = None
        for _ in _waiting(timeout):
            for topic in topics:
                found = self.letters(topic, known=taken[topic])
                taken[topic] |= set(found)
                if not found and error is not None:
                    continue
                try:
                    self.session.receive(found.values())
                except PartyMissingError as missing:
                    error = missing
                if self.session.round != name:
                    return
        if error is not None:
            raise error

    def _path(self, *parts: str) -> str:
        quoted = (urllib.parse.quote(part, safe="") for part in (self.session.id, *parts))
        return "/v1/letters/" + "/".join(quoted)

    def __repr__(self) -> str:
        return f"Mailbox({self._name} at {self._transport.url}, session {self.session.id[:8]}..)"


def _waiting(timeout: float) -> Iterable[None]:
    """Once, and again with growing pauses until the time is over."""
    end, pause = time.monotonic() + timeout, 0.05
    while True:
        yield
        left = end - time.monotonic()
        if left <= 0:
            return
        time.sleep(min(pause, left))
        pause = min(2 * pause, _PAUSE)
