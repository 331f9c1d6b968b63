"""Several byte strings in one: the body of a call and of a result.

    "RJF1", the number of frames (4 bytes), then for each frame: the length of its name (2 bytes),
    the name (UTF-8), the length of its content (8 bytes), the content.

Integers are little endian. Nothing may follow the last frame.
"""

from __future__ import annotations

import struct
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from enum import Enum

MAGIC = b"RJF1"


class FrameError(ValueError):
    """The bytes are not frames. `offset` is the position of the error."""

    def __init__(self, reason: str, offset: int) -> None:
        super().__init__(f"frames: {reason} at byte {offset}")
        self.reason, self.offset = reason, offset


def pack(frames: Sequence[tuple[str, bytes]]) -> bytes:
    """The frames as bytes."""
    return b"".join(parts(len(frames), frames))


def parts(count: int, frames: Iterable[tuple[str, bytes]]) -> Iterator[bytes]:
    """The bytes of `count` frames, piece by piece."""
    yield MAGIC + struct.pack("<I", count)
    for name, content in frames:
        encoded = name.encode()
        yield struct.pack("<H", len(encoded)) + encoded + struct.pack("<Q", len(content))
        yield content


@dataclass(frozen=True)
class Begin:
    """A frame begins, whose content has `size` bytes."""

    name: str
    size: int


class End(Enum):
    """A frame is complete."""

    FRAME = 0


class Parser:
    """Finds frames in bytes that come piece by piece. More than `max_frames`, and frames of more
    than `max_bytes`, are refused as soon as their number or length is there."""

    def __init__(self, *, max_frames: int, max_bytes: int) -> None:
        self._max_frames, self._max_bytes = max_frames, max_bytes
        self._field, self._length = "the magic", 4
        self._begun = bytearray()
        self._place = 0
        self._frames = 0
        self._name = ""
        #: Bytes of the present frame that have not come; None outside of a frame.
        self._left: int | None = None

    def feed(self, data: bytes) -> Iterator[Begin | bytes | End]:
        """What is in the next bytes: beginnings, contents and ends of frames."""
        at = 0
        while at < len(data):
            if self._left is not None:
                piece = data[at : at + self._left]
                self._left -= len(piece)
                yield piece
            elif self._length:
                piece = data[at : at + self._length - len(self._begun)]
                self._begun += piece
                if len(self._begun) == self._length:
                    yield from self._complete(bytes(self._begun), self._place + len(piece) - self._length)
            else:
                raise FrameError("there are bytes after the last frame", self._place)
            at += len(piece)
            self._place += len(piece)
            if self._left == 0:
                yield End.FRAME
                self._left = None
                self._next_frame()

    def finish(self) -> None:
        """Refuses bytes that ended early."""
        if self._left is not None or self._length:
            raise FrameError(f"{'a frame' if self._left is not None else self._field} ends early", self._place)

    def _expect(self, field: str, length: int) -> None:
        self._field, self._length = field, length
        self._begun.clear()

    def _next_frame(self) -> None:
        self._expect("the length of a name", 2 if self._frames else 0)
        self._frames -= 1

    def _complete(self, value: bytes, start: int) -> Iterator[Begin]:
        """Takes a field whose bytes, from the position `start` on, are all there."""
        if self._field == "the magic":
            if value != MAGIC:
                raise FrameError("this does not begin with RJF1", 0)
            self._expect("the number of frames", 4)
        elif self._field == "the number of frames":
            self._frames = int.from_bytes(value, "little")
            if self._frames > self._max_frames:
                raise FrameError(f"{self._frames} frames, of at most {self._max_frames}", 4)
            self._next_frame()
        elif self._field == "the length of a name" and any(value):
            self._expect("a name", int.from_bytes(value, "little"))
        elif self._field in ("the length of a name", "a name"):
            try:
                self._name = "" if self._field == "the length of a name" else value.decode()
            except UnicodeDecodeError:
                raise FrameError("a name is not UTF-8", start) from None
            self._expect("the length of a frame", 8)
        else:
            self._left = int.from_bytes(value, "little")
            if self._left > self._max_bytes:
                raise FrameError(f"a frame of {self._left} bytes, of at most {self._max_bytes}", start)
            yield Begin(self._name, self._left)


def read(data: bytes, *, max_frames: int, max_bytes: int) -> list[tuple[str, bytes]]:
    """All frames of bytes that are complete."""
    parser = Parser(max_frames=max_frames, max_bytes=max_bytes)
    names: list[str] = []
    contents: list[bytes] = []
    for found in parser.feed(data):
        if isinstance(found, Begin):
            names.append(found.name)
            contents.append(b"")
        elif isinstance(found, bytes):
            # complete bytes have each content in one piece
            contents[-1] = found
    parser.finish()
    return list(zip(names, contents, strict=True))
