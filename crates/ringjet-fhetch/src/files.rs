//! A program in a folder: its text, a table of addresses, and the words of its polynomials.

use std::fs;
use std::io::{BufReader, BufWriter, Read as _, Write as _};
use std::path::Path;

use ringjet_backend::host::zeros;
use serde::{Deserialize, Serialize};

use crate::{FhetchError, Named, Polynomial, Program, Result, parse};

const TEXT: &str = "program.fhetch";
const TABLE: &str = "polynomials.json";
const WORDS: &str = "polynomials.bin";
const FORMAT: &str = "ringjet fhetch 1";

/// The largest degree that is read.
const MAX_DEGREE: usize = 1 << 17;

/// The file [`TABLE`]. [`WORDS`] has the words of all polynomials, in its order: those of inputs,
/// of constants, and of outputs.
#[derive(Serialize, Deserialize)]
struct Table {
    format: String,
    ring_degree: usize,
    inputs: Vec<Addresses>,
    constants: Vec<u32>,
    outputs: Vec<Addresses>,
}

#[derive(Serialize, Deserialize)]
struct Addresses {
    name: String,
    addresses: Vec<u32>,
}

impl Program {
    /// Writes `program.fhetch`, the text; `polynomials.json`, the addresses of inputs, constants and
    /// outputs; and `polynomials.bin`, their words: N words of 64 bits, little endian, for each
    /// address of the table, in its order. Files of these names are replaced.
    ///
    /// # Errors
    /// [`FhetchError::File`], and as [`Program::text`].
    pub fn save(&self, folder: &Path) -> Result<()> {
        let names = |all: &[Named]| -> Vec<Addresses> {
            let addresses = |named: &Named| named.polynomials.iter().map(|x| x.address).collect();
            all.iter().map(|named| Addresses { name: named.name.clone(), addresses: addresses(named) }).collect()
        };
        let table = Table {
            format: FORMAT.into(),
            ring_degree: self.degree,
            inputs: names(&self.inputs),
            constants: self.constants.iter().map(|x| x.address).collect(),
            outputs: names(&self.outputs),
        };
        let text = self.text()?;
        let path = folder.join(TABLE);
        let json = serde_json::to_string(&table).map_err(|e| wrong(&path, e))?;
        fs::write(&path, json + "\n").map_err(|e| wrong(&path, e))?;
        let path = folder.join(WORDS);
        self.write_words(&path).map_err(|e| wrong(&path, e))?;
        let path = folder.join(TEXT);
        fs::write(&path, text).map_err(|e| wrong(&path, e))
    }

    fn write_words(&self, path: &Path) -> std::io::Result<()> {
        let mut file = BufWriter::new(fs::File::create(path)?);
        for x in polynomials(&self.inputs).chain(&self.constants).chain(polynomials(&self.outputs)) {
            x.words.iter().try_for_each(|word| file.write_all(&word.to_le_bytes()))?;
        }
        file.into_inner()?.sync_all()
    }

    /// Reads what [`Program::save`] wrote.
    ///
    /// # Errors
    /// [`FhetchError::File`] for files that are missing or do not fit together, [`FhetchError::Text`].
    pub fn load(folder: &Path) -> Result<Self> {
        let (path, words) = (folder.join(TABLE), folder.join(WORDS));
        let json = fs::read_to_string(&path).map_err(|e| wrong(&path, e))?;
        let table: Table = serde_json::from_str(&json).map_err(|e| wrong(&path, e))?;
        if table.format != FORMAT {
            return Err(wrong(&path, format!("the format is {:?}, expected {FORMAT:?}", table.format)));
        }
        let degree = table.ring_degree;
        if !degree.is_power_of_two() || degree > MAX_DEGREE {
            return Err(wrong(
                &path,
                format!("the ring degree is {degree}, expected a power of two up to {MAX_DEGREE}"),
            ));
        }
        let named = |all: &[Addresses]| all.iter().map(|x| x.addresses.len()).sum::<usize>();
        let count = named(&table.inputs) + table.constants.len() + named(&table.outputs);
        let file = fs::File::open(&words).map_err(|e| wrong(&words, e))?;
        let (found, expected) = (file.metadata().map_err(|e| wrong(&words, e))?.len(), 8 * (count * degree) as u64);
        if found != expected {
            return Err(wrong(&words, format!("{found} bytes, expected {expected} for {count} polynomials")));
        }
        let mut file = BufReader::new(file);
        let mut polynomial = |address: u32| -> Result<Polynomial> {
            let mut made = zeros(degree)?;
            for word in &mut made {
                let mut bytes = [0; 8];
                file.read_exact(&mut bytes).map_err(|e| wrong(&words, e))?;
                *word = u64::from_le_bytes(bytes);
            }
            Ok(Polynomial { address, words: made.into() })
        };
        let mut read = |all: Vec<Addresses>| -> Result<Vec<Named>> {
            let one = |x: Addresses| -> Result<Named> {
                let polynomials = x.addresses.into_iter().map(&mut polynomial).collect::<Result<_>>()?;
                Ok(Named { name: x.name, polynomials })
            };
            all.into_iter().map(one).collect()
        };
        let inputs = read(table.inputs)?;
        let constants = Addresses { name: String::new(), addresses: table.constants };
        let constants = read(vec![constants])?.remove(0).polynomials;
        let outputs = read(table.outputs)?;
        let path = folder.join(TEXT);
        let text = fs::read_to_string(&path).map_err(|e| wrong(&path, e))?;
        Ok(Self { degree, instructions: parse(&text)?, inputs, constants, outputs })
    }
}

fn polynomials(all: &[Named]) -> impl Iterator<Item = &Polynomial> {
    all.iter().flat_map(|named| &named.polynomials)
}

fn wrong(path: &Path, message: impl ToString) -> FhetchError {
    FhetchError::File { path: path.display().to_string(), message: message.to_string() }
}
