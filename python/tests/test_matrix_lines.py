"""Encrypted matrices whose rows or columns are in ciphertexts of their own."""

from __future__ import annotations

import pickle
import re
import struct
import zlib

import numpy as np
import pytest

import ringjet as rj
from ringjet.vectors.matrices import EncryptedMatrix, decrypt_matrix, encrypt_matrix, load_matrix

PARAMS = {
    "ckks": lambda: rj.params(10, [50, 40, 40, 40], [50], allow_insecure=True),
    "heaan": lambda: rj.heaan(10, 300, 30, allow_insecure=True),
    "bgv": lambda: rj.bgv(10, 65537, [45] * 5, [45] * 2, allow_insecure=True),
    "bfv": lambda: rj.bgv(10, 65537, [45] * 5, [45] * 2, scheme="bfv", allow_insecure=True),
}

#: Slots (None: all), rows and columns: one group of slots and several, full ones and one element, one row, one column.
SHAPES = [(16, 5, 40), (64, 7, 9), (16, 1, 16), (16, 6, 1), (8, 4, 8), (8, 1, 1), (8, 2, 17)]
#: Schemes with integers have all slots, 1024 in two rows of 512.
WHOLE = [(None, 3, 700), (None, 5, 3), (None, 2, 1024), (None, 1, 1500)]


def drawn(params, rng, *shape):
    return rng.integers(-9, 10, shape) if params.t is not None else rng.uniform(-1, 1, shape)


class Sides:
    """A client, and a server with the keys that the plan of a program of one matrix names."""

    def __init__(self, program, params, matrix, slots, layout, **options):
        self.layout, self.program, self.matrix = layout, program, matrix
        planned = {} if params.t is not None else options
        shapes = [matrix.shape]
        self.plan = rj.plan_matrices(program, params, shapes, slots=slots, layout=layout, **planned)
        self.client = rj.Client(params, **({} if slots is None else {"slots": slots}), seed=7)
        self.server = rj.Server(self.client.evaluation_keys(**self.plan.keys), allow_insecure=True)

    def run(self):
        """The results by name: encrypted, and their elements."""
        sent = encrypt_matrix(self.client, self.matrix, layout=self.layout).to_bytes()
        made = self.program(load_matrix(self.server, sent))
        return {name: (m, decrypt_matrix(self.client, m.to_bytes())) for name, m in made.items()}


def agree(params, found, wanted, tolerance=1e-5):
    assert list(found) == list(wanted)
    for name, want in wanted.items():
        assert found[name].shape == want.shape, name
        if params.t is None:
            assert np.max(np.abs(found[name] - want)) < tolerance, name
        else:
            assert np.array_equal((found[name] - want) % params.t, np.zeros(want.shape)), name


@pytest.mark.parametrize("layout", ["rows", "columns"])
@pytest.mark.parametrize(
    ("scheme", "slots", "rows", "columns"),
    [("ckks", *shape) for shape in SHAPES]
    + [("heaan", *SHAPES[0]), ("heaan", *SHAPES[1])]
    + [(scheme, *shape) for scheme in ("bgv", "bfv") for shape in WHOLE],
)
def test_operations_are_those_of_numpy(scheme, slots, rows, columns, layout):
    params, rng = PARAMS[scheme](), np.random.default_rng([rows, columns])
    # as if in rows: for columns the matrix and all operands are turned
    in_rows = layout == "rows"
    turned = (lambda m: m) if in_rows else (lambda m: m.T)
    a, w, u = (drawn(params, rng, *shape) for shape in ((rows, columns), (3, rows), (1, rows)))
    b, row, column = (drawn(params, rng, *shape) for shape in ((3, 1), (1, columns), (rows, 1)))
    v, number = drawn(params, rng, columns), int(rng.integers(2, 6))

    def program(x):
        left = (lambda m: m @ x) if in_rows else (lambda m: x @ m.T)
        return {
            "weighted": left(w) + turned(b),
            "one": left(u[0]) if in_rows else x @ u[0],
            "x + y": x + x,
            "x - y": x - x * number,
            "x * y": x * x,
            "-x": -x,
            "number": number - x,
            "array": x * turned(row) + (turned(column) - x),
            "line": x * turned(column) - turned(row),
            "encrypted line": x - left(u),
            "line first": left(u) + x,
            "sums of lines": x.sum(0 if in_rows else 1),
            "sums in lines": x.sum(1 if in_rows else 0),
            "sum": x.sum(),
            "products in lines": x @ v if in_rows else v @ x,
            "T": x.T,
        }

    a = turned(a)
    lay = Sides(program, params, a, slots, layout)
    known = turned(a)  # its rows are the lines
    wanted = {
        "weighted": w @ known + b,
        "one": u @ known,
        "x + y": 2 * known,
        "x - y": known - known * number,
        "x * y": known * known,
        "-x": -known,
        "number": number - known,
        "array": known * row + (column - known),
        "line": known * column - row,
        "encrypted line": known - u @ known,
        "line first": u @ known + known,
        "sums of lines": known.sum(0, keepdims=True),
        "sums in lines": known.sum(1, keepdims=True),
        "sum": known.sum(keepdims=True),
        "products in lines": (known @ v)[:, None],
        "T": known.T,
    }
    wanted = {name: turned(m) for name, m in wanted.items()}
    found = lay.run()
    tolerance = 2e-2 if scheme == "heaan" else 1e-5
    agree(params, {name: values for name, (_, values) in found.items()}, wanted, tolerance)
    assert {m.layout for name, (m, _) in found.items() if name != "T"} == {layout}
    assert found["T"][0].layout == ("columns" if in_rows else "rows")
    # the plan knows the levels, and a simulation the values
    for name, (m, _) in found.items():
        planned = [o for o in lay.plan.outputs if o.name.startswith(f"[{name!r}]")]
        assert [o.level for o in planned] == [x._left for line in m.blocks for x in line], name
    simulated = rj.simulate_matrices(program, a, params=params, slots=slots, layout=layout)
    agree(params, simulated.values, wanted, 1e-6)
    if scheme in ("ckks", "bgv"):
        top = found["T"][0].level
        free = ("x + y", "-x", "T", "sums of lines", *(["sums in lines"] if scheme == "ckks" else []))
        assert {found[name][0].level for name in free} == {top}
        assert found["weighted"][0].level >= top - 1


@pytest.mark.parametrize("layout", ["rows", "columns"])
def test_sums_of_lines_take_no_keys(layout):
    params, a = PARAMS["ckks"](), np.random.default_rng(5).uniform(-1, 1, (5, 40))
    w = np.random.default_rng(6).uniform(-1, 1, (40, 5))

    def program(x):
        return {"product": w @ x if layout == "rows" else x @ w, "sum": x.sum(0 if layout == "rows" else 1)}

    lay = Sides(program, params, a, 16, layout)
    assert not lay.plan.keys["rotations"] and not lay.plan.keys["relinearization"]
    groups = 3 if layout == "rows" else 1
    lines = 40 if layout == "rows" else 5
    assert lay.plan.operations["weighted sums"] == groups * lines
    found = lay.run()
    assert np.max(np.abs(found["product"][1] - (w @ a if layout == "rows" else a @ w))) < 1e-5
    # the bound is that of the weights, and a sum has that of its terms
    assert found["sum"][0].magnitude == (5 if layout == "rows" else 40)


@pytest.mark.parametrize("scheme", ["ckks", "bgv"])
@pytest.mark.parametrize("layout", ["rows", "columns"])
def test_weighted_sums_of_lines(scheme, layout, capfd):
    params, rng = PARAMS[scheme](), np.random.default_rng(8)
    slots = None if scheme == "bgv" else 16
    a, w, b = (drawn(params, rng, *shape) for shape in ((4, 1100 if scheme == "bgv" else 40), (6, 4), (6,)))
    told = []

    def program(x):
        return {"made": x.weighted_sums(w, bias=b, bits="exact", progress=lambda *at: told.append(at))}

    known = w @ a + b[:, None]
    matrix, known = (a, known) if layout == "rows" else (a.T, known.T)
    lay = Sides(program, params, matrix, slots, layout)
    told.clear()
    agree(params, {"made": lay.run()["made"][1]}, {"made": known})
    # one count for all groups of slots
    total = 6 * (2 if scheme == "bgv" else 3)
    assert told[-1] == (total, total) and {t for _, t in told} == {total} and sorted(told) == told
    x = load_matrix(lay.server, encrypt_matrix(lay.client, matrix, layout=layout))
    x.weighted_sums(w, progress=True)
    assert f" {total}/{total} " in capfd.readouterr().err
    with pytest.raises(TypeError, match="progress = 3"):
        x.weighted_sums(w, progress=3)
    for wrong, message in (
        (lambda: x.weighted_sums(w[:, :3]), "shape (rows, 4), a column for each ciphertext"),
        (lambda: x.weighted_sums(w, bias=b[:5]), "shape (6,), a number for each row"),
        (lambda: x.weighted_sums(w, bits=25), '1 to 24, or "exact"'),
    ):
        with pytest.raises(rj.ArgumentError, match=re.escape(message)):
            wrong()


def test_vectors_multiply_blocks_too():
    params, rng = PARAMS["ckks"](), np.random.default_rng(9)
    a, v, u = rng.uniform(-1, 1, (9, 5)), rng.uniform(-1, 1, 5), rng.uniform(-1, 1, 9)
    found = Sides(lambda x: {"A @ v": x @ v, "u @ A": u @ x}, params, a, 16, "blocks").run()
    agree(
        params,
        {name: values for name, (_, values) in found.items()},
        {"A @ v": (a @ v)[:, None], "u @ A": (u @ a)[None]},
    )


def test_complex_numbers_are_two_matrices_in_one():
    params, rng = PARAMS["ckks"](), np.random.default_rng(10)
    a, w = rng.uniform(-1, 1, (5, 20)) + 1j * rng.uniform(-1, 1, (5, 20)), rng.uniform(-1, 1, (3, 5))
    client = rj.Client(params, slots=16, seed=7)
    server = rj.Server(client.evaluation_keys(), allow_insecure=True)
    x = load_matrix(server, encrypt_matrix(client, a, layout="rows"))
    found = decrypt_matrix(client, (w @ x).to_bytes(), complex=True)
    assert found.dtype.kind == "c" and np.max(np.abs(found - w @ a)) < 1e-5
    assert np.max(np.abs(decrypt_matrix(client, w @ x) - (w @ a).real)) < 1e-5


@pytest.mark.parametrize("layout", ["rows", "columns"])
def test_slots_without_an_element_do_not_matter(layout):
    params, rng = PARAMS["ckks"](), np.random.default_rng(11)
    a, v = rng.uniform(-1, 1, (5, 21)), rng.uniform(-1, 1, 21)
    a = a if layout == "rows" else a.T

    def program(x):
        y = x + 0.5 - np.full((1, 21) if layout == "rows" else (21, 1), 0.5)
        return {"sum": y.sum(), "product": y @ v if layout == "rows" else v @ y}

    found = Sides(program, params, a, 16, layout).run()
    known = a @ v if layout == "rows" else v @ a
    assert abs(found["sum"][1][0, 0] - a.sum()) < 1e-5
    assert np.max(np.abs(found["product"][1].ravel() - known)) < 1e-5


def test_functions_of_every_element():
    params = rj.params(10, [50, *[40] * 5], [50], allow_insecure=True)
    a = np.random.default_rng(12).uniform(-1, 1, (3, 20))

    def program(x):
        return {"exp": x.apply("exp", (-2, 2), error=1e-2), "map": x.map(lambda y: y * 2)}

    found = Sides(program, params, a, 16, "columns").run()
    assert np.max(np.abs(found["exp"][1] - np.exp(a))) < 2e-2 and found["exp"][0].layout == "columns"
    assert np.max(np.abs(found["map"][1] - 2 * a)) < 1e-5


def test_ciphertexts_bytes_and_text():
    params, rng = PARAMS["ckks"](), np.random.default_rng(13)
    a = rng.uniform(-1, 1, (3, 20))
    client = rj.Client(params, slots=16, seed=7)
    server = rj.Server(client.evaluation_keys(), allow_insecure=True)
    for layout, grid in (("rows", [2, 2, 2]), ("columns", [20])):
        x = encrypt_matrix(client, a, layout=layout)
        assert [len(row) for row in x.blocks] == grid
        y = load_matrix(server, x.to_bytes())
        assert (y.layout, y.shape, y.to_bytes()) == (layout, (3, 20), x.to_bytes())
        assert repr(y).startswith(f"EncryptedMatrix(3 x 20, in {layout}, {sum(grid)} ciphertexts such as ")
        assert np.max(np.abs(decrypt_matrix(client, EncryptedMatrix(y.blocks, y.shape, layout)) - a)) < 1e-6
    # a part of a row is in the first slots
    first = encrypt_matrix(client, a, layout="rows").blocks[1]
    values = np.concatenate([client.decrypt(x, all_slots=True) for x in first])
    assert np.max(np.abs(values - np.pad(a[1], (0, 12)))) < 1e-6


@pytest.mark.parametrize("layout", ["rows", "columns"])
def test_pickles_keep_the_layout(layout, insecure_pickles):
    client = rj.Client(PARAMS["ckks"](), slots=16, seed=17)
    server = rj.Server(client.evaluation_keys(), allow_insecure=True)
    x = load_matrix(server, encrypt_matrix(client, np.ones((3, 5)), layout=layout))
    y = pickle.loads(pickle.dumps(x))
    assert (y.layout, y.shape, y.to_bytes()) == (layout, (3, 5), x.to_bytes())


def test_what_cannot_be_is_refused():
    client = rj.Client(PARAMS["ckks"](), slots=16, seed=7)
    server = rj.Server(client.evaluation_keys(), allow_insecure=True)
    rows, columns, blocks = (
        load_matrix(server, encrypt_matrix(client, np.ones((4, 20)), layout=layout))
        for layout in ("rows", "columns", "blocks")
    )
    column = load_matrix(server, encrypt_matrix(client, np.ones((4, 1)), layout="rows"))
    for make, text in [
        (lambda: rows @ np.ones((20, 2)), 'layout = rows for A @ W: expected "columns": rj.encrypt_matrix('),
        (lambda: np.ones((2, 4)) @ columns, 'layout = columns for W @ A: expected "rows": rj.encrypt_matrix('),
        (lambda: rows @ columns.T, 'layout = rows for encrypted A @ B: expected "blocks" for both matrices'),
        (lambda: columns.T @ columns, "layouts = rows @ columns: expected one layout for both: A.to_layout(B.layout)"),
        (lambda: rows + columns, "layouts = rows + columns: expected one layout for both"),
        (lambda: blocks * rows, "layouts = blocks * rows: expected one layout for both"),
        (lambda: blocks.weighted_sums(np.ones((2, 4))), 'layout = blocks: expected "rows" or "columns"'),
        (lambda: rows + np.ones((2, 4)) @ rows, "shapes = (4, 20) in 16 slots + (2, 20)"),
        (lambda: rows + column, "shapes = (4, 20) in 16 slots + (4, 1) in 16 slots"),
        (lambda: rows + np.ones((3, 20)), "shapes = (4, 20) in 16 slots + (3, 20)"),
        (lambda: rows + np.ones((2, 4, 20)), "shapes = (4, 20) in 16 slots + (2, 4, 20)"),
        (lambda: np.ones((2, 3)) @ rows, "shapes that fit"),
        (lambda: rows @ np.ones(3), "shapes that fit"),
        (lambda: encrypt_matrix(client, np.ones((2, 3, 4)), layout="rows"), 'layout "blocks" takes several matrices'),
        (
            lambda: encrypt_matrix(client, np.ones((2, 3)), layout="lines"),
            'layout = \'lines\': expected "blocks" or "rows" or',
        ),
        (lambda: encrypt_matrix(client, np.broadcast_to(0.0, (10**6, 3)), layout="rows"), "at most 65536 ciphertexts"),
        (
            lambda: EncryptedMatrix(rows.blocks, (4, 20), "columns"),
            "1 rows of 20 for the shape (4, 20) in 16 slots and layout columns",
        ),
        (
            lambda: rj.plan_matrices(lambda a: a, client.params, [(4, 4)], layout=["rows", "rows"]),
            "one for each input: a",
        ),
    ]:
        with pytest.raises(rj.ArgumentError, match=re.escape(text)):
            make()
    with pytest.raises(rj.NotFiniteError, match="nan"):
        np.full((2, 4), np.nan) @ rows
    with pytest.raises(rj.ArgumentError, match="weights = complex numbers: expected real numbers; W.real @ A"):
        np.full((2, 4), 1j) @ rows
    w = np.full((2, 4), 0.5 + 1j)
    made = w.real @ rows + (w.imag @ rows).map(lambda x: x.times_i())
    assert np.max(np.abs(decrypt_matrix(client, made, complex=True) - w @ np.ones((4, 20)))) < 1e-5
    low = rows.map(lambda x: x.to_level(0))
    with pytest.raises(rj.LevelExhaustedError):
        np.ones((2, 4)) @ low
    with pytest.raises(rj.MissingRotationKeyError):
        rows.sum(1)
    whole = rj.Client(PARAMS["bgv"](), seed=7)
    x = encrypt_matrix(whole, np.ones((2, 3), int), layout="rows")
    with pytest.raises(TypeError, match="integers"):
        np.full((2, 2), 0.5) @ x


#: Slots, rows, columns: one block and several, full and not, one row, one column, several groups of slots.
CONVERTED = [(16, 4, 4), (32, 3, 4), (16, 9, 21), (32, 5, 20), (16, 1, 17), (64, 9, 1)]


@pytest.mark.parametrize(("slots", "rows", "columns"), CONVERTED)
def test_layouts_change_on_a_server(slots, rows, columns):
    params = rj.params(10, [50, *[40] * 4], [50], allow_insecure=True)
    a = np.random.default_rng([slots, rows]).uniform(-1, 1, (rows, columns))
    layouts = ("blocks", "rows", "columns")
    levels = {}
    for layout in layouts:

        def program(x, layout=layout):
            # what is in slots without an element must not matter
            y = x + 0.5 - np.full(a.shape, 0.5)
            return {to: y.to_layout(to) for to in layouts}

        found = Sides(program, params, a, slots, layout).run()
        for to, (m, values) in found.items():
            assert (m.layout, m.shape) == (to, a.shape) and np.max(np.abs(values - a)) < 1e-4, (layout, to)
            assert m.magnitude <= 2, (layout, to)
            levels[layout, to] = params.max_level - m.level
    # a row that is in one block only is rotated into its place
    assert levels["blocks", "rows"] == (1 if columns > 1 << (slots.bit_length() - 1) // 2 else 0)
    assert levels["blocks", "columns"] == 1 + (1 if rows > 1 << (slots.bit_length() - 1) // 2 else 0)
    assert levels["rows", "blocks"] <= 1 and levels["columns", "blocks"] <= 2
    assert max(levels["rows", "columns"], levels["columns", "rows"]) <= 3
    assert {levels[layout, layout] for layout in layouts} == {0}


def test_conversions_that_cannot_be_are_refused():
    client = rj.Client(PARAMS["ckks"](), slots=16, seed=7)
    server = rj.Server(client.evaluation_keys(), allow_insecure=True)
    several = load_matrix(server, encrypt_matrix(client, np.ones((2, 2, 2))))
    with pytest.raises(rj.ArgumentError, match='layout "rows"; layout "blocks" takes several'):
        several.to_layout("rows")
    x = load_matrix(server, encrypt_matrix(client, np.ones((2, 2))))
    with pytest.raises(rj.ArgumentError, match='"blocks" or "rows" or "columns"'):
        x.to_layout("diagonals")
    with pytest.raises(rj.MissingRotationKeyError):
        x.to_layout("rows")
    for scheme in ("bgv", "bfv", "heaan"):
        exact = rj.Client(PARAMS[scheme](), seed=7)
        x = encrypt_matrix(exact, np.ones((2, 3), int), layout="rows")
        assert x.to_layout("rows") is x
        with pytest.raises(rj.ArgumentError, match='layout = "columns": expected "rows"; rj.encrypt_matrix'):
            x.to_layout("columns")


def test_a_plan_chooses_layouts():
    params, rng = rj.preset("n13-depth2"), np.random.default_rng(14)
    w = rng.uniform(-1, 1, (64, 64))

    def both(x, y):
        return w @ x, y @ w

    shapes = [(64, 512), (512, 64)]
    plan = rj.plan_matrices(both, params, shapes, slots=512, layout="auto")
    assert plan.layouts == {"x": "rows", "y": "columns"} and plan.device == "here"
    assert plan.choice["x in rows, y in rows"].startswith("layout = rows for A @ W")
    assert " on " in plan.choice["x in rows, y in columns"] and len(plan.choice) == 16
    assert plan.choice["x in rows, y in columns"].endswith("128 ciphertext(s) as inputs")
    assert "\nand 108 more\n" in repr(plan)
    # a product of encrypted matrices works in blocks only
    product = rj.plan_matrices(lambda a, b: a @ b, params, [(8, 8), (8, 8)], slots=64, layout="auto", device="h200")
    assert product.layouts == {"a": "blocks", "b": "blocks"} and product.estimate is not None
    assert sum("blocks" in text for text in product.choice.values()) >= 3
    # a layout that is given stays, and an input that is not named is in blocks
    fixed = rj.plan_matrices(both, params, [(9, 64), (64, 9)][::-1], layout={"y": "columns"})
    assert fixed.layouts == {"x": "blocks", "y": "columns"} and fixed.choice is None
    # many inputs have one layout
    many = rj.plan_matrices(lambda *m: sum(w[:4, :4] @ x for x in m), params, [(4, 4)] * 5, slots=16, layout="auto")
    assert len(many.choice) == 4 and len(set(many.layouts.values())) == 1
    # where no layout works, the first refusal is raised
    with pytest.raises(rj.ArgumentError, match="shapes that fit"):
        rj.plan_matrices(lambda a: a @ np.ones((5, 2)), params, [(4, 4)], layout="auto")
    # several matrices side by side are in blocks
    assert rj.plan_matrices(lambda a: a + 1, params, [(3, 4, 4)], layout="auto").layouts == {"a": "blocks"}
    x = rng.uniform(-1, 1, (64, 256))
    simulated = rj.simulate_matrices(lambda a: w @ a, x, params=params, slots=256, layout="auto")
    assert np.allclose(simulated.values, w @ x) and simulated.operations["weighted sums"] == 64
    # schemes with integers have products in lines only
    exact = rj.plan_matrices(lambda a: np.ones((2, 3), int) @ a, PARAMS["bgv"](), [(3, 700)], layout="auto")
    assert exact.layouts == {"a": "rows"}


def test_the_smallest_preset_multiplies_once():
    params, rng = rj.preset("n12-depth1"), np.random.default_rng(15)
    assert (params.depth, params.slots, params.security) == (1, 2048, 128)
    a = rng.uniform(-1, 1, (16, 2048)) + 1j * rng.uniform(-1, 1, (16, 2048))
    w, b = rng.uniform(-1, 1, (9, 16)), rng.uniform(-1, 1, (9, 1))
    client = rj.Client(params, seed=7)
    server = rj.Server(client.evaluation_keys())
    x = load_matrix(server, encrypt_matrix(client, a, layout="rows").to_bytes())
    y = w @ x + b
    assert y.level == 0 and y.magnitude <= 17
    assert np.max(np.abs(decrypt_matrix(client, y.to_bytes(), complex=True) - (w @ a + b))) < 2e-4
    # its depth is one product, also of ciphertexts
    squared = (x.map(lambda z: z * z)).to_bytes()
    assert np.max(np.abs(decrypt_matrix(client, squared, complex=True) - a * a)) < 2e-4
    with pytest.raises(rj.LevelExhaustedError):
        w.T @ y
    # values up to 2^7 have room after the product
    large = load_matrix(server, encrypt_matrix(client, np.full((2, 3), 60.0), layout="rows", magnitude=60))
    assert np.max(np.abs(decrypt_matrix(client, np.full((1, 2), 1.0) @ large) - 120)) < 1e-3
    with pytest.raises(rj.RingjetError, match="magnitude|room|modulus"):
        np.full((1, 2), 1.2) @ large


@pytest.mark.parametrize("layout", ["rows", "columns"])
def test_damaged_bytes_are_refused(layout):
    client = rj.Client(PARAMS["ckks"](), slots=16, seed=7)
    server = rj.Server(client.evaluation_keys(), allow_insecure=True)
    seed = np.random.SeedSequence().entropy
    print(f"seed {seed}")
    rng = np.random.default_rng(seed)
    data = encrypt_matrix(client, np.ones((3, 20)), layout=layout, level=0).to_bytes()
    for cut in (0, 6, 7, 8, 20, 60, len(data) // 2, len(data) - 1):
        with pytest.raises(rj.MalformedError, match="truncated"):
            load_matrix(server, data[:cut])
    for place in [*range(60), *rng.integers(len(data), size=30)]:
        flipped = bytearray(data)
        flipped[place] ^= 1 << rng.integers(8)
        for read in (lambda d: load_matrix(server, d), lambda d: decrypt_matrix(client, d)):
            with pytest.raises(rj.RingjetError):
                read(bytes(flipped))
    # with a checksum that is right: lines of several matrices, and lines of another layout
    other = {"rows": 2, "columns": 1}[layout]
    for kind, offset, value, text in (
        ("<I", 8, 3, r"\(3, 3, 20\): expected \(rows, columns\)"),
        ("<B", 6, other, "ciphertexts do not fit|too many at the end|that no ciphertext has|truncated"),
        ("<I", 12, 2**32 - 1, "ciphertexts do not fit"),
        ("<I", 16, 2**32 - 1, "ciphertexts do not fit"),
    ):
        forged = bytearray(data)
        struct.pack_into(kind, forged, offset, value)
        sealed = bytes(forged[:-4]) + struct.pack("<I", zlib.crc32(forged[:-4]))
        with pytest.raises(rj.MalformedError, match=text):
            load_matrix(server, sealed)


@pytest.mark.parametrize("layout", ["rows", "columns"])
def test_intervals_and_levels_of_lines(layout):
    params, a = PARAMS["ckks"](), np.random.default_rng(16).uniform(0.5, 2, (3, 20))
    client = rj.Client(params, slots=16, seed=7)
    x = encrypt_matrix(client, a, layout=layout, level=2, magnitude=(0.5, 2))
    assert x.level == 2 and {y.range for row in x.blocks for y in row} == {(0.5, 2)}
    assert np.max(np.abs(decrypt_matrix(client, x) - a)) < 1e-6
    # slots without an element hold the end of the interval that is nearest to 0
    last = client.decrypt(x.blocks[-1][-1], all_slots=True)
    held = a[-1, 16:] if layout == "rows" else a[:, -1]
    assert np.max(np.abs(last - np.pad(held, (0, 16 - held.size), constant_values=0.5))) < 1e-6
    plan = rj.plan_matrices(lambda m: m, params, [a.shape], slots=16, layout=layout, level=2, magnitudes=(0.5, 2))
    assert [(o.level, o.ciphertext.range) for o in plan.outputs] == [(2, (0.5, 2))] * (6 if layout == "rows" else 20)
