"""Operations of eight lanes and what transforms make of them, as `lanes.rs`, `forward_levels.rs` and `inverse_levels.rs` of
`src/kernels/ifma/ntt/` have them under the same names."""


class Pass:
    """Operations on one vector of each row, in an order in which they could be done. A value is the number of the operation that makes it; a
    constant is a name."""

    def __init__(self, rows):
        self.rows, self.ops = rows, []
        self.x = [self.op("load", "vmovdqu64 {d}, [{row%d}]" % r, []) for r in range(rows)]

    def op(self, unit, text, operands, accumulator=None):
        self.ops.append((unit, text, operands, accumulator))
        return len(self.ops) - 1

    def high(self, acc, x, w):
        """acc + hi(x w); takes the place of acc."""
        return self.op("mul", "vpmadd52huq {d}, {1}, {2}", [acc, x, w], acc)

    def low(self, acc, x, w):
        return self.op("mul", "vpmadd52luq {d}, {1}, {2}", [acc, x, w], acc)

    def copy(self, constant):
        return self.op("copy", "vmovdqa64 {d}, {0}", [constant])

    def zero(self):
        return self.op("copy", "vpxord {d}, {d}, {d}", [])

    def add(self, a, b):
        return self.op("add", "vpaddq {d}, {0}, {1}", [a, b])

    def sub(self, a, b):
        return self.op("add", "vpsubq {d}, {0}, {1}", [a, b])

    def minimum(self, a, b):
        return self.op("mul", "vpminuq {d}, {0}, {1}", [a, b])

    def store(self, rows):
        for r, v in enumerate(rows):
            self.op("store", "vmovdqu64 [{row%d}], {0}" % r, [v])

    # the functions of the same names in lanes.rs, forward_levels.rs and inverse_levels.rs

    def fraction(self, u, y, w):
        return self.low(self.high(u, y, w + ".0"), y, w + ".1")

    def product(self, y, w):
        return self.fraction(self.copy("two"), y, w)

    def unoffset(self, y, w):
        return self.fraction(self.zero(), y, w)

    def residue(self, u):
        return self.high(self.zero(), u, "q")

    def both(self, x, u):
        double = self.add(x, self.add(x, "q"))
        total = self.high(x, u, "q")
        return total, self.sub(double, total)

    def below(self, x, bound):
        return self.minimum(x, self.sub(x, bound))

    def difference(self, x, y, bound):
        return self.sub(self.add(x, bound), y)


def level(p, v, pairs, w):
    for (x, y), w in zip(pairs, w):
        v[x], v[y] = p.both(v[x], p.product(v[y], w))


def products(p, differences, low):
    return [(p.unoffset if i % 2 else p.product)(differences[i], low[i]) for i in range(4)]


def sums_and_differences(p, u):
    """Residues of the sums of fractions, two and two, and of their differences."""
    return [p.residue(p.add(u[0], u[1])), p.residue(p.add(u[2], u[3]))], [
        p.residue(p.sub(u[0], u[1])),
        p.residue(p.sub(u[2], u[3])),
    ]


def inverse8_top(p, sums, u, bound, top, out):
    """The other two of three levels: sums below `bound` times q and fractions u."""
    (s, r), (d, e) = sums_and_differences(p, u)
    multiple, double = ("q", "two_q") if bound == 1 else ("two_q", "four_q")
    upper = [p.add(sums[0], sums[1]), p.add(sums[2], sums[3])]
    lower = [p.difference(sums[0], sums[1], multiple), p.difference(sums[2], sums[3], multiple)]
    u = products(p, lower + [d, e], [top[3], top[4]] * 2)
    second = [p.add(u[0], u[1]), p.add(u[2], u[3])]
    fourth = [p.residue(p.sub(u[0], u[1])), p.residue(p.sub(u[2], u[3]))]
    factor = (lambda x: x) if bound == 1 else (lambda x: p.below(x, "four_q"))
    first = [factor(p.add(upper[0], upper[1])), p.add(s, r)]
    third = [factor(p.difference(upper[0], upper[1], double)), p.difference(s, r, "q")]
    last = top[7] if out == "scaled" else top[1]
    u = [p.product(x, w) for x, w in zip(third + fourth, [top[1], top[1], last, last])]
    if out == "residues":
        first = [p.below(p.below(first[0], "two_q"), "q"), p.below(first[1], "q")]
    else:
        first = [p.product(x, top[0]) for x in first]
        if out == "scaled":
            first = [p.residue(x) for x in first]
    if out != "fractions":
        second, u = [p.residue(x) for x in second], [p.residue(x) for x in u]
    return first + second + u


def roots(p):
    """For each operation the value whose register it takes."""
    root = list(range(len(p.ops)))
    for i, (_, _, _, accumulator) in enumerate(p.ops):
        if isinstance(accumulator, int):
            root[i] = root[accumulator]
    return root


# what kernels read of `Lanes`, in this order
LANES = ["q", "two_q", "four_q", "two", "one.0", "one.1"]
