"""Programs that HEIR 2026.11.1 compiled (`data/heir`), and texts that are not.

`data/heir/affine.mlir`, `mlp.mlir` and `mlp_kernels.mlir` are what heir-opt writes for the files `*.linalg.mlir`; see
`COMMANDS`."""

from __future__ import annotations

import re
import subprocess
from pathlib import Path

import numpy as np
import pytest

import ringjet as rj
from ringjet.ml.heir import _lanes
from ringjet.ml.heir._machine import Machine
from ringjet.ml.heir._text import parsed

DATA = Path(__file__).parent / "data" / "heir"
#: Parameters with the levels of `affine.mlir`: to choose them takes seconds.
SMALL = "n13-depth2"
#: How the files were written: their source, the backend that HEIR is told, and the options of --torch-linalg-to-ckks.
COMMANDS = {
    "affine": ("affine", "cheddar", "min-slot-count=8 enable-split-preprocessing=false"),
    "mlp": ("mlp", "cheddar", "min-slot-count=1024 enable-split-preprocessing=false"),
    "mlp_kernels": ("mlp", "lattigo", "min-slot-count=1024"),
}


def compiled(tmp_path, text, backend="cheddar", options="min-slot-count=64"):
    """The path of what heir-opt makes of a program of linalg."""
    pytest.importorskip("heir")
    import heir

    source, target = tmp_path / "source.mlir", tmp_path / "compiled.mlir"
    source.write_text(text)
    command = [str(Path(heir.__file__).parent / "heir-opt"), f"--annotate-module=backend={backend} scheme=ckks"]
    found = subprocess.run(
        [*command, f"--torch-linalg-to-ckks={options}", source], capture_output=True, text=True, check=True
    )
    target.write_text(found.stdout)
    return target


def run(m, *inputs):
    """What a server with nothing but the bytes of the program and keys returns, decrypted."""
    client = rj.Client(m.params, m.slots, seed=1)
    server = rj.Server(client.evaluation_keys(**m.keys).to_bytes())
    program = rj.Program.from_bytes(m.program.to_bytes())
    return m.packing.decrypt(client, program.run(server, *m.packing.encrypt(client, *inputs)))


def affine(rng):
    return [rng.normal(size=(4, 8)) / 4, rng.normal(size=4) / 4]


def mlp(rng, inputs=784, hidden=512):
    """A network, and its function with the polynomial that HEIR takes for ReLU from -4 to 4."""
    w1, b1 = rng.normal(size=(hidden, inputs)) / 20, rng.normal(size=hidden) / 4
    w2, b2 = rng.normal(size=(10, hidden)) / 20, rng.normal(size=10)
    series = 4 * np.array([0.31696995514079751, 0.5, 0.21537526833760834, 0, -0.06328468082339142])
    relu = np.polynomial.Chebyshev(series, domain=[-4, 4])
    return [w1, b1, w2, b2], lambda x: relu(x @ w1.T + b1) @ w2.T + b2


@pytest.mark.parametrize("calibrated", [False, True])
def test_squares_of_an_affine_layer(calibrated):
    rng = np.random.default_rng(0)
    w, b = affine(rng)
    samples = rng.uniform(-1, 1, (50, 8))
    m = rj.ml.from_heir(DATA / "affine.mlir", [w, b], calibration=samples if calibrated else None, params=SMALL)
    x = rng.uniform(-1, 1, 8)
    expected = (w @ x + b) ** 2
    np.testing.assert_allclose(m.clear(x), expected, atol=1e-12)
    np.testing.assert_allclose(run(m, x), expected, atol=1e-5)
    found, simulation = m.simulate(x, seed=1)
    np.testing.assert_allclose(found, expected, atol=1e-5)
    assert not simulation.warnings and m.slots == 8
    # one matrix and one product; HEIR's factors of 1 are left out
    assert m.params.top_level - m.program.plan().levels[0] == 2


@pytest.mark.parametrize("name", ["mlp", "mlp_kernels"])
def test_a_perceptron(name):
    rng = np.random.default_rng(1)
    weights, function = mlp(rng)
    x = rng.uniform(0, 1, (20, 784)) * (rng.uniform(size=784) < 0.2)
    m = rj.ml.from_heir(DATA / f"{name}.mlir", weights, calibration=x, magnitude=(0, 1), params="n15-depth9")
    np.testing.assert_allclose([m.clear(row) for row in x], function(x), atol=2e-6)
    for row in x[:2]:
        np.testing.assert_allclose(run(m, row), function(row), atol=1e-4)
    # what HEIR wrote in 500 products and 50 rotations is two matrices for ringjet
    assert len(m.program._native.operations) < 30


def test_digits_have_the_classes_of_the_network():
    pytest.importorskip("sklearn")
    from sklearn.datasets import load_digits
    from sklearn.neural_network import MLPClassifier

    x, y = load_digits(return_X_y=True)
    x = np.pad(np.kron(x.reshape(-1, 8, 8) / 16, np.ones((3, 3))), ((0, 0), (2, 2), (2, 2))).reshape(-1, 784)
    with pytest.warns(UserWarning, match="converged"):
        network = MLPClassifier((512,), max_iter=10, random_state=0, alpha=1.0).fit(x[:1400], y[:1400])
    (w1, w2), (b1, b2) = network.coefs_, network.intercepts_
    m = rj.ml.from_heir(DATA / "mlp_kernels.mlir", [w1.T, b1, w2.T, b2], calibration=x[:100], magnitude=(0, 1))
    client = rj.Client(m.params, m.slots)
    server = rj.Server(client.evaluation_keys(**m.keys))
    tests = x[-12:]
    scores = [m.packing.decrypt(client, m.program.run(server, *m.packing.encrypt(client, row))) for row in tests]
    np.testing.assert_allclose(scores, [m.clear(row) for row in tests], atol=1e-3)
    assert np.mean(np.argmax(scores, axis=1) == network.predict(tests)) >= 0.9


def test_packing_is_stored_without_weights(tmp_path):
    rng = np.random.default_rng(2)
    m = rj.ml.from_heir(DATA / "affine.mlir", affine(rng), magnitude=(-0.5, 2), params=SMALL)
    m.packing.save(tmp_path / "client.json")
    packing = rj.ml.HeirPacking.load(tmp_path / "client.json")
    x = rng.uniform(-0.5, 2, 8)
    np.testing.assert_array_equal(packing.pack(x), m.packing.pack(x))
    np.testing.assert_array_equal(packing.pack(x), [x])
    np.testing.assert_array_equal(packing.unpack(np.arange(8.0)), m.packing.unpack(np.arange(8.0)))
    text = (tmp_path / "client.json").read_text()
    for old, new in (
        (text[100:], ""),
        ("packing 1", "packing 2"),
        ('"low": -0.5', '"low": 3'),
        ('"low": -0.5', '"low": NaN'),
        ('"slots": 8', '"slots": Infinity'),
        ('"slots": 8', '"slots": 8.7'),
        ('"slots": 8', '"slots": 3'),
        ("[[0, 1,", "[[0.9, 1,"),
        ("[[0, 1,", "[[-7, 1,"),
        ("[[0, 1,", "[[1180591620717411303424, 1,"),
        ("[[0, 1,", "[[8, 1,"),
        ('"ciphertexts": 1', '"ciphertexts": 9'),
        ('"shape": [4]', '"shape": [-2, -2]'),
        ('"shape": [4]', '"shape": [4.0]'),
    ):
        assert old in text
        (tmp_path / "client.json").write_text(text.replace(old, new, 1))
        with pytest.raises(rj.errors.MalformedError, match=r"client\.json: damaged"):
            rj.ml.HeirPacking.load(tmp_path / "client.json")


def test_arguments_that_are_refused():
    rng = np.random.default_rng(3)
    w, b = affine(rng)
    path = DATA / "affine.mlir"
    for weights, words in (
        ([w], r"weights = 1 arrays: expected 2 of the shapes \[\(4, 8\), \(4,\)\]"),
        ([w.T, b], r"weights\[0\] = an array of shape \(8, 4\): expected the shape \(4, 8\)"),
        ([w, b * np.nan], r"weights\[1\] = an array with numbers that are not finite"),
    ):
        with pytest.raises(rj.errors.ArgumentError, match=words):
            rj.ml.from_heir(path, weights, params=SMALL)
    with pytest.raises(rj.errors.ArgumentError, match="magnitude"):
        rj.ml.from_heir(path, [w, b], magnitude=(1, 0))
    for margin in (-1, 0.5, np.nan):
        with pytest.raises(rj.errors.ArgumentError, match="margin"):
            rj.ml.from_heir(path, [w, b], margin=margin)
    with pytest.raises(rj.errors.ArgumentError, match="expected -1 to 1, the range stated"):
        rj.ml.from_heir(path, [w, b], calibration=np.full((3, 8), 1.5))
    m = rj.ml.from_heir(path, [w, b], params=SMALL)
    with pytest.raises(rj.errors.ArgumentError, match=r"inputs\[0\] = values from -2 to 2"):
        m.packing.pack(np.linspace(-2, 2, 8))
    with pytest.raises(rj.errors.ArgumentError, match=r"shape \(7,\): expected the shape \(8,\)"):
        m.clear(np.zeros(7))


def test_activations_outside_of_their_interval_are_refused():
    rng = np.random.default_rng(4)
    weights, _ = mlp(rng)
    weights[0] *= 10
    x = rng.uniform(0, 1, (5, 784))
    with pytest.raises(rj.errors.ArgumentError, match=r"kernel.eval_chebyshev of .* expected values from -1 to 1"):
        rj.ml.from_heir(DATA / "mlp_kernels.mlir", weights, calibration=x)
    m = rj.ml.from_heir(DATA / "mlp_kernels.mlir", weights, params="n15-depth9")
    assert any("-1" in str(warning) for warning in m.simulate(x[0])[1].warnings)


def changed(tmp_path, old, new):
    text = (DATA / "affine.mlir").read_text()
    assert old in text
    (tmp_path / "x.mlir").write_text(text.replace(old, new, 1))
    return tmp_path / "x.mlir"


@pytest.mark.parametrize(
    ("old", "new", "words"),
    [
        ("ckks.relinearize", "ckks.key_switch_inner", r"line \d+ = ckks.key_switch_inner: .*HEIR 2026.11.1"),
        (
            "ckks.rescale %ct_",
            "ckks.rescale {other = 1 : i64} %ct_",
            "ckks.rescale with the attribute other: .*HEIR 2026",
        ),
        ("arith.cmpi eq", "arith.cmpi ult", r"line \d+ = arith.cmpi ult"),
        ("scheme.requested_slot_count = 8", "scheme.requested_slot_count = 12", "12 slots: expected a power of two"),
        ("scheme.ckks", "scheme.bgv", "a module without scheme.ckks"),
        ('"entry"', '"other"', "0 functions with the role"),
        (
            'roles = ["client.decrypt"]',
            'roles = ["other"]',
            "no function with the role 'client.decrypt' and the index 0",
        ),
        ("tensor.extract %", "tensor.extract %lost", "which nothing before it makes"),
        ("dense<0.000000e+00>", "dense<[1.0, 2.0]>", "arith.constant"),
        ("dense<0.000000e+00>", "dense<0x7FC00000>", "no finite number"),
    ],
)
def test_what_is_not_read(tmp_path, old, new, words):
    with pytest.raises((rj.errors.ArgumentError, rj.errors.MalformedError), match=words):
        rj.ml.from_heir(changed(tmp_path, old, new), affine(np.random.default_rng(5)), params=SMALL)


def test_damaged_files_raise_typed_errors(tmp_path):
    text = (DATA / "affine.mlir").read_text()
    weights = affine(np.random.default_rng(6))
    rng = np.random.default_rng(7)
    for _ in range(300):
        at, length = rng.integers(len(text)), rng.integers(1, 40)
        (tmp_path / "x.mlir").write_text(text[:at] + text[at + length :])
        try:
            m = rj.ml.from_heir(tmp_path / "x.mlir", weights, params=SMALL)
        except rj.errors.RingjetError:
            continue
        assert isinstance(m, rj.ml.HeirProgram)


def test_files_without_text_or_results_are_refused(tmp_path):
    weights = affine(np.random.default_rng(6))
    (tmp_path / "x.mlir").write_bytes(b"ML\xefR\x00\xff")
    with pytest.raises(rj.errors.MalformedError, match=r"x\.mlir: no MLIR text"):
        rj.ml.from_heir(tmp_path / "x.mlir", weights)
    lines = (DATA / "affine.mlir").read_text().splitlines()
    returns = [i for i, line in enumerate(lines) if line.strip().startswith("return")]
    assert len(returns) > 3
    for i in returns:
        (tmp_path / "x.mlir").write_text("\n".join(lines[:i] + lines[i + 1 :]))
        with pytest.raises(rj.errors.MalformedError, match="returns 0 values, not 1"):
            rj.ml.from_heir(tmp_path / "x.mlir", weights, params=SMALL)


@pytest.mark.parametrize("name", ["affine", "mlp"])
def test_packing_all_at_once_is_packing_one_by_one(name, monkeypatch):
    """The loops of the layouts, with small weights in place of large ones."""
    module = parsed((DATA / f"{name}.mlir").read_text())
    functions = [f for f in module.functions.values() if {"client.pack", "client.encrypt"} & set(f.roles)]
    assert len(functions) == (3 if name == "affine" else 5)
    for function in functions:
        shape = [int(d) for d in function.arguments[0][1].removeprefix("tensor<").split("x")[:-1]]
        if np.prod(shape) > 1_000:
            continue
        given = [np.random.default_rng(8).normal(size=shape), *[None] * (len(function.arguments) - 1)]
        at_once = Machine(module, 1024 if name == "mlp" else 8).call(function, given)[0]
        with monkeypatch.context() as patch:
            patch.setattr(_lanes, "packed", lambda *_: None)
            one_by_one = Machine(module, 1024 if name == "mlp" else 8).call(function, given)[0]
        flat = [np.concatenate([np.ravel(v) for v in np.ravel(a)]) for a in (at_once, one_by_one)]
        np.testing.assert_array_equal(*flat)


LOOPS = """module attributes {scheme.ckks, scheme.requested_slot_count = 8 : i64} {
  func.func @f(%t: tensor<6xf32>) -> tensor<6xf32> {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c5 = arith.constant 5 : index
    %c6 = arith.constant 6 : index
    %0 = scf.for %i = %c0 to %c6 step %c1 iter_args(%a = %t) -> (tensor<6xf32>) {
      BODY
    }
    return %0 : tensor<6xf32>
  }
}
"""


@pytest.mark.parametrize(
    ("body", "expected"),
    [
        # reads what an earlier iteration wrote
        (
            ["%j = arith.subi %c5, %i : index", "%e = tensor.extract %a[%j] : tensor<6xf32>"]
            + ["%b = tensor.insert %e into %a[%i] : tensor<6xf32>", "scf.yield %b : tensor<6xf32>"],
            [6, 5, 4, 4, 5, 6],
        ),
        # two operations write to one place
        (
            ["%e = tensor.extract %t[%i] : tensor<6xf32>", "%b = tensor.insert %e into %a[%c0] : tensor<6xf32>"]
            + ["%d = tensor.insert %e into %b[%i] : tensor<6xf32>", "scf.yield %d : tensor<6xf32>"],
            [6, 2, 3, 4, 5, 6],
        ),
        # the last iteration wins
        (
            ["%e = tensor.extract %t[%i] : tensor<6xf32>", "%j = arith.divsi %i, %c5 : index"]
            + ["%b = tensor.insert %e into %a[%j] : tensor<6xf32>", "scf.yield %b : tensor<6xf32>"],
            [5, 6, 3, 4, 5, 6],
        ),
        # throws away what it wrote
        (
            ["%e = tensor.extract %t[%i] : tensor<6xf32>", "%b = tensor.insert %e into %a[%c0] : tensor<6xf32>"]
            + ["scf.yield %a : tensor<6xf32>"],
            [1, 2, 3, 4, 5, 6],
        ),
        # a loop with bounds that depend on the outer index, and a branch
        (
            [
                "%b = scf.for %k = %i to %c6 step %c5 iter_args(%d = %a) -> (tensor<6xf32>) {",
                "%g = arith.cmpi sgt, %k, %c0 : index",
                "%h = scf.if %g -> (tensor<6xf32>) {",
                "%j = arith.remsi %k, %c5 : index",
                "%e = tensor.extract %t[%j] : tensor<6xf32>",
                "%q = tensor.insert %e into %d[%k] : tensor<6xf32>",
                "scf.yield %q : tensor<6xf32>",
                "} else {",
                "scf.yield %d : tensor<6xf32>",
                "}",
                "scf.yield %h : tensor<6xf32>",
                "}",
                "scf.yield %b : tensor<6xf32>",
            ],
            [1, 2, 3, 4, 5, 1],
        ),
    ],
)
def test_loops(body, expected):
    module = parsed(LOOPS.replace("BODY", "\n".join(body)))
    found = Machine(module, 8).call(module.functions["f"], [np.arange(1.0, 7.0)])
    np.testing.assert_array_equal(found[0], expected)


def test_loops_with_the_same_names_do_not_see_each_other():
    """Two running sums, one after the other, whose loops have the same names; then one within branches."""
    loop = """%RESULT = scf.for %i = %c1 to %c6 step %c1 iter_args(%a = %SOURCE) -> (tensor<6xf32>) {
      %p = arith.subi %i, %c1 : index
      %e = tensor.extract %a[%p] : tensor<6xf32>
      %g = tensor.extract %a[%i] : tensor<6xf32>
      %s = arith.addf %e, %g : f32
      %b = tensor.insert %s into %a[%i] : tensor<6xf32>
      scf.yield %b : tensor<6xf32>
    }"""
    first, second = (loop.replace("RESULT", to).replace("SOURCE", of) for to, of in (("1", "t"), ("2", "1")))
    branch = "%9 = arith.constant true\n%1 = scf.if %9 -> (tensor<6xf32>) {\n%a = arith.addf %t, %t : tensor<6xf32>"
    branch += "\nscf.yield %a : tensor<6xf32>\n}"
    start = LOOPS[: LOOPS.index("%0 =")]
    once = np.cumsum(np.arange(1.0, 7.0))
    for before, expected in ((first, np.cumsum(once)), (branch, 2 * once)):
        module = parsed(f"{start}{before}\n{second}\nreturn %2 : tensor<6xf32>\n}}\n}}\n")
        found = Machine(module, 8).call(module.functions["f"], [np.arange(1.0, 7.0)])
        np.testing.assert_array_equal(found[0], expected)


def test_integers_are_divided_as_in_mlir():
    rows = [("divsi", -2), ("floordivsi", -3), ("ceildivsi", -2), ("remsi", -1)]
    lines = "\n".join(f"%{name} = arith.{name} %a, %b : index" for name, _ in rows)
    text = f"func.func @f(%a: index, %b: index) -> (index, index, index, index) {{\n{lines}\nreturn %divsi, %floordivsi, %ceildivsi, %remsi : index\n}}"
    function = parsed(text).functions["f"]
    for a, b in ((-7, 3), (np.array([-7, -7]), np.array([3, 3]))):
        found = Machine(parsed(text), 8).call(function, [a, b])
        assert [np.ravel(value)[0] for value in found] == [expected for _, expected in rows]


KERNELS = """#ice = #lwe.inverse_canonical_encoding<scaling_factor = 45>
#ring_f64 = #polynomial.ring<coefficientType = f64, polynomialModulus = <1 + x**16>>
#ring = #polynomial.ring<coefficientType = !rns.rns<!mod_arith.int<97 : i64>>, polynomialModulus = <1 + x**16>>
!ct = !lwe.lwe_ciphertext<plaintext_space = <ring = #ring_f64, encoding = #ice>, ciphertext_space = #lwe.ciphertext_space<ring = #ring, encryption_type = mix>, key = #lwe.key<>>
!pt = !lwe.lwe_plaintext<plaintext_space = <ring = #ring_f64, encoding = #ice>>
module attributes {scheme.ckks, scheme.requested_slot_count = 8 : i64} {
  func.func @f(%ct: !ct, %d: tensor<4x8xf64>, %e: tensor<2x4xf64>) -> (!ct, !ct) attributes {heir.interface = {func_name = "f", roles = ["entry"]}} {
    %r = arith.constant dense_resource<extra> : tensor<8xf32>
    %0 = orion.linear_transform %ct, %d <diagonal_indices = [0, 1, -2, 9], orion_level = 1 : i32, bsgs_ratio = 2.000000e+00 : f64, slots = 8 : i32> : (!ct, tensor<4x8xf64>) -> !ct
    %1 = orion.chebyshev %0 <coefficients = [5.000000e-01, 1.000000e+00, 2.500000e-01], domain_start = -1.000000e+00 : f64, domain_end = 1.000000e+00 : f64> : (!ct) -> !ct
    %2 = ckks.rotate %1 <static_shift = 3 : index> : !ct
    %3 = ckks.bootstrap %2 : !ct -> !ct
    %4 = ckks.negate %3 : !ct
    %5 = kernel.linear_transform %4, %e <diagonal_indices = [0, 2], source_row_indices = [1, 0]> : !ct, tensor<2x4xf64> -> !ct
    %6 = lwe.rlwe_encode %r <encoding = #ice, ring = #ring_f64> : tensor<8xf32> -> !pt
    %7 = ckks.sub_plain %6, %5 : (!pt, !ct) -> !ct
    %8 = ckks.sub %7, %4 : (!ct, !ct) -> !ct
    %9 = ckks.mul %8, %4 : (!ct, !ct) -> !ct
    return %9, %4 : !ct, !ct
  }
  func.func @f__encrypt__arg0(%x: tensor<8xf32>, %pk: !lwe.lwe_public_key) -> !ct attributes {heir.interface = {func_name = "f", index = 0 : i64, roles = ["client.encrypt"]}} {
    %pt = lwe.rlwe_encode %x <encoding = #ice, ring = #ring_f64> : tensor<8xf32> -> !pt
    %ct = lwe.rlwe_encrypt %pt, %pk : (!pt, !lwe.lwe_public_key) -> !ct
    return %ct : !ct
  }
DECRYPT}

{-#
  dialect_resources: {
    builtin: {
      extra: "0x040000000000803F0000004000004040000080400000A0400000C0400000E04000000041"
    }
  }
#-}
"""
DECRYPT = """  func.func @f__decrypt__result0(%ct: !ct, %sk: !lwe.lwe_secret_key) -> tensor<8xf32> attributes {heir.interface = {func_name = "f", index = 0 : i64, roles = ["client.decrypt"]}} {
    %pt = lwe.rlwe_decrypt %ct, %sk : (!ct, !lwe.lwe_secret_key) -> !pt
    %0 = lwe.rlwe_decode %pt <encoding = #ice, ring = #ring_f64> : !pt -> tensor<8xf32>
    return %0 : tensor<8xf32>
  }
"""


def test_kernels_and_several_results(tmp_path):
    both = DECRYPT + DECRYPT.replace("result0", "result1").replace("index = 0", "index = 1")
    (tmp_path / "f.mlir").write_text(KERNELS.replace("DECRYPT", both))
    rng = np.random.default_rng(9)
    d, e = rng.uniform(-0.2, 0.2, (4, 8)), rng.normal(size=(2, 4))
    samples = rng.uniform(-1, 1, (40, 8))
    m = rj.ml.from_heir(tmp_path / "f.mlir", [d, e], calibration=samples, params="n15-depth9")
    x = rng.uniform(-1, 1, 8)
    y = d[0] * x + (d[1] + d[3]) * np.roll(x, -1) + d[2] * np.roll(x, 2)
    y = -np.roll(np.polynomial.Chebyshev([0.5, 1, 0.25])(y), -3)
    wide = np.tile(e, 2)
    first = (np.arange(1, 9) - (wide[1] * y + wide[0] * np.roll(y, -2)) - y) * y
    for found in (m.clear(x), run(m, x)):
        np.testing.assert_allclose(found[0], first, atol=1e-3)
        np.testing.assert_allclose(found[1], y, atol=1e-4)
    (tmp_path / "f.mlir").write_text(KERNELS.replace("DECRYPT", both).replace("domain_end = 1.0", "domain_end = 2.0"))
    with pytest.raises(rj.errors.ArgumentError, match="orion.chebyshev from .* expected the interval from -1 to 1"):
        rj.ml.from_heir(tmp_path / "f.mlir", [d, e])


@pytest.mark.parametrize("name", COMMANDS)
def test_files_are_what_heir_writes(name, tmp_path):
    source, backend, options = COMMANDS[name]
    path = compiled(tmp_path, (DATA / f"{source}.linalg.mlir").read_text(), backend, options)

    def comparable(text):
        """Without the numbers in names of layouts, which come from addresses."""
        return re.sub(r"_assign_layout_\d+", "_assign_layout", text)

    assert comparable(path.read_text()) == comparable((DATA / f"{name}.mlir").read_text())


CONVOLUTION = """func.func @main(%x: tensor<1x1x8x8xf32> {secret.secret}, %w: tensor<2x1x3x3xf32>) -> tensor<1x2x6x6xf32> {
  %c = arith.constant dense<0.25> : tensor<1x2x6x6xf32>
  %0 = linalg.conv_2d_nchw_fchw {dilations = dense<1> : vector<2xi64>, strides = dense<1> : vector<2xi64>} ins(%x, %w : tensor<1x1x8x8xf32>, tensor<2x1x3x3xf32>) outs(%c : tensor<1x2x6x6xf32>) -> tensor<1x2x6x6xf32>
  return %0 : tensor<1x2x6x6xf32>
}
"""
TWO = """func.func @main(%x: tensor<64xf32> {secret.secret}, %y: tensor<64xf32> {secret.secret}) -> (tensor<64xf32>, tensor<f32>) {
  %c = arith.constant dense<0.5> : tensor<f32>
  %1 = arith.subf %x, %y : tensor<64xf32>
  %2 = arith.mulf %1, %y : tensor<64xf32>
  %3 = linalg.dot ins(%x, %y : tensor<64xf32>, tensor<64xf32>) outs(%c : tensor<f32>) -> tensor<f32>
  return %2, %3 : tensor<64xf32>, tensor<f32>
}
"""


@pytest.mark.parametrize("backend", ["cheddar", "lattigo", "openfhe"])
def test_convolution_compiled_now(backend, tmp_path):
    rng = np.random.default_rng(10)
    w, x = rng.normal(size=(2, 1, 3, 3)) / 3, rng.uniform(-1, 1, (1, 1, 8, 8))
    m = rj.ml.from_heir(compiled(tmp_path, CONVOLUTION, backend, "min-slot-count=256"), [w], params=SMALL)
    windows = np.lib.stride_tricks.sliding_window_view(x[0, 0], (3, 3))
    expected = 0.25 + np.einsum("ijkl,ckl->cij", windows, w[:, 0])[None]
    np.testing.assert_allclose(m.clear(x), expected, atol=1e-12)
    np.testing.assert_allclose(run(m, x), expected, atol=1e-4)


@pytest.mark.parametrize("backend", ["cheddar", "lattigo", "openfhe"])
def test_two_inputs_and_two_results_compiled_now(backend, tmp_path):
    rng = np.random.default_rng(11)
    x, y = rng.uniform(-1, 1, (2, 64))
    samples = rng.uniform(-1, 1, (2, 30, 64))
    m = rj.ml.from_heir(compiled(tmp_path, TWO, backend), calibration=list(samples), params=SMALL)
    for found in (m.clear(x, y), run(m, x, y)):
        np.testing.assert_allclose(found[0], (x - y) * y, atol=1e-4)
        np.testing.assert_allclose(found[1], x @ y + 0.5, atol=1e-3)
