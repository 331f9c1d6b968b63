//! Program files from the command line: the same bytes as from the library.

use std::fs;
use std::path::PathBuf;
use std::sync::Arc;

use ringjet::dynamic::{
    Ciphertext, Context, EvaluationKeys, Evaluator, KeyRequest, Parameters, Scalar, SecretKey, StartModulus, Values,
};
use ringjet::program::{Input, Op, Program};
use ringjet::rng::Seed;
use ringjet::{ParamSpec, Stated};
use ringjet_backend::Reference;

use crate::common::{json_lines, ringjet, text};

fn input(name: &str, log_slots: u32) -> Input {
    Input {
        name: name.into(),
        log_slots,
        at: StartModulus::default(),
        stated: Stated::Magnitude(1.0),
        complex: false,
        public_key: false,
        count: None,
        zero_padded: false,
    }
}

/// `2 * x * y` and `rotate(x, 3)`, and what a client makes for it, as files.
struct Files {
    folder: PathBuf,
    results: Vec<Vec<u8>>,
}

impl Files {
    fn new(name: &str) -> Self {
        let folder = std::env::temp_dir().join(format!("ringjet-program-{name}-{}", std::process::id()));
        fs::create_dir_all(&folder).unwrap();
        let spec = ParamSpec::uniform(10, 50, 3, 40, 2).allow_insecure();
        let params: Parameters = ringjet::Parameters::new(&spec).unwrap().into();
        let mut program = Program::default();
        let (x, y) = (program.input(input("x", 9)), program.input(input("y", 9)));
        let place = program.place_of("here:1");
        let product = program.push(Op::Mul {}, vec![x, y], place).unwrap().next().unwrap();
        let c = Scalar::Number(2.0);
        let double = program.push(Op::MulScalar { c }, vec![product], place).unwrap().next().unwrap();
        let turned = program.push(Op::Rotate { k: 3 }, vec![x], place).unwrap().next().unwrap();
        program.returns(vec![("[0]".into(), double), ("[1]".into(), turned)]).unwrap();

        let context = Context::new(&params, Arc::new(Reference::default()));
        let seed = Seed::from_bytes([7; 32]);
        let secret = SecretKey::from_seed(&params, &seed).unwrap();
        let plan = params.key_plan(&KeyRequest { rotations: vec![3], ..KeyRequest::default() }).unwrap();
        let keys = secret.evaluation_keys(&context, &plan, &seed, |_, _| true).unwrap();
        let encrypted = |value: f64, seed: u8| -> Ciphertext {
            let values = Values::Numbers((0..512).map(|i| (value * f64::from(i) / 512.0).into()).collect());
            let plain = context.encode(&values, Stated::Magnitude(1.0), StartModulus::default(), 9).unwrap();
            secret.encrypt(&context, &plain, &Seed::from_bytes([seed; 32])).unwrap()
        };
        let inputs = vec![encrypted(0.5, 1), encrypted(-0.25, 2)];
        let write = |name: &str, bytes: &[u8]| fs::write(folder.join(name), bytes).unwrap();
        write("f.program", &program.to_bytes(&params, true).unwrap());
        let mut bytes = params.to_bytes().unwrap();
        EvaluationKeys::write_to_observed(&keys, &context, &mut bytes, |_, _| true).unwrap();
        write("keys.rjet", &bytes);
        for (name, ct) in ["x.rjet", "y.rjet"].iter().zip(&inputs) {
            write(name, &ct.to_bytes(&context).unwrap());
        }
        let eval = Evaluator::new(&context, &keys).unwrap();
        let made = program.run(&eval, inputs, &mut |_, _| true).unwrap();
        Self { results: made.iter().map(|ct| ct.to_bytes(&context).unwrap()).collect(), folder }
    }

    fn path(&self, name: &str) -> String {
        self.folder.join(name).display().to_string()
    }
}

impl Drop for Files {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.folder);
    }
}

#[test]
fn the_command_computes_the_bytes_of_the_library() {
    let files = Files::new("run");
    let (program, keys, out) = (files.path("f.program"), files.path("keys.rjet"), files.path("out"));
    let (x, y) = (files.path("x.rjet"), files.path("y.rjet"));
    let run = |inputs: &[&str]| {
        let front = ["program", "run", "--allow-insecure", &program, "--keys", &keys, "--out", &out];
        ringjet(&[&front[..], inputs].concat())
    };
    assert!(run(&[&x, &y]).status.success());
    let found: Vec<Vec<u8>> = (0..2).map(|i| fs::read(files.folder.join(format!("out/{i}.rjet"))).unwrap()).collect();
    assert!(found == files.results, "the bytes of {} results differ", found.len());
    assert_eq!(fs::read_dir(files.folder.join("out")).unwrap().count(), 2);
    let refused = run(&[&x]);
    assert!(!refused.status.success() && text(&refused.stderr).contains("one for each of x, y"));
    assert!(text(&run(&[&x, &keys]).stderr).contains("keys.rjet: "));
    let secure = ringjet(&["program", "plan", &program]);
    assert!(!secure.status.success() && text(&secure.stderr).contains("f.program: "));
}

#[test]
fn the_command_exports_what_it_computes() {
    let files = Files::new("export");
    let (program, keys, out) = (files.path("f.program"), files.path("keys.rjet"), files.path("out"));
    let (x, y) = (files.path("x.rjet"), files.path("y.rjet"));
    let front = ["program", "export", "--allow-insecure", &program, "--keys", &keys, "--out", &out];
    let export = |more: &[&str]| ringjet(&[&front[..], more].concat());
    let made = export(&[&x, &y, "--check"]);
    assert!(made.status.success(), "{}", text(&made.stderr));
    // two ciphertexts of two polynomials modulo 4 primes; results modulo 3 and 4 primes
    let said = text(&made.stdout);
    assert!(said.contains("on polynomials of 1024 words: 16 of inputs, "), "{said}");
    assert!(said.contains(", 14 of results\nthe instructions give ringjet's results\n"), "{said}");
    let found: Vec<Vec<u8>> = (0..2).map(|i| fs::read(files.folder.join(format!("out/{i}.rjet"))).unwrap()).collect();
    assert!(found == files.results, "the bytes of {} results differ", found.len());
    let table: serde_json::Value =
        serde_json::from_str(&fs::read_to_string(files.folder.join("out/polynomials.json")).unwrap()).unwrap();
    let names = |of: &str| table[of].as_array().unwrap().iter().map(|one| one["name"].clone()).collect::<Vec<_>>();
    assert_eq!((names("inputs"), names("outputs")), (vec!["x".into(), "y".into()], vec!["[0]".into(), "[1]".into()]));
    assert!(fs::read_to_string(files.folder.join("out/program.fhetch")).unwrap().ends_with("\nhalt\n"));
    let result = files.path("out/0.rjet");
    let refused = export(&[&x, &result]);
    let said = text(&refused.stderr);
    assert!(!refused.status.success() && said.contains("0.rjet: the export would replace this file"), "{said}");
    assert!(fs::read(&result).unwrap() == files.results[0]);
    let refused = export(&[&x, &y, &x]);
    assert!(!refused.status.success() && text(&refused.stderr).contains("one for each of x, y"));
}

#[test]
fn programs_of_heaan_are_not_exported() {
    let folder = std::env::temp_dir().join(format!("ringjet-program-heaan-{}", std::process::id()));
    fs::create_dir_all(&folder).unwrap();
    let spec = ringjet::heaan::ParamSpec::new(5, 200).allow_insecure();
    let params: Parameters = ringjet::heaan::Parameters::new(&spec).unwrap().into();
    let mut program = Program::default();
    let x = program.input(input("x", 4));
    let place = program.place_of("here:1");
    let square = program.push(Op::Mul {}, vec![x, x], place).unwrap().next().unwrap();
    program.returns(vec![("y".into(), square)]).unwrap();
    let path = folder.join("f.program");
    fs::write(&path, program.to_bytes(&params, true).unwrap()).unwrap();
    let path = path.display().to_string();
    let refused = ringjet(&["program", "export", "--allow-insecure", &path, "--keys", "k", "--out", "o", "x"]);
    fs::remove_dir_all(&folder).unwrap();
    let said = text(&refused.stderr);
    assert!(!refused.status.success() && said.contains("f.program: HEAAN computes with integers"), "{said}");
}

#[test]
fn the_command_plans_and_prices() {
    let files = Files::new("plan");
    let program = files.path("f.program");
    let plan = json_lines(&ringjet(&["program", "plan", &program, "--json", "--allow-insecure"])).remove(0);
    assert_eq!(plan["keys"]["rotations"], serde_json::json!([3]));
    assert_eq!((&plan["keys"]["relinearization"], &plan["bootstraps"]), (&true.into(), &0.into()));
    assert_eq!((&plan["outputs"][0]["name"], &plan["outputs"][1]["left"]), (&"[0]".into(), &3.into()));
    assert_eq!(plan["outputs"][0]["left"], 2);
    let table = text(&ringjet(&["program", "plan", &program, "--allow-insecure"]).stdout);
    assert!(table.contains("constant product") && table.contains("here:1") && table.contains("result [1]: 3 left"));
    let steps = text(&ringjet(&["program", "plan", &program, "--csv", "--allow-insecure"]).stdout);
    assert!(steps.lines().count() > 3 && steps.starts_with("bootstraps,left,magnitude,") && steps.contains("here:1"));
    let devices = ["program", "estimate", &program, "--allow-insecure", "--json", "--device", "cpu-ifma-2core", "v100"];
    let priced = json_lines(&ringjet(&devices));
    assert!(priced.len() == 2 && priced.iter().all(|d| d["time"]["total_s"].as_f64().unwrap() > 0.0));
}
