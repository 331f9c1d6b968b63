//! Tables as JSON and as CSV.

use std::collections::HashMap;

use crate::common::{json_lines, ringjet, text};

/// The records of CSV: names and values.
fn csv(args: &[&str]) -> Vec<HashMap<String, String>> {
    let output = ringjet(&[args, &["--csv"]].concat());
    assert!(output.status.success(), "{args:?}: {}", text(&output.stderr));
    let mut rows = rows(&text(&output.stdout)).into_iter();
    let names = rows.next().unwrap_or_default();
    let record = |values: Vec<String>| {
        assert_eq!(values.len(), names.len(), "{args:?}");
        names.iter().cloned().zip(values).collect()
    };
    rows.map(record).collect()
}

/// The cells of each row, without quotes. A cell in quotes may have several lines.
fn rows(text: &str) -> Vec<Vec<String>> {
    let (mut rows, mut row, mut cell, mut quoted) = (Vec::new(), Vec::new(), String::new(), false);
    let mut rest = text.chars().peekable();
    while let Some(c) = rest.next() {
        match c {
            '"' if quoted && rest.next_if_eq(&'"').is_some() => cell.push('"'),
            '"' => quoted = !quoted,
            ',' if !quoted => row.push(std::mem::take(&mut cell)),
            '\n' if !quoted => {
                row.push(std::mem::take(&mut cell));
                rows.push(std::mem::take(&mut row));
            }
            c => cell.push(c),
        }
    }
    rows
}

#[test]
fn csv_has_the_records_of_json() {
    for args in [&["params", "n13-depth2"][..], &["model", "devices"], &["model", "table"]] {
        let (rows, records) = (csv(args), json_lines(&ringjet(&[args, &["--json"]].concat())));
        assert_eq!(rows.len(), records.len(), "{args:?}");
        for (row, record) in rows.iter().zip(&records) {
            for (name, value) in record.as_object().unwrap() {
                let cell = row.get(name);
                if let Some(number) = value.as_f64() {
                    // reading JSON can change the last bit
                    let found: f64 = cell.unwrap().parse().unwrap();
                    assert!((found - number).abs() <= 1e-14 * number.abs(), "{args:?}: {name} {found} {number}");
                } else if let Some(text) = value.as_str() {
                    assert_eq!(cell.unwrap(), text, "{args:?}: {name}");
                } else if value.is_boolean() {
                    assert_eq!(cell.unwrap(), &value.to_string(), "{args:?}: {name}");
                } else if let Some(all) = value.as_array() {
                    let found: Vec<serde_json::Value> = serde_json::from_str(cell.unwrap()).unwrap();
                    assert_eq!(found.len(), all.len(), "{args:?}: {name}");
                }
            }
        }
    }
}

#[test]
fn parts_of_records_are_columns() {
    let presets = csv(&["params"]);
    let n13 = presets.iter().find(|p| p["name"] == "n13-depth2").unwrap();
    assert_eq!((n13["slots"].as_str(), n13["depth"].as_str(), n13["scheme"].as_str()), ("4096", "2", "ckks"));
    assert!(n13["bytes.ciphertext_at_rest"].parse::<u64>().unwrap() > 100_000);
    let devices = csv(&["model", "devices", "cpu-ifma-1core"]);
    assert!(devices.len() == 1 && devices[0]["rates.ntt_butterflies"].parse::<f64>().unwrap() > 1e8);
    let pim = csv(&["model", "pim"]);
    assert!(pim.len() > 3 && pim.iter().all(|row| !row["operation"].is_empty()));
}

#[test]
fn benches_as_csv() {
    let small = ["bench", "rotate", "ntt", "sizes", "--log-n", "11", "--limbs", "4", "--dnum", "2", "--reps", "1"];
    let rows = csv(&small);
    let rotate = rows.iter().find(|row| row["bench"] == "rotate").unwrap();
    assert!(rotate["unit"] == "s" && rotate["median"].parse::<f64>().unwrap() > 0.0);
    assert!(rows.iter().any(|row| row["unit"] == "B"));
    let precision = [&["bench", "precision"], &small[4..]].concat();
    assert_eq!(csv(&precision).len(), 2);
    for (args, why) in [
        (&["bench", "rotate", "precision", "--csv"][..], "run precision alone"),
        (&["params", "--csv", "--json"], "cannot be used with"),
    ] {
        let refused = ringjet(args);
        assert!(!refused.status.success() && text(&refused.stderr).contains(why), "{}", text(&refused.stderr));
    }
}
