use super::*;
use crate::{Cost, Ops};

const TOY: &str = r#"
name = "toy"
source = "made up"
kind = "gpu"
units = 4
word_bytes = 8
launch_s = 0.25
overlap = 1.0

[rates]
ntt_butterflies = 1_000
base_conversion_macs = 2000.0
products = 4e3
additions = 8e3

[[memory]]
name = "L2"
bytes = 1024
read_gb_s = 0.002
write_gb_s = 0.004

[[memory]]
name = "main"
bytes = 1_000_000
read_gb_s = 0.001
write_gb_s = 0.001

[energy]
pj_per_mul = 2.0
pj_per_add = 1.0
pj_per_byte_main = 0.5
"#;

fn toy() -> Device {
    Device::from_toml(TOY).unwrap()
}

/// The error for the profile with one line replaced.
fn refusal(line: &str, by: &str) -> DeviceError {
    assert_eq!(TOY.matches(line).count(), 1, "{line}");
    Device::from_toml(&TOY.replace(line, by)).unwrap_err()
}

fn cost() -> Cost {
    Cost {
        ntt: Ops { mul: 500, add: 1000 },
        base_conversion: Ops { mul: 400, add: 390 },
        elementwise: Ops { mul: 1000, add: 1800 },
        reads: 100,
        key_reads: 20,
        plain_reads: 5,
        writes: 50,
        launches: 3,
        ..Cost::default()
    }
}

#[test]
fn the_longer_of_arithmetic_and_traffic_counts_and_launches_come_on_top() {
    // 500/1000 + 400/2000 + 1000/4000 + 800/8000
    let compute_s = 0.5 + 0.2 + 0.25 + 0.1;
    let close = |a: f64, b: f64| assert!((a - b).abs() < 1e-12, "{a} {b}");
    let cached = toy().time(&cost(), WorkingSets::all(1024));
    close(cached.compute_s, compute_s);
    close(cached.memory_s, 125.0 * 8.0 / 2e6 + 50.0 * 8.0 / 4e6);
    close(cached.launch_s, 0.75);
    close(cached.total_s, compute_s + 0.75);
    // a thousand times the traffic, one byte more than fits the cache
    let much = Cost { reads: 100_000, key_reads: 20_000, plain_reads: 5_000, writes: 50_000, ..cost() };
    let main = toy().time(&much, WorkingSets::all(1025));
    close(main.memory_s, 175_000.0 * 8.0 / 1e6);
    close(main.compute_s, compute_s);
    close(main.total_s, 1.4 + 0.75);
}

#[test]
fn what_does_not_overlap_adds_up() {
    let of = |overlap| Device::new(DeviceSpec { overlap, ..toy().spec().clone() }).unwrap();
    let time = |overlap: f64| of(overlap).time(&cost(), WorkingSets::all(1024));
    let [turns, half, behind] = [0.0, 0.5, 1.0].map(time);
    assert_eq!(turns.total_s, turns.compute_s + turns.memory_s + turns.launch_s);
    assert_eq!(behind.total_s, behind.compute_s + behind.launch_s);
    assert!((half.total_s - (turns.total_s + behind.total_s) / 2.0).abs() < 1e-12);
}

#[test]
fn each_kind_of_traffic_comes_from_where_its_working_set_lies() {
    let mut spec = toy().spec().clone();
    spec.memory[0].read_gb_s = 0.004;
    spec.memory[1].read_gb_s = 0.002;
    spec.memory[1].tiles_gb_s = Some(0.001);
    let toy = Device::new(spec).unwrap();
    // times in nanoseconds, rounded
    let seconds = |cost: Cost, sets| (1e9 * toy.time(&cost, sets).memory_s).round();
    let near = WorkingSets { operands: 1, keys: 1, between: 1 };
    let [cache, main] = [[0.004, 0.004], [0.002, 0.001]].map(|speeds| speeds.map(|gb_s: f64| (8000.0 / gb_s).round()));
    let reads = Cost { reads: 1000, ..Cost::default() };
    assert_eq!(seconds(reads, near), cache[0]);
    assert_eq!(seconds(reads, WorkingSets { operands: 2000, ..near }), main[0]);
    let keys = Cost { key_reads: 1000, ..Cost::default() };
    assert_eq!(seconds(keys, WorkingSets { operands: 2000, ..near }), cache[0]);
    assert_eq!(seconds(keys, WorkingSets { keys: 2000, ..near }), main[0]);
    // scattered tiles take twice as long
    let tiles = Cost { tiled_reads: 1000, ..keys };
    assert_eq!(seconds(tiles, WorkingSets { keys: 2000, ..near }), 2.0 * main[0]);
    let between = Cost { near_reads: 1000, near_writes: 1000, ..Cost::default() };
    assert_eq!(seconds(between, near), cache[0] + cache[1]);
    assert_eq!(seconds(between, WorkingSets { between: 2000, ..near }), main[0] + main[1]);
}

#[test]
fn tiles_are_read_no_faster_than_the_rest() {
    let faster = refusal("write_gb_s = 0.004", "write_gb_s = 0.004\ntiles_gb_s = 0.003").to_string();
    assert_eq!(faster, "memory[0].tiles_gb_s is 0.003, allowed is at most read_gb_s, 0.002");
    assert!(refusal("write_gb_s = 0.004", "write_gb_s = 0.004\ntiles_gb_s = 0.0").to_string().contains("tiles_gb_s"));
}

#[test]
fn additions_beside_products_are_theirs() {
    let time =
        |mul, add| toy().time(&Cost { elementwise: Ops { mul, add }, ..Cost::default() }, WorkingSets::all(0)).total_s;
    assert_eq!(time(4000, 0), 1.0);
    assert_eq!(time(4000, 4000), 1.0);
    assert_eq!(time(4000, 8000), 1.5);
    assert_eq!(time(0, 8000), 1.0);
    assert_eq!(
        toy().time(&Cost::default(), WorkingSets::all(0)),
        Time { compute_s: 0.0, memory_s: 0.0, launch_s: 0.0, total_s: 0.0 }
    );
}

#[test]
fn a_word_takes_the_bytes_that_the_profile_says() {
    let wide = Device::new(DeviceSpec { word_bytes: 16, ..toy().spec().clone() }).unwrap();
    assert_eq!(
        wide.time(&cost(), WorkingSets::all(0)).memory_s,
        2.0 * toy().time(&cost(), WorkingSets::all(0)).memory_s
    );
}

#[test]
fn energy_counts_operations_and_what_leaves_the_caches() {
    let cached = 2.0 * 1900.0 + 3190.0;
    assert_eq!(toy().energy_joules(&cost(), WorkingSets::all(1024)), Some(cached * 1e-12));
    assert_eq!(toy().energy_joules(&cost(), WorkingSets::all(2000)), Some((cached + 0.5 * 8.0 * 175.0) * 1e-12));
    let unknown = Device::new(DeviceSpec { energy: None, ..toy().spec().clone() }).unwrap();
    assert_eq!(unknown.energy_joules(&cost(), WorkingSets::all(0)), None);
}

#[test]
fn a_working_set_lies_where_it_first_fits() {
    let toy = toy();
    let name = |bytes| toy.level(bytes).name.as_str();
    assert_eq!([name(0), name(1024), name(1025), name(u64::MAX)], ["L2", "L2", "main", "main"]);
    assert_eq!(toy.capacity_bytes(), 1_000_000);
}

#[test]
fn every_missing_field_is_named() {
    let lines = TOY.lines().filter(|l| l.contains('='));
    let mut section = String::new();
    let mut missing = Vec::new();
    for (i, line) in TOY.lines().enumerate() {
        if line.starts_with('[') {
            section = line.trim_matches(['[', ']']).to_owned();
        } else if let Some((field, _)) = line.split_once(" = ") {
            let text: String =
                TOY.lines().enumerate().filter(|(j, _)| *j != i).map(|(_, l)| format!("{l}\n")).collect();
            let DeviceError::Missing { field: named } = Device::from_toml(&text).unwrap_err() else { panic!("{line}") };
            assert!(named.starts_with(&section) && named.ends_with(field), "{named} for {line}");
            missing.push(named);
        }
    }
    assert_eq!(missing.len(), lines.count());
    assert!(missing.contains(&"memory[1].read_gb_s".into()) && missing.contains(&"rates.products".into()));
    // profiles that lack a whole table
    let without = |table: &str| Device::from_toml(TOY.split(table).next().unwrap()).unwrap_err().to_string();
    assert_eq!(without("[rates]"), "the field rates is missing");
    assert_eq!(without("[[memory]]"), "the field memory is missing");
}

#[test]
fn every_absurd_number_is_refused_by_name() {
    let numbers = [
        ("units = 4", "units", "1 to 16777216"),
        ("word_bytes = 8", "word_bytes", "1 to 64"),
        ("launch_s = 0.25", "launch_s", "0 to 1"),
        ("overlap = 1.0", "overlap", "0 to 1"),
        ("ntt_butterflies = 1_000", "rates.ntt_butterflies", "1000 to 1e18"),
        ("base_conversion_macs = 2000.0", "rates.base_conversion_macs", "1000 to 1e18"),
        ("products = 4e3", "rates.products", "1000 to 1e18"),
        ("additions = 8e3", "rates.additions", "1000 to 1e18"),
        ("bytes = 1024", "memory[0].bytes", "1024 to 1125899906842624"),
        ("read_gb_s = 0.002", "memory[0].read_gb_s", "0.001 to 1e9"),
        ("write_gb_s = 0.004", "memory[0].write_gb_s", "0.001 to 1e9"),
        ("pj_per_mul = 2.0", "energy.pj_per_mul", "0 to 1e9"),
        ("pj_per_add = 1.0", "energy.pj_per_add", "0 to 1e9"),
        ("pj_per_byte_main = 0.5", "energy.pj_per_byte_main", "0 to 1e9"),
    ];
    for (line, field, range) in numbers {
        let (key, _) = line.split_once(" = ").unwrap();
        let whole = matches!(key, "units" | "word_bytes" | "bytes");
        let may_be_zero = range.starts_with("0 to");
        let values: &[&str] = if whole { &["0", "-1", "1.5", "nan"] } else { &["-1.0", "nan", "inf", "-inf", "1e300"] };
        for value in values.iter().chain(if may_be_zero { [].iter() } else { ["0"].iter() }) {
            match refusal(line, &format!("{key} = {value}")) {
                DeviceError::Value { field: named, allowed, .. } => {
                    assert_eq!(named, field);
                    assert!(allowed == range || allowed.starts_with("a whole number"), "{allowed}");
                }
                other => panic!("{key} = {value}: {other}"),
            }
        }
        let other_type = refusal(line, &format!("{key} = \"much\""));
        assert!(other_type.to_string().starts_with(&format!("{field} is \"much\", allowed is a ")), "{other_type}");
    }
    let message = refusal("products = 4e3", "products = -4e3").to_string();
    assert_eq!(message, "rates.products is -4000, allowed is 1000 to 1e18");
}

#[test]
fn texts_kinds_and_tables_are_checked() {
    let cases = [
        ("name = \"toy\"", "name = \"\"", "name is empty, allowed is a text"),
        ("source = \"made up\"", "source = \" \"", "source is empty, allowed is a text"),
        ("name = \"L2\"", "name = \"\"", "memory[0].name is empty, allowed is a text"),
        ("name = \"L2\"", "name = 2", "memory[0].name is 2, allowed is a text"),
        ("kind = \"gpu\"", "kind = \"fpga\"", "kind is \"fpga\", allowed is cpu, gpu, pim"),
    ];
    for (line, by, message) in cases {
        assert_eq!(refusal(line, by).to_string(), message);
    }
    let head = TOY.split("[rates]").next().unwrap();
    let with = |rest: &str| Device::from_toml(&format!("{head}{rest}")).unwrap_err().to_string();
    assert_eq!(with("rates = 3"), "rates is 3, allowed is a table");
    let rates = &TOY[TOY.find("[rates]").unwrap()..TOY.find("[[memory]]").unwrap()];
    assert_eq!(with(&format!("memory = []\n{rates}")), "memory is empty, allowed is at least one level: main memory");
    assert!(with(&format!("memory = [1]\n{rates}")).starts_with("memory is integer, allowed is a list"));
    assert!(matches!(Device::from_toml("name ="), Err(DeviceError::Syntax(_))));
}

#[test]
fn unknown_fields_are_answered_with_the_known_ones() {
    let cases = [
        ("units = 4", "units = 4\ncores = 4", "cores", "name, source, kind, units,"),
        ("products = 4e3", "products = 4e3\nmuls = 1", "rates.muls", "ntt_butterflies, base_conversion_macs,"),
        ("bytes = 1024", "bytes = 1024\nways = 8", "memory[0].ways", "name, bytes, read_gb_s, write_gb_s"),
        ("pj_per_mul = 2.0", "pj_per_mul = 2.0\nwatts = 1", "energy.watts", "pj_per_mul, pj_per_add,"),
    ];
    for (line, by, field, known) in cases {
        let message = refusal(line, by).to_string();
        assert!(message.starts_with(&format!("no field is called {field}; there are {known}")), "{message}");
    }
}

#[test]
fn levels_grow_and_do_not_get_faster() {
    let cases = [
        ("bytes = 1_000_000", "bytes = 1024", "memory[1].bytes is 1024, allowed is more than the 1024 of L2"),
        (
            "read_gb_s = 0.001\n",
            "read_gb_s = 0.003\n",
            "memory[1].read_gb_s is 0.003, allowed is at most the 0.002 of L2",
        ),
        ("write_gb_s = 0.001\n", "write_gb_s = 1\n", "memory[1].write_gb_s is 1, allowed is at most the 0.004 of L2"),
    ];
    for (line, by, message) in cases {
        let count = TOY.matches(line).count();
        let text =
            if count == 1 { TOY.replace(line, by) } else { TOY.replace(&format!("\n{line}"), &format!("\n{by}")) };
        assert_eq!(Device::from_toml(&text).unwrap_err().to_string(), message);
    }
}

#[test]
fn what_is_written_is_read_again() {
    let text = toy().to_toml().unwrap();
    assert_eq!(Device::from_toml(&text).unwrap(), toy(), "{text}");
}

#[test]
fn built_in_profiles_are_what_their_names_say() {
    assert!(Device::names().count() >= 7);
    for name in Device::names() {
        let device = Device::builtin(name).unwrap();
        assert_eq!(device.name(), name);
        assert!(device.spec().source.len() > 100, "{name}: sources");
        assert_eq!(Device::from_toml(&device.to_toml().unwrap()).unwrap(), device);
    }
    assert_eq!(Device::builtin("Ideal-H200").unwrap().name(), "ideal-h200");
    let error = Device::builtin("abacus").unwrap_err().to_string();
    assert!(error.starts_with("no device is called \"abacus\"; there are cpu-ifma-2core, "), "{error}");
}

#[test]
fn the_machine_of_the_paper_takes_its_traffic_over_900_gb_a_second() {
    // Table XII of de Castro et al. (ePrint 2021/1636): 45.334 GB take 50,371 us
    let cost = Cost { ntt: Ops { mul: 64_000_000_000, add: 0 }, reads: 45_334_000_000 / 8, ..Cost::default() };
    let time = Device::builtin("paper-900").unwrap().time(&cost, WorkingSets::all(1 << 30));
    assert!((time.total_s - 0.050_371).abs() < 1e-6, "{time:?}");
}
