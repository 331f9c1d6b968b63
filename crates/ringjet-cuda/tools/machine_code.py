"""Cuts kernels' machine code (sm_75, sm_90) down to what decides how often a thread executes each instruction.

nvdisasm's listing is cut into basic blocks. Of their instructions only those are kept that decide
about branches and addresses: integers from the launch's arguments, the thread's indices and the
constants that the backend uploads. Residues and their arithmetic are left out. If an address or a
loop depends on anything else, or on an instruction that is not known here, following a thread
fails, so that a changed kernel cannot be counted wrongly in silence. A branch around a few instructions may depend on a residue (such as
the addition of the modulus to a negative number): these instructions are counted, because some of a
warp's 32 threads nearly always need them.
"""

import collections
import re

import skeleton
from instructions import NAMES, Reader, Translation, Unknown, register, writes_of

# Kinds of instructions by the unit that executes them; the first match counts.
KINDS = [
    ("memory", r"(LD|ST)(G|S|L)?(\.|$)"),
    ("FP64", r"D(FMA|MUL|ADD|SETP|MNMX)"),
    ("wide", r"IMAD\.(WIDE|HI)"),
    ("multiplier", r"(IMAD|HFMA2|FFMA|FMUL)"),
    ("quarter", r"(BREV|FLO|MUFU|I2F|F2I|POPC)"),
    ("integer", r"(V?IADD|ISETP|SEL|LOP3|SHF|LEA|PRMT|MOV|V?IMNMX|PLOP3|P2R|R2P|CS2R|SGXT|BMSK|IABS|VIADDMNMX)"),
    ("other", r""),  # branches, barriers, uniform registers, arguments: counted as started only
]
INSTRUCTION = re.compile(r"\s+/\*([0-9a-f]+)\*/\s+(?:@(!?)(U?P\w+)\s+)?([A-Z][\w.]*)\s*(.*?)\s*;")


Instruction = collections.namedtuple("Instruction", "at guard op operands")


def kind_of(op):
    return next(name for name, pattern in KINDS if re.match(pattern, op))


def parse(listing):
    """Instructions and labels of each kernel: lists of Instruction, or of strings for labels."""
    kernels, current = {}, None
    for line in listing.splitlines():
        if start := re.match(r"\s*\.section\s+\.text\.(\w+)", line):
            current = kernels.setdefault(start.group(1), [])
        elif re.match(r"\s*\.section\s", line):
            current = None
        elif current is None:
            continue
        elif label := re.match(r"(\.L_x_\d+|\$[\w$]+):", line):
            current.append(label.group(1))
        elif code := INSTRUCTION.match(line):
            at, negated, guard, op, text = code.groups()
            operands = [o.strip().replace(".reuse", "") for o in re.split(r",(?![^\[]*\])", text)] if text else []
            current.append(Instruction(int(at, 16), (guard, bool(negated)) if guard else None, op, operands))
    return kernels


def inlined(items):
    """The items with the body of each subroutine in place of its calls. The compiler puts subroutines, such as
    the division of 64-bit numbers, after the kernel's own code."""
    subroutines, name = {}, None
    for item in items:
        if isinstance(item, str) and item.startswith("$"):
            name = item
        subroutines.setdefault(name, []).append(item)
    found, at = [], max((item.at for item in items if not isinstance(item, str)), default=0)
    for item in subroutines[None] if items else []:
        found.append(item)
        if isinstance(item, str) or not item.op.startswith("CALL"):
            continue
        _, *body = subroutines[re.search(r"\$[\w$]+", item.operands[-1]).group(0)]
        end = next(i for i, step in enumerate(body) if not isinstance(step, str) and step.op.startswith("RET"))
        if any(isinstance(step, str) or step.op in ("BRA", "EXIT", "CALL") for step in body[:end]):
            raise Unknown(f"{item}: a subroutine with jumps")
        for step in body[: end + 1]:
            at += 16
            found.append(step._replace(at=at))
    return found


class Block:
    def __init__(self):
        self.code, self.next, self.taken, self.counts = [], None, None, collections.Counter()


def blocks_of(items):
    """Basic blocks; `next` and `taken` are numbers of blocks, None for the end of the thread."""
    blocks, labels, block = [], {}, None
    for item in items:
        if isinstance(item, str) or block is None:
            block = Block()
            blocks.append(block)
        if isinstance(item, str):
            labels[item] = len(blocks) - 1
            continue
        block.code.append(item)
        if item.op in ("BRA", "EXIT"):
            block = None
    for i, block in enumerate(blocks):
        block.next = i + 1 if i + 1 < len(blocks) else None
        last = block.code[-1] if block.code else None
        for item in block.code:
            if item.op != "NOP":
                block.counts[kind_of(item.op)] += 1
        if last and last.op == "BRA":
            block.taken = labels[re.search(r"\.L_x_\d+", last.operands[-1]).group(0)]
    return blocks


SIZES = {"": 4, "64": 8, "128": 16, "U8": 1, "U16": 2}


def access(item):
    """The space, kind and bytes of a memory access, or None."""
    m = re.fullmatch(r"(LD|ST)(G|S|L)?((?:\.\w+)*)", item.op)
    if not m:
        return None
    flags = m.group(3).split(".")
    size = next((SIZES[f] for f in flags if f in SIZES and f), 4)
    return {"G": "global", None: "global", "S": "shared", "L": "local"}[m.group(2)], m.group(1) == "ST", size


class Step:
    """An instruction that is computed: a jump, an access to memory, or arithmetic of indices. wanted: the
    resources it writes that are needed after it."""

    def __init__(self, item):
        self.item, self.reads, self.condition = item, set(), None
        self.writes, self.access = writes_of(item), access(item)
        self.wanted = []
        self.jumps = item.op in ("BRA", "EXIT")
        reader = Reader()
        if item.guard:
            self.condition = reader.flag("!" * item.guard[1] + item.guard[0])
        if self.jumps:
            conditions = [self.condition] if item.guard else []
            conditions += [reader.flag(text) for text in item.operands[:-1]] if item.op == "BRA" else []
            self.condition = " and ".join(conditions)
        elif self.access:
            text = next(text for text in item.operands if "[" in text)
            self.address = reader.address(text, ".E" in item.op and "desc" not in text)
        else:
            reader.reads |= self.arithmetic()
        self.reads = reader.reads

    def arithmetic(self):
        """Sets the Python of the instruction, and returns what it reads."""
        try:
            found = Translation(self.item)
            if set(found.writes) != set(self.writes):
                raise Unknown(f"{self.item} writes {found.writes}, not {self.writes}")
            self.lines = found.lines
            return found.reader.reads
        except (Unknown, ValueError, IndexError):
            self.lines = [self.unknown()]  # residues, in a register that later holds an index, or an error if used
            return set()

    def unknown(self):
        return "=".join(f"{NAMES[kind]}[{number}]" for kind, number in self.writes) + "=DATA"

    def computed(self, number, always):
        """The Python of arithmetic, or of an access that is number `number` of the kernel's. always: it happens
        if data decides about that."""
        if not self.access:
            if not self.condition:
                return self.lines
            lines = [" " + line for line in self.lines]
            unknown = lines if always else [" " + self.unknown()]
            return [f"c={self.condition}", "if c is DATA:", *unknown, "elif c:", *lines]
        lines = [f"a={self.address}", f"T.append(({number},a))"]
        for _, register_number in self.wanted:
            first = register(self.item.operands[0])[1]
            found = f"M(a+{4 * (register_number - first)})" if self.access[0] == "global" else "DATA"
            lines.append(f"R[{register_number}]={found}")
        if not self.condition:
            return lines
        indented = [" " + line for line in lines]
        if always:
            return [f"c={self.condition}", "if c is DATA:", *indented, "elif c:", *indented]
        return [f"if {self.condition}:", *indented]


class Kernel:
    """A kernel whose threads can be followed. falls_through: where data decides about a
    jump, it is not taken, so that loops end and what it would leave out counts; so do instructions that data may turn off."""

    def __init__(self, name, items, falls_through=False):
        self.name, self.blocks, self.falls_through = name, blocks_of(inlined(items)), falls_through
        # by the address of an instruction: whether it is always needed, with what it writes; its translation
        self.effects, self.known = {}, {}
        self.accesses = []  # of each instruction that accesses memory: space, store, bytes
        alive = self.alive()
        self.code = [self.words(i, alive[i]) for i in range(len(self.blocks))]

    def alive(self):
        """For each block the resources that decide about branches and addresses after it."""
        alive = [set() for _ in self.blocks]
        changed = True
        while changed:
            changed = False
            for i in reversed(range(len(self.blocks))):
                out = set()
                for successor in self.successors(i):
                    out |= self.steps(self.blocks[successor], alive[successor])[1]
                if out != alive[i]:
                    alive[i], changed = out, True
        return alive

    def successors(self, i):
        block = self.blocks[i]
        last = block.code[-1] if block.code else None
        if last and last.op == "EXIT":
            return [block.next] if last.guard and block.next is not None else []
        if last and last.op == "BRA":
            falls = last.guard or len(last.operands) > 1
            return [block.taken] + ([block.next] if falls and block.next is not None else [])
        return [] if block.next is None else [block.next]

    def steps(self, block, alive):
        """The instructions of a block that must be computed, the last first, and what is needed before them."""
        needed, steps = set(alive), []
        for item in reversed(block.code):
            if item.at not in self.effects:
                self.effects[item.at] = item.op in ("BRA", "EXIT") or access(item), writes_of(item)
            always, writes = self.effects[item.at]
            if not always and needed.isdisjoint(writes):
                continue
            if item.at not in self.known:
                self.known[item.at] = Step(item)
            step = self.known[item.at]
            step.wanted = [resource for resource in step.writes if resource in needed]
            if not item.guard:
                needed -= set(step.writes)
            needed |= step.reads
            steps.append(step)
        return steps, needed

    def words(self, i, alive):
        """The words of block `i` (skeleton.py)."""
        block = self.blocks[i]
        goes, falls, condition, found = None, -1 if block.next is None else block.next, None, []
        for step in reversed(self.steps(block, alive)[0]):
            if step.jumps:
                goes, condition = -1 if step.item.op == "EXIT" else block.taken, step.condition
                continue
            found += skeleton.words(step.computed(len(self.accesses), self.falls_through))
            if step.access:
                self.accesses.append(step.access)
        if goes is None:
            goes = falls
        return [*found, *skeleton.branch(condition, goes, falls, self.around(i) if condition else None)]

    def around(self, i):
        """The block after a branch that data decides about, or None where that is an error. The branch must leave
        out a few instructions, which some threads of a warp nearly always need; or it ends the thread, as in
        launches that compute something again where that is needed, which is rare."""
        block = self.blocks[i]
        if block.code[-1].op == "EXIT":
            return -1
        for side in (block.next, block.taken):  # a subroutine for numbers of 64 bits, or code for those of 32 bits
            if side is not None and any(item.op.startswith("CALL") for item in self.blocks[side].code):
                return side
        if self.falls_through:
            return block.next
        end = block.next
        while end is not None and end != block.taken and self.successors(end) == [end + 1]:
            end += 1
        if end is None or end != block.taken and self.successors(end) != [block.taken]:
            return None
        return block.next
