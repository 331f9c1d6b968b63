//! Bootstrapping keys: each has its own level, and two more belong to each ephemeral secret.

use std::sync::Arc;

use ringjet::rng::Seed;
use ringjet::wire::{CHECKSUM_LEN, HEADER_LEN, Limits, Object};
use ringjet::{Bootstrapper, Context, Error, EvaluationKeys, Parameters, SecretKey};
use ringjet_backend::Reference;

use super::ckks::{boot, reload_as};
use super::objects::{LIMITS, mend, sequence};

/// The bytes of keys, and the positions of their fields.
struct Boot {
    ctx: Context,
    bytes: Vec<u8>,
    /// The position of each key, which begins with its element.
    starts: Vec<usize>,
    /// The position of the number of ephemeral secrets.
    secrets: usize,
    /// The position of the level of the last key.
    last_level: usize,
}

const KIND: Object = Object::EvaluationKeys;

/// The bytes of a polynomial over the first special prime and the primes of `level`.
fn pair_len(params: &Parameters, level: usize) -> usize {
    let basis = params.p().prefix(1).concat(&params.level(level).basis);
    (0..basis.len()).map(|i| params.n() / 8 * basis.modulus(i).bits() as usize).sum()
}

impl Boot {
    fn new() -> Self {
        let params = Parameters::new(&boot()).unwrap();
        let ctx = Context::new(&params, Arc::new(Reference::default()));
        let seed = Seed::from_bytes([31; 32]);
        let secret = SecretKey::from_seed(&params, &seed).unwrap();
        let request = Bootstrapper::key_plan(&params, 4).unwrap();
        let keys = secret.evaluation_keys(&ctx, &request, &seed, |_, _| true).unwrap();
        let bytes = keys.to_bytes(&ctx).unwrap();
        let mut at = HEADER_LEN + 4;
        let mut starts = Vec::new();
        for (element, key) in keys.keys() {
            assert_eq!(bytes[at..at + 4], element.to_le_bytes());
            assert_eq!(bytes[at + 4..at + 8], (key.level() as u32).to_le_bytes());
            starts.push(at);
            at += 4 + key.to_bytes(&ctx).unwrap().len() - HEADER_LEN - CHECKSUM_LEN;
        }
        assert_eq!(bytes[at], 1);
        let last_level = at + 1 + 32 + pair_len(&params, 0);
        assert_eq!(bytes[last_level..last_level + 4], (params.max_level() as u32).to_le_bytes());
        Self { ctx, bytes, starts, secrets: at, last_level }
    }

    /// The positions of all bytes that are part of no seed and no residue.
    fn fields(&self) -> Vec<usize> {
        let header = 0..HEADER_LEN + 4;
        let keys = self.starts.iter().flat_map(|&s| s..s + 8);
        header.chain(keys).chain([self.secrets]).chain(self.last_level..self.last_level + 4).collect()
    }

    #[track_caller]
    fn refused(&self, at: usize, value: impl AsRef<[u8]>, offset: usize, why: &str) {
        let mut bytes = self.bytes.clone();
        bytes[at..at + value.as_ref().len()].copy_from_slice(value.as_ref());
        mend(&mut bytes);
        let streamed = EvaluationKeys::read_from(&self.ctx, &mut &bytes[..], LIMITS, |_, _| true).unwrap_err();
        let refused = reload_as(KIND, &self.ctx, &bytes, LIMITS).unwrap_err();
        assert_eq!(refused, streamed);
        let Error::Malformed { reason, offset: found, .. } = refused else { panic!("{refused:?}") };
        assert!(reason.contains(why) && found == offset, "{found}: {reason}");
    }
}

#[test]
fn every_field_is_checked() {
    let set = Boot::new();
    let max = set.ctx.params().max_level() as u32;
    assert_eq!(reload_as(KIND, &set.ctx, &set.bytes, LIMITS).unwrap(), set.bytes);
    let (first, second) = (set.starts[0], set.starts[1]);
    set.refused(first + 4, (max + 1).to_le_bytes(), first + 4, "above the highest level");
    set.refused(first + 4, [255; 4], first + 4, "above the highest level");
    set.refused(second, [0; 4], second, "out of order");
    set.refused(second, [4, 0, 0, 0], second, "no Galois element");
    set.refused(second, [65, 0, 0, 0], second, "no Galois element");
    set.refused(set.starts[2], [set.bytes[second], 0, 0, 0], set.starts[2], "out of order");
    for secrets in [2, 3, 128, 255] {
        set.refused(set.secrets, [secrets], set.bytes.len() - CHECKSUM_LEN, "of an ephemeral secret are out of order");
    }
    set.refused(set.secrets, [0], set.secrets + 1, "bytes follow where 0 belong");
    set.refused(set.last_level, (max + 1).to_le_bytes(), set.last_level, "above the highest level");
    // the other levels have keys of other sizes, or come too early
    for level in 0..max {
        let mut bytes = set.bytes.clone();
        bytes[set.last_level..set.last_level + 4].copy_from_slice(&level.to_le_bytes());
        mend(&mut bytes);
        assert!(matches!(reload_as(KIND, &set.ctx, &bytes, LIMITS), Err(Error::Malformed { .. })), "{level}");
    }
    // one key more or less than there are
    let count = set.starts.len() as u32;
    for count in [0, count - 1, count + 1, u32::MAX] {
        let mut bytes = set.bytes.clone();
        bytes[HEADER_LEN..HEADER_LEN + 4].copy_from_slice(&count.to_le_bytes());
        mend(&mut bytes);
        assert!(matches!(reload_as(KIND, &set.ctx, &bytes, LIMITS), Err(Error::Malformed { .. })), "{count}");
    }
}

/// Keys that contain matrices: the fields between their seeds and residues.
#[test]
fn fields_of_matrices_are_checked() {
    let mut spec = boot();
    let circuit = spec.bootstrap.as_mut().unwrap();
    (circuit.coeffs_to_slots, circuit.matrix_keys) = (vec![2, 2], true);
    let params = Parameters::new(&spec).unwrap();
    let ctx = Context::new(&params, Arc::new(Reference::default()));
    let seed = Seed::from_bytes([37; 32]);
    let secret = SecretKey::from_seed(&params, &seed).unwrap();
    let plan = |log_slots| Bootstrapper::key_plan(&params, log_slots).unwrap();
    let keys = secret.evaluation_keys(&ctx, &plan(3).and(plan(4)), &seed, |_, _| true).unwrap();
    let bytes = keys.to_bytes(&ctx).unwrap();
    assert_eq!(reload_as(KIND, &ctx, &bytes, LIMITS).unwrap(), bytes);
    // from the end: the secrets for 16 and for 8 slots, each matrix of two stages and four diagonals
    let each = 4 + 32 + pair_len(&params, 0) + 32 + 4 * pair_len(&params, params.max_level());
    let last = bytes.len() - CHECKSUM_LEN - each;
    let first = last - each;
    let count = first - 1;
    let word = |at: usize| u32::from_le_bytes(bytes[at..at + 4].try_into().unwrap());
    assert_eq!((bytes[count], word(first), word(last)), (2, 3, 4));
    let refused = |at: usize, value: &[u8]| {
        let mut bytes = bytes.clone();
        bytes[at..at + value.len()].copy_from_slice(value);
        mend(&mut bytes);
        let streamed = EvaluationKeys::read_from(&ctx, &mut &bytes[..], LIMITS, |_, _| true).unwrap_err();
        let refused = reload_as(KIND, &ctx, &bytes, LIMITS).unwrap_err();
        assert_eq!(refused, streamed);
        let Error::Malformed { reason, offset, .. } = refused else { panic!("{refused:?}") };
        (reason, offset)
    };
    for (at, value, why) in [
        (first, 0u32, "keys that contain a matrix: slots = 2^0"),
        (first, 5, "keys that contain a matrix: "),
        (first, u32::MAX, "keys that contain a matrix: "),
        (last, 3, "out of order"),
        (last, 2, "out of order"),
    ] {
        let (reason, offset) = refused(at, &value.to_le_bytes());
        assert!(reason.contains(why) && offset == at, "{offset}: {reason}");
    }
    for value in [0, 1, 3, u8::MAX] {
        refused(count, &[value]);
    }
    let swapped = [&bytes[last..last + each], &bytes[first..last]].concat();
    let (reason, offset) = refused(first, &swapped);
    assert!(reason.contains("out of order") && offset == last, "{offset}: {reason}");
    // truncated everywhere, and with bits flipped
    let mut next = sequence(47);
    for _ in 0..200 {
        let at = HEADER_LEN + next(bytes.len() - HEADER_LEN);
        assert!(reload_as(KIND, &ctx, &bytes[..at], LIMITS).is_err());
        let mut flipped = bytes.clone();
        flipped[at] ^= 1 << next(8);
        assert!(reload_as(KIND, &ctx, &flipped, LIMITS).is_err());
        mend(&mut flipped);
        if let Ok(again) = reload_as(KIND, &ctx, &flipped, LIMITS) {
            assert!(again == flipped, "byte {at}");
        }
    }
}

#[test]
fn flipped_bits() {
    let set = Boot::new();
    let mut next = sequence(41);
    let mut all: Vec<usize> = set.fields();
    all.extend((0..200).map(|_| next(set.bytes.len())));
    let mut bytes = set.bytes.clone();
    let mut accepted = 0;
    for at in all {
        let bit = 1 << next(8);
        bytes[at] ^= bit;
        assert!(reload_as(KIND, &set.ctx, &bytes, LIMITS).is_err(), "byte {at}");
        // with a mended checksum: refused, or read exactly as the bytes say
        let mut mended = bytes.clone();
        mend(&mut mended);
        if let Ok(again) = reload_as(KIND, &set.ctx, &mended, LIMITS) {
            assert!(again == mended, "byte {at}");
            accepted += 1;
        }
        bytes[at] ^= bit;
    }
    // any residues and seeds are valid; fields of 32 bits and the header are not
    assert!((150..250).contains(&accepted), "{accepted}");
}

#[test]
fn truncated() {
    let set = Boot::new();
    let mut next = sequence(43);
    let ends = set.fields().into_iter().chain([set.bytes.len() - 1, set.bytes.len() - 4, set.bytes.len() - 5]);
    for len in ends.chain((0..200).map(|_| next(set.bytes.len()))).collect::<Vec<_>>() {
        let mut bytes = set.bytes[..len].to_vec();
        assert!(reload_as(KIND, &set.ctx, &bytes, LIMITS).is_err(), "{len}");
        if len >= HEADER_LEN + CHECKSUM_LEN {
            mend(&mut bytes);
            assert!(reload_as(KIND, &set.ctx, &bytes, LIMITS).is_err(), "{len}, mended");
        }
    }
    // a length that exceeds the bytes that follow, as far as a stream can notice
    let mut bytes = set.bytes[..1000].to_vec();
    bytes[24..32].copy_from_slice(&(1u64 << 50).to_le_bytes());
    let generous = Limits { max_bytes: Some(u64::MAX), ..LIMITS };
    let refused = EvaluationKeys::read_from(&set.ctx, &mut &bytes[..], generous, |_, _| true).unwrap_err();
    assert!(matches!(&refused, Error::Malformed { reason, .. } if reason.starts_with("truncated")), "{refused}");
}
