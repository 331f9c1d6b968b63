//! The HEAAN tables against the values that the papers print or that their formulas give. The
//! papers are Jung et al., "Accelerating FHE" and "HEAAN Demystified"; see
//! [`ringjet_papers::heaan`].

use ringjet_papers::heaan::{self, Function, Half, HeaanError, Modular, Shape, TABLES};
use ringjet_papers::row::Row;

/// The tolerance for printed figures: at most half a unit of their last digit.
const TOLERANCE: f64 = 0.005;

fn rows(table: &str) -> Vec<Row> {
    heaan::table(table).unwrap()
}

fn row(table: &str, entry: &str, quantity: &str) -> Row {
    let found: Vec<Row> =
        rows(table).into_iter().filter(|row| row.entry == entry && row.quantity.contains(quantity)).collect();
    assert_eq!(found.len(), 1, "{table}, {entry}, {quantity}");
    found.into_iter().next().unwrap()
}

fn assert_close(row: &Row, expected: f64) {
    let model = row.model.unwrap();
    assert!((model / expected - 1.0).abs() < TOLERANCE, "{}, {}: {model} is not {expected}", row.table, row.entry);
}

#[test]
fn operations_of_one_polynomial() {
    for (entry, quantity, expected) in [
        ("CRT", "multiplications", 53.54e6),
        ("CRT", "additions with carry", 53.54e6),
        ("CRT", "modular", 2.82e6),
        ("NTT", "modular", 22.54e6),
        ("NTT", "additions", 45.09e6),
        ("iNTT", "modular", 25.36e6),
        ("iNTT", "additions", 45.09e6),
        ("iCRT", "multiplications", 109.9e6),
        ("iCRT", "additions with carry", 109.9e6),
        ("iCRT", "modular", 5.636e6),
    ] {
        let found = rows("heaan-IV").into_iter().find(|r| r.entry == entry && r.quantity.starts_with(quantity));
        assert_close(&found.unwrap(), expected);
    }
}

#[test]
fn operations_are_those_of_the_printed_formulas() {
    let rows = rows("heaan-IV");
    assert_eq!(rows.len(), 10);
    for row in rows {
        assert_eq!(row.deviation, Some(0.0), "{}, {}", row.entry, row.quantity);
    }
}

#[test]
fn numbers_of_primes_and_of_transforms() {
    for (entry, expected) in [
        ("primes above 2^57", [43.0, 64.0]),
        ("primes above 2^58", [42.0, 63.0]),
        ("primes above 2^59", [42.0, 62.0]),
        ("GPU, primes above 2^27", [90.0, 134.0]),
    ] {
        assert_eq!(row("heaan-VI", entry, "region 1").model, Some(expected[0]));
        assert_eq!(row("heaan-VI", entry, "region 2").model, Some(expected[1]));
    }
    assert_eq!(row("heaan-VI", "primes above 2^57", "forward").model, Some(236.0));
    assert_eq!(row("heaan-VI", "primes above 2^57", "inverse").model, Some(257.0));
    assert!(rows("heaan-VI").iter().all(|row| row.deviation.is_none_or(|d| d == 0.0)));
}

#[test]
fn instructions_of_one_polynomial() {
    for (entry, expected) in [
        ("CRT, emulated, by kernel, AVX", 149.8e6),
        ("CRT, emulated, by kernel, AVX-M", 147.8e6),
        ("NTT, emulated, by kernel, AVX", 60.6e6),
        ("NTT, emulated, by kernel, AVX-M", 50.0e6),
        ("NTT, emulated, by formula", 47.9e6),
        ("iNTT, emulated, by kernel, AVX", 65.5e6),
        ("iNTT, emulated, by kernel, AVX-M", 53.5e6),
        ("iCRT, emulated, by kernel, AVX", 260.0e6),
        ("iCRT, emulated, by kernel, AVX-M", 259.3e6),
        ("NTT, native", 16.9e6),
        ("iNTT, native", 17.26e6),
        ("CRT, native", 26.8e6),
        ("iCRT, native, PLimbs 38", 53.5e6),
        ("iCRT, native, PLimbs 39", 55.0e6),
    ] {
        assert_close(&row("heaan-X", entry, "instructions"), expected);
    }
}

/// The benchmark's kernels with words of 32 bits, whose instructions a test of bench/heaan counts.
#[test]
fn narrow_words_take_fewer_instructions_where_products_are_summed() {
    let ratio = |entry: &str| row("heaan-words", entry, "32 bits over words of 64").model.unwrap();
    // CRT: 12 vectors of 90 primes instead of 6 of 43, with 2 * 38 + 3 * 5 + 28 instead of 19 * 18 + 34
    let shape = Shape::avx512().region(Half::Tensor).residues;
    assert_eq!(shape.kernel_instructions(Function::Crt, Modular::Modified), 65536 * 6 * (19 * 18 + 34));
    let narrow = Shape::gpu().region(Half::Tensor).residues;
    assert_eq!(narrow.kernel_instructions(Function::Crt, Modular::Narrow), 65536 * 12 * (76 + 15 + 28));
    assert!(ratio("CRT") < 0.7 && ratio("iCRT") < 0.7, "{} {}", ratio("CRT"), ratio("iCRT"));
    assert!(ratio("NTT") > 1.1 && ratio("iNTT") > 1.1);
}

#[test]
fn security_of_the_rings_of_table_ii() {
    let bits: Vec<f64> =
        rows("heaan-II").iter().filter(|r| r.quantity.contains("security")).filter_map(|r| r.model).collect();
    assert_eq!(bits.len(), 4);
    // the modulus grows with N, so all are alike
    assert!(bits.iter().all(|b| (91.0..95.0).contains(b)), "{bits:?}");
    assert!(rows("heaan-II").iter().all(|r| !r.quantity.contains("multiplications") || r.deviation == Some(0.0)));
}

#[test]
fn memory_of_the_second_half() {
    let dram = |entry: &str| row("heaan-ops", entry, "DRAM");
    assert!(dram("CRT").deviation.unwrap().abs() < 0.02, "{:?}", dram("CRT"));
    for entry in ["NTT", "iNTT"] {
        assert!((0.1..0.25).contains(&dram(entry).deviation.unwrap()), "{:?}", dram(entry));
    }
    assert!(dram("iCRT").deviation.unwrap() < -0.5, "{:?}", dram("iCRT"));
}

/// The counts in the notes: what would give the printed values, and what the kernels have more or
/// less.
#[test]
fn notes_of_table_x_explain_its_deviations() {
    let note = |entry: &str| row("heaan-X", entry, "instructions").note.unwrap();
    // 6 vectors of primes and 2^16 coefficients: 19 words with 20 instructions each, and 14
    assert!(note("CRT, emulated, by kernel, AVX").ends_with("20 and 14 would give 154.9 million, the printed value"));
    assert_eq!((65536.0 * 6.0 * (19.0 * 20.0 + 14.0) / 1e6_f64).round(), 155.0);
    assert!(note("NTT, emulated, by kernel, AVX-M").contains("17 a butterfly (47.9 million), and 6 for"));
    assert!(note("iNTT, emulated, by kernel, AVX-M").contains("divide by N (5.6 million)"));
    // 43 primes, 5 vectors of words
    let icrt = note("iCRT, emulated, by kernel, AVX-M");
    assert!(icrt.contains("22 (310.0 million) and 26 for each eight residues (9.2 million)"), "{icrt}");
    assert_eq!((65536.0 * 43.0 * (5.0 * 22.0 + 26.0 / 8.0) / 1e6_f64).round(), 319.0);
}

#[test]
fn formulas_of_table_x_give_the_printed_millions() {
    for entry in ["NTT, emulated, by formula", "CRT, native", "NTT, native", "iNTT, native"] {
        let row = row("heaan-X", entry, "instructions");
        assert_eq!((row.model.unwrap() / 1e6).round() * 1e6, row.paper.unwrap(), "{entry}");
    }
}

#[test]
fn sizes_of_parameters_and_tables() {
    for table in ["heaan-III", "heaan-V"] {
        assert!(rows(table).iter().all(|row| row.paper.is_none() || row.deviation == Some(0.0)), "{table}");
    }
    let limbs: Vec<f64> = rows("heaan-III").iter().filter(|r| r.entry == "PLimbs").filter_map(|r| r.model).collect();
    assert_eq!(limbs, [38.0, 38.0]);
    let words =
        |entry: &str| -> f64 { rows("heaan-V").iter().filter(|r| r.entry == entry).filter_map(|r| r.model).sum() };
    assert_eq!(words("CRT"), 65536.0 * 19.0 + 43.0 * 19.0);
    assert_eq!(words("NTT"), 2.0 * 65536.0 * 43.0);
    assert_eq!(words("iCRT"), 65536.0 * 43.0 + 43.0 + 43.0 * 39.0);
}

#[test]
fn lane_operations_of_a_multiplication() {
    for (entry, expected, printed) in
        [("CRT", 6.58e9, 1e7), ("NTT", 2.103e9, 1e7), ("iNTT", 2.442e9, 1e7), ("iCRT", 17.9e9, 1e8)]
    {
        let row = row("heaan-ops", entry, "AVX-512 lane operations");
        assert_close(&row, expected);
        assert!((row.model.unwrap() - row.paper.unwrap()).abs() < printed / 2.0, "{entry}: not the printed digits");
    }
    for entry in ["CRT", "iCRT"] {
        assert_close(&row("heaan-ops", entry, "per product of words"), 22.39);
    }
    for row in rows("heaan-ops").iter().filter(|row| row.quantity.contains("operations per second")) {
        assert!(row.deviation.unwrap().abs() < 0.01, "{}: times are printed to a tenth of a millisecond", row.entry);
    }
}

#[test]
fn growth_with_the_largest_modulus() {
    let lanes = |entry: &str| row("heaan-fig6", entry, "share of AVX-512 lane operations").model.unwrap();
    let small: Vec<f64> = Function::ALL.iter().map(|f| lanes(&format!("log Q 150, {}", f.name()))).collect();
    assert!((small.iter().sum::<f64>() - 1.0).abs() < 1e-12);
    assert!(small.iter().all(|share| (0.19..0.38).contains(share)), "{small:?}");
    assert!(lanes("log Q 2400, iCRT") > 0.66 && lanes("log Q 2400, NTT") < 0.05);
    let power = |entry: &str| row("heaan-fig6", entry, "power of log Q, AVX-512 lane").model.unwrap();
    assert!((power("log Q 1200 to 2400, iCRT") - 3.0).abs() < 0.1);
    assert!((power("log Q 1200 to 2400, all") - 3.0).abs() < 0.21);
    assert!(power("log Q 1200 to 2400, all") > power("log Q 300 to 600, all"));
}

#[test]
fn descent_of_the_modulus() {
    let last = row("heaan-fig7", "log q 30", "operations of Table IV relative");
    assert_close(&last, 0.24);
    let shape = Shape::avx512().at_log_q(30).unwrap();
    let all: u64 = Function::ALL.iter().map(|&f| shape.operations(f).weighted(3)).sum();
    assert!(2 * shape.operations(Function::Icrt).weighted(3) > all, "iCRT dominates at every modulus");
    let primes = |entry: &str, region: &str| row("heaan-fig7", entry, region).model.unwrap();
    assert_eq!((primes("log q 30", "region 1"), primes("log q 30", "region 2")), (2.0, 43.0));
    assert_eq!((primes("log q 1200", "region 1"), primes("log q 1200", "region 2")), (43.0, 64.0));
}

#[test]
fn every_row_is_of_its_table_and_is_finite() {
    for table in TABLES {
        for row in rows(table) {
            assert_eq!(row.table, table);
            assert!([row.model, row.paper, row.deviation].into_iter().flatten().all(f64::is_finite));
            assert!(row.model.is_some() || row.note.is_some());
        }
    }
    assert_eq!(heaan::table("heaan-XI"), Err(HeaanError::UnknownTable("heaan-XI".into())));
    let message = heaan::table("").unwrap_err().to_string();
    assert!(message.contains("heaan-II, heaan-III"), "{message}");
}

#[test]
fn a_row_has_these_keys() {
    let json = serde_json::to_value(row("heaan-X", "CRT, emulated, by kernel, AVX", "instructions")).unwrap();
    let keys: Vec<&str> = json.as_object().unwrap().keys().map(String::as_str).collect();
    assert_eq!(keys, ["deviation", "entry", "model", "note", "paper", "quantity", "table"]);
    assert!(json["model"] == 149_815_296.0 && json["paper"] == 155e6);
}

/// Prints all tables; run with `--nocapture` to read them.
#[test]
fn tables_to_read() {
    let number =
        |n: Option<f64>| n.map_or("-".into(), |n| if n < 1e3 { format!("{n:.4}") } else { format!("{n:.4e}") });
    for row in TABLES.iter().flat_map(|table| rows(table)) {
        let deviation = row.deviation.map_or("-".into(), |d| format!("{:+.2} %", 100.0 * d));
        let (model, paper) = (number(row.model), number(row.paper));
        println!("{:10} {:32} {:60} {model:>10} {paper:>10} {deviation:>9}", row.table, row.entry, row.quantity);
    }
}
