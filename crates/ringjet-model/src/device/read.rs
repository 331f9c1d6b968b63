//! Reads a profile from TOML field by field, so that errors name the field that is wrong.

use toml::{Table, Value};

use super::error::DeviceError;
use super::spec::{DeviceKind, DeviceSpec, Energy, MemoryLevel, Rates};

pub fn spec(text: &str) -> Result<DeviceSpec, DeviceError> {
    let table: Table = text.parse().map_err(|e: toml::de::Error| DeviceError::Syntax(e.to_string()))?;
    let known =
        ["name", "source", "kind", "units", "word_bytes", "launch_s", "overlap", "watts", "rates", "memory", "energy"];
    let top = Fields::new("", &table, &known)?;
    let energy = match table.get("energy") {
        None => None,
        Some(_) => Some(energy(top.table("energy")?)?),
    };
    Ok(DeviceSpec {
        name: top.text("name")?,
        source: top.text("source")?,
        kind: kind(&top)?,
        units: top.small("units")?,
        word_bytes: top.small("word_bytes")?,
        launch_s: top.number("launch_s")?,
        overlap: top.number("overlap")?,
        watts: table.get("watts").map(|_| top.number("watts")).transpose()?,
        rates: rates(top.table("rates")?)?,
        memory: memory(&top)?,
        energy,
    })
}

fn kind(top: &Fields<'_>) -> Result<DeviceKind, DeviceError> {
    let name = top.text("kind")?;
    match DeviceKind::ALL.iter().find(|(known, _)| *known == name) {
        Some(&(_, kind)) => Ok(kind),
        None => Err(top.refused("kind", format!("{name:?}"), &DeviceKind::ALL.map(|(name, _)| name).join(", "))),
    }
}

fn rates(table: &Table) -> Result<Rates, DeviceError> {
    let known = ["ntt_butterflies", "base_conversion_macs", "products", "additions"];
    let fields = Fields::new("rates.", table, &known)?;
    Ok(Rates {
        ntt_butterflies: fields.number("ntt_butterflies")?,
        base_conversion_macs: fields.number("base_conversion_macs")?,
        products: fields.number("products")?,
        additions: fields.number("additions")?,
    })
}

fn energy(table: &Table) -> Result<Energy, DeviceError> {
    let fields = Fields::new("energy.", table, &["pj_per_mul", "pj_per_add", "pj_per_byte_main"])?;
    Ok(Energy {
        pj_per_mul: fields.number("pj_per_mul")?,
        pj_per_add: fields.number("pj_per_add")?,
        pj_per_byte_main: fields.number("pj_per_byte_main")?,
    })
}

fn memory(top: &Fields<'_>) -> Result<Vec<MemoryLevel>, DeviceError> {
    const LEVELS: &str = "a list of tables ([[memory]])";
    let value = top.get("memory")?;
    let levels = value.as_array().ok_or_else(|| top.refused("memory", value.type_str().into(), LEVELS))?;
    let level = |(i, value): (usize, &Value)| {
        let table = value.as_table().ok_or_else(|| top.refused("memory", value.type_str().into(), LEVELS))?;
        let fields =
            Fields::new(&format!("memory[{i}]."), table, &["name", "bytes", "read_gb_s", "write_gb_s", "tiles_gb_s"])?;
        Ok(MemoryLevel {
            name: fields.text("name")?,
            bytes: fields.whole("bytes")?,
            read_gb_s: fields.number("read_gb_s")?,
            write_gb_s: fields.number("write_gb_s")?,
            tiles_gb_s: table.get("tiles_gb_s").map(|_| fields.number("tiles_gb_s")).transpose()?,
        })
    };
    levels.iter().enumerate().map(level).collect()
}

/// The fields of one table.
struct Fields<'a> {
    prefix: String,
    table: &'a Table,
}

impl<'a> Fields<'a> {
    /// Refuses every field that is not in `known`.
    fn new(prefix: &str, table: &'a Table, known: &[&str]) -> Result<Self, DeviceError> {
        match table.keys().find(|key| !known.contains(&key.as_str())) {
            Some(key) => Err(DeviceError::Unknown { field: format!("{prefix}{key}"), known: known.join(", ") }),
            None => Ok(Self { prefix: prefix.into(), table }),
        }
    }

    fn get(&self, field: &str) -> Result<&'a Value, DeviceError> {
        let missing = || DeviceError::Missing { field: format!("{}{field}", self.prefix) };
        self.table.get(field).ok_or_else(missing)
    }

    fn refused(&self, field: &str, value: String, allowed: &str) -> DeviceError {
        DeviceError::Value { field: format!("{}{field}", self.prefix), value, allowed: allowed.into() }
    }

    fn table(&self, field: &str) -> Result<&'a Table, DeviceError> {
        let value = self.get(field)?;
        value.as_table().ok_or_else(|| self.refused(field, shown(value), "a table"))
    }

    fn text(&self, field: &str) -> Result<String, DeviceError> {
        let value = self.get(field)?;
        value.as_str().map(str::to_owned).ok_or_else(|| self.refused(field, shown(value), "a text"))
    }

    /// Reads a number; an integer is accepted as well.
    fn number(&self, field: &str) -> Result<f64, DeviceError> {
        let value = self.get(field)?;
        let integer = || value.as_integer().map(|i| i as f64);
        value.as_float().or_else(integer).ok_or_else(|| self.refused(field, shown(value), "a number"))
    }

    fn whole(&self, field: &str) -> Result<u64, DeviceError> {
        let value = self.get(field)?;
        let whole = value.as_integer().and_then(|i| u64::try_from(i).ok());
        whole.ok_or_else(|| self.refused(field, shown(value), "a whole number above 0"))
    }

    fn small(&self, field: &str) -> Result<u32, DeviceError> {
        let whole = self.whole(field)?;
        u32::try_from(whole).map_err(|_| self.refused(field, whole.to_string(), "a whole number of 32 bits above 0"))
    }
}

/// A value as an error shows it: short values as they are, a table as its type.
fn shown(value: &Value) -> String {
    match value {
        Value::Table(_) | Value::Array(_) => value.type_str().into(),
        other => other.to_string(),
    }
}
