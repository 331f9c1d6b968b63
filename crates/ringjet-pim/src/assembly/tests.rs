//! What the interpreter computes, and what it refuses.

use super::{AssemblyError, Program, TaskletMachine};

/// Runs a text with r0 and r1; returns r0 and r1, or the error.
fn run(text: &str, r0: u32, r1: u32) -> Result<[u32; 2], AssemblyError> {
    let program = Program::parse(&format!("start:\n{text}\njump r23\n"))?;
    let mut machine = TaskletMachine::new(64);
    machine.limit = 100;
    (machine.registers[0], machine.registers[1]) = (r0, r1);
    machine.call(&program, "start")?;
    Ok([machine.registers[0], machine.registers[1]])
}

#[test]
fn instructions_compute() {
    let (a, b) = (0xf234_5678_u32, 0x0000_9c05_u32);
    let cases = [
        ("and r0, r0, r1", a & b),
        ("or r0, r0, r1", a | b),
        ("xor r0, r0, 0xff", a ^ 0xff),
        ("lsl r0, r0, 4", a << 4),
        ("lsr r0, r0, r1", a >> 5),
        ("asr r0, r0, r1", (a as i32 >> 5) as u32),
        ("rol r0, r0, 5", a.rotate_left(5)),
        ("add r0, r0, -1", a - 1),
        ("mul_ul_uh r0, r0, r1", 0x78 * 0x9c),
        ("mul_uh_ul r0, r0, r1", 0x56 * 0x05),
        ("lsl_add r0, r1, r0, 8", b.wrapping_add(a << 8)),
        ("clz r0, r1", 16),
        ("sub r0, r1, r0, ltu", 1),
        ("sub r0, r0, r1, ltu", 0),
        ("sw zero, 8, r0\nlw r1, zero, 8\nmove r0, r1", a),
        ("sd zero, 8, d0\nlw r0, zero, 12", a), // the high word comes second
    ];
    for (text, expected) in cases {
        assert_eq!(run(text, a, b).unwrap()[0], expected, "{text}");
    }
}

#[test]
fn conditions_decide() {
    let cases = [
        ("sub zero, r0, r1, ltu, yes", [true, false, false]),
        ("sub zero, r0, r1, leu, yes", [true, true, false]),
        ("sub zero, r0, r1, gtu, yes", [false, false, true]),
        ("sub zero, r0, r1, geu, yes", [false, true, true]),
        ("sub zero, r0, r1, z, yes", [false, true, false]),
        ("sub zero, r0, r1, nz, yes", [true, false, true]),
        ("sub zero, r0, r1, mi, yes", [true, false, false]),
        ("sub zero, r0, r1, pl, yes", [false, true, true]),
        ("jltu r0, r1, yes", [true, false, false]),
        ("jleu r0, r1, yes", [true, true, false]),
        ("jgtu r0, r1, yes", [false, false, true]),
        ("jgeu r0, r1, yes", [false, true, true]),
        ("jeq r0, r1, yes", [false, true, false]),
        ("jneq r0, r1, yes", [true, false, true]),
        ("add zero, r0, -4, c, yes", [false, true, true]),
        ("add zero, r0, -4, nc, yes", [true, false, false]),
    ];
    for (text, expected) in cases {
        let text = format!("{text}\nmove r0, 0\njump r23\nyes:\nmove r0, 1");
        assert_eq!([3, 4, 5].map(|r0| run(&text, r0, 4).unwrap()[0] == 1), expected, "{text}");
    }
}

#[test]
fn macros_are_expanded() {
    let text = r"
        .macro plus to, t, n // a comment
            add \to, \to, \t
        .endm
        .macro twice a, at, n
            plus \a, \at, 0
            jeq \a, \at, .L\n\()_end
            plus \a, \at, 0
        .L\n\()_end:
        .endm
        twice r0, r1, x
        twice r0, 3, y";
    assert_eq!(run(text, 10, 5).unwrap()[0], 10 + 2 * 5 + 2 * 3);
    let error = run(".macro plus to, by\nadd \\to, \\to, \\by\n.endm\nplus r0", 0, 0).unwrap_err();
    let expected = "as many arguments as the macro has";
    assert_eq!(error, AssemblyError::Operand { line: 5, found: "plus r0".into(), expected });
}

#[test]
fn mistakes_have_lines() {
    let error = |text| run(text, 0, 0).unwrap_err();
    let operand = |found: &str, expected| AssemblyError::Operand { line: 2, found: found.into(), expected };
    let condition = |instruction: &str, condition: &str| AssemblyError::Condition {
        line: 2,
        instruction: instruction.into(),
        condition: condition.into(),
    };
    assert_eq!(error("madd r0, r1, r2"), AssemblyError::UnknownInstruction { line: 2, name: "madd".into() });
    assert_eq!(error("jnever r0, r1, start"), AssemblyError::UnknownInstruction { line: 2, name: "jnever".into() });
    assert_eq!(error("add r24, r1, r2"), operand("r24", "a register r0 to r23"));
    assert_eq!(error("ld d3, r1, 0"), operand("d3", "a pair d0, d2 to d22"));
    assert_eq!(error("lw r3, r1"), operand("", "a number of 32 bits"));
    assert_eq!(error("jump r23, r1"), operand("r1", "nothing more"));
    assert_eq!(error("and r0, r1, r2, ltu, start"), condition("and", "ltu"));
    assert_eq!(error("subc r0, r1, r2, leu, start"), condition("subc", "leu"));
    assert_eq!(error("sub r0, r1, r2, never"), condition("sub", "never"));
    assert_eq!(error("jump away"), AssemblyError::UnknownLabel { line: 2, label: "away".into() });
    assert_eq!(error("start:"), AssemblyError::DuplicateLabel { line: 2, label: "start".into() });
    assert_eq!(error("lw r0, zero, 64"), AssemblyError::Address { line: 2, address: 64, bytes: 4, size: 64 });
    assert_eq!(error("sd zero, 4, d0"), AssemblyError::Address { line: 2, address: 4, bytes: 8, size: 64 });
    assert_eq!(error("jump start"), AssemblyError::TooLong { limit: 100 });
    assert_eq!(error("move r1, 77\njump r1"), AssemblyError::Jump { line: 3, target: 77, count: 3 });
    let program = Program::parse("start:\nmove r0, r1\n").unwrap();
    let past_the_end = TaskletMachine::new(0).call(&program, "start").unwrap_err();
    assert_eq!(past_the_end, AssemblyError::Jump { line: 2, target: 1, count: 1 });
    let no_label = TaskletMachine::new(0).call(&program, "end").unwrap_err();
    assert_eq!(no_label, AssemblyError::UnknownLabel { line: 0, label: "end".into() });
}
