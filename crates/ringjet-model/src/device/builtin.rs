//! The profiles that come with the library.

use super::error::DeviceError;
use super::roofline::Device;

macro_rules! profiles {
    ($($name:literal),+ $(,)?) => {
        /// Name and text of each profile.
        pub(super) const PROFILES: &[(&str, &str)] = &[$(($name, include_str!(concat!("../devices/", $name, ".toml")))),+];
    };
}
profiles!(
    "cpu-ifma-2core",
    "cpu-ifma-1core",
    "epyc-7763",
    "v100",
    "a100-40gb",
    "a100-80gb",
    "ideal-h200",
    "upmem-2560",
    "paper-900",
    "paper-ddr4-8ch",
    "paper-hbm2e",
    "paper-wafer"
);

impl Device {
    /// Names of the profiles that come with the library.
    pub fn names() -> impl Iterator<Item = &'static str> {
        PROFILES.iter().map(|&(name, _)| name)
    }

    /// A profile that comes with the library, by its name; case does not matter.
    ///
    /// # Errors
    /// [`DeviceError::UnknownDevice`], which lists the known names.
    pub fn builtin(name: &str) -> Result<Self, DeviceError> {
        match PROFILES.iter().find(|(known, _)| known.eq_ignore_ascii_case(name)) {
            Some((_, text)) => Self::from_toml(text),
            None => {
                let known = Self::names().collect::<Vec<_>>().join(", ");
                Err(DeviceError::UnknownDevice { name: name.into(), known })
            }
        }
    }
}
