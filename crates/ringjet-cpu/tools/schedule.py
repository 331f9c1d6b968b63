#!/usr/bin/env python3
"""Software-pipelined loops of the transforms' passes, for processors that multiply as a Zen 4 does, and tiles for those that do as a Zen 5.

A pass is written once, as operations on one vector of each row. They are put into the cycles of a loop whose length is the number of
multiplications (modulo scheduling), given registers, and written to `src/ifma/ntt/scheduled/NAME.s` with the steps that lead into the loop and out of it.
A tile is written without loops: its operations, of all vectors, are put one after the other as the units of a Zen 5 could take them.
Which of many schedules is fastest no model here says, so `tune` measures them; what it found is kept in `CHOSEN` and `CHOSEN_TILES`, from which `write`
makes the files.
The reasons are in docs/proofs/ntt-ifma.md.

    schedule.py write          all files anew; the same files each time
    schedule.py check          that they are as they would be written
    schedule.py tune [NAME..]  measures schedules on this machine (gcc, AVX-512 IFMA) and prints lines for CHOSEN
"""
import pathlib
import random
import re
import subprocess
import sys
import tempfile

# ---------------------------------------------------------------- operations

UNIT_LATENCY = {"mul": 4, "add": 1, "load": 14, "store": 1, "copy": 0}


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

    # what lanes.rs has under the same names

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


def forward8(first):
    p = Pass(8)
    v = p.x
    if not first:
        v[0] = p.residue(p.product(v[0], "one"))
        for i in (1, 2, 3):
            v[i] = p.below(v[i], "two_q")
    level(p, v, [(0, 4), (1, 5), (2, 6), (3, 7)], ["top0"] * 4)
    level(p, v, [(0, 2), (1, 3), (4, 6), (5, 7)], ["top1", "top1", "top3", "top3"])
    level(p, v, [(0, 1), (2, 3), (4, 5), (6, 7)], ["low0", "low1", "low2", "low3"])
    p.store(v)
    return p


def forward4(first):
    p = Pass(4)
    x = p.x
    if not first:
        x[0] = p.below(x[0], "two_q")
    a, b = p.both(x[0], p.product(x[2], "top0"))
    s = p.fraction(p.product(x[1], "top1"), x[3], "top2")
    e = p.fraction(p.product(x[1], "top3"), x[3], "top4")
    (a, c), (b, d) = p.both(a, s), p.both(b, e)
    p.store([a, c, b, d])
    return p


def inverse4(out):
    p = Pass(4)
    x = p.x
    (s, d), (r, e) = p.both(x[0], x[1]), p.both(x[2], x[3])
    done = (lambda u: u) if out == "fractions" else p.residue
    total = p.add(s, r)
    if out == "residues":
        first = p.below(p.below(total, "two_q"), "q")
    else:
        first = done(p.product(total, "top0"))
    third = p.product(p.difference(s, r, "two_q"), "top1")
    u, t = p.product(d, "top3"), p.unoffset(e, "top4")
    fourth = p.product(p.residue(p.sub(u, t)), "top7" if out == "scaled" else "top1")
    p.store([first, done(p.add(u, t)), done(third), done(fourth)])
    return p


def products(p, differences, low):
    return [(p.unoffset if i % 2 else p.product)(differences[i], low[i]) for i in range(4)]


def sums_and_differences(p, u):
    """Residues of the sums of fractions, two and two, and of their differences."""
    return [p.residue(p.add(u[0], u[1])), p.residue(p.add(u[2], u[3]))], [p.residue(p.sub(u[0], u[1])), p.residue(p.sub(u[2], u[3]))]


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


def inverse8(out):
    p = Pass(8)
    sums, differences = zip(*(p.both(p.x[i], p.x[i + 1]) for i in (0, 2, 4, 6)))
    u = products(p, differences, ["low%d" % i for i in range(4)])
    p.store(inverse8_top(p, sums, u, 2, ["top%d" % i for i in range(8)], out))
    return p


LEAST = 64  # vectors of a row at least, that of scheduled.rs

PASSES = {
    "forward8_first": lambda: forward8(True),
    "forward8": lambda: forward8(False),
    "forward4_first": lambda: forward4(True),
    "forward4": lambda: forward4(False),
    "inverse4_residues": lambda: inverse4("residues"),
    "inverse4_fractions": lambda: inverse4("fractions"),
    "inverse4_scaled": lambda: inverse4("scaled"),
    "inverse8_residues": lambda: inverse8("residues"),
    "inverse8_fractions": lambda: inverse8("fractions"),
    "inverse8_scaled": lambda: inverse8("scaled"),
}

# ---------------------------------------------------------------- schedules


def edges(p, distance):
    """(before, after, cycles); what adds to a multiplication's result comes `distance` cycles after it."""
    users = {}
    for i, (_, _, operands, _) in enumerate(p.ops):
        for x in operands:
            users.setdefault(x, []).append(i)
    out = []
    for i, (unit, _, operands, accumulator) in enumerate(p.ops):
        for x in operands:
            if isinstance(x, int):
                before = p.ops[x][0]
                out.append((x, i, distance if before == "mul" and unit == "add" else UNIT_LATENCY[before]))
        if isinstance(accumulator, int):
            out += [(u, i, 0) for u in users[accumulator] if u != i]
    return out


def schedule(p, cycles, distance, seed, adds):
    """The cycle of each operation in the first iteration, or None. In each cycle of the loop there are one multiplication at most, `adds` additions,
    two of either, a load, and half a store."""
    rnd, n = random.Random(seed), len(p.ops)
    after, before = [[] for _ in range(n)], [[] for _ in range(n)]
    for a, b, c in edges(p, distance):
        after[a].append((b, c))
        before[b].append((a, c))
    height = [0] * n
    for i in reversed(topological(n, after, before)):
        height[i] = max((height[b] + c for b, c in after[i]), default=0)
    mul, simd, load, store = ([0] * cycles for _ in range(4))

    def free(unit, c):
        c %= cycles
        if unit == "mul":
            return mul[c] < 1 and simd[c] < 2
        if unit == "add":
            return simd[c] < 2 and simd[c] - mul[c] < adds
        if unit == "load":
            return load[c] < 1
        if unit == "store":
            return not (store[c - 1] or store[c] or store[(c + 1) % cycles])
        return True

    def take(unit, c, by):
        c %= cycles
        mul[c] += by * (unit == "mul")
        simd[c] += by * (unit in ("mul", "add"))
        load[c] += by * (unit == "load")
        store[c] += by * (unit == "store")

    time, rest = [None] * n, set(range(n))
    while rest:
        ready = [i for i in sorted(rest) if all(time[a] is not None for a, _ in before[i])]
        i = max(ready, key=lambda i: height[i] + 2 * rnd.random())
        earliest = max((time[a] + c for a, c in before[i]), default=0)
        unit = p.ops[i][0]
        found = next((c for c in range(earliest, earliest + cycles) if free(unit, c)), None)
        if found is None:
            return None
        time[i] = found
        take(unit, found, 1)
        rest.discard(i)
    # values live as short as they can: operations are moved one by one, as long as that helps
    root = roots(p)
    users = [[] for _ in range(n)]
    makers = [[] for _ in range(n)]
    for i, (_, _, operands, _) in enumerate(p.ops):
        makers[root[i]].append(i)
        for x in {root[x] for x in operands if isinstance(x, int)}:
            users[x].append(i)

    def life(r):
        begin = min(time[i] for i in makers[r])
        return max(max(time[i] for i in users[r]), begin) - begin if users[r] else 0

    for _ in range(20):
        moved = False
        for i in rnd.sample(range(n), n):
            unit, _, operands, _ = p.ops[i]
            low = max((time[a] + c for a, c in before[i]), default=time[i] - cycles)
            high = min((time[b] - c for b, c in after[i]), default=time[i])
            touched = {root[i]} | {root[x] for x in operands if isinstance(x, int)}
            take(unit, time[i], -1)
            best, at = None, time[i]
            for c in range(max(low, high - 2 * cycles), high + 1):
                if c == at or free(unit, c):
                    time[i] = c
                    cost = (sum(map(life, touched)), c != at)
                    if best is None or cost < best[0]:
                        best = (cost, c)
            time[i] = best[1]
            moved |= best[1] != at
            take(unit, best[1], 1)
        if not moved:
            break
    first = min(time)
    return [c - first for c in time]


def roots(p):
    """For each operation the value whose register it takes."""
    root = list(range(len(p.ops)))
    for i, (_, _, _, accumulator) in enumerate(p.ops):
        if isinstance(accumulator, int):
            root[i] = root[accumulator]
    return root


def topological(n, after, before):
    left, order, ready = [len(b) for b in before], [], []
    ready = [i for i in range(n) if not left[i]]
    while ready:
        i = ready.pop()
        order.append(i)
        for b, _ in after[i]:
            left[b] -= 1
            if not left[b]:
                ready.append(b)
    return order


# ---------------------------------------------------------------- registers and text

ROWS = ["{p}", "{p} + {s}", "{p} + 2*{s}", "{p} + {s3}", "{p} + 4*{s}", "{p} + {s5}", "{p} + 2*{s3}", "{p} + {s7}"]
LANES = ["q", "two_q", "four_q", "two", "one.0", "one.1"]


def place(constant):
    """Where a constant is in memory."""
    if constant in LANES:
        return "{k} + %d" % (8 * LANES.index(constant))
    table, i, word = constant[:3], int(constant[3]), int(constant[5])
    return "{%s} + %d" % (table, 16 * i + 8 * word)


class Unfit(Exception):
    """Too few registers, or too many laps at once."""


def text(p, time, cycles, unroll, held):
    """Lines of all: constants, way in, loop, way out. `held` constants that could be read from memory are in registers."""
    n, period = len(p.ops), cycles * unroll
    constants = sorted({x for op in p.ops for x in op[2] if isinstance(x, str)})
    # operands of additions and copies of each iteration are worth a register most
    count = {c: sum(op[2].count(c) for op in p.ops) for c in constants}
    always = [c for c in constants if c in ("q", "two")]
    constants = always + sorted((c for c in constants if c not in always), key=lambda c: (-count[c], c))
    register = {c: 31 - i for i, c in enumerate(constants[: len(always) + held])}
    data = range(32 - len(register))

    # the loop's operations in their order: (cycle, how many laps later, iteration of the lap, operation)
    sequence = []
    for k in range(unroll):
        for i in range(n):
            cycle = time[i] + k * cycles
            sequence.append((cycle % period, cycle // period, k, i))
    rank = {"store": 0, "copy": 1, "load": 2, "add": 3, "mul": 4}
    # multiplications before and after additions by turns, so that they have even and odd places
    sequence.sort(key=lambda s: (s[0], rank[p.ops[s[3]][0]] * (1 if s[0] % 2 == 0 or rank[p.ops[s[3]][0]] < 3 else -1), s[3]))
    ordered = []
    while sequence:
        block = [s for s in sequence if s[0] == sequence[0][0]]
        sequence = sequence[len(block):]
        while block:
            for s in block:
                _, _, operands, accumulator = p.ops[s[3]]
                waits = {x for x in operands if isinstance(x, int)}
                if isinstance(accumulator, int):
                    waits |= {i for i, op in enumerate(p.ops) if accumulator in op[2] and i != s[3]}
                if not any(o[1:3] == s[1:3] and o[3] in waits for o in block):
                    break
            ordered.append(s)
            block.remove(s)
    sequence = ordered
    place_of = {(k, i): (lag, at) for at, (_, lag, k, i) in enumerate(sequence)}
    length = len(sequence)

    def absolute(k, i):
        lag, at = place_of[k, i]
        return lag * length + at

    root = roots(p)
    lives = []
    for k in range(unroll):
        for r in sorted(set(root)):
            if p.ops[r][0] == "store":
                continue
            of = [i for i in range(n) if root[i] == r]
            uses = [i for i, op in enumerate(p.ops) if any(isinstance(x, int) and root[x] == r for x in op[2])]
            begin, end = min(absolute(k, i) for i in of), max(absolute(k, i) for i in of + uses)
            lives.append((begin, end, k, r))
    taken = {q: [False] * length for q in data}
    home = {}
    for begin, end, k, r in sorted(lives, key=lambda l: (l[0] - l[1], l[0], l[2], l[3])):
        if end - begin >= length:
            raise Unfit
        span = [x % length for x in range(begin, end)] or [begin % length]
        best = None
        for q in data:
            if any(taken[q][x] for x in span):
                continue
            gaps = []
            for x, step in ((begin - 1, -1), (end, 1)):
                gap = 0
                while gap < length and not taken[q][(x + step * gap) % length]:
                    gap += 1
                gaps.append(gap)
            if best is None or min(gaps) < best[0]:
                best = (min(gaps), q)
        if best is None:
            raise Unfit
        home[k, r] = best[1]
        for x in span:
            taken[best[1]][x] = True

    def line(k, lag, i):
        unit, template, operands, _ = p.ops[i]

        def name(x):
            if isinstance(x, int):
                return "zmm%d" % home[k, root[x]]
            return "zmm%d" % register[x] if x in register else "qword ptr [%s]{{1to8}}" % place(x)

        offset = 64 * (k - lag * unroll)
        rows = {"row%d" % r: ROWS[r] + (" + %d" % offset).replace("+ -", "- ") * (offset != 0) for r in range(p.rows)}
        d = "zmm%d" % home[k, root[i]] if unit != "store" else ""
        return template.format(*[name(x) for x in operands], d=d, **rows)

    lag = max(s[1] for s in sequence)
    step = ["add {p}, %d" % (64 * unroll)]
    lines = ["vpbroadcastq zmm%d, qword ptr [%s]" % (q, place(c)) for c, q in register.items()]
    for lap in range(lag):
        lines += [line(k, l, i) for _, l, k, i in sequence if l <= lap] + step
    lines += ["shr {n}, %d" % (unroll.bit_length() - 1), "sub {n}, %d" % lag, "2:"]
    lines += [line(k, l, i) for _, l, k, i in sequence] + step + ["dec {n}", "jnz 2b"]
    for lap in range(lag):
        lines += [line(k, l, i) for _, l, k, i in sequence if l > lap] + step
    return lines, lag


# ---------------------------------------------------------------- tiles


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
        return self.touch("shuffle", "vinserti64x4 {d}, {0}, %s, 1", [self.touch("load", "vmovdqu64 {y}, %s", [], base, low)], base, high)

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


FIRST, SECOND, THIRD = [(0, 4), (1, 5), (2, 6), (3, 7)], [(0, 2), (1, 3), (4, 6), (5, 7)], [(0, 1), (2, 3), (4, 5), (6, 7)]
# so that the pairs of the next first level are complete early
PAIRED = [0, 4, 1, 5, 2, 6, 3, 7]


def theta(j, scale):
    return (scale, "pair0") if j == 0 else ("pair%d" % (6 + j), "pair%d" % (13 + j))


def forward_tile():
    p = Tile()
    for g in PAIRED:
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
    for b in range(8):
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
    "forward_tile": [(forward_tile, range(12), {})],
    "inverse_tile": [(inverse_first, range(4), {"src": 1024, "buffer": 1024, "shared": 384}), (inverse_second, range(4, 8), {})],
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
            before |= {(x, with_copy.get(i, i), latency[p.ops[x][0]]) for x in operands if isinstance(x, int) and x not in with_copy}
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
            self.height[i] = max((self.height[b] + c for b, c in self.after[i]), default=0) + 0.5 * (p.ops[i][0] == "mul")
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
    lines = [x for i, (_, line) in enumerate(lines) for x in (["jmp 2f", "2:"] if i % JUMP == JUMP - 1 else []) + [line]]
    if added:
        added = sorted((added | {base: 64 * lines for base, _, lines in (TABLE, NEXT)}).items())
        lines = ["mov {n}, %d" % len(twelfths), "3:"] + lines + ["add {%s}, %d" % a for a in added] + ["dec {n}", "jnz 3b"]
        lines += ["sub {%s}, %d" % (a, len(twelfths) * x) for a, x in added]
    return lines


def tile_text(name, choices):
    return [line for part, choice in zip(TILES[name], choices) for line in part_text(name, part, choice)]


# ---------------------------------------------------------------- what is done with them

FOLDER = pathlib.Path(__file__).parents[1] / "src/ifma/ntt/scheduled"

# name: cycles, distance, seed, additions a cycle, iterations of a lap, constants held
CHOSEN = {
    "forward8_first": (38, 10, 2166, 2, 2, 2),
    "forward8": (44, 14, 6918, 2, 2, 4),
    "forward4_first": (15, 16, 1333, 2, 4, 8),
    "forward4": (14, 8, 2201, 1, 4, 8),
    "inverse4_residues": (16, 16, 3955, 1, 8, 8),
    "inverse4_fractions": (14, 14, 1392, 1, 8, 8),
    "inverse4_scaled": (18, 14, 7291, 2, 8, 8),
    "inverse8_residues": (45, 16, 3955, 1, 4, 4),
    "inverse8_fractions": (41, 16, 4292, 1, 2, 4),
    "inverse8_scaled": (49, 16, 2427, 1, 2, 4),
}

# name: of each part seed, bonus, reserve, turns, latency of multiplications and loads
CHOSEN_TILES = {
    "forward_tile": [(1781, 15, 3, 3, 3, 1)],
    "inverse_tile": [(2682, 30, 6, 2, 3, 1), (4419, 15, 2, 3, 2, 3)],
    "inverse_tile_residues": [(4970, 5, 2, 3, 2, 3)],
    "inverse_tile_fractions": [(531, 5, 2, 1, 3, 1)],
}


def made(name, cycles, distance, seed, adds, unroll, held):
    p = PASSES[name]()
    time = schedule(p, cycles, distance, seed, adds)
    return text(p, time, cycles, unroll, held)


def files():
    """The text of each file."""
    for name, choice in CHOSEN.items():
        lines, lag = made(name, *choice)
        unroll = choice[4]
        assert unroll * lag < LEAST
        # all operands have to be named, used or not
        head = "/* Made by tools/schedule.py: laps of %d vectors, more than %d of them. {low} {s5} {s7} */" % (unroll, lag)
        yield FOLDER / (name + ".s"), "\n".join([head] + lines) + "\n"
    for name, choice in CHOSEN_TILES.items():
        # all operands have to be named, used or not
        head = "/* Made by tools/schedule.py. {x} {src} {buffer} {k} {vectors} {top} {pair} {shared} {scale} {next} {n} */"
        yield FOLDER / (name + ".s"), "\n".join([head] + tile_text(name, choice)) + "\n"


def write():
    FOLDER.mkdir(exist_ok=True)
    for path, content in files():
        path.write_text(content)


def check():
    stale = [path.name for path, content in files() if not path.exists() or path.read_text() != content]
    if stale:
        sys.exit("not what schedule.py writes: %s; run it with `write`" % ", ".join(stale))


OPERANDS = {"p": "rdi", "s": "rsi", "n": "rdx", "top": "rcx", "low": "r8", "k": "r9", "s3": "rax", "s5": "r10", "s7": "r11"}


TILE_OPERANDS = {"x": "rdi", "src": "rdi", "buffer": "rsi", "k": "rdx", "vectors": "rcx", "top": "r8", "pair": "r9", "shared": "rax", "scale": "r10"}
TILE_OPERANDS |= {"next": "rbp", "n": "r11"}


def measure(variants, rounds=60):
    """Cycles of each variant, which are lines, for a vector of each row, where a multiplication takes one."""
    head = ["lea rax, [rsi + 2*rsi]", "lea r10, [rax + 2*rsi]", "lea r11, [rax + 4*rsi]"]
    call = "f[i](x + 4096 + 64 * (j & 1), 4096, %d, t, t, t, t)" % LEAST
    return [x / LEAST for x in timed(head, [[l.format(**OPERANDS) for l in lines] for lines in variants], call, rounds)]


def measure_tiles(variants, rounds=60):
    """Cycles of each variant for eight vectors, where a multiplication takes one."""
    head, tail = ["push rbp", "mov rax, [rsp + 16]", "mov r10, rdx", "lea rbp, [rdi + 4096]"], ["pop rbp"]
    call = "f[i](x + 4096 * (j & 3), (uint64_t)(x + (1 << 16)), (uint64_t)t, t, t + 32 * (j & 3), t + 256 + 336 * (j & 3), t)"
    return [x / 8 for x in timed(head, [[l.format(**TILE_OPERANDS) for l in lines] + tail for lines in variants], call, rounds)]


def timed(head, variants, call, rounds):
    """Cycles of each variant, where a multiplication takes one: the least of some rounds."""
    out = [".intel_syntax noprefix", ".text"]
    for i, lines in enumerate(variants):
        out += [".p2align 6", ".globl f%d" % i, "f%d:" % i] + head + lines + ["ret"]
    out += [".globl ref", "ref:", "1:"]
    out += ["vpmadd52luq zmm%d, zmm30, zmm31" % (i % 8) for i in range(96)] + ["dec rdx", "jnz 1b", "ret", '.section .note.GNU-stack,"",@progbits']
    count = len(variants)
    c = "#include <stdio.h>\n#include <stdint.h>\n#include <time.h>\n"
    c += "typedef void F(char*, uint64_t, uint64_t, const uint64_t*, const uint64_t*, const uint64_t*, const uint64_t*); F ref;\n"
    c += "".join("F f%d;" % i for i in range(count)) + "static F *f[] = {%s};\n" % ",".join("f%d" % i for i in range(count))
    c += """static char x[1 << 17] __attribute__((aligned(4096))); static uint64_t t[4096] __attribute__((aligned(64)));
static double now(void) { struct timespec t; clock_gettime(CLOCK_MONOTONIC, &t); return t.tv_sec + 1e-9 * t.tv_nsec; }
int main(void) {
  static double best[%d]; double b = 1e9; for (int i = 0; i < %d; i++) best[i] = 1e9;
  for (int r = 0; r < %d; r++) {
    double s = now(); ref(0, 0, 400, 0, 0, 0, 0); double e = now() - s; if (e < b) b = e;
    for (int i = 0; i < %d; i++) {
      s = now(); for (int j = 0; j < 12; j++) %s;
      e = now() - s; if (e < best[i]) best[i] = e; } }
  for (int i = 0; i < %d; i++) printf("%%f\\n", best[i] / 12 / (b / 400 / 96)); }
""" % (count, count, rounds, count, call, count)
    with tempfile.TemporaryDirectory() as d:
        d = pathlib.Path(d)
        (d / "f.s").write_text("\n".join(out) + "\n")
        (d / "m.c").write_text(c)
        subprocess.run(["gcc", "-O1", d / "m.c", d / "f.s", "-o", d / "m"], check=True)
        return [float(x) for x in subprocess.run([d / "m"], check=True, capture_output=True, text=True).stdout.split()]


def tune_tile(name, tries=160):
    rnd, chosen = random.Random(1), []
    for part in TILES[name]:
        candidates = []
        for _ in range(tries):
            pick = [(5, 10, 15, 20, 30), (2, 3, 4, 6), (1, 2, 3), (2, 3, 4), (1, 3, 5, 7)]
            choice = (rnd.randrange(10000), *map(rnd.choice, pick))
            lines = part_text(name, part, choice)
            if lines:
                candidates.append((choice, lines))
        times = measure_tiles([c[1] for c in candidates], 200)
        best = sorted(range(len(times)), key=lambda i: times[i])[:8]
        again = measure_tiles([candidates[i][1] for i in best], 1000)
        found = sorted(zip(again, [candidates[i][0] for i in best]))
        chosen.append(found[0][1])
        print("    # %s" % ["%.1f" % f[0] for f in found])
    print("    %r: %r," % (name, chosen), flush=True)


def tune(names, tries=40):
    for name in names:
        if name in TILES:
            tune_tile(name)
            continue
        p = PASSES[name]()
        units = [op[0] for op in p.ops]
        floor = max(units.count("mul"), -(-(units.count("mul") + units.count("add")) // 2))
        candidates = []
        rnd = random.Random(1)
        for cycles in range(floor, floor + 3):
            for distance in (8, 10, 12, 14, 16):
                for adds in (1, 2):
                    for unroll in (2, 4) if p.rows == 8 else (4, 8):
                        for _ in range(tries):
                            seed = rnd.randrange(10000)
                            time = schedule(p, cycles, distance, seed, adds)
                            if time is None:
                                continue
                            for held in (8, 6, 4, 2, 0):
                                try:
                                    lines, lag = text(p, time, cycles, unroll, held)
                                    if unroll * lag >= LEAST:
                                        raise Unfit
                                    candidates.append(((cycles, distance, seed, adds, unroll, held), lines))
                                    break
                                except Unfit:
                                    pass
                            else:
                                continue
                            break
        if not candidates:
            print("# %s: none fits" % name)
            continue
        times = measure([c[1] for c in candidates])
        best = sorted(zip(times, [c[0] for c in candidates]))[:8]
        again = measure([candidates[[c[0] for c in candidates].index(b[1])][1] for b in best], 200)
        found = sorted(zip(again, [b[1] for b in best]))
        print("    %r: %r,  # %.1f cycles, %d multiplications; %s" % (name, found[0][1], found[0][0], units.count("mul"), ["%.1f" % f[0] for f in found]), flush=True)


if __name__ == "__main__":
    if sys.argv[1:] == ["write"]:
        write()
    elif sys.argv[1:] == ["check"]:
        check()
    elif sys.argv[1:2] == ["tune"]:
        tune(sys.argv[2:] or list(PASSES) + list(TILES))
    else:
        sys.exit(__doc__)
