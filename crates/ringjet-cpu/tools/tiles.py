"""Tiles, for processors that multiply as a Zen 5 does."""

import random
import re

from operations import LANES, Pass, inverse8_top, level, products, roots, sums_and_differences


class Tile(Pass):
    """Operations of a tile, in an order in which they could be done. Each belongs to the vectors of one turn, which are numbered; turn 0 is for constants
    of all."""

    def __init__(self):
        self.ops, self.turn, self.line, self.kept, self.now = [], [], {}, {}, 0
        self.keep("q", "two")

    def op(self, unit, text, operands, accumulator=None):
        self.turn.append(self.now)
        return super().op(unit, text, [self.kept.get(x, x) for x in operands], accumulator)

    def keep(self, *constants):
        """These are read from a register from here on."""
        for c in constants:
            self.kept[c] = self.op("load", "vmovdqu64 {d}, %s" if vector(c) else "vpbroadcastq {d}, qword ptr %s", [])
            unit, template, operands, accumulator = self.ops[-1]
            self.ops[-1] = (unit, template % address(c).replace("{", "{{").replace("}", "}}"), operands, accumulator)

    def forget(self, *constants):
        for c in constants:
            del self.kept[c]

    def touch(self, unit, text, operands, base, at):
        """An operation on a line, whose address takes the place of %s."""
        i = self.op(unit, text % ("[{{%s}} + %d]" % (base, at)), operands)
        self.line[i] = (base, at // 64)
        return i

    def load(self, base, at):
        return self.touch("load", "vmovdqu64 {d}, %s", [], base, at)

    def halves(self, base, low, high):
        return self.touch(
            "shuffle",
            "vinserti64x4 {d}, {0}, %s, 1",
            [self.touch("load", "vmovdqu64 {y}, %s", [], base, low)],
            base,
            high,
        )

    def put(self, base, at, v):
        self.touch("store", "vmovdqu64 %s, {0}", [v], base, at)

    def minimum(self, a, b):
        return self.op("shuffle", "vpminuq {d}, {0}, {1}", [a, b])

    def unpack(self, a, b):
        return [self.op("add", "vpunpck%sqdq {d}, {0}, {1}" % x, [a, b]) for x in ("l", "h")]

    def permute(self, pick, a, b):
        pick = self.copy(pick)
        return self.op("shuffle", "vpermi2q {d}, {1}, {2}", [pick, a, b], pick)

    def blocks(self, a, b, odd):
        """Even or odd pairs of words of two vectors."""
        return self.op("shuffle", "vshufi64x2 {d}, {0}, {1}, %d" % (0xDD if odd else 0x88), [a, b])


VECTORS = ["picks0", "picks1", "two_even"]


def vector(constant):
    return constant in VECTORS or constant.startswith("pair")


def address(constant):
    """Where a constant of a tile is in memory."""
    if constant in LANES:
        return "[{k} + %d]" % (8 * LANES.index(constant))
    if constant in VECTORS:
        return "[{vectors} + %d]" % (64 * VECTORS.index(constant))
    table, i, word = re.fullmatch(r"([a-z]+)(\d*)\.(\d)", constant).groups()
    size = 128 if table == "pair" else 16
    return "[{%s} + %d]" % (table, size * int(i or 0) + size // 2 * int(word))


def words(*constants):
    return [c + word for c in constants for word in (".0", ".1")]


def scaled(p, v, pairs, x, w):
    """A level of words times a constant, without the last step of the products."""
    u = [p.product(v[a], x) for a, _ in pairs]
    t = [p.unoffset(v[b], w) for (_, b), w in zip(pairs, w)]
    for (a, b), u, t in zip(pairs, u, t):
        v[a], v[b] = p.residue(p.add(u, t)), p.residue(p.sub(u, t))


FIRST, SECOND, THIRD = (
    [(0, 4), (1, 5), (2, 6), (3, 7)],
    [(0, 2), (1, 3), (4, 6), (5, 7)],
    [(0, 1), (2, 3), (4, 5), (6, 7)],
)
# so that the pairs of the next first level are complete early
PAIRED = [0, 4, 1, 5, 2, 6, 3, 7]


def theta(j, scale):
    return (scale, "pair0") if j == 0 else ("pair%d" % (6 + j), "pair%d" % (13 + j))


def forward_first():
    """Two groups of columns, four apart."""
    p = Tile()
    for g in (0, 4):
        p.now += 1
        v = [p.load("x", 64 * g + 512 * r) for r in range(8)]
        v[0] = p.below(p.below(v[0], "two_q"), "q")
        for i in (1, 2, 3):
            v[i] = p.below(v[i], "two_q")
        level(p, v, FIRST, ["top0"] * 4)
        level(p, v, SECOND, ["top1", "top1", "top3", "top3"])
        level(p, v, THIRD, ["top5", "top6", "top7", "top8"])
        a = [x for i in range(0, 8, 2) for x in p.unpack(v[i], v[i + 1])]
        for i in range(8):
            p.put("buffer", 512 * g + 64 * i, p.permute("picks%d" % (i >> 1 & 1), a[i & 5], a[i & 5 | 2]))
    return p


def forward_second():
    p = Tile()
    for j in PAIRED:
        p.now += 1
        half = 64 * (j & 3) + 8 * (j & 4)
        v = [p.halves("buffer", 512 * g + half, 512 * g + half + 256) for g in range(8)]
        x, w = theta(j, "one")
        p.keep(*words(x, w))
        scaled(p, v, FIRST, x, [w] * 4)
        p.forget(*words(x, w))
        level(p, v, SECOND, ["pair1", "pair1", "pair2", "pair2"])
        level(p, v, THIRD, ["pair3", "pair4", "pair5", "pair6"])
        for g in range(8):
            p.put("x", 64 * j + 512 * g, v[g])
    return p


def forward_last():
    """Two blocks."""
    p = Tile()
    for b in range(2):
        p.now += 1
        w = ["shared%d" % (9 * b + i) for i in range(9)]
        v = [p.load("x", 512 * b + 64 * i) for i in range(8)]
        v[0], v[1] = p.below(v[0], "two_q"), p.below(v[1], "two_q")
        p.keep(*words(w[0]))
        level(p, v, FIRST, [w[0]] * 4)
        p.forget(*words(w[0]))
        level(p, v, SECOND, [w[1], w[1], w[3], w[3]])
        scaled(p, v, THIRD, "one", w[5:])
        for i in range(8):
            p.put("x", 512 * b + 64 * i, v[i])
    return p


def inverse_first():
    """Two blocks."""
    p = Tile()
    for b in range(2):
        p.now += 1
        w = ["shared%d" % (12 * b + i) for i in range(12)]
        v = [p.load("src", 512 * b + 64 * i) for i in range(8)]
        differences = [p.difference(v[i], v[i + 1], "q") for i in (0, 2, 4, 6)]
        sums = [p.add(v[i], v[i + 1]) for i in (0, 2, 4, 6)]
        v = inverse8_top(p, sums, products(p, differences, w[8:]), 2, w, "fractions" if b % 2 else "residues")
        for i in range(8):
            p.put("buffer", 512 * b + 64 * i, v[i])
    return p


def inverse_second():
    p = Tile()
    p.keep("two_even")
    for j in range(8):
        p.now += 1
        v = [p.load("buffer", 64 * j + 512 * i) for i in range(8)]
        sums, differences = zip(*(p.both(v[i], v[i + 1]) for i in (0, 2, 4, 6)))
        (s, r), (d, e) = sums_and_differences(p, products(p, differences, ["pair%d" % i for i in (3, 4, 5, 6)]))
        differences = [p.difference(sums[0], sums[1], "two_q"), p.difference(sums[2], sums[3], "two_q"), d, e]
        u = [p.residue(p.product(x, w)) for x, w in zip(differences, ["pair1", "pair2"] * 2)]
        a, b = [p.below(p.add(sums[i], sums[i + 1]), "two_q") for i in (0, 2)]
        x, y = [a, s, u[0], u[2]], [b, r, u[1], u[3]]
        t, w = theta(j, "scale")
        p.keep(*words(t, w))
        v = [p.fraction(p.copy("two_even"), p.add(x, y), t) for x, y in zip(x, y)]
        v += [p.fraction(p.copy("two_even"), p.difference(x, y, "two_q"), w) for x, y in zip(x, y)]
        p.forget(*words(t, w))
        for i in range(8):
            p.put("buffer", 64 * j + 512 * i, v[i])
    return p


def inverse_last(out):
    """Two groups of columns."""
    p = Tile()
    for g in range(2):
        p.now += 1
        v = [p.load("buffer", 512 * g + 64 * i) for i in range(8)]
        a = [x for i in range(0, 8, 2) for x in p.unpack(v[i], v[i + 1])]
        b = [p.blocks(a[i & 5], a[i & 5 | 2], i & 2) for i in range(8)]
        v = [p.blocks(b[j & 3], b[4 + (j & 3)], j & 4) for j in range(8)]
        (s, d), (r, e) = sums_and_differences(p, v[:4]), sums_and_differences(p, v[4:])
        top = ["top%d" % i for i in range(12)]
        v = inverse8_top(p, s + r, products(p, d + e, top[8:]), 1, top, out)
        for i in range(8):
            p.put("x", 64 * g + 512 * i, v[i])
    return p


# Parts of each: operations, which twelfths of a tile's time they take, and in a loop, which does those of one twelfth again and again, what is added to
# addresses. A Zen 5 keeps some thousand instructions decoded; both kinds of inverse tiles and the passes between them would be too many without loops.
TILES = {
    "forward_tile": [
        (forward_first, range(4), {"x": 64, "buffer": 512}),
        (forward_second, range(4, 8), {}),
        (forward_last, range(8, 12), {"x": 1024, "shared": 288}),
    ],
    "inverse_tile": [
        (inverse_first, range(4), {"src": 1024, "buffer": 1024, "shared": 384}),
        (inverse_second, range(4, 8), {}),
    ],
    "inverse_tile_residues": [(lambda: inverse_last("residues"), range(8, 12), {"buffer": 1024, "x": 128})],
    "inverse_tile_fractions": [(lambda: inverse_last("fractions"), range(8, 12), {"buffer": 1024, "x": 128})],
}

# cycles until what is read from a line that was stored is there
FORWARDING = 9


class Ready:
    """Which operations of a tile can be done: those that all they wait for has come before."""

    def __init__(self, p, latency):
        n, lines, users = len(p.ops), {}, {}
        self.root, self.after, self.left, self.at = roots(p), [[] for _ in range(n)], [0] * n, [0] * n
        # a copy is made for one operation, and comes with it
        self.copy = {i: a for i, (_, _, _, a) in enumerate(p.ops) if isinstance(a, int) and p.ops[a][0] == "copy"}
        with_copy = {a: i for i, a in self.copy.items()}
        for i, (_, _, operands, _) in enumerate(p.ops):
            for x in operands:
                if isinstance(x, int):
                    users.setdefault(x, set()).add(i)
        before = set()
        for i, (unit, _, operands, accumulator) in enumerate(p.ops):
            before |= {
                (x, with_copy.get(i, i), latency[p.ops[x][0]])
                for x in operands
                if isinstance(x, int) and x not in with_copy
            }
            if isinstance(accumulator, int):
                before |= {(u, i, 0) for u in users[accumulator] if u != i and u not in with_copy}
            if i in p.line and unit == "store":
                lines[p.line[i]] = i
            elif i in p.line and p.line[i] in lines:
                before.add((lines[p.line[i]], i, FORWARDING))
        for a, i, cycles in sorted(before):
            self.after[a].append((i, cycles))
            self.left[i] += 1
        self.height = [0.0] * n
        for i in reversed(range(n)):
            self.height[i] = max((self.height[b] + c for b, c in self.after[i]), default=0) + 0.5 * (
                p.ops[i][0] == "mul"
            )
        self.now = {i for i in range(n) if not self.left[i] and i not in with_copy}

    def done(self, i, cycle):
        self.now.discard(i)
        for b, c in self.after[i]:
            self.left[b] -= 1
            self.at[b] = max(self.at[b], cycle + c)
            if not self.left[b]:
                self.now.add(b)


def needs(op):
    """Multiplications, shuffles and minima, all on vectors, loads, stores."""
    unit, template, operands, _ = op
    simd = unit in ("mul", "shuffle", "add")
    load = unit != "store" and ("[" in template or any(isinstance(x, str) for x in operands))
    return (unit == "mul", unit == "shuffle", simd, load, unit == "store")


def order(p, seed, bonus, reserve, turns, mul, load):
    """The operations in an order in which a Zen 5 could do them, as (cycle, operation), and the register of each value; None if there are too few.
    Operations that much depends on come first, those of turns that were begun first by `bonus` cycles for each turn; at most `turns` turns are
    begun before the oldest one ends, and `reserve` registers are not loaded into."""
    rnd, n = random.Random(seed), len(p.ops)
    ready = Ready(p, {"mul": mul, "shuffle": mul, "add": 2, "load": load, "store": 0, "copy": 0})
    root, copy = ready.root, ready.copy
    rank = [ready.height[i] - bonus * p.turn[i] + 2 * rnd.random() for i in range(n)]
    uses, left = [0] * n, [p.turn.count(t) for t in range(max(p.turn) + 1)]
    for _, _, operands, _ in p.ops:
        for x in operands:
            if isinstance(x, int):
                uses[root[x]] += 1
    free, register, out, cycle, oldest, idle = list(range(31, -1, -1)), {}, [], 0, 0, 0

    def makes(i):
        return i in copy or root[i] == i and p.ops[i][0] != "store"

    def fits(i, taken):
        unit, _, operands, _ = p.ops[i]
        mul, shuffle, simd, load, store = (a + b for a, b in zip(taken, needs(p.ops[i])))
        if ready.at[i] > cycle or mul > 2 or shuffle > 2 or mul + shuffle > 3 or simd > 4 or load > 2 or store > 1:
            return False
        if p.turn[i] > oldest + turns or unit == "load" and len(free) < reserve:
            return False
        last = i not in copy and any(isinstance(x, int) and uses[root[x]] == operands.count(x) for x in operands)
        return bool(free) or not makes(i) or last

    def emit(i):
        out.append((cycle, i))
        left[p.turn[i]] -= 1

    while any(left):
        taken, idle = (0,) * 5, idle + 1
        while True:
            i = max((i for i in ready.now if fits(i, taken)), key=lambda i: rank[i], default=None)
            if i is None:
                break
            idle = 0
            taken = tuple(a + b for a, b in zip(taken, needs(p.ops[i])))
            if i in copy:
                register[copy[i]] = free.pop(0)
                emit(copy[i])
            for x in p.ops[i][2] + (p.ops[copy[i]][2] if i in copy else []):
                if isinstance(x, int):
                    uses[root[x]] -= 1
                    if not uses[root[x]]:
                        free.append(register[root[x]])
            if makes(i) and i not in copy:
                register[i] = free.pop(0)
            emit(i)
            ready.done(i, cycle)
            while oldest + 1 < len(left) and not left[oldest]:
                oldest += 1
        cycle += 1
        if idle > 40:
            return None
    return out, register, cycle


# Lines that are fetched in each twelfth of a tile's time: from the next tile's constants on, and from the tile that is transformed back next.
TABLE, NEXT = ("pair", 21 * 128, 4), ("next", 0, 6)


def fetches(name, twelfth):
    """The lines that are asked for in a twelfth, as (part of it, text), in equal distances."""
    streams = [TABLE] if name == "forward_tile" else [TABLE, NEXT]
    return [
        ((i + 0.5) / lines, "prefetcht0 [{%s} + %d]" % (base, start + 64 * (i + twelfth * lines)))
        for base, start, lines in streams
        for i in range(lines)
    ]


JUMP = 100  # lines to the next jump


def part_text(name, part, choice):
    """Lines of a part of a tile, or None."""
    make, twelfths, added = part
    p = make()
    found = order(p, *choice)
    if found is None:
        return None
    ordered, register, cycles = found
    root = roots(p)

    def operand(x):
        if isinstance(x, int):
            return "zmm%d" % register[root[x]]
        return address(x) if vector(x) else "qword ptr %s{{1to8}}" % address(x)

    lines = []
    for cycle, i in ordered:
        _, template, operands, _ = p.ops[i]
        d = "" if p.ops[i][0] == "store" else operand(i)
        lines.append((cycle, template.format(*map(operand, operands), d=d, y=d.replace("z", "y"))))
    once = twelfths[:1] if added else twelfths
    lines += [((k + time) / len(once) * cycles, line) for k, t in enumerate(once) for time, line in fetches(name, t)]
    lines.sort(key=lambda l: l[0])
    # A Zen 5 that once decodes instructions anew goes on with that until it jumps, though it has the next ones decoded.
    lines = [
        x for i, (_, line) in enumerate(lines) for x in (["jmp 2f", "2:"] if i % JUMP == JUMP - 1 else []) + [line]
    ]
    if added:
        added = sorted((added | {base: 64 * lines for base, _, lines in (TABLE, NEXT)}).items())
        lines = (
            ["mov {n}, %d" % len(twelfths), "3:"] + lines + ["add {%s}, %d" % a for a in added] + ["dec {n}", "jnz 3b"]
        )
        lines += ["sub {%s}, %d" % (a, len(twelfths) * x) for a, x in added]
    return lines


def tile_text(name, choices):
    return [line for part, choice in zip(TILES[name], choices) for line in part_text(name, part, choice)]
