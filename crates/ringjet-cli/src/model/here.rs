//! The device `here`: this machine, as it was measured in some seconds when it was first asked for. The
//! profile stays in the user's cache.

use std::path::Path;

use ringjet_model::{Device, DeviceSpec};

use super::bandwidth;
use super::calibrate::{Effort, most_bytes, profile};
use super::kept;
use super::kernels::Kernel;
use crate::Result;
use crate::text::read;

/// The name of the device.
pub const NAME: &str = "here";

/// This machine with this many threads. It is measured if the cache has no profile of it.
///
/// # Errors
/// What prevents measuring, and what is wrong with a file in the cache. A cache that cannot be written
/// to is no error.
pub fn device(threads: usize) -> Result<Device> {
    let path = kept::path(threads)?;
    if let Some(device) = known(&path, threads)? {
        return Ok(device);
    }
    let _alone = kept::locked(&path);
    // another process may have measured meanwhile
    if let Some(device) = known(&path, threads)? {
        return Ok(device);
    }
    eprintln!("ringjet: measuring this machine, once, for some seconds; {} keeps the figures", path.display());
    let most = most_bytes(threads, 2);
    let sets = [bandwidth::sizes(most / 2, 2), vec![most / 4 * 3, most]].concat();
    let effort = Effort { threads, seconds: 0.05, turns: 2, kernels: Kernel::of_profile(13..=16), sets };
    let (_, device) = profile(&effort, |_| ())?;
    if let Err(e) = kept::keep(&path, &device.to_toml()?) {
        eprintln!("ringjet: the figures are not kept: {e}");
    }
    named(device)
}

/// The device by the profile in the cache.
fn known(path: &Path, threads: usize) -> Result<Option<Device>> {
    if !path.is_file() {
        return Ok(None);
    }
    let again = format!("`ringjet model calibrate --here --threads {threads}` makes it anew");
    let device = Device::from_toml(&read(path)?).map_err(|e| format!("{}: {e}; {again}", path.display()))?;
    named(device).map(Some)
}

/// The device under its name.
fn named(device: Device) -> Result<Device> {
    Ok(Device::new(DeviceSpec { name: NAME.into(), ..device.spec().clone() })?)
}
