"""Ciphertexts that come with a request. Each is checked from its first bytes on, and written to the
disk piece by piece."""

from __future__ import annotations

import hashlib
from collections.abc import Callable
from types import TracebackType

from . import _frames, _header, _problems
from ._arguments import wrong_inputs
from ._blobs import Blobs, Holding, Incoming
from ._problems import Problem
from ._rooms import Room

#: What a request does with the header of the ciphertext for an input: it refuses it, or not.
Accept = Callable[[_header.Header], None]


class Arrival:
    """One ciphertext. Without a place to write it to, only its digest is computed."""

    def __init__(self, size: int | None, accept: Accept, incoming: Incoming | None) -> None:
        self._watch = _header.Watch(_header.CIPHERTEXT, size)
        self._accept, self._accepted, self.incoming = accept, False, incoming
        self._hash = hashlib.sha256()

    @property
    def size(self) -> int:
        """How many bytes have come."""
        return self._watch.came

    def feed(self, data: bytes) -> None:
        """Takes the next bytes."""
        self._watch.feed(data)
        if self._watch.header is not None and not self._accepted:
            self._accept(self._watch.header)
            self._accepted = True
        if self.incoming is not None:
            self.incoming.write(data)
        else:
            self._hash.update(data)

    def finish(self) -> tuple[str, _header.Header]:
        """The digest and the header of a complete ciphertext, which is on the disk then."""
        header = self._watch.finish()
        return self._hash.hexdigest() if self.incoming is None else self.incoming.flush(), header

    def close(self) -> None:
        """Removes what was written, unless it was kept."""
        if self.incoming is not None:
            self.incoming.__exit__(None, None, None)


class Arrivals:
    """The ciphertexts of a call, in frames that have the names of inputs."""

    def __init__(
        self,
        program: str,
        inputs: list[str],
        max_bytes: int,
        accept: Callable[[str], Accept],
        blobs: Blobs | None,
        room: Room | None,
    ) -> None:
        """`accept` gives the check for an input. `room` grows with each frame; None where there is
        room for all of them. Without `blobs` nothing is written."""
        self._parser = _frames.Parser(max_frames=len(inputs), max_bytes=max_bytes)
        self._program, self._inputs = program, inputs
        self._accept, self._blobs, self._room = accept, blobs, room
        self._found: dict[str, Arrival] = {}
        self._last: Arrival | None = None
        self.complete: dict[str, tuple[str, _header.Header]] = {}

    def feed(self, data: bytes) -> None:
        """Takes the next bytes of the body."""
        try:
            for part in self._parser.feed(data):
                if isinstance(part, _frames.Begin):
                    self._last = self._begin(part)
                elif self._last is not None and isinstance(part, bytes):
                    self._last.feed(part)
                elif self._last is not None:
                    self.complete[list(self._found)[-1]] = self._last.finish()
        except _frames.FrameError as error:
            raise _malformed(error) from None

    def finish(self) -> dict[str, tuple[str, _header.Header]]:
        """Digests and headers by the names of inputs. All inputs are there."""
        try:
            self._parser.finish()
        except _frames.FrameError as error:
            raise _malformed(error) from None
        if len(self.complete) < len(self._inputs):
            raise self._wrong(list(self.complete))
        return self.complete

    def keep(self, holding: Holding) -> None:
        """Makes blobs of all ciphertexts."""
        for name, arrival in self._found.items():
            if arrival.incoming is not None:
                arrival.incoming.close()
                holding.adopt(arrival.incoming.path, self.complete[name][0])

    @property
    def size(self) -> int:
        """The bytes of all ciphertexts."""
        return sum(arrival.size for arrival in self._found.values())

    def __enter__(self) -> Arrivals:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        for arrival in self._found.values():
            arrival.close()

    def _begin(self, frame: _frames.Begin) -> Arrival:
        if frame.name in self._found:
            raise Problem("malformed", f"input {frame.name} comes twice", input=frame.name)
        if frame.name not in self._inputs:
            raise self._wrong([*self._found, frame.name[:64]])
        if self._room is not None:
            self._room.grow(frame.size)
        incoming = None if self._blobs is None else self._blobs.incoming()
        made = self._found[frame.name] = Arrival(frame.size, self._accept(frame.name), incoming)
        return made

    def _wrong(self, found: list[str]) -> Problem:
        return _problems.of(wrong_inputs(self._program, self._inputs, found))


def _malformed(error: _frames.FrameError) -> Problem:
    return Problem("malformed", str(error), offset=error.offset)
