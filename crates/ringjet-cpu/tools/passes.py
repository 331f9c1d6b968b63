"""Passes over rows as software-pipelined loops, for processors that multiply as a Zen 4 does."""

import random

from operations import LANES, Pass, inverse8_top, level, products, roots

UNIT_LATENCY = {"mul": 4, "add": 1, "load": 14, "store": 1, "copy": 0}


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
    sequence.sort(
        key=lambda s: (s[0], rank[p.ops[s[3]][0]] * (1 if s[0] % 2 == 0 or rank[p.ops[s[3]][0]] < 3 else -1), s[3])
    )
    ordered = []
    while sequence:
        block = [s for s in sequence if s[0] == sequence[0][0]]
        sequence = sequence[len(block) :]
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
