"""The calls of ringjet that answer idioms of Python and numpy."""

from __future__ import annotations

from typing import NamedTuple

from ._scheme import EQUALITY, FUNCTIONS, MATRICES, ORDER, REALS


class Answer(NamedTuple):
    """The call to make instead of an idiom."""

    call: str
    #: What the call needs of the scheme; see `_scheme`.
    need: str = ""
    #: Whether `call` is a sentence that explains what to do.
    explains: bool = False


def _says(sentence: str) -> Answer:
    return Answer(sentence, explains=True)


_DECRYPT = "only the client can look inside: client.decrypt(x)"
_ROUND = "encrypted values cannot be rounded: round what the client decrypts"
_REMAINDER = (
    "encrypted values are not rounded and have no remainders: take them of what the client decrypts, or of rj.integers"
)
_SLOTS = "x.count is the number of values, x.slots the number of slots"
#: The error where numpy wants an array.
NO_ARRAY = (
    "a ciphertext cannot become an array: the client decrypts it. x.sum() adds its values, sum([x, y]) adds several "
    "ciphertexts, and a list holds them"
)
_IMMUTABLE = "ciphertexts do not change: x * mask + values makes a new one, with a mask of zeros and ones"
_SORT = Answer("x.sort(n)", ORDER)


def _function(name: str) -> Answer:
    return Answer(f"x.{name}((low, high)), with an interval that holds all values", FUNCTIONS)


#: Operators and functions of Python.
PYTHON = {
    "x @ y": _says("x.dot(y) is the sum of products; a matrix comes first: matrix @ x"),
    "x / y": Answer("x * y.reciprocal(low, high), with bounds of the values of y", FUNCTIONS),
    "a / x": Answer("a * x.reciprocal(low, high), with bounds of the values of x", FUNCTIONS),
    "a ** x": Answer("x.apply(lambda v: a**v, (low, high)), with bounds of the values of x", FUNCTIONS),
    "x ** y": _says("the exponent must be a number; exponents may not be encrypted"),
    "x // y": _says(_REMAINDER),
    "x % y": _says(_REMAINDER),
    "divmod(x, y)": _says(_REMAINDER),
    "x & y": Answer("x * y, of encrypted zeros and ones"),
    "x | y": Answer("x + y - x * y, of encrypted zeros and ones"),
    "x ^ y": Answer("x + y - 2 * x * y, of encrypted zeros and ones"),
    "~x": Answer("1 - x, of encrypted zeros and ones"),
    "x << k": Answer("x * 2**k"),
    "x >> k": Answer("x / 2**k", REALS),
    "abs(x)": Answer("x.abs(error=...)", ORDER),
    "round(x)": _says(_ROUND),
    "math.floor(x)": _says(_ROUND),
    "math.ceil(x)": _says(_ROUND),
    "math.trunc(x)": _says(_ROUND),
    "float(x)": _says(
        f"{_DECRYPT}[0]. Functions of math take numbers; those of ciphertexts are methods, such as x.exp"
    ),
    "int(x)": _says(f"{_DECRYPT}[0]"),
    "complex(x)": _says("only the client can look inside: client.decrypt(x, complex=True)[0]"),
    "len(x)": _says(_SLOTS),
    "x[i]": _says(
        "x.rotate(i) brings slot i to the front, x * mask keeps the slots where mask is 1, and client.decrypt(x)[i] is a value"
    ),
    "x[i] = y": _says(_IMMUTABLE),
    "for v in x": _says("an encrypted vector is computed with as a whole; iterate over client.decrypt(x)"),
    "format(x)": _says(_DECRYPT),
}

#: Functions of numpy by their names, also as the methods and attributes of its arrays.
NUMPY = {
    **{name: _function(name) for name in ("exp", "sin", "cos", "tanh")},
    "log": Answer("x.log((low, high)), with an interval above 0 that holds all values", FUNCTIONS),
    "sqrt": Answer("x.sqrt(low, high), with bounds of the values", FUNCTIONS),
    "reciprocal": Answer("x.reciprocal(low, high), with bounds of the values", FUNCTIONS),
    **{
        name: Answer(f"x.apply(np.{name}, (low, high)), with an interval that holds all values", FUNCTIONS)
        for name in (
            "exp2 expm1 log2 log10 log1p tan arcsin arccos arctan sinh cosh arcsinh arccosh arctanh cbrt sinc".split()
        )
    },
    "power": Answer("x**n with a whole number n, or x.power(a, (low, high))", FUNCTIONS),
    "absolute": Answer("x.abs(error=...)", ORDER),
    "fabs": Answer("x.abs(error=...)", ORDER),
    "sign": Answer("x.sign(gap=...)", ORDER),
    "heaviside": Answer("x.positive(gap=...)", ORDER),
    "clip": Answer("rj.minimum(rj.maximum(x, low), high)", ORDER),
    "maximum": Answer("rj.maximum(x, y)", ORDER),
    "minimum": Answer("rj.minimum(x, y)", ORDER),
    "fmax": Answer("rj.maximum(x, y)", ORDER),
    "fmin": Answer("rj.minimum(x, y)", ORDER),
    "greater": Answer("rj.greater(x, y, gap=...)", ORDER),
    "greater_equal": Answer("rj.greater(x, y, gap=...)", ORDER),
    "less": Answer("rj.less(x, y, gap=...)", ORDER),
    "less_equal": Answer("rj.less(x, y, gap=...)", ORDER),
    "equal": Answer("rj.equal(x, y)", EQUALITY),
    "not_equal": Answer("1 - rj.equal(x, y)", EQUALITY),
    "isclose": Answer("rj.equal(x, y, within=..., gap=...)", ORDER),
    "where": Answer("rj.where(condition, x, y), with encrypted zeros and ones as the condition"),
    "sum": Answer("x.sum(), in every slot"),
    "mean": Answer("x.mean(), in every slot", REALS),
    "average": Answer("x.mean(), or x.dot(weights)", REALS),
    "var": Answer("x.var(), in every slot", REALS),
    "std": Answer("x.std(low=..., high=...), with bounds of the variance", FUNCTIONS),
    "norm": Answer("x.norm(low=..., high=...), with bounds of the sum of squares", FUNCTIONS),
    "cov": Answer("rj.cov(x, y)", REALS),
    "corrcoef": Answer("rj.corrcoef(x, y, low=..., high=...), with bounds of both variances", FUNCTIONS),
    "dot": Answer("x.dot(y), the sum of products in every slot"),
    "vdot": Answer("x.dot(y), the sum of products in every slot"),
    "inner": Answer("x.dot(y), the sum of products in every slot"),
    "matmul": _says("x.dot(y) is the sum of products; a matrix comes first: matrix @ x"),
    "outer": Answer("products of encrypted matrices: rj.encrypt_matrix", MATRICES),
    "convolve": Answer("x.moving_sum(width), or a sum of x.rotate(k) times weights", REALS),
    "max": Answer("x.max(n)", ORDER),
    "min": Answer("x.min(n)", ORDER),
    "amax": Answer("x.max(n)", ORDER),
    "amin": Answer("x.min(n)", ORDER),
    "ptp": Answer("x.max(n) - x.min(n)", ORDER),
    "argmax": Answer("x.argmax(n)", ORDER),
    "argmin": Answer("x.argmin(n)", ORDER),
    "sort": _SORT,
    "argsort": Answer("x.rank(n), the place of each value in the order", ORDER),
    "median": Answer("x.median(n)", ORDER),
    "quantile": Answer("x.quantile(q, n)", ORDER),
    "percentile": Answer("x.quantile(q / 100, n)", ORDER),
    "histogram": Answer("x.histogram(edges, n)", ORDER),
    "roll": Answer("x.rotate(-k)"),
    "polyval": Answer("x.polynomial(coefficients), the constant first", MATRICES),
    "cumsum": Answer("matrix @ x, with np.tri(slots)", MATRICES),
    "diff": Answer("x.rotate(1) - x"),
    "concatenate": _says("x + y.rotate(-n) puts y after the n values of x, if their other slots are 0"),
    "stack": _says("a list holds ciphertexts"),
    "real": Answer("(x + x.conjugate()) / 2", REALS),
    "imag": Answer("(x.conjugate() - x).times_i() / 2", REALS),
    "copy": _says("ciphertexts do not change: y = x is enough"),
    "shape": _says(f"an encrypted vector has no shape; {_SLOTS}"),
    "size": _says(_SLOTS),
    "ndim": _says(f"an encrypted vector has one axis; {_SLOTS}"),
    "round": _says(_ROUND),
    **{name: _says(_ROUND) for name in "around rint floor ceil trunc fix".split()},
    "remainder": _says(_REMAINDER),
    "mod": _says(_REMAINDER),
    "fmod": _says(_REMAINDER),
    "floor_divide": _says(_REMAINDER),
    "logical_and": Answer("x * y, of encrypted zeros and ones"),
    "logical_or": Answer("x + y - x * y, of encrypted zeros and ones"),
    "logical_xor": Answer("x + y - 2 * x * y, of encrypted zeros and ones"),
    "logical_not": Answer("1 - x, of encrypted zeros and ones"),
    "prod": _says("x * x.rotate(1) is the product of neighbours; log2(n) such steps multiply n values"),
}

#: Attributes of numpy's arrays that no function is named after.
ATTRIBUTES = {
    "T": _says("an encrypted vector has one axis and no transpose: matrix @ x takes it as a column"),
    "transpose": _says("an encrypted vector has one axis and no transpose: matrix @ x takes it as a column"),
    **{
        name: _says("an encrypted vector has one axis; rj.encrypt_matrix encrypts matrices")
        for name in "reshape ravel flatten squeeze flat".split()
    },
    "dtype": _says("values of ciphertexts have no type: x.params says what they are"),
    "astype": _says("values of ciphertexts have no type; client.decrypt(x).astype(...) has"),
    **{name: _says(_DECRYPT) for name in "item tolist numpy tobytes".split()},
    "conj": Answer("x.conjugate()", REALS),
    "fill": _says(_IMMUTABLE),
    "put": _says(_IMMUTABLE),
}
ATTRIBUTES["tobytes"] = ATTRIBUTES["tostring"] = Answer("x.to_bytes()")

#: Idioms of matrices whose answer is another one.
MATRIX = {
    "x @ y": Answer("A @ B, with a matrix on either side"),
    "matmul": Answer("A @ B, with a matrix on either side"),
    "dot": Answer("A @ B"),
    "inner": Answer("A @ B.T"),
    "sum": Answer("A.sum(axis=0), A.sum(axis=1) or A.sum()"),
    "mean": Answer("A.sum() / (rows * columns), or A.sum(axis) / the number of values"),
    "average": Answer("A.sum() / (rows * columns), or A.sum(axis) / the number of values"),
    "transpose": Answer("A.T"),
    "swapaxes": Answer("A.T"),
    "len(x)": Answer("A.shape[0]"),
    "size": _says("A.shape says how many rows and columns there are"),
    "ndim": _says("A.shape says how many rows and columns there are"),
    "x[i]": _says("a matrix of zeros and ones picks rows: P @ A; decrypt_matrix(client, A)[i] is a row of values"),
    "for v in x": _says("an encrypted matrix is computed with as a whole; iterate over decrypt_matrix(client, A)"),
    "x / y": Answer("A * B.map(lambda x: x.reciprocal(low, high))", FUNCTIONS),
    "a / x": Answer("A.map(lambda x: a * x.reciprocal(low, high))", FUNCTIONS),
    "x ** a": Answer("A.map(lambda x: x**n) element by element, A @ A as a matrix"),
    "reshape": _says("an encrypted matrix keeps its shape"),
    "save": Answer("A.save(path), and rj.load_matrix(server, path) reads the file"),
    "copy": _says("encrypted matrices do not change: B = A is enough"),
    "float(x)": _says("only the client can look inside: rj.decrypt_matrix(client, A)"),
}
for _name in "item tolist numpy tobytes format(x) int(x) complex(x)".split():
    MATRIX[_name] = MATRIX["float(x)"]
