//! `ringjet model pim` as a user meets it.

use serde_json::Value;

use crate::common::{json_lines, ringjet, text};

fn pim(args: &[&str]) -> Value {
    json_lines(&ringjet(&[&["model", "pim", "--json"], args].concat())).remove(0)
}

/// Milliseconds on DPUs.
fn ms(output: &Value, operation: &str) -> f64 {
    let rows = output["comparison"]["rows"].as_array().unwrap();
    let row = rows.iter().find(|row| row["operation"] == operation).unwrap();
    1e3 * row["pim"]["total_s"].as_f64().unwrap()
}

#[test]
fn the_published_task_is_the_default() {
    let default = pim(&[]);
    assert_eq!((&default["n"], &default["dpus"], &default["clock_mhz"]), (&4096.into(), &2220.into(), &350.0.into()));
    // published: 838, 912 and 125 ms; the emulator deviates by up to -8.1 %
    for (operation, published) in [("NTT", 838.0), ("inverse NTT", 912.0), ("BGV products", 125.0)] {
        assert!((ms(&default, operation) / published - 1.0).abs() < 0.09, "{operation}: {default}");
    }
    let nominal = pim(&["--clock-mhz", "400"]);
    assert!((ms(&nominal, "NTT") / ms(&default, "NTT") - 0.875).abs() < 1e-9);
    // 65,536 polynomials of three primes to the DPUs, published as 178 ms, and as many back
    let moved = ms(&pim(&["--moved"]), "NTT") - ms(&default, "NTT");
    assert!((moved - 356.0).abs() < 1.0, "{moved}");
    assert_eq!(pim(&["--resident"]), default);
    let nine = pim(&["--program", "nine", "--multiplier-bits", "32", "--log-q", "100"]);
    assert_eq!(nine["comparison"]["limbs"], 5); // of at most 24 bits
    let shown = text(&ringjet(&["model", "pim"]).stdout);
    for part in
        ["346.9 W", "sums of pairs", "cpu-ifma-1core / DPUs", "against 16 threads: never", "nothing was measured"]
    {
        assert!(shown.contains(part), "{part}: {shown}");
    }
}

/// Every rung of the published ladder, and figures of the thesis.
#[test]
fn published_programs_and_figures() {
    for (program, published) in [("initial", 4737.0), ("product", 1705.0), ("buffered", 1091.0), ("coalesced", 1072.0)]
    {
        let deviation = ms(&pim(&["--program", program]), "NTT") / published - 1.0;
        assert!((-0.27..0.01).contains(&deviation), "{program}: {deviation}");
    }
    let dummy = ms(&pim(&["--program", "dummy"]), "BGV products") / ms(&pim(&[]), "BGV products") - 1.0;
    assert!((dummy + 0.68).abs() < 0.04, "{dummy}");
    let rows = json_lines(&ringjet(&["model", "table", "klinger-fig4.4", "--json"]));
    assert_eq!(rows.len(), 27);
    assert!(rows.iter().all(|row| row["deviation"].as_f64().is_some_and(|d| d.abs() < 0.3)), "{rows:?}");
    let shown = text(&ringjet(&["model", "table", "klinger-fig3.1"]).stdout);
    assert!(shown.contains("64-bit product") && shown.contains("register conflicts"), "{shown}");
}

#[test]
fn machines_can_be_chosen() {
    let chosen = pim(&["--device", "v100", "--device", "epyc-7763"]);
    assert_eq!(chosen["comparison"]["rivals"], serde_json::json!(["v100", "epyc-7763"]));
    assert_eq!(chosen["comparison"]["rows"][0]["rivals"].as_array().unwrap().len(), 2);
}

#[test]
fn bad_values_are_named_with_their_range() {
    for (args, why) in [
        (["--n", "1000"], "N is 1000, allowed is a power of two from 1024 to 32768"),
        (["--log-q", "5"], "log Q is 5, allowed is 20 to 2000"),
        (["--dpus", "0"], "number of DPUs is 0, allowed is 1 to 1000000"),
        (["--clock-mhz", "1"], "clock in MHz is 1, allowed is 50 to 5000"),
        (["--multiplier-bits", "9"], "multiplier bits is 9, allowed is 8, 16, 32"),
        (
            ["--program", "x"],
            "program is x, allowed is initial, product-only, barrett-only, product, buffered, coalesced, ",
        ),
        (["--prime-bits", "31"], "bits of a prime is 31, allowed is 16 to 30"),
        (["--ciphertexts", "10000000"], "10000000 ciphertexts take "),
        (["--device", "abacus"], "no device is called \"abacus\""),
    ] {
        let refused = ringjet(&[&["model", "pim"][..], &args].concat());
        assert!(!refused.status.success() && text(&refused.stderr).contains(why), "{}", text(&refused.stderr));
    }
}

#[test]
fn the_page_and_its_plot_need_no_other_files() {
    let folder = std::env::temp_dir().join(format!("ringjet-pim-{}", std::process::id()));
    std::fs::create_dir_all(&folder).unwrap();
    let (page, plot) = (folder.join("page.html"), folder.join("plot.svg"));
    let args = ["model", "pim", "--page", page.to_str().unwrap(), "--plot", plot.to_str().unwrap()];
    assert!(ringjet(&args).status.success());
    let html = std::fs::read_to_string(&page).unwrap();
    assert!(html.contains("--ciphertexts 32768 --dpus 2220") && html.matches("<svg").count() == 21);
    assert!(!html.contains("<script") && !html.contains("src=") && !html.contains("href="));
    assert!(std::fs::read_to_string(&plot).unwrap().contains("sums of pairs"));
    std::fs::remove_dir_all(folder).unwrap();
}

/// The rows of the table in `docs/pim.md` have the command's figures.
#[test]
fn the_documented_table_is_current() {
    let page = include_str!("../../../../docs/pim.md");
    let comparison = &pim(&[])["comparison"];
    let ms = |seconds: f64| match 1e3 * seconds {
        0.0 => "-".to_owned(),
        ms if ms < 100.0 => format!("{ms:.2}"),
        ms => format!("{ms:.0}"),
    };
    let number = |value: &Value| value.as_f64().unwrap();
    for row in comparison["rows"].as_array().unwrap() {
        let dpus = number(&row["pim"]["total_s"]) + number(&row["host_s"]);
        let others = row["rivals"].as_array().unwrap().iter().map(|rival| number(&rival["total_s"]));
        let times: Vec<String> = [dpus, number(&row["pim"]["transfer_s"])].into_iter().chain(others).map(ms).collect();
        let [operation, winner, least] =
            ["operation", "winner_without_gpus", "least_joules"].map(|field| row[field].as_str().unwrap());
        let [modules, all] = ["joules", "joules_with_host"].map(|field| number(&row["pim"][field]));
        let line = format!("| {operation} | {} | {winner} | {modules:.1} | {all:.1} | {least} |", times.join(" | "));
        assert!(page.contains(&line), "docs/pim.md lacks {line}");
    }
}

/// The documentation's plot is the one that the command makes.
#[test]
fn the_documented_plot_is_current() {
    let path = std::env::temp_dir().join(format!("ringjet-pim-{}.svg", std::process::id()));
    assert!(ringjet(&["model", "pim", "--plot", path.to_str().unwrap()]).status.success());
    let documented = concat!(env!("CARGO_MANIFEST_DIR"), "/../../docs/pim-winning.svg");
    assert_eq!(std::fs::read_to_string(&path).unwrap(), std::fs::read_to_string(documented).unwrap());
    std::fs::remove_file(path).unwrap();
}
