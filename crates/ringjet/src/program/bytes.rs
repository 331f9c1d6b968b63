//! Program files. The layout is in `docs/design/wire-format.md`.

use sha2::{Digest, Sha256};

use super::constants::{DIGEST, Reader, Shared, Writer};
use super::graph::{Input, Program, Value};
use super::op::Op;
use crate::dynamic::{Parameters, StartModulus};
use crate::wire::{Field, Input as _, Reader as Bytes};
use crate::{Error, Result};

/// The name in messages.
const WHAT: &str = "program";
const MAGIC: [u8; 4] = *b"RJPR";
const VERSION: u32 = 1;

/// The most bytes of a program that is read, unless the caller says otherwise: 1 GiB.
pub const MAX_BYTES: u64 = 1 << 30;

impl Field for Value {
    fn put(&self, out: &mut Vec<u8>) -> Result<()> {
        self.0.put(out)
    }

    fn read(r: &mut impl crate::wire::Input) -> Result<Self> {
        u32::read(r).map(Self)
    }
}

impl Field for StartModulus {
    fn put(&self, out: &mut Vec<u8>) -> Result<()> {
        self.level.put(out)?;
        self.log_q.put(out)
    }

    fn read(r: &mut impl crate::wire::Input) -> Result<Self> {
        Ok(Self { level: Field::read(r)?, log_q: Field::read(r)? })
    }
}

crate::wire::record!(Input { name, log_slots, at, stated, complex, public_key, count, zero_padded });

/// A program with the parameters under which it was recorded.
pub struct Stored {
    /// The parameters.
    pub params: Parameters,
    /// Whether it was recorded for servers with bootstrapping keys.
    pub bootstrapping: bool,
    /// The program.
    pub program: Program,
}

impl Program {
    /// The program as bytes, with the parameters under which it was recorded, and whether for servers with
    /// bootstrapping keys.
    /// Fails with [`Error::Parameters`] for more than `2^32` of anything.
    pub fn to_bytes(&self, params: &Parameters, bootstrapping: bool) -> Result<Vec<u8>> {
        let mut w = Writer::default();
        self.places.put(&mut w.out)?;
        // inputs and operations in the order of their values
        (self.inputs.len() + self.nodes.len()).put(&mut w.out)?;
        let mut inputs = self.inputs.iter().peekable();
        for node in &self.nodes {
            while let Some((input, _)) = inputs.next_if(|(_, value)| *value < node.first) {
                w.out.push(0);
                input.put(&mut w.out)?;
            }
            w.out.push(node.op.code());
            node.operands.put(&mut w.out)?;
            node.place.put(&mut w.out)?;
            node.op.write(&mut w)?;
        }
        for (input, _) in inputs {
            w.out.push(0);
            input.put(&mut w.out)?;
        }
        self.outputs.len().put(&mut w.out)?;
        for (name, value) in &self.outputs {
            name.put(&mut w.out)?;
            value.put(&mut w.out)?;
        }
        let mut bytes = MAGIC.to_vec();
        VERSION.put(&mut bytes)?;
        params.to_json()?.put(&mut bytes)?;
        bootstrapping.put(&mut bytes)?;
        w.constants.len().put(&mut bytes)?;
        for constant in &w.constants {
            bytes.extend_from_slice(&Sha256::digest(constant));
            bytes.extend_from_slice(constant);
        }
        bytes.extend_from_slice(&w.out);
        let digest = Sha256::digest(&bytes);
        bytes.extend_from_slice(&digest);
        Ok(bytes)
    }

    /// Reads the bytes of [`Program::to_bytes`]; more than `max_bytes` are refused. Allocates only for
    /// what is there.
    /// Fails with [`Error::Malformed`], [`Error::TooManyBytes`], and as [`Parameters::from_json`] does.
    pub fn from_bytes(data: &[u8], max_bytes: u64, allow_insecure: bool) -> Result<Stored> {
        if data.len() as u64 > max_bytes {
            return Err(Error::TooManyBytes { what: WHAT, bytes: data.len() as u64, limit: max_bytes });
        }
        let end = data.len().saturating_sub(DIGEST);
        let (body, digest) = data.split_at(end);
        let mut from = Bytes::new(body, 0, WHAT);
        if from.array::<4>().ok() != Some(MAGIC) {
            return Err(from.malformed_at(0, "these are no bytes of a program"));
        }
        let version = u32::read(&mut from)?;
        if version != VERSION {
            return Err(from.malformed_at(4, format!("version {version}, where {VERSION} is read")));
        }
        if digest != Sha256::digest(body).as_slice() {
            return Err(from.malformed_at(end, "the digest does not match: the bytes were damaged"));
        }
        let params = Parameters::from_json(&String::read(&mut from)?, allow_insecure)?;
        let bootstrapping = bool::read(&mut from)?;
        let mut constants = Vec::new();
        for _ in 0..usize::read(&mut from)? {
            let digest: [u8; DIGEST] = from.array()?;
            let start = from.offset();
            let constant = Shared::read(&mut from)?;
            if Sha256::digest(&body[start..from.offset()]).as_slice() != digest {
                return Err(from.malformed_at(start, "the digest of a constant does not match"));
            }
            constants.push(constant);
        }
        let mut r = Reader { from, constants };
        let program = read(&mut r, params.log_n())?;
        r.from.expect_remaining(0)?;
        Ok(Stored { params, bootstrapping, program })
    }
}

/// Reads a program of a ring of degree `2^log_n`. What only its parameters know is refused when it is
/// recorded or run.
fn read(r: &mut Reader<'_>, log_n: u32) -> Result<Program> {
    let mut program = Program { places: Field::read(&mut r.from)?, ..Program::default() };
    for _ in 0..usize::read(&mut r.from)? {
        let here = r.from.offset();
        let code = u8::read(&mut r.from)?;
        if code == 0 {
            let input = Input::read(&mut r.from)?;
            expect_slots(r, here, input.log_slots, log_n)?;
            program.input(input);
            continue;
        }
        let (operands, place) = (Vec::read(&mut r.from)?, u32::read(&mut r.from)?);
        let op = Op::read(code, r)?;
        if let Op::Slots { log_slots } = op {
            expect_slots(r, here, log_slots, log_n)?;
        }
        let pushed = program.push(op, operands, place).map(|_| ());
        pushed.map_err(|e| r.from.malformed_at(here, e.to_string()))?;
    }
    let mut outputs = Vec::new();
    for _ in 0..usize::read(&mut r.from)? {
        outputs.push((String::read(&mut r.from)?, Value::read(&mut r.from)?));
    }
    program.returns(outputs).map_err(|e| r.malformed(e.to_string()))?;
    Ok(program)
}

/// Refuses more slots than a ring has, of which there are powers of two.
fn expect_slots(r: &Reader<'_>, offset: usize, log_slots: u32, log_n: u32) -> Result<()> {
    let refusal = || r.from.malformed_at(offset, format!("2^{log_slots} slots in a ring of degree 2^{log_n}"));
    (log_slots < log_n).then_some(()).ok_or_else(refusal)
}
