//! `ringjet model devices`.

use std::path::Path;

use ringjet_model::Device;

use super::here;
use crate::text::{Form, bytes, print_table, rate, read};
use crate::{Result, system};

/// The profiles of machines that this command knows, or one of them.
#[derive(clap::Args)]
pub struct Args {
    /// A profile, printed as TOML with the source of each figure; without a name, a table of all
    name: Option<String>,
    #[command(flatten)]
    form: Form,
}

pub fn run(args: &Args) -> Result<()> {
    if !args.form.is_table() {
        let names: Vec<&str> = args.name.as_deref().map_or_else(|| Device::names().collect(), |name| vec![name]);
        let devices = names.into_iter().map(known).collect::<Result<Vec<_>>>()?;
        return args.form.print(devices.iter().map(Device::spec));
    }
    if let Some(name) = &args.name {
        print!("{}", known(name)?.to_toml()?);
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

/// A device by its name.
fn known(name: &str) -> Result<Device> {
    if name == here::NAME { here::device(system::cores()) } else { Ok(Device::builtin(name)?) }
}

/// The device called `name`, or the one whose profile is in the file `name`. `here` is this machine with
/// this many threads.
pub fn device(name: &str, threads: usize) -> Result<Device> {
    let path = Path::new(name);
    Ok(match name {
        _ if path.is_file() => Device::from_toml(&read(path)?)?,
        here::NAME => here::device(threads)?,
        _ => Device::builtin(name)?,
    })
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
