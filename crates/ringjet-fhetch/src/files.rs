//! A program in a folder: its text, a table of addresses, and the words of its polynomials.

use std::collections::HashSet;
use std::fs::{self, File};
use std::io::{self, BufReader, BufWriter, Read as _, Write as _};
use std::path::Path;

use ringjet_backend::host::zeros;
use ringjet_backend::plan::Domain;
use serde::{Deserialize, Serialize};

use crate::{FhetchError, Named, Polynomial, Program, Result, parse};

const TEXT: &str = "program.fhetch";
const TABLE: &str = "polynomials.json";
const WORDS: &str = "polynomials.bin";
const FORMAT: &str = "ringjet fhetch 1";

/// The largest degree that is read.
const MAX_DEGREE: usize = 1 << 17;

/// The file [`TABLE`]. [`WORDS`] has the words of all polynomials, in its order: first the inputs,
/// then the constants and the outputs.
#[derive(Serialize, Deserialize, PartialEq)]
struct Table {
    format: String,
    ring_degree: usize,
    instructions: usize,
    inputs: Vec<NamedEntries>,
    constants: Vec<Entry>,
    outputs: Vec<NamedEntries>,
}

#[derive(Serialize, Deserialize, PartialEq)]
struct NamedEntries {
    name: String,
    polynomials: Vec<Entry>,
}

#[derive(Serialize, Deserialize, PartialEq)]
struct Entry {
    address: u32,
    /// The prime of [`Program::primes`].
    modulus: Option<u64>,
    domain: TableDomain,
}

#[derive(Serialize, Deserialize, Clone, Copy, PartialEq)]
#[serde(rename_all = "lowercase")]
enum TableDomain {
    Coefficients,
    Values,
}

impl Program {
    /// Writes three files, which replace files of these names:
    ///
    /// * `polynomials.json`, the table of inputs, constants and outputs: the address of each
    ///   polynomial, its domain, and the prime of the instruction that writes it or first reads it;
    /// * `polynomials.bin`, their words: N words of 64 bits, little endian, for each polynomial of the
    ///   table, in its order;
    /// * `program.fhetch`, the text.
    ///
    /// The old text is removed first and the new one is written last, so a folder with
    /// `program.fhetch` is complete.
    ///
    /// # Errors
    /// [`FhetchError::File`], and as [`Program::text`], which fails before any file is changed.
    pub fn save(&self, folder: &Path) -> Result<()> {
        let text = self.text()?;
        let (path, table) = (folder.join(TABLE), self.table());
        let json = serde_json::to_string(&table).map_err(|e| file_error(&path, e))?;
        match fs::remove_file(folder.join(TEXT)) {
            Err(e) if e.kind() != io::ErrorKind::NotFound => return Err(file_error(&folder.join(TEXT), e)),
            _ => {}
        }
        write(&folder.join(WORDS), |file| {
            self.all().flat_map(|x| &*x.words).try_for_each(|w| file.write_all(&w.to_le_bytes()))
        })?;
        write(&path, |file| writeln!(file, "{json}"))?;
        write(&folder.join(TEXT), |file| file.write_all(text.as_bytes()))
    }

    fn table(&self) -> Table {
        let primes = self.primes();
        let entry = |x: &Polynomial| {
            let domain = match x.domain {
                Domain::Coefficient => TableDomain::Coefficients,
                Domain::Evaluation => TableDomain::Values,
            };
            Entry { address: x.address, modulus: primes.get(&x.address).copied(), domain }
        };
        let named =
            |x: &Named| NamedEntries { name: x.name.clone(), polynomials: x.polynomials.iter().map(entry).collect() };
        Table {
            format: FORMAT.into(),
            ring_degree: self.degree,
            instructions: self.instructions.len(),
            inputs: self.inputs.iter().map(named).collect(),
            constants: self.constants.iter().map(entry).collect(),
            outputs: self.outputs.iter().map(named).collect(),
        }
    }

    /// All polynomials with words, in the order of the files.
    fn all(&self) -> impl Iterator<Item = &Polynomial> {
        polynomials(&self.inputs).chain(&self.constants).chain(polynomials(&self.outputs))
    }

    /// Reads what [`Program::save`] wrote.
    ///
    /// # Errors
    /// [`FhetchError::File`] for files that are missing or do not fit together, or an address that
    /// is written twice; [`FhetchError::Text`].
    pub fn load(folder: &Path) -> Result<Self> {
        let path = folder.join(TABLE);
        let json = fs::read_to_string(&path).map_err(|e| file_error(&path, e))?;
        let table: Table = serde_json::from_str(&json).map_err(|e| file_error(&path, e))?;
        let (format, degree) = (&table.format, table.ring_degree);
        if format != FORMAT {
            return Err(file_error(&path, format!("the format is {format:?}, expected {FORMAT:?}")));
        }
        if !degree.is_power_of_two() || degree > MAX_DEGREE {
            let message = format!("the ring degree is {degree}, expected a power of two up to {MAX_DEGREE}");
            return Err(file_error(&path, message));
        }
        let (mut program, path) = (read_words(&folder.join(WORDS), &table)?, folder.join(TEXT));
        let text = fs::read_to_string(&path).map_err(|e| file_error(&path, e))?;
        program.instructions = parse(&text, degree)?;
        let (found, expected) = (program.instructions.len(), table.instructions);
        if found != expected {
            return Err(file_error(&path, format!("{found} instructions, {TABLE} has {expected}")));
        }
        program.expect_single_writes().map_err(|message| file_error(&folder.join(TABLE), message))?;
        if program.table() != table {
            return Err(file_error(&folder.join(TABLE), format!("a modulus is not that of {TEXT}")));
        }
        Ok(program)
    }

    /// Refuses address 0, and an address that has words or is written more than once.
    fn expect_single_writes(&self) -> std::result::Result<(), String> {
        let given = polynomials(&self.inputs).chain(&self.constants).map(|x| x.address);
        let mut written = HashSet::new();
        for address in given.chain(self.instructions.iter().map(|instruction| instruction.dst)) {
            if address == 0 {
                return Err("the address is 0, expected 1 or more".into());
            }
            if !written.insert(address) {
                return Err(format!("%{address} is written twice, expected one input, constant or instruction"));
            }
        }
        Ok(())
    }
}

/// The inputs, constants and outputs of a table, without instructions.
fn read_words(path: &Path, table: &Table) -> Result<Program> {
    let degree = table.ring_degree;
    let named = |all: &[NamedEntries]| all.iter().map(|x| x.polynomials.len()).sum::<usize>();
    let count = named(&table.inputs) + table.constants.len() + named(&table.outputs);
    let file = File::open(path).map_err(|e| file_error(path, e))?;
    let found = file.metadata().map_err(|e| file_error(path, e))?.len();
    let expected = 8 * count as u64 * degree as u64;
    if found != expected {
        return Err(file_error(path, format!("{found} bytes, expected {expected} for {count} polynomials")));
    }
    let mut file = BufReader::new(file);
    let mut polynomial = |entry: &Entry| -> Result<Polynomial> {
        let mut words = zeros(degree)?;
        for word in &mut words {
            let mut bytes = [0; 8];
            file.read_exact(&mut bytes).map_err(|e| file_error(path, e))?;
            *word = u64::from_le_bytes(bytes);
        }
        let domain = match entry.domain {
            TableDomain::Coefficients => Domain::Coefficient,
            TableDomain::Values => Domain::Evaluation,
        };
        Ok(Polynomial { address: entry.address, domain, words: words.into() })
    };
    let inputs = read_named(&table.inputs, &mut polynomial)?;
    let constants = table.constants.iter().map(&mut polynomial).collect::<Result<_>>()?;
    let outputs = read_named(&table.outputs, &mut polynomial)?;
    Ok(Program { degree, instructions: vec![], inputs, constants, outputs })
}

fn read_named(all: &[NamedEntries], polynomial: &mut impl FnMut(&Entry) -> Result<Polynomial>) -> Result<Vec<Named>> {
    let read = |x: &NamedEntries| -> Result<Named> {
        let polynomials = x.polynomials.iter().map(&mut *polynomial).collect::<Result<_>>()?;
        Ok(Named { name: x.name.clone(), polynomials })
    };
    all.iter().map(read).collect()
}

/// Writes a file that is complete when it has its name.
fn write(path: &Path, contents: impl FnOnce(&mut BufWriter<File>) -> io::Result<()>) -> Result<()> {
    let part = path.with_extension("part");
    let write = || {
        let mut file = BufWriter::new(File::create(&part)?);
        contents(&mut file)?;
        file.into_inner()?.sync_all()?;
        fs::rename(&part, path)
    };
    write().map_err(|e| file_error(path, e))
}

fn polynomials(all: &[Named]) -> impl Iterator<Item = &Polynomial> {
    all.iter().flat_map(|named| &named.polynomials)
}

fn file_error(path: &Path, message: impl ToString) -> FhetchError {
    FhetchError::File { path: path.display().to_string(), message: message.to_string() }
}
