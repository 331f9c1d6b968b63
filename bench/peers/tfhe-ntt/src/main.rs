//! `peer-tfhe-ntt [--log-n N,N,...] [--reps N] [--json]`

use std::process::ExitCode;

const USAGE: &str = "usage: peer-tfhe-ntt [--log-n 13,14,16] [--reps 201] [--json]";

fn main() -> ExitCode {
    let mut sizes = vec![13u32, 14, 16];
    let mut reps = 201usize;
    let mut json = false;
    let mut args = std::env::args().skip(1);
    while let Some(a) = args.next() {
        let ok = match a.as_str() {
            "--json" => {
                json = true;
                true
            }
            "--reps" => args
                .next()
                .and_then(|v| v.parse().ok())
                .filter(|&v| v > 0)
                .map(|v| reps = v)
                .is_some(),
            "--log-n" => args
                .next()
                .and_then(|v| {
                    v.split(',')
                        .map(|s| s.parse().ok().filter(|n| (4..=17).contains(n)))
                        .collect::<Option<Vec<u32>>>()
                })
                .map(|v| sizes = v)
                .is_some(),
            _ => false,
        };
        if !ok {
            eprintln!("{USAGE}");
            return ExitCode::from(2);
        }
    }
    for log_n in sizes {
        let timings = peer_tfhe_ntt::bench(log_n, reps);
        eprintln!(
            "n{log_n}: modulus {}, IFMA code {}, {} transforms a sample",
            timings[0].modulus,
            if timings[0].ifma { "on" } else { "off" },
            timings[0].calls
        );
        for t in timings {
            if json {
                println!(
                    "{{\"bench\":\"{}\",\"backend\":\"{}\",\"params\":\"n{}\",\"threads\":1,\"unit\":\"s\",\"min\":{:e},\"median\":{:e},\"n\":{}}}",
                    t.bench,
                    peer_tfhe_ntt::BACKEND,
                    t.log_n,
                    t.min,
                    t.median,
                    t.n
                );
            } else {
                println!(
                    "{:<5} n{}  min {:9.3} us   median {:9.3} us   n {}",
                    t.bench,
                    t.log_n,
                    t.min * 1e6,
                    t.median * 1e6,
                    t.n
                );
            }
        }
    }
    ExitCode::SUCCESS
}
