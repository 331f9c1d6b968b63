"""Convolutions and poolings of packed images."""

from __future__ import annotations

import numpy as np
import pytest

import ringjet as rj
from ringjet.vectors.images import average_pool2d, conv1d, conv2d


def known(kernel, image, stride, padding):
    """The convolution by its definition."""
    outputs, _, kh, kw = kernel.shape
    padded = np.pad(image, [(0, 0), (padding[0],) * 2, (padding[1],) * 2])
    height, width = ((n - k) // s + 1 for n, k, s in zip(padded.shape[1:], (kh, kw), stride, strict=True))
    made = np.zeros((outputs, height, width))
    for o, i, j in np.ndindex(*made.shape):
        window = padded[:, i * stride[0] : i * stride[0] + kh, j * stride[1] : j * stride[1] + kw]
        made[o, i, j] = np.sum(kernel[o] * window)
    return made


CASES = [
    ((1, 1, 3, 3), (8, 8), 1, 0),
    ((1, 1, 3, 3), (8, 8), 1, "same"),
    ((2, 3, 3, 2), (7, 6), (2, 1), (1, 0)),
    ((4, 1, 5, 5), (8, 8), 2, 2),
    ((1, 2, 1, 1), (5, 5), 1, "valid"),
    ((3, 2, 4, 4), (4, 4), 1, 3),
]


@pytest.mark.parametrize(("shape", "size", "stride", "padding"), CASES)
def test_convolutions_in_the_clear(shape, size, stride, padding):
    rng = np.random.default_rng(1)
    kernel, image = rng.uniform(-1, 1, shape), rng.uniform(-1, 1, (shape[1], *size))
    conv = conv2d(kernel, size, stride=stride, padding=padding)
    sides = {"same": (shape[2] // 2, shape[3] // 2), "valid": (0, 0)}.get(str(padding), padding)
    pair = [n if isinstance(n, tuple) else (n, n) for n in (stride, sides)]
    want = known(kernel, image, *pair)
    slots = np.zeros(conv.transform.slots)
    slots[: image.size] = conv.pack(image)
    found = conv.transform._apply(slots).real
    assert conv.output_shape == want.shape
    assert np.max(np.abs(conv.unpack(found) - want)) < 1e-12
    assert np.max(np.abs(found[want.size :]), initial=0) == 0


def test_encrypted_images(params):
    rng = np.random.default_rng(2)
    image = rng.uniform(-1, 1, (2, 8, 8))
    conv = conv2d(rng.uniform(-1, 1, (3, 2, 3, 3)) / 18, (8, 8), padding="same", slots=256)
    pool = average_pool2d(2, conv.output_shape, slots=256)

    def program(x):
        return pool(conv(x) ** 2)

    plan = rj.plan(program, params, slots=256)
    client = rj.Client(params, slots=256, seed=5)
    server = rj.Server(client.evaluation_keys(**plan.keys), allow_insecure=True)
    y = program(server.load(client.encrypt(conv.pack(image))))
    kernel = np.zeros((3, 3, 2, 2)) + np.eye(3)[:, :, None, None] / 4
    first = conv.transform._apply(np.append(image.ravel(), np.zeros(128))).real[:192].reshape(3, 8, 8) ** 2
    want = known(kernel, first, (2, 2), (0, 0))
    assert np.max(np.abs(pool.unpack(client.decrypt(y)) - want)) < 1e-5
    assert (pool.output_shape, params.max_level - y.level) == ((3, 4, 4), 3)
    simulated = rj.simulate(program, conv.pack(image), params=params, slots=256, noise=False).outputs[0].values
    assert np.max(np.abs(pool.unpack(simulated) - want)) < 1e-9


def test_scipy_agrees():
    signal = pytest.importorskip("scipy.signal")
    rng = np.random.default_rng(3)
    image, kernel, sequence = rng.uniform(-1, 1, (16, 16)), rng.uniform(-1, 1, (3, 5)), rng.uniform(-1, 1, 30)
    for mode, padding in (("valid", "valid"), ("same", "same"), ("full", (2, 4))):
        conv = conv2d(kernel, image.shape, padding=padding, slots=512)
        values = np.append(conv.pack(image), np.zeros(256))
        found = conv.unpack(conv.transform._apply(values).real)[0]
        assert np.max(np.abs(found - signal.correlate2d(image, kernel, mode))) < 1e-12
    conv = conv1d(kernel[0], 30, padding="same")
    found = conv.unpack(conv.transform._apply(np.append(sequence, [0, 0])).real)[0, 0]
    assert np.max(np.abs(found - np.correlate(sequence, kernel[0], "same"))) < 1e-12


def test_what_cannot_be_is_refused():
    for make, text in [
        (lambda: conv2d(np.ones(3), (8, 8)), "kernel"),
        (lambda: conv2d(np.ones((3, 3)), (0, 8), padding=2), "size"),
        (lambda: conv2d(np.ones((3, 3)), (8,)), "size"),
        (lambda: conv2d(np.ones((5, 5)), (4, 8)), "at least the kernel's 5 x 5"),
        (lambda: conv2d(np.ones((2, 2)), (4, 4), padding="same"), "odd kernels"),
        (lambda: conv2d(np.ones((3, 3)), (4, 4), padding="same", stride=2), "stride of 1"),
        (lambda: conv2d(np.ones((3, 3)), (4, 4), stride=0), "stride = 0"),
        (lambda: conv2d(np.ones((3, 3)), (4, 4), padding=-1), "padding = -1"),
        (lambda: conv2d(np.ones((3, 3)), (8, 8), slots=32), "at least 64"),
        (lambda: conv1d(np.ones((3, 3)), 8), "kernel"),
        (lambda: conv2d(np.ones((3, 3)), (8, 8)).pack(np.ones(63)), "the shape"),
    ]:
        with pytest.raises(rj.ArgumentError, match=text):
            make()
