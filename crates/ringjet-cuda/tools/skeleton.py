"""Writes what decides about a kernel's branches and addresses as a small program, which the library's predictor
(src/predict) runs for each launch: it counts how often a thread goes through each basic block, and where it
accesses memory.

machine_code.py gives each basic block as lines of Python. Here they become words in postfix order:

    12        pushes a number               R3 P1 U7 Q2   pushes a register; =R3 pops into it
    t v a c   pushes a temporary; =t pops   S0 to S4      pushes thread x, thread y, block y, block z or block x
    + - * & | ^ << >> == != < <= > >=       takes two, pushes the result
    not both either truth choose least reversed highest round_up reciprocal truncated   functions of
              instructions.py
    D         pushes data: what is computed from residues
    K         pops an offset in words, pushes that word of the constant bank
    M         pops an address, pushes the word there
    T5        pops an address: access number 5 of the kernel
    ?8        pops a condition, and leaves out 8 words if it is false; data is an error
    known?8   pops a value, and leaves out 8 words if it is data
    :8        leaves out 8 words
    >3        goes to block 3; -1 ends the thread
    around4   from here on, a condition that is data goes to block 4 instead of being an error
"""

import ast

OPERATORS = {
    ast.Add: "+",
    ast.Sub: "-",
    ast.Mult: "*",
    ast.BitAnd: "&",
    ast.BitOr: "|",
    ast.BitXor: "^",
    ast.LShift: "<<",
    ast.RShift: ">>",
    ast.Eq: "==",
    ast.NotEq: "!=",
    ast.Lt: "<",
    ast.LtE: "<=",
    ast.Gt: ">",
    ast.GtE: ">=",
}
FUNCTIONS = {
    "inverse": "not",
    "both": "both",
    "either": "either",
    "truth": "truth",
    "choose": "choose",
    "least": "least",
    "reversed_": "reversed",
    "highest": "highest",
    "round_up": "round_up",
    "reciprocal": "reciprocal",
    "truncated": "truncated",
}
SPECIAL = ("SR_TID.X", "SR_TID.Y", "SR_CTAID.Y", "SR_CTAID.Z", "SR_CTAID.X")
ZERO = ("SR_TID.Z", "SR_CgaCtaId")
KINDS = ("memory", "FP64", "wide", "multiplier", "quarter", "integer", "other")


def expression(node):
    """The words of an expression."""
    match node:
        case ast.Constant(value=value):
            return [str(int(value))]
        case ast.Name(id="DATA"):
            return ["D"]
        case ast.Name(id=name):
            return [name]
        case ast.Subscript(value=ast.Name(id="K"), slice=at):
            return [*expression(at), "K"]
        case ast.Subscript(value=ast.Name(id="S"), slice=ast.Constant(value=name)):
            return [f"S{SPECIAL.index(name)}"] if name in SPECIAL else ["0"] if name in ZERO else ["D"]
        case ast.Subscript(value=ast.Name(id=kind), slice=ast.Constant(value=number)):
            return [f"{kind}{number}"]
        case ast.UnaryOp(op=ast.USub(), operand=operand):
            return ["0", *expression(operand), "-"]
        case ast.BinOp(left=left, op=operator, right=right):
            return [*expression(left), *expression(right), OPERATORS[type(operator)]]
        case ast.Compare(left=left, ops=operators, comparators=others):
            words = expression(left)
            if len(operators) == 1:
                return [*words, *expression(others[0]), OPERATORS[type(operators[0])]]
        case ast.Call(func=ast.Name(id="M"), args=[address]):
            return [*expression(address), "M"]
        case ast.Call(func=ast.Name(id=name), args=arguments):
            return [word for argument in arguments for word in expression(argument)] + [FUNCTIONS[name]]
        case ast.BoolOp(op=ast.And(), values=[first, *rest]):
            for other in rest:
                then = expression(other)
                # a condition that is false decides, whatever the others are
                first_words = first if isinstance(first, list) else expression(first)
                first = [*first_words, f"?{len(then) + 1}", *then, ":1", "0"]
            return first
    raise ValueError(f"no words for {ast.dump(node)}")


def statements(nodes):
    return [word for node in nodes for word in statement(node)]


def statement(node):
    """The words of a statement."""
    match node:
        case ast.Assign(targets=targets, value=value):
            names = [t.id if isinstance(t, ast.Name) else f"{t.value.id}{t.slice.value}" for t in targets]
            return [word for name in names for word in [*expression(value), f"={name}"]]
        case ast.Expr(
            value=ast.Call(func=ast.Attribute(value=ast.Name(id="T")), args=[ast.Tuple(elts=[number, address])])
        ):
            return [*expression(address), f"T{number.value}"]
        case ast.If(
            test=ast.Compare(left=left, ops=[ast.Is()]), body=unknown, orelse=[ast.If(test=test, body=body, orelse=[])]
        ):
            body, unknown = statements(body), statements(unknown)
            known = [*expression(test), f"?{len(body)}", *body, f":{len(unknown)}"]
            return [*expression(left), f"known?{len(known)}", *known, *unknown]
        case ast.If(test=test, body=body, orelse=[]):
            body = statements(body)
            return [*expression(test), f"?{len(body)}", *body]
    raise ValueError(f"no words for {ast.dump(node)}")


def words(lines):
    """The words of lines of Python."""
    return statements(ast.parse("\n".join(lines)).body)


def branch(condition, goes, falls, data):
    """The words of a jump. `data`: the block that follows if data decides about it; None if that is an error."""
    if not condition:
        return [f">{goes}"]
    around = [f"around{data}"] if data is not None else []
    return [*around, *expression(ast.parse(condition, mode="eval").body), "?1", f">{goes}", f">{falls}"]


def listing(name, kernel, registers, shared):
    """The lines of a kernel: its name, the registers of a thread and the static shared memory of a block; its
    accesses; and for each basic block the instructions of each of KINDS and the words."""
    accesses = " ".join(f"{space[0]}{'w' if store else 'r'}{size}" for space, store, size in kernel.accesses)
    lines = [f"kernel {name} {registers} {shared}", f"accesses {accesses}".rstrip()]
    for block, code in zip(kernel.blocks, kernel.code):
        counts = ",".join(str(block.counts[kind]) for kind in KINDS)
        lines.append(f"{counts} {' '.join(code)}")
    return lines
