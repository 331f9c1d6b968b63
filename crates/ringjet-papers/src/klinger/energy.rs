//! Figures 4.6 and 4.7: power and energy.

use ringjet_model::pim::PimModelError;
use ringjet_model::pim::{MachineSpec, PimMachine, Program};

use super::residues::{OPERATIONS, dpus, seal};
use crate::row::Row;

/// Watts of the published CPU system's processor at most: Intel's data sheet of the Xeon Gold
/// 5415+.
const CPU_WATTS: f64 = 150.0;
/// Published: watts of the modules.
const MODULE_WATTS: f64 = 346.9;

fn watts() -> Result<f64, PimModelError> {
    Ok(PimMachine::new(MachineSpec::default())?.watts())
}

/// Figure 4.6.
pub fn power() -> Result<Vec<Row>, PimModelError> {
    let host = MachineSpec::default().host_watts;
    let mut rows = vec![
        Row::new("PIM system, modules", "W", Some(watts()?), Some(MODULE_WATTS)).note("20 W for each 128 DPUs"),
        Row::new("PIM system, processor", "W", Some(host), None)
            .note("data sheet of a Xeon Silver 4215; the figure is a plot, the published processor is not named"),
        Row::new("CPU system, processor", "W", Some(CPU_WATTS), None)
            .note("at most, by the data sheet of the Xeon Gold 5415+; the figure is a plot"),
    ];
    for (operation, ms, _) in OPERATIONS {
        let entry = format!("CPU system, {}: more watts would make DPUs' modules win", operation.name());
        let model = MODULE_WATTS * ms / seal(operation);
        rows.push(Row::new(entry, "W", Some(model), None).note("346.9 W times the published ratio of times"));
    }
    Ok(rows)
}

/// Figure 4.7.
pub fn joules() -> Result<Vec<Row>, PimModelError> {
    let (watts, host) = (watts()?, MachineSpec::default().host_watts);
    let mut rows = Vec::new();
    for (operation, published_ms, _) in OPERATIONS {
        let name = operation.name();
        let ms = dpus(Program::Scrambled, operation)?;
        let (modules, cpu) = (1e-3 * ms * watts, 1e-3 * seal(operation) * CPU_WATTS);
        rows.extend([
            Row::new(
                format!("{name}, modules"),
                "J",
                Some(modules),
                Some((1e-2 * published_ms * MODULE_WATTS).round() / 10.0),
            )
            .note("published is 346.9 W times the published time"),
            Row::new(format!("{name}, modules and host"), "J", Some(modules + 1e-3 * ms * host), None)
                .note("the host's processor takes 85 W; the figure is a plot"),
            Row::new(format!("{name}, SEAL with 16 threads"), "J", Some(cpu), None)
                .note("at most: 150 W times the published time, without memory modules; the figure is a plot"),
            Row::new(format!("{name}, modules / SEAL"), "ratio", Some(modules / cpu), None)
                .note("above 1, as published: DPUs take more energy for all three operations, even without their host"),
        ]);
    }
    Ok(rows)
}
