use std::collections::HashSet;
use std::sync::Arc;

use ringjet::params::{BootstrapChain, BootstrapSpec};
use ringjet::{Bootstrapper, Ciphertext, Context, EvaluationKeys, Evaluator, Parameters};
use ringjet_model::{CountingBackend, Device, Trace};
use serde_json::Value;

use super::{Program, Report, html, read_search};

/// The calls of a bootstrap on a small ring.
fn bootstrap() -> Trace {
    let (log_n, bootstrap) = (10, BootstrapSpec { slots_to_coeffs_first: true, ..BootstrapSpec::standard(10, 2) });
    let chain = BootstrapChain {
        message_levels: 3,
        log_ratio: 12.0,
        eval_mod_bits: 58.0,
        coeffs_to_slots_bits: 49.0,
        special: 4,
        bootstrap,
        ..BootstrapChain::standard(log_n)
    };
    let params = Parameters::new(&chain.generate().unwrap().0.allow_insecure()).unwrap();
    let model = Arc::new(CountingBackend::default());
    let ctx = Context::new(&params, model.clone());
    let request = Bootstrapper::key_plan(&params, log_n - 1).unwrap();
    let eval = Evaluator::bootstrapping(&ctx, Arc::new(EvaluationKeys::uncomputed(&ctx, &request).unwrap())).unwrap();
    eval.set_bootstrapper(Arc::new(Bootstrapper::new(&ctx, log_n - 1, |_, _| true).unwrap())).unwrap();
    let input = Ciphertext::uncomputed(&ctx, params.bootstrap().unwrap().input_level(), log_n - 1).unwrap();
    model.take();
    eval.bootstrap(&input).unwrap();
    model.take()
}

fn report() -> (Report, Vec<Program>, Vec<Device>) {
    let summary = "a summary with </script><script>alert(1)</script> and <!-- in it".into();
    let programs = vec![Program { name: "small".into(), summary, trace: bootstrap() }];
    let devices: Vec<Device> = Device::names().map(|name| Device::builtin(name).unwrap()).collect();
    (Report::new("ringjet model report", &programs, &devices), programs, devices)
}

/// The page's data: the text of its JSON script element.
fn data(page: &str) -> &str {
    let (_, rest) = page.split_once("<script type=\"application/json\" id=\"data\">").unwrap();
    rest.split_once("</script>").unwrap().0
}

#[test]
fn the_page_has_every_point_of_every_estimate() {
    let (report, programs, devices) = report();
    let page = html(&report).unwrap();
    let data: Value = serde_json::from_str(data(&page)).unwrap();
    assert_eq!(data["programs"][0]["summary"], programs[0].summary.as_str());
    assert_eq!(data["runs"].as_array().unwrap().len(), devices.len());
    let steps = data["programs"][0]["steps"].as_array().unwrap();
    for (device, run) in devices.iter().zip(data["runs"].as_array().unwrap()) {
        let estimate = programs[0].trace.estimate(device);
        let points = run["points"].as_array().unwrap();
        assert_eq!(points.len(), estimate.points.len());
        assert!(points.len() > 20);
        for (p, q) in points.iter().zip(&estimate.points) {
            let path: Vec<&str> = steps[p["step"].as_u64().unwrap() as usize]
                .as_array()
                .unwrap()
                .iter()
                .map(|s| s.as_str().unwrap())
                .collect();
            assert_eq!((path, p["name"].as_str().unwrap()), (q.path.clone(), q.name));
            assert_eq!([&p["count"], &p["ops"], &p["bytes"]], [q.count, q.cost.ops(), q.cost.bytes()]);
            assert!((p["total_s"].as_f64().unwrap() / q.time.total_s - 1.0).abs() < 1e-6);
        }
        let tree = &run["tree"];
        assert_eq!([&tree["ops"], &tree["bytes"]], [estimate.cost.ops(), estimate.cost.bytes()]);
    }
}

#[test]
fn the_page_stands_alone() {
    let page = html(&report().0).unwrap();
    assert!(page.len() < 3 << 20, "{} bytes", page.len());
    assert_eq!(page.matches("</script>").count(), 2);
    assert!(!page.contains("<!--") && !page.contains("/*DATA*/") && !page.contains("/*STYLE*/"));
    let namespace = page.matches("http://www.w3.org/2000/svg").count();
    let addresses = page.matches("http://").count() + page.matches("https://").count();
    assert_eq!((namespace, addresses), (1, 1), "no address but the name of a language");
    assert!(page.contains("default-src 'none'"));
}

#[test]
fn ceilings_are_those_of_the_device() {
    let (report, ..) = report();
    for run in &report.runs {
        let device = &report.devices[run.device];
        let main = run.memory.last().unwrap().per_second.unwrap();
        let of_memory =
            [("paper-900", 900e9), ("paper-ddr4-8ch", 204.8e9), ("paper-hbm2e", 2039e9), ("paper-wafer", 150e9)];
        if let Some((_, expected)) = of_memory.iter().find(|(name, _)| *name == device.name) {
            assert!(run.compute.iter().all(|c| c.per_second.is_none()));
            assert!((main / expected - 1.0).abs() < 1e-5, "{}: {main}", device.name);
            continue;
        }
        let mixed = run.compute[0].per_second.unwrap();
        let classes: Vec<f64> = run.compute[1..].iter().map(|c| c.per_second.unwrap()).collect();
        assert_eq!(classes.len(), 3);
        let (slowest, fastest) =
            (classes.iter().copied().fold(f64::MAX, f64::min), classes.iter().copied().fold(0., f64::max));
        assert!(slowest <= mixed && mixed <= fastest, "{}: {slowest} {mixed} {fastest}", device.name);
        assert!(run.memory.windows(2).all(|w| w[0].per_second >= w[1].per_second), "{}", device.name);
    }
}

#[test]
fn traffic_falls_from_bar_to_bar() {
    let (report, programs, _) = report();
    let bars = &report.waterfalls[0].bars;
    assert_eq!(bars.len(), 7);
    assert!(bars.windows(2).all(|w| w[1].gb() < w[0].gb()), "{bars:?}");
    assert!(bars.windows(2).all(|w| w[1].gop == w[0].gop));
    assert!((bars[6].key_gb / bars[5].key_gb - 0.5).abs() < 1e-9);
    let labels: HashSet<&str> = bars.iter().map(|b| b.label.as_str()).collect();
    assert_eq!(labels.len(), bars.len());
    // bytes that a GPU without a cache reads and writes
    let paper = programs[0].trace.estimate(&Device::builtin("paper-900").unwrap());
    assert!((bars[0].gb() / (paper.cost.bytes() as f64 * 1e-9) - 1.0).abs() < 1e-9);
}

#[test]
fn published_figures_are_beside_our_own() {
    let (report, ..) = report();
    let [four, five] = &report.waterfalls[1..] else { panic!("{} waterfalls", report.waterfalls.len()) };
    let close = |bars: &[super::Bar], expected: &[f64]| {
        assert_eq!(bars.len(), expected.len());
        bars.iter().zip(expected).for_each(|(bar, gb)| assert!((bar.gb() / gb - 1.0).abs() < 1e-4, "{bar:?}, {gb}"));
    };
    close(&four.bars, &[207.98, 178.06, 170.85, 127.75, 117.57]);
    close(&five.bars, &[76.65, 76.65, 61.96, 45.334]);
    let printed = |bar: &super::Bar| bar.published.and_then(|p| p.gb);
    assert_eq!([&four.bars[0], &four.bars[4], &five.bars[3]].map(printed), [Some(207.982), None, Some(45.3341)]);
}

#[test]
fn searches_are_read_as_they_come() {
    let text = "{\"log_n\":16,\"seconds\":1.5,\"preset\":{\"dnum\":3,\"primes\":[1,2],\"inner\":{\"x\":true}}}\n\n{\"other\":\"a\",\"none\":null}\n";
    let all = read_search(text).unwrap();
    assert_eq!(
        Value::from(all[0].clone()),
        serde_json::json!({"log_n":16,"seconds":1.5,"preset.dnum":3,"preset.inner.x":true})
    );
    assert_eq!(Value::from(all[1].clone()), serde_json::json!({"other":"a"}));
    assert_eq!(read_search("{}\n[1]").unwrap_err().to_string(), "line 2 is no JSON object");
    assert!(read_search("{}\n\n{").unwrap_err().to_string().starts_with("line 3 is no JSON: "));
    assert_eq!(read_search("\n").unwrap_err().to_string(), "there is no line with a parameter set");
}
