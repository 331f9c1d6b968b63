//! Bytes of what only Python has: four letters, a version, the binary logarithm of a number of
//! slots, two zeros, and the rest.

use ringjet::{Error, Result};

pub struct Kind {
    pub name: &'static str,
    pub magic: [u8; 4],
}

const VERSION: u8 = 1;
const FRONT: usize = 8;

/// What comes before the rest.
pub fn front(kind: Kind, log_slots: u32) -> Vec<u8> {
    let mut out = kind.magic.to_vec();
    out.extend([VERSION, log_slots as u8, 0, 0]);
    out
}

/// The binary logarithm of the number of slots, at most 16, and the rest.
pub fn split(kind: Kind, data: &[u8], max_bytes: u64) -> Result<(u32, &[u8])> {
    let what = kind.name;
    if data.len() as u64 > max_bytes {
        return Err(Error::TooManyBytes { what, bytes: data.len() as u64, limit: max_bytes });
    }
    let wrong = |reason: &str, offset| Err(Error::Malformed { what, reason: reason.into(), offset });
    let Some((front, rest)) = data.split_at_checked(FRONT) else { return wrong("truncated", data.len()) };
    if front[..4] != kind.magic {
        return wrong("these are bytes of something else", 0);
    }
    if front[4] != VERSION {
        return Err(Error::NewerVersion { what, found: front[4].into(), supported: VERSION.into() });
    }
    if front[5] > 16 || front[6..] != [0, 0] {
        return wrong("a number of slots that no ring has", 5);
    }
    Ok((front[5].into(), rest))
}
