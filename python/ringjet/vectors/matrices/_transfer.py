"""Encrypting, sending and decrypting matrices."""

from __future__ import annotations

from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from typing import TYPE_CHECKING, Any, TypeVar

import numpy.typing as npt

from ..._arrays import given
from ..._checks import padding, refusal
from ..._drowned import Decryptions
from ..._pieces import Source
from ..._ringjet import Ciphertext
from ...errors import OutsideStatedError
from . import _bytes
from ._layouts import expect_few_of, expect_layout
from ._matrix import EncryptedMatrix

if TYPE_CHECKING:
    from ..._ringjet import Client, Encryptor, Server

_Block = TypeVar("_Block", "Ciphertext", npt.NDArray[Any])


def encrypt_matrix(
    client: Client | Encryptor,
    matrix: npt.ArrayLike,
    *,
    layout: str = "blocks",
    level: int | None = None,
    magnitude: float | tuple[float, float] | None = None,
) -> EncryptedMatrix:
    """Encrypts a matrix of any size, or an array of matrices of one shape. Where a ciphertext with
    the client's number of slots is too small, it takes several. Slots without an element hold the
    number nearest to 0 within the bounds.

    layout: "blocks", "rows", "columns", "stacked", "batch" or "batch_columns", as `EncryptedMatrix` says; only
    blocks and batches hold several matrices.
    level, magnitude: as for `Client.encrypt`. Batches state a bound for elements, by default 1, and one that is
    as many times as large for slots as a matrix has rows."""
    expect_few_of(matrix, client.slots, layout)
    array = given(matrix, client.params.t is not None, "matrix")
    if array.ndim not in (2, 3) or not array.size:
        raise refusal("matrix", f"an array of shape {array.shape}", "a matrix, or an array of matrices, with elements")
    lies = expect_layout(layout, client.slots, array.shape)
    lies.expect_params(client.params)
    if lies.complex_slots:
        magnitude = _bound(client, array, magnitude)
    stated, _ = lies.stated(magnitude, array.dtype.kind == "c")

    def encrypted(fill: float) -> EncryptedMatrix:
        blocks = [[client.encrypt(x, level, magnitude=stated) for x in row] for row in lies.split(array, fill)]
        return EncryptedMatrix(blocks, array.shape, layout)

    try:
        return encrypted(padding(magnitude))
    except OutsideStatedError as error:
        # bounds that the client states for all that it encrypts; the error has them
        if magnitude is not None or error.low <= 0 <= error.high:
            raise
        return encrypted(padding((error.low, error.high)))


def _bound(client: Client | Encryptor, array: npt.NDArray[Any], magnitude: Any) -> float:
    """The bound that is stated of the elements, by default the client's. Refuses elements outside, as the
    client does: encrypts those with the smallest and largest parts."""
    parts = (array.real, array.imag) if array.dtype.kind == "c" else (array,)
    places = [place for part in parts for place in (part.argmin(), part.argmax())]
    return client.encrypt(array.ravel()[places], magnitude=magnitude).magnitude


def load_matrix(server: Server, data: EncryptedMatrix | Source, *, max_bytes: int = _bytes.LIMIT) -> EncryptedMatrix:
    """A matrix to compute with on a server: from its bytes or the path of a file that
    `EncryptedMatrix.save` wrote, of which more than `max_bytes` are refused, or from a matrix of this
    process. A memoryview is not copied."""
    if isinstance(data, EncryptedMatrix):
        return data._each(server.load)
    stored = _bytes.read(data, max_bytes)
    rows = list(_loaded(server, stored))
    return EncryptedMatrix(rows, stored.shape, stored.layout.name)


def load_row_by_row(
    server: Server, data: Source, *, max_bytes: int = _bytes.LIMIT
) -> tuple[tuple[int, ...], Iterator[EncryptedMatrix]]:
    """The shape of a matrix in layout "columns", and its rows of ciphertexts as matrices of their own, each loaded when it
    is needed. So the memory of one row is enough."""
    stored = _bytes.read(data, max_bytes)
    if stored.layout.name != "columns":
        raise refusal("data", f"a matrix in {stored.layout.name!r}", 'a matrix in "columns"')
    rows, columns = stored.shape
    starts = range(0, rows, stored.layout.slots)
    shapes = [(min(stored.layout.slots, rows - start), columns) for start in starts]
    made = zip(_loaded(server, stored), shapes, strict=True)
    return stored.shape, (EncryptedMatrix([row], shape, "columns") for row, shape in made)


def _loaded(server: Server, stored: _bytes.Matrix) -> Iterator[list[Ciphertext]]:
    """The rows of ciphertexts, each row loaded by all threads of the server."""
    _, right = stored.layout.grid(stored.shape)

    def loaded(k: int) -> Ciphertext:
        part = stored.pieces[k]
        return _of_slots(stored, k, server.load(part, max_bytes=len(part)))

    with ThreadPoolExecutor(min(server.threads, right)) as pool:
        for start in range(0, len(stored.pieces), right):
            yield list(pool.map(loaded, range(start, start + right)))


def decrypt_matrix(
    client: Client,
    matrix: EncryptedMatrix | Source,
    complex: bool = False,
    *,
    max_bytes: int = _bytes.LIMIT,
) -> npt.NDArray[Any]:
    """The elements of an encrypted matrix, or of its bytes or the path of its file, of which more than
    `max_bytes` are refused. They are an array of the matrix's shape: the real parts, or complex numbers, for the owner
    of the key, as `Client.decrypt` returns them."""
    decryptions = Decryptions(client)
    if isinstance(matrix, EncryptedMatrix):
        layout, shape = matrix._layout, matrix.shape
        whole = complex or layout.complex_slots
        values = [[decryptions.of(x, whole, all_slots=True) for x in row] for row in matrix.blocks]
    else:
        stored = _bytes.read(matrix, max_bytes)
        layout, shape = stored.layout, stored.shape
        whole = complex or layout.complex_slots
        slots = (decryptions.of(part, whole, all_slots=True, max_bytes=len(part)) for part in stored.pieces)
        values = layout.in_rows([_of_slots(stored, k, x) for k, x in enumerate(slots)], shape)
    decryptions.warn()
    made = layout.joined(values, shape)
    return made.real if layout.complex_slots and not complex else made


def _of_slots(stored: _bytes.Matrix, k: int, block: _Block) -> _Block:
    """Refuses ciphertext k, or its values, with another number of slots than the matrix states."""
    slots = block.slots if isinstance(block, Ciphertext) else len(block)
    if slots != stored.layout.slots:
        reason = f"a ciphertext with {slots} slots in a matrix of {stored.layout.slots} slots"
        raise _bytes.malformed(reason, int(stored.pieces.ends[k]))
    return block
