//! `ringjet model devices`.

use std::path::Path;

use ringjet_model::Device;

use crate::Result;
use crate::text::{bytes, print_table, read};

/// The profiles of machines that this command knows, or one of them.
#[derive(clap::Args)]
pub struct Args {
    /// A profile, printed as TOML with the source of each figure; without a name, a table of all
    name: Option<String>,
}

pub fn run(args: &Args) -> Result<()> {
    if let Some(name) = &args.name {
        print!("{}", Device::builtin(name)?.to_toml()?);
        return Ok(());
    }
    let devices = Device::names().map(Device::builtin).collect::<std::result::Result<Vec<_>, _>>()?;
    let header = [
        "name",
        "kind",
        "units",
        "butterflies/s",
        "conversion/s",
        "products/s",
        "additions/s",
        "read, write GB/s",
        "memory",
    ];
    print_table(&header, &devices.iter().map(row).collect::<Vec<_>>());
    println!(
        "\nrates are of modular arithmetic on primes below 2^50; `ringjet model devices NAME` says where they come from"
    );
    Ok(())
}

/// The device called `name`, or the one whose profile is in the file `name`.
pub fn device(name: &str) -> Result<Device> {
    let path = Path::new(name);
    Ok(if path.is_file() { Device::from_toml(&read(path)?)? } else { Device::builtin(name)? })
}

fn row(device: &Device) -> Vec<String> {
    let spec = device.spec();
    let rates = &spec.rates;
    // memory levels are never empty
    let main = device.level(u64::MAX);
    vec![
        spec.name.clone(),
        spec.kind.to_string(),
        spec.units.to_string(),
        rate(rates.ntt_butterflies),
        rate(rates.base_conversion_macs),
        rate(rates.products),
        rate(rates.additions),
        format!("{}, {}", main.read_gb_s, main.write_gb_s),
        bytes(main.bytes),
    ]
}

/// `2.1e9` as `2.10 G`.
pub fn rate(per_second: f64) -> String {
    match per_second {
        r if r >= 1e15 => "no limit".into(),
        r if r >= 1e12 => format!("{:.2} T", r / 1e12),
        r if r >= 1e9 => format!("{:.2} G", r / 1e9),
        r => format!("{:.2} M", r / 1e6),
    }
}

#[cfg(test)]
mod tests {
    #[test]
    fn rates_have_three_digits_and_a_prefix() {
        assert_eq!(
            ["2.50 G", "1.54 T", "12.00 M", "no limit"].map(str::to_owned),
            [2.5e9, 1.545e12, 1.2e7, 1e18].map(super::rate)
        );
    }
}
