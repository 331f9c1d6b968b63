//! What is refused, with which words.

use std::path::PathBuf;
use std::sync::Arc;

use ringjet_backend::plan::CrtSplitPlan;
use ringjet_backend::{Backend, BackendError, Coeff, Reference};
use ringjet_fhetch::{Exporter, FhetchError, Instruction, MAX_MODULI, Op, Program, parse};
use ringjet_math::Basis;

const HEAD: &str = "modulus_count 2\nm[0] 0xFFFFFFFFFFFFFFFF\nm[1] 0x61\n";

fn refused(text: &str) -> (usize, String, String) {
    match parse(text, 8) {
        Err(FhetchError::Text { line, found, expected }) => (line, found, expected),
        other => panic!("{text:?}: {other:?}"),
    }
}

#[test]
fn what_is_written_is_read() {
    let text = format!("# a comment\n\n{HEAD}sr_negp %2, %1, m=1  # -x\n  halt\n# the end\n");
    let negation = Instruction { op: Op::Negate, dst: 2, src: 1, modulus: 0x61 };
    assert_eq!(parse(&text, 8).unwrap(), [negation]);
}

/// The line, what it has, and a word of what is expected.
#[test]
fn lines_that_are_none_are_refused() {
    let after_head = [
        ("sr_ft %2, %1", "sr_ft", "sr_addp, sr_subp"),
        ("sr_subps %2, %1, 5, m=1", "sr_subps", "sr_mulps"),
        ("sr_addp 2, %1, %1, m=1", "2,", "%ADDRESS"),
        ("sr_addp %2, %1 %1, m=1", "%1", "a comma"),
        ("sr_addp %0, %1, %1, m=1", "%0,", "from 1 to 4294967295"),
        ("sr_addp %4294967296, %1, %1, m=1", "%4294967296,", "from 1 to 4294967295"),
        ("sr_addp %+2, %1, %1, m=1", "%+2,", "%ADDRESS"),
        ("sr_addp %2, %1, %1, m=2", "m=2", "from 1 to 1"),
        ("sr_addp %2, %1, %1, m=0", "m=0", "from 1 to 1"),
        ("sr_addp %2, %1, %1", "%1", "a comma"),
        ("sr_addp %2, %1, %1,", "the end of the line", "m=NUMBER"),
        ("sr_addp %2, %1, %1, m=1 m=1", "m=1", "the end of the line"),
        ("sr_mulps %2, %1, -1, m=1", "-1,", "a number"),
        ("sr_mulps %2, %1, 18446744073709551616, m=1", "18446744073709551616,", "a number"),
        ("sr_ntt %2, %1, m=1", "m=1", "a comma"),
        ("sr_ntt %2, %1, m=1, omega=97", "omega=97", "below the modulus"),
        ("sr_automorph_eval %2, %1, m=1, mask=7, logn=4, k=5", "logn=4,", "logn=3,"),
        ("sr_automorph_eval %2, %1, m=1, mask=15, logn=4, k=5", "mask=15,", "mask=7,"),
        ("sr_automorph_eval %2, %1, m=1, mask=7, logn=3, k=6", "k=6", "an odd one"),
        ("", "the end", "halt"),
        ("halt\nsr_negp %2, %1, m=1", "sr_negp", "nothing after halt"),
    ];
    for (line, found, expected) in after_head {
        let (at, what, wanted) = refused(&format!("{HEAD}{line}"));
        let number = if line.starts_with("halt") { 5 } else { 4 };
        assert_eq!((at, what.as_str()), (number, found), "{line}");
        assert!(wanted.contains(expected), "{line}: {wanted}");
    }
    let heads = [
        ("", 1, "the end", "modulus_count"),
        ("modulus_count 0", 1, "0", "from 1 to 256"),
        ("modulus_count 257", 1, "257", "from 1 to 256"),
        ("modulus_count 1\nm[0] 0x61", 2, "0x61", "0xFFFFFFFFFFFFFFFF"),
        ("modulus_count 2\nm[0] 0xFFFFFFFFFFFFFFFF\nm[2] 0x61", 3, "m[2]", "m[1]"),
        ("modulus_count 2\nm[0] 0xFFFFFFFFFFFFFFFF\nm[1] 97", 3, "97", "hexadecimal"),
        ("modulus_count 2\nm[0] 0xFFFFFFFFFFFFFFFF\nm[1] 0x60", 3, "0x60", "odd"),
    ];
    for (text, line, found, expected) in heads {
        let (at, what, wanted) = refused(text);
        assert_eq!((at, what.as_str()), (line, found), "{text}");
        assert!(wanted.contains(expected), "{text}: {wanted}");
    }
    assert_eq!(refused(&"x".repeat(1000)).1, "x".repeat(80));
    let message = parse("modulus_count x", 8).unwrap_err().to_string();
    assert_eq!(message, "line 1: found \"x\", expected a number from 1 to 256");
}

fn device(result: ringjet_backend::Result<()>) -> String {
    match result {
        Err(BackendError::Device { message, .. }) => message,
        other => panic!("{other:?}"),
    }
}

#[test]
fn computations_that_are_no_program_are_refused() {
    let exporter = Exporter::new(Arc::new(Reference::default()));
    let basis = Basis::new(3, &[97]).unwrap();
    let (mut x, mut y) = (exporter.alloc(1, 8).unwrap(), exporter.alloc(1, 8).unwrap());
    let mut words = [1; 8];
    exporter.input("x", || exporter.upload(&mut x, 0, &words)).unwrap();
    exporter.lincomb(y.view_mut(1), &[(Coeff::MinusOne, x.view(1))], &basis, false).unwrap();

    // values that depend on inputs
    let message = device(exporter.download(&y, 0, &mut words));
    assert!(message.contains("download: the host reads a value that was computed from inputs"), "{message}");
    assert!(device(exporter.compact(y.view(1), 1).map(drop)).contains("compact: the host reads"));
    exporter.output("y", || exporter.download(&y, 0, &mut words)).unwrap();
    assert_eq!(words, [96; 8]);

    // inputs as coefficients, in a ring in which the order of values is ringjet's own
    let large = Exporter::new(Arc::new(Reference::default()));
    let (mut z, prime) = (large.alloc(1, 512).unwrap(), Basis::new(9, &[12289]).unwrap());
    large.input("z", || large.upload(&mut z, 0, &[1; 512])).unwrap();
    let message = device(large.ntt(z.view_mut(1), &prime));
    assert!(message.contains("ntt: a polynomial is read as coefficients, but has values"), "{message}");

    // secrets, as inputs and as constants
    let mut secret = exporter.alloc(1, 8).unwrap().into_secret();
    let message = device(exporter.input("s", || exporter.upload(&mut secret, 0, &words)));
    assert!(message.contains("upload: the data of a secret"), "{message}");
    exporter.upload(&mut secret, 0, &words).unwrap();
    let mut product = exporter.alloc(1, 8).unwrap();
    let message = device(exporter.mul(product.view_mut(1), x.view(1), secret.view(1), &basis, false));
    assert!(message.contains("mul: the data of a secret"), "{message}");

    let mut copied = exporter.alloc(1, 8).unwrap();
    let message = device(exporter.copy(copied.view_mut(1), secret.view(1)));
    assert!(message.contains("copy: the data of a secret"), "{message}");

    // two rings
    let mut longer = exporter.alloc(1, 16).unwrap();
    let message = device(exporter.input("z", || exporter.upload(&mut longer, 0, &[1; 16])));
    assert!(message.contains("a polynomial of 16 words in a program of degree 8"), "{message}");

    // integers of HEAAN
    let plan = CrtSplitPlan::new(&basis, 30);
    let refused = exporter.crt_split(y.view_mut(1), x.view(1), &plan);
    assert_eq!(refused, Err(BackendError::Unsupported { op: "crt_split", backend: "fhetch".into() }));
}

#[test]
fn a_program_of_heaan_is_refused() {
    use ringjet::heaan;
    let params = heaan::Parameters::new(&heaan::ParamSpec::new(5, 200).allow_insecure()).unwrap();
    let ctx = heaan::Context::new(&params, Arc::new(Exporter::new(Arc::new(Reference::default()))));
    let seed = ringjet::rng::Seed::from_bytes([3; 32]);
    let secret = heaan::SecretKey::from_seed(&params, &seed).unwrap();
    let refused = secret.evaluation_keys(&ctx, &ringjet::KeyPlan::default(), &seed, |_, _| true).map(drop);
    let Err(ringjet::Error::Backend(BackendError::Unsupported { backend, .. })) = refused else {
        panic!("{refused:?}")
    };
    assert_eq!(backend, "fhetch");
}

#[test]
fn more_primes_than_an_instruction_can_name_are_refused() {
    let with = |count: u32| Program {
        degree: 8,
        instructions: (0..count)
            .map(|i| Instruction { op: Op::Negate, dst: i + 2, src: 1, modulus: 2 * u64::from(i) + 3 })
            .collect(),
        inputs: vec![],
        constants: vec![],
        outputs: vec![],
    };
    let most = with(MAX_MODULI as u32);
    assert!(parse(&most.text().unwrap(), 8).unwrap() == most.instructions);
    assert_eq!(with(256).text(), Err(FhetchError::Moduli { found: 256, most: 255 }));
    assert_eq!(Program { degree: 0, ..most.clone() }.text(), Err(FhetchError::RingDegree { found: 0 }));
    assert_eq!(parse("", 12), Err(FhetchError::RingDegree { found: 12 }));
}

/// A folder that is deleted when it is dropped.
struct Folder(PathBuf);

impl Drop for Folder {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.0);
    }
}

#[test]
fn files_are_read_back_and_checked() {
    let folder = Folder(std::env::temp_dir().join(format!("ringjet-fhetch-{}", std::process::id())));
    std::fs::create_dir_all(&folder.0).unwrap();
    let exporter = Exporter::new(Arc::new(Reference::default()));
    let basis = Basis::new(3, &[97]).unwrap();
    let (mut x, mut c) = (exporter.alloc(2, 8).unwrap(), exporter.alloc(1, 8).unwrap());
    let words: Vec<u64> = (0..16).collect();
    exporter.input("x", || exporter.upload(&mut x, 0, &words)).unwrap();
    exporter.upload(&mut c, 0, &[5; 8]).unwrap();
    let mut y = exporter.alloc(2, 8).unwrap();
    exporter.mul(y.view_mut(2), x.view(2), c.view(1), &basis, false).unwrap();
    exporter.output("5 x", || exporter.download(&y, 0, &mut [0; 16])).unwrap();
    let program = exporter.program();
    program.save(&folder.0).unwrap();
    assert!(Program::load(&folder.0).unwrap() == program);
    assert_eq!(std::fs::metadata(folder.0.join("polynomials.bin")).unwrap().len(), 8 * 8 * 5);
    let table = folder.0.join("polynomials.json");
    let json = std::fs::read_to_string(&table).unwrap();
    let entry = |x: &u32| format!(r#"{{"address":{x},"modulus":97,"domain":"values"}}"#);
    let entries = |addresses: &[u32]| addresses.iter().map(entry).collect::<Vec<_>>().join(",");
    let expected = format!(
        r#"{{"format":"ringjet fhetch 1","ring_degree":8,"instructions":2,"inputs":[{{"name":"x","polynomials":[{}]}}],"#,
        entries(&[1, 2])
    ) + &format!(
        r#""constants":[{}],"outputs":[{{"name":"5 x","polynomials":[{}]}}]}}"#,
        entries(&[3]),
        entries(&[4, 5])
    );
    assert_eq!(json, expected + "\n");
    let message = |json: &str| {
        std::fs::write(&table, json).unwrap();
        Program::load(&folder.0).unwrap_err().to_string()
    };
    assert!(message(&json.replace("fhetch 1", "fhetch 2")).contains("expected \"ringjet fhetch 1\""));
    assert!(message(&json.replace(":8,", ":9,")).contains("the ring degree is 9, expected a power of two"));
    let two = json.replace(&entries(&[3]), &entries(&[3, 9]));
    assert!(message(&two).contains("polynomials.bin: 320 bytes, expected 384 for 6 polynomials"));
    for twice in [2, 4] {
        let found = message(&json.replace(&entries(&[3]), &entries(&[twice])));
        assert!(found.contains(&format!("polynomials.json: %{twice} is written twice")), "{found}");
    }
    assert!(message(&json.replace(&entries(&[3]), &entries(&[0]))).contains("the address is 0, expected 1 or more"));
    let other_prime = entries(&[3]).replace("97", "193");
    assert!(message(&json.replace(&entries(&[3]), &other_prime)).contains("a modulus is not that of program.fhetch"));
    let more = json.replace("\"instructions\":2", "\"instructions\":3");
    assert!(message(&more).contains("program.fhetch: 2 instructions, polynomials.json has 3"));
    std::fs::write(&table, &json).unwrap();
    std::fs::write(folder.0.join("program.fhetch"), "halt\n").unwrap();
    assert_eq!(Program::load(&folder.0).unwrap_err().to_string(), "line 1: found \"halt\", expected modulus_count");

    // a program that has no text leaves the files as they are; one that cannot be written, no text
    let mut refused = program.clone();
    refused.instructions = (0..256).map(|i| Instruction { modulus: 2 * i + 3, ..program.instructions[0] }).collect();
    assert_eq!(refused.save(&folder.0), Err(FhetchError::Moduli { found: 256, most: 255 }));
    program.save(&folder.0).unwrap();
    std::fs::remove_file(&table).unwrap();
    std::fs::create_dir(&table).unwrap();
    assert!(program.save(&folder.0).unwrap_err().to_string().contains("polynomials.json: "));
    assert!(!folder.0.join("program.fhetch").exists());
}

/// A scope ends when its closure panics, and an inner one gives way to the outer one.
#[test]
fn scopes_nest_and_end_with_their_closures() {
    let exporter = Exporter::new(Arc::new(Reference::default()));
    let upload = |word| {
        let mut x = exporter.alloc(1, 8).unwrap();
        exporter.upload(&mut x, 0, &[word; 8]).unwrap();
    };
    exporter.input("outer", || {
        exporter.input("inner", || upload(1));
        upload(2);
    });
    let panics = std::panic::AssertUnwindSafe(|| exporter.input("panics", || panic!("expected")));
    assert!(std::panic::catch_unwind(panics).is_err());
    upload(3);
    let found = exporter.program().inputs;
    let found: Vec<_> = found.iter().map(|x| (&*x.name, x.polynomials.iter().map(|y| y.words[0]).collect())).collect();
    assert_eq!(found, [("outer", vec![2]), ("inner", vec![1]), ("panics", vec![])]);
}

/// The empty range at a buffer's end is a view without limbs.
#[test]
fn views_without_limbs_are_views() {
    let exporter = Exporter::new(Arc::new(Reference::default()));
    let (x, mut y) = (exporter.alloc(2, 8).unwrap(), exporter.alloc(2, 8).unwrap());
    exporter.copy(y.view_mut(1).range(2, 0), x.view(1).range(2, 0)).unwrap();
    assert!(exporter.program().instructions.is_empty());
}
