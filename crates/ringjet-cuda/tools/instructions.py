"""Translates single instructions of sm_90 to Python, as far as branches and addresses need them.

Registers are items of lists: R (32 bits), P (predicates), U and Q (uniform registers and predicates).
K is constant bank 0 in words of 32 bits, S the special registers by name. What is computed from
residues is DATA.
"""

import re
import struct

MASK = 0xFFFFFFFF
# The lists that hold the registers of each kind.
NAMES = {"R": "R", "UR": "U", "P": "P", "UP": "Q"}


class Unknown(Exception):
    """Something that this script cannot follow."""


# ---- operands ----


def register(text):
    """A register's resource, such as ("R", 12), or None for constants and RZ, PT."""
    m = re.fullmatch(r"(UR|UP|R|P)(\d+)", text)
    return (m.group(1), int(m.group(2))) if m else None


class Reader:
    """Translates operands to Python, and collects the registers that they read."""

    def __init__(self):
        self.reads = set()

    def word(self, text, offset=0):
        """An unsigned 32-bit operand; `offset` 1 is the high half of a pair."""
        if text[0] == "~":
            return f"({self.word(text[1:], offset)}^{MASK})"
        if text[0] == "-" and not text[1:].startswith("0x"):
            return f"(-{self.word(text[1:], offset)}&{MASK})"
        if text in ("RZ", "URZ", "SRZ"):
            return "0"
        if re.fullmatch(r"-?0x[0-9a-f]+", text):
            return str(int(text, 16) >> 32 * offset & MASK)
        if m := re.fullmatch(r"c\[0x0\]\[(R\d+|RZ|UR\d+|URZ)?\+?(0x[0-9a-f]+)?\]", text):
            base = self.word(m.group(1)) if m.group(1) else "0"
            return f"K[({base}+{int(m.group(2) or '0', 16) + 4 * offset})>>2]"
        kind, number = register(text) or (None, None)
        if kind not in ("R", "UR"):
            raise Unknown(f"operand {text}")
        self.reads.add((kind, number + offset))
        return f"{NAMES[kind]}[{number + offset}]"

    def pair(self, text):
        return f"({self.word(text)}|{self.word(text, 1)}<<32)"

    def flag(self, text):
        """A predicate."""
        if text[0] == "!":
            return f"inverse({self.flag(text[1:])})"
        if text in ("PT", "UPT"):
            return "True"
        kind, number = register(text) or (None, None)
        if kind not in ("P", "UP"):
            raise Unknown(f"predicate {text}")
        self.reads.add((kind, number))
        return f"{NAMES[kind]}[{number}]"

    def address(self, text, wide=False):
        """An address in memory: `desc[UR8][R4.64+0x8]` or `[R22+UR5+0x10]`; wide: of 64 bits."""
        inside = re.search(r"\[([^\[\]]*)\]$", text).group(1)
        terms = []
        for term in re.sub(r"\+-", "+~", inside).split("+"):
            if term.startswith(("~", "-")):
                terms.append(f"-{int(term[1:], 16)}")
            elif m := re.fullmatch(r"(R\d+|UR\d+|RZ)\.X(\d+)", term):
                terms.append(f"{self.word(m.group(1))}*{m.group(2)}")
            elif term.endswith(".64"):
                terms.append(self.pair(term[:-3]))
            elif wide and register(term) or "desc" in text and term.startswith("UR"):
                terms.append(self.pair(term))
            else:
                terms.append(self.word(term))
        return "+".join(terms)


def is_flag(text):
    return bool(re.fullmatch(r"!?U?P(\d+|T)", text))


# ---- instructions ----


def lut(table, a, b, c, ones):
    """The Python expression of a LOP3 table."""
    known = {
        0xC0: f"{a}&{b}",
        0xFC: f"{a}|{b}",
        0x3C: f"{a}^{b}",
        0x30: f"{a}&({b}^{ones})",
        0x80: f"{a}&{b}&{c}",
        0xFE: f"{a}|{b}|{c}",
        0x96: f"{a}^{b}^{c}",
        0xF8: f"{a}|({b}&{c})",
        0xEA: f"({a}&{b})|{c}",
    }
    if table in known:
        return known[table]
    terms = []
    for bit in range(8):
        if table >> bit & 1:
            parts = [x if bit >> (2 - i) & 1 else f"({x}^{ones})" for i, x in enumerate((a, b, c))]
            terms.append("(" + "&".join(parts) + ")")
    return "|".join(terms) or "0"


COMPARE = {"EQ": "==", "NE": "!=", "LT": "<", "LE": "<=", "GT": ">", "GE": ">="}


def half(text):
    return struct.unpack("<H", struct.pack("<e", float(text)))[0]


class Translation:
    """The Python of one instruction: what it writes and reads (resources), and lines of code. Unknown
    instructions, such as arithmetic of residues, raise Unknown."""

    def __init__(self, item):
        self.item, self.reader, self.writes, self.lines = item, Reader(), [], []
        op = item.op[1:] if item.op[0] == "U" else item.op  # the same on uniform registers
        self.base, self.parts = op, op.split(".")
        self.operands = list(item.operands)
        self.word, self.flag, self.pair = self.reader.word, self.reader.flag, self.reader.pair
        translate = self.TABLE.get(self.parts[0])
        if not translate:
            raise Unknown(f"{item}")
        translate(self)

    def unless(self, condition):
        if condition:
            raise Unknown(f"{self.item}")

    def put(self, text, expression, offset=0):
        """The destination `text` gets the value of an expression."""
        if found := register(text):
            kind, number = found
            self.writes.append((kind, number + offset))
            self.lines.append(f"{NAMES[kind]}[{number + offset}]={expression}")

    def put_pair(self, text, expression):
        self.lines.append(f"t={expression}")
        self.put(text, f"t&{MASK}")
        self.put(text, f"t>>32&{MASK}", 1)

    def after_flags(self):
        """The operands between the destination and the first that is no predicate, and the others."""
        at = 1
        while is_flag(self.operands[at]):
            at += 1
        return self.operands[1:at], self.operands[at:]

    def move(self):
        self.put(self.operands[0], self.word(self.operands[1]))

    def zero(self):
        self.unless(self.operands[1] != "SRZ")
        self.put(self.operands[0], "0")
        if len(self.parts) == 1:
            self.put(self.operands[0], "0", 1)

    def halves(self):
        """HFMA2 of zeros and a constant: two numbers of 16 bits."""
        self.unless(self.operands[1:3] != ["-RZ", "RZ"])
        self.put(self.operands[0], str(half(self.operands[3]) << 16 | half(self.operands[4])))

    def special(self):
        self.put(self.operands[0], f"S[{self.operands[1]!r}]")

    def argument(self):
        wide = "64" in self.parts
        self.lines.append(f"t={self.word(self.operands[1])}")
        if wide:
            self.lines.append(f"v={self.word(self.operands[1], 1)}")
        self.put(self.operands[0], "t")
        if wide:
            self.put(self.operands[0], "v", 1)

    def sum(self):
        flags, rest = self.after_flags()
        terms = []
        for text in rest:
            if is_flag(text):
                terms.append(self.flag(text))
            elif text[0] == "-" and not text[1:].startswith("0x") and "X" not in self.parts:
                # a carry out of a difference means that it is not negative
                terms.append("0" if text[1:] in ("RZ", "URZ") else f"({self.word(text[1:])}^{MASK})+1")
            else:
                terms.append(self.word(text))
        self.lines.append(f"t={'+'.join(terms)}")
        self.put(self.operands[0], f"t&{MASK}")
        for i, flag in enumerate(flags):
            self.put(flag, f"t>>32>{i}")

    def product(self):
        flags, (a, b, c, *carry) = self.after_flags()
        wide, high = "WIDE" in self.parts, "HI" in self.parts
        self.unless((wide or high) and "U32" not in self.parts)
        plus = f"+{self.flag(carry[0])}" if "X" in self.parts else ""
        if wide or high:
            value = f"{self.word(a)}*{self.word(b)}+{self.pair(c)}{plus}"
        else:
            value = f"({self.word(a)}*{self.word(b)}&{MASK})+{self.word(c)}{plus}"
        if wide:
            self.put_pair(self.operands[0], value)
        else:
            self.lines.append(f"t={value}")
            self.put(self.operands[0], f"t>>32&{MASK}" if high else f"t&{MASK}")
        for flag in flags:
            self.put(flag, "t>>64>0" if wide else "t>>32>0")

    def shifted_sum(self):
        flags, rest = self.after_flags()
        self.unless("SX32" in self.parts)
        plus = ""
        if "HI" in self.parts:
            a, b, c, by = rest[:4]
            shifted = f"(({self.word(a)}|{self.word(c)}<<32)<<{int(by, 16)}>>32&{MASK})"
            plus = f"+{self.flag(rest[4])}" if "X" in self.parts else ""
        else:
            a, b, by = rest[:3]
            shifted = f"({self.word(a)}<<{int(by, 16)}&{MASK})"
        self.lines.append(f"t={shifted}+{self.word(b)}{plus}")
        self.put(self.operands[0], f"t&{MASK}")
        for flag in flags:
            self.put(flag, "t>>32>0")

    def logic(self):
        out = self.operands.pop(0) if is_flag(self.operands[0]) else None
        dest, a, b, c, table, flag = self.operands[:6]
        self.lines.append(f"t={lut(int(table, 16), self.word(a), self.word(b), self.word(c), MASK)}")
        self.put(dest, "t")
        if out:
            self.put(out, f"either(t!=0,{self.flag(flag)})")

    def logic_of_flags(self):
        self.unless(self.operands[1] not in ("PT", "UPT"))
        a, b, c = (self.flag(text) for text in self.operands[2:5])
        self.put(self.operands[0], f"truth({lut(int(self.operands[5], 16), a, b, c, 'True')})")

    def shift(self):
        a, by, c = self.operands[1:4]
        by, kind = self.word(by), ".".join(self.parts[1:])
        both = lambda: f"({self.word(a)}|{self.word(c)}<<32)"
        if kind in ("L.U32", "L.S32"):
            value = f"{self.word(a)}<<least({by},32)&{MASK}"
        elif kind == "L.U64.HI":
            value = f"{both()}<<least({by},64)>>32&{MASK}"
        elif kind == "R.U64":
            value = f"{both()}>>least({by},64)&{MASK}"
        elif kind == "R.U32.HI":
            value = f"{self.word(c)}>>least({by},32)"
        elif kind == "R.S32.HI":
            value = f"{signed(self.word(c))}>>least({by},32)&{MASK}"
        else:
            raise Unknown(f"{self.item}")
        self.put(self.operands[0], value)

    def compare(self):
        self.unless(self.operands[1] not in ("PT", "UPT"))
        relation = self.parts[1]
        sign = (lambda x: x) if "U32" in self.parts or relation in ("EQ", "NE") else signed
        a, b = sign(self.word(self.operands[2])), sign(self.word(self.operands[3]))
        result = f"{a}{COMPARE[relation]}{b}"
        if "EX" in self.parts:  # the high halves of two numbers; the last operand compares the low halves
            low = self.flag(self.operands[5])
            if relation == "EQ":
                result = f"both({result},{low})"
            elif relation == "NE":
                result = f"either({result},{low})"
            else:
                result = f"either({a}{COMPARE[relation][0]}{b},both({a}=={b},{low}))"
        join = "both" if "AND" in self.parts else "either"
        self.unless("AND" not in self.parts and "OR" not in self.parts)
        self.put(self.operands[0], f"{join}({result},{self.flag(self.operands[4])})")

    def select(self):
        dest, a, b, flag = self.operands
        self.put(dest, f"choose({self.flag(flag)},{self.word(a)},{self.word(b)})")

    def least_or_greatest(self):
        self.unless("U32" not in self.parts)
        a, b = self.word(self.operands[1]), self.word(self.operands[2])
        self.put(self.operands[0], f"choose(truth({self.flag(self.operands[3])}!=({a}>{b})),{a},{b})")

    def least_or_greatest_sum(self):
        """VIADDMNMX: of a sum and a third operand."""
        a, b, c = (self.word(text) for text in self.operands[1:4])
        self.lines.append(f"t=({a})+({b})&{MASK}")
        x, y = ("t", c) if "U32" in self.parts else (signed("t"), signed(c))
        self.put(self.operands[0], f"choose(truth({self.flag(self.operands[4])}!=({x}>{y})),t,{c})")

    def function(self):
        functions = {
            "BREV": "reversed_",
            "FLO.U32": "highest",
            "I2F.U32.RP": "round_up",
            "MUFU.RCP": "reciprocal",
            "F2I.FTZ.U32.TRUNC.NTZ": "truncated",
        }
        self.unless(self.base not in functions)
        self.put(self.operands[0], f"{functions[self.base]}({self.word(self.operands[1])})")

    def flags_to_word(self):
        mask = int(self.operands[3], 16)
        flags = [f"({self.flag(f'P{i}')}<<{i})" for i in range(7) if mask >> i & 1]
        self.put(self.operands[0], "|".join(flags))

    def vote(self):
        """Whether a predicate holds in any thread of the warp. Threads are assumed to agree."""
        self.put(self.operands[0], self.flag(self.operands[1]))

    TABLE = {
        "MOV": move,
        "R2UR": move,
        "CS2R": zero,
        "HFMA2": halves,
        "S2R": special,
        "S2UR": special,
        "LDC": argument,
        "IADD3": sum,
        "VIADD": sum,
        "IMAD": product,
        "LEA": shifted_sum,
        "LOP3": logic,
        "PLOP3": logic_of_flags,
        "SHF": shift,
        "ISETP": compare,
        "SEL": select,
        "VIMNMX": least_or_greatest,
        "VIADDMNMX": least_or_greatest_sum,
        "BREV": function,
        "FLO": function,
        "I2F": function,
        "MUFU": function,
        "F2I": function,
        "P2R": flags_to_word,
        "VOTEU": vote,
    }


def signed(x):
    return f"(({x}^0x80000000)-0x80000000)"


def writes_of(item):
    """The resources that an instruction may write, known or not."""
    op, found = item.op, []
    if re.match(r"(ST|BRA|EXIT|BAR|BSSY|BSYNC|NOP|WARPSYNC|RED)", op) or not item.operands:
        return found
    at = 0
    width = 1
    if re.search(r"(\.64|\.WIDE|^D(FMA|ADD|MUL)|^CS2R$|^I2F\.F64|\.F64|^F2I\.[US]64)", op):
        width = 2
    if ".128" in op:
        width = 4
    for text in item.operands:
        reg = register(text)
        if at == 0 and reg:
            found += [(reg[0], reg[1] + i) for i in range(width if reg[0] in ("R", "UR") else 1)]
            if reg[0] in ("P", "UP") and op.startswith(("LOP3", "ULOP3")):
                continue  # the register follows
        elif reg and reg[0] in ("P", "UP") and at <= 2 and not re.match(r"(U?SEL|U?ISETP|DSETP|U?PLOP3|VOTE)", op):
            found.append(reg)
        elif at == 1 and reg and reg[0] in ("P", "UP"):
            found.append(reg)
        elif at > 0 and not is_flag(text):
            break
        at += 1
    return found
