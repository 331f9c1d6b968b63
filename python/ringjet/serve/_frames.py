"""Several byte strings in one: the body of a call and of a result.

    "RJF1", the number of frames (4 bytes), then for each frame: the length of its name (2 bytes),
    the name (UTF-8), the length of its content (8 bytes), the content.

Integers are little endian. Nothing may follow the last frame.
"""

from __future__ import annotations

import struct
from collections.abc import Iterator, Sequence
from typing import BinaryIO

MAGIC = b"RJF1"


class FrameError(ValueError):
    """The bytes are not frames. `offset` is the position of the error."""

    def __init__(self, reason: str, offset: int) -> None:
        super().__init__(f"frames: {reason} at byte {offset}")
        self.reason, self.offset = reason, offset


def pack(frames: Sequence[tuple[str, bytes]]) -> bytes:
    """The frames as bytes."""
    return b"".join(parts(frames))


def parts(frames: Sequence[tuple[str, bytes]]) -> Iterator[bytes]:
    """The bytes of the frames, piece by piece."""
    yield MAGIC + struct.pack("<I", len(frames))
    for name, content in frames:
        encoded = name.encode()
        yield struct.pack("<H", len(encoded)) + encoded + struct.pack("<Q", len(content))
        yield content


def read(file: BinaryIO, *, max_frames: int, max_bytes: int) -> Iterator[tuple[str, bytes]]:
    """The frames of a file, one after the other. More than `max_frames`, or frames of more than
    `max_bytes`, are refused before they are read."""
    place = 0

    def take(n: int, what: str) -> bytes:
        nonlocal place
        data = file.read(n)
        if len(data) != n:
            raise FrameError(f"{what} ends early", place + len(data))
        place += n
        return data

    if take(4, "the magic") != MAGIC:
        raise FrameError("this does not begin with RJF1", 0)
    (count,) = struct.unpack("<I", take(4, "the number of frames"))
    if count > max_frames:
        raise FrameError(f"{count} frames, of at most {max_frames}", 4)
    for _ in range(count):
        (length,) = struct.unpack("<H", take(2, "the length of a name"))
        try:
            name = take(length, "a name").decode()
        except UnicodeDecodeError:
            raise FrameError("a name is not UTF-8", place - length) from None
        (size,) = struct.unpack("<Q", take(8, "the length of a frame"))
        if size > max_bytes:
            raise FrameError(f"a frame of {size} bytes, of at most {max_bytes}", place - 8)
        yield name, take(size, "a frame")
    if file.read(1):
        raise FrameError("there are bytes after the last frame", place)
