"""Convolutions and poolings of packed images, as matrices for the slots of a ciphertext.

An image of shape (channels, height, width) lies in the slots channel by channel, row by row. A
convolution is one `LinearTransform` and takes one level. Its results are packed the same way,
whatever the stride, so that convolutions follow one another.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal

import numpy as np
import numpy.typing as npt

from .. import _arrays
from .._checks import refusal
from .._ringjet import LinearTransform

if TYPE_CHECKING:
    from .._ringjet import Ciphertext

_Shape = tuple[int, int, int]
_Padding = int | Literal["valid", "same"]
_Array = npt.NDArray[Any]

#: The largest number of slots of a ciphertext, and so of elements of an image, in any ring.
_MOST_ELEMENTS = 1 << 16

#: The largest number of elements of a kernel: 512 MB.
_MOST_WEIGHTS = 1 << 26


@dataclass(frozen=True)
class ImageTransform:
    """A linear transform of images. Call it with a ciphertext, or with an image in the clear."""

    #: The matrix, for `Ciphertext.matmul`; its `rotations` need keys.
    transform: LinearTransform
    #: (channels, height, width) of the images that it takes.
    input_shape: _Shape
    #: (channels, height, width) of its results.
    output_shape: _Shape

    def __call__(self, x: Ciphertext) -> Ciphertext:
        """The transform of an encrypted image, one level down. Slots behind the result are 0."""
        return x.matmul(self.transform)

    def pack(self, image: npt.ArrayLike) -> _Array:
        """The slots of an image: its elements, channel by channel, row by row. Its shape is
        `input_shape`, in which axes of length 1 may be missing, or it is a vector of its elements in
        this order."""
        array = _arrays.plain(image, "image")
        if _long(array.shape) != _long(self.input_shape) and array.shape != (np.prod(self.input_shape),):
            expected = f"the shape {self.input_shape}: (channels, height, width)"
            channels, *sides = self.input_shape
            if array.shape == (*sides, channels):
                expected += "; np.moveaxis(image, -1, 0) moves the channels to the front"
            raise refusal("image", f"an array of shape {array.shape}", expected)
        return array.ravel()

    def unpack(self, values: npt.ArrayLike) -> _Array:
        """The image in decrypted slots, of shape `output_shape`."""
        return np.asarray(values)[: np.prod(self.output_shape)].reshape(self.output_shape)


def conv2d(
    kernel: npt.ArrayLike,
    size: tuple[int, int],
    *,
    stride: int | tuple[int, int] = 1,
    padding: _Padding | tuple[int, int] = 0,
    slots: int | None = None,
) -> ImageTransform:
    """The convolution of images, as neural networks define it: the kernel is not flipped.

    kernel: of shape (height, width), or (outputs, inputs, height, width) for channels. size: (height,
    width) of the images. padding: zeros around the image, a number for all sides or (vertical,
    horizontal); "valid" for none, "same" for results of the images' size, with a stride of 1 and odd
    kernels. slots: those of the ciphertexts, by default the fewest that hold an image and a result.
    """
    k = _kernel(kernel)
    if k.ndim not in (2, 4) or not k.size:
        raise refusal("kernel", f"an array of shape {k.shape}", "(height, width) or (outputs, inputs, height, width)")
    if k.ndim == 2:
        k = k[None, None]
    outputs, inputs, kh, kw = k.shape
    height, width = _pair("size", tuple(size), 1)
    (sh, sw), (ph, pw) = _pair("stride", stride, 1), _padding(padding, (kh, kw), stride)
    if inputs * kh * kw > _MOST_ELEMENTS:
        raise refusal("kernel", f"an array of shape {k.shape}", f"at most {_MOST_ELEMENTS} elements for each output")
    oh, ow = (height + 2 * ph - kh) // sh + 1, (width + 2 * pw - kw) // sw + 1
    if height + 2 * ph < kh or width + 2 * pw < kw:
        raise refusal("size", size, f"at least the kernel's {kh} x {kw}, with the padding")
    input_shape, output_shape = (inputs, height, width), (outputs, oh, ow)
    for name, shape in (("size", input_shape), ("padding", output_shape)):
        if math.prod(shape) > _MOST_ELEMENTS:
            raise refusal(
                name,
                size if name == "size" else padding,
                f"images and results of at most {_MOST_ELEMENTS} elements, not {shape}",
            )
    o, i, j = np.indices(output_shape).reshape(3, -1)
    rows, columns, weights = [], [], []
    for c, a, b in np.ndindex(inputs, kh, kw):
        y, x = i * sh + a - ph, j * sw + b - pw
        inside = (y >= 0) & (y < height) & (x >= 0) & (x < width)
        rows.append(np.flatnonzero(inside))
        columns.append(((c * height + y) * width + x)[inside])
        weights.append(k[o, c, a, b][inside])
    every = (np.concatenate(rows), np.concatenate(columns), np.concatenate(weights))
    return ImageTransform(_transform(*every, input_shape, output_shape, slots), input_shape, output_shape)


def conv1d(
    kernel: npt.ArrayLike, length: int, *, stride: int = 1, padding: _Padding = 0, slots: int | None = None
) -> ImageTransform:
    """The convolution of sequences: `conv2d` for images of one row. kernel: of shape (length,), or
    (outputs, inputs, length) for channels."""
    k = _kernel(kernel)
    if k.ndim not in (1, 3):
        raise refusal("kernel", f"an array of shape {k.shape}", "(length,) or (outputs, inputs, length)")
    sides = (0, _padding(padding, (1, k.shape[-1]), stride)[1])
    return conv2d(k[..., None, :], (1, length), stride=(1, stride), padding=sides, slots=slots)


def average_pool2d(
    window: int | tuple[int, int],
    shape: _Shape,
    *,
    stride: int | tuple[int, int] | None = None,
    slots: int | None = None,
) -> ImageTransform:
    """The mean of every window of every channel. shape: (channels, height, width) of the images.
    stride: by default the window, so that windows do not overlap."""
    h, w = _pair("window", window, 1)
    channels, height, width = shape
    if channels * channels * h * w > _MOST_WEIGHTS:
        expected = f"at most {_MOST_WEIGHTS} elements of the kernel, {channels} x {channels} channels times the window"
        raise refusal("window", window, expected)
    kernel = np.eye(channels)[:, :, None, None] * np.full((h, w), 1 / (h * w))
    return conv2d(kernel, (height, width), stride=(h, w) if stride is None else stride, slots=slots)


def _kernel(kernel: npt.ArrayLike) -> _Array:
    """The kernel as an array of numbers, if it is not too large: a broadcast array takes no memory until
    it is converted."""
    shape = np.shape(kernel)
    if math.prod(shape) > _MOST_WEIGHTS:
        raise refusal("kernel", f"an array of shape {shape}", f"at most {_MOST_WEIGHTS} elements")
    return _arrays.numbers(kernel, "kernel")


def _transform(
    rows: _Array, columns: _Array, weights: _Array, input_shape: _Shape, output_shape: _Shape, slots: int | None
) -> LinearTransform:
    """The matrix with these elements; elements at one place are added."""
    needed = int(max(np.prod(input_shape), np.prod(output_shape)))
    if slots is None:
        slots = 1 << (needed - 1).bit_length()
    if needed > slots:
        raise refusal("slots", slots, f"at least {needed}: images of {input_shape} become images of {output_shape}")
    offsets = (columns - rows) % slots
    diagonals = {}
    for k in np.unique(offsets[weights != 0]):
        diagonal = np.zeros(slots, weights.dtype)
        here = offsets == k
        np.add.at(diagonal, rows[here], weights[here])
        diagonals[int(k)] = diagonal
    shape = (int(np.prod(output_shape)), int(np.prod(input_shape)))
    return LinearTransform.from_diagonals(slots, diagonals, shape=shape)


def _long(shape: tuple[int, ...]) -> tuple[int, ...]:
    """The axes that have more than one element."""
    return tuple(n for n in shape if n != 1)


def _padding(padding: Any, kernel: tuple[int, int], stride: Any) -> tuple[int, int]:
    if padding == "valid":
        return 0, 0
    if padding == "same":
        if any(n % 2 == 0 for n in kernel) or np.any(np.asarray(stride) != 1):
            raise refusal(
                "padding", '"same"', f"a stride of 1 and odd kernels: the kernel is {kernel}, the stride {stride}"
            )
        return kernel[0] // 2, kernel[1] // 2
    return _pair("padding", padding, 0)


def _pair(name: str, value: Any, least: int) -> tuple[int, int]:
    pair = value if isinstance(value, tuple) else (value, value)
    if len(pair) != 2 or not all(isinstance(n, (int, np.integer)) and n >= least for n in pair):
        raise refusal(name, value, f"a whole number of at least {least}, or two of them")
    return int(pair[0]), int(pair[1])
