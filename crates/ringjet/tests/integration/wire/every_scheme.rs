//! What holds for the bytes of every object of every scheme.

use ringjet::wire::{HEADER_LEN, Limits, Object, peek};
use ringjet::{Error, KeyId};

use super::objects::{LIMITS, Objects, mend, sequence, with};
use super::{bgv, ckks, heaan};

const KINDS: [Object; 7] = [
    Object::Parameters,
    Object::SecretKey,
    Object::PublicKey,
    Object::EvaluationKeys,
    Object::SwitchingKey,
    Object::Plaintext,
    Object::Ciphertext,
];

/// A set of each scheme in a small ring.
fn small(seed: u8) -> [Box<dyn Objects>; 5] {
    [
        Box::new(ckks::Set::new(&ckks::tiny(), seed)),
        Box::new(bgv::Set::new(&bgv::tiny(), seed)),
        Box::new(bgv::Set::new(&bgv::tiny().bfv(), seed)),
        Box::new(bgv::Set::new(&bgv::several(), seed)),
        Box::new(heaan::Set::new(&heaan::tiny(), seed)),
    ]
}

/// Calls `f` with each object of each set of [`small`]: the set, its name and the object's, its kind
/// and its bytes.
fn each(seed: u8, f: impl Fn(&dyn Objects, &str, Object, &[u8])) {
    for set in small(seed) {
        for (name, bytes) in set.bytes() {
            let header = peek(&bytes).unwrap();
            f(&*set, &format!("{} {name}", header.kind.scheme.name()), header.kind.object, &bytes);
        }
    }
}

#[test]
fn every_object_comes_back_to_the_same_bytes() {
    let more: [Box<dyn Objects>; 3] = [
        Box::new(ckks::Set::new(&ckks::n10(), 1)),
        Box::new(bgv::Set::new(&bgv::levels(), 1)),
        Box::new(heaan::Set::new(&heaan::sparse(), 1)),
    ];
    for set in small(1).into_iter().chain(more) {
        for (name, bytes) in set.bytes() {
            assert_eq!(set.reload(&bytes).unwrap(), bytes, "{name}");
            let header = peek(&bytes[..HEADER_LEN]).unwrap();
            assert_eq!((header.bytes, header.version), (bytes.len() as u64, 2), "{name}");
            assert_eq!(header.fingerprint_hex(), set.fingerprint());
            let owned = !matches!(header.kind.object, Object::Parameters | Object::Plaintext);
            assert_eq!(header.key, if owned { set.key_id() } else { KeyId::ANY }, "{name}");
        }
    }
}

/// A flipped bit is noticed. Under a mended checksum the object is refused, or read exactly as the
/// bytes say.
#[test]
fn flipped_bits() {
    const FLIPS: usize = 1_500;
    each(21, |set, name, kind, good| {
        let mut next = sequence(good.len() as u64);
        let (mut accepted, mut fixed) = (0, 0);
        for _ in 0..FLIPS {
            let (at, bit) = (next(good.len()), next(8));
            let mut bytes = good.to_vec();
            bytes[at] ^= 1 << bit;
            assert!(set.reload_as(kind, &bytes, LIMITS).is_err(), "{name}: bit {bit} of byte {at}");
            mend(&mut bytes);
            fixed += usize::from(bytes == good); // the length or the checksum was damaged
            if let Ok(again) = set.reload_as(kind, &bytes, LIMITS) {
                assert_eq!(again, bytes, "{name}: bit {bit} of byte {at}");
                accepted += 1;
            }
        }
        // accepted: flips in residues, seeds, scale, noise; refused: those in the header, and residues
        // that became too large
        assert!(kind == Object::Parameters || (fixed < accepted && accepted < FLIPS), "{name}: {accepted}");
    });
}

/// Bytes cut off, also with a length and a checksum that fit; and a byte too many.
#[test]
fn truncated_at_every_length() {
    each(23, |set, name, kind, good| {
        for len in (0..good.len()).chain([good.len() + 1]) {
            let mut bytes = good.to_vec();
            bytes.resize(len, 0);
            assert!(set.reload_as(kind, &bytes, LIMITS).is_err(), "{name}: {len}");
            if len >= HEADER_LEN + 4 {
                mend(&mut bytes);
                assert!(set.reload_as(kind, &bytes, LIMITS).is_err(), "{name}: {len}, mended");
            }
        }
    });
}

/// Lengths above the bytes that follow are refused before memory is allocated (here a petabyte).
#[test]
fn oversize_lengths() {
    let generous = Limits { max_bytes: Some(u64::MAX), ..LIMITS };
    each(24, |set, name, kind, good| {
        for length in [0, 1, 35, good.len() as u64 + 1, 1 << 32, 1 << 50, 1 << 63, u64::MAX] {
            let (mut bytes, end) = (good.to_vec(), good.len() - 4);
            bytes[24..32].copy_from_slice(&length.to_le_bytes());
            assert!(set.reload_as(kind, &bytes, generous).is_err(), "{name}: {length}");
            let checksum = crc32fast::hash(&bytes[..end]);
            bytes[end..].copy_from_slice(&checksum.to_le_bytes());
            assert!(set.reload_as(kind, &bytes, generous).is_err(), "{name}: {length}, mended");
        }
    });
}

#[test]
fn too_many_bytes() {
    each(11, |set, name, kind, good| {
        let bytes = good.len() as u64;
        let exact = Limits { max_bytes: Some(bytes), ..LIMITS };
        assert_eq!(set.reload_as(kind, good, exact).unwrap(), good, "{name}");
        let small = Limits { max_bytes: Some(bytes - 1), ..LIMITS };
        let want = Error::TooManyBytes { what: kind.name(), bytes, limit: bytes - 1 };
        assert_eq!(set.reload_as(kind, good, small), Err(want.clone()), "{name}");
        // the announced length counts, not only the bytes that arrived
        assert_eq!(set.reload_as(kind, &good[..HEADER_LEN], small), Err(want), "{name}");
    });
}

/// Objects that belong to a secret name it; other objects name none.
#[test]
fn key_identities() {
    each(11, |set, name, kind, good| {
        let [without, another] = [[0; 16], [7; 16]].map(|key| with(good, 32, &key));
        let refused = |bytes: &[u8], why: &str| match set.reload_as(kind, bytes, LIMITS) {
            Err(Error::Malformed { offset: 32, reason, .. }) => assert!(reason.contains(why), "{name}: {reason}"),
            other => panic!("{name}: {other:?}"),
        };
        match kind {
            Object::Parameters | Object::Plaintext => refused(&another, "belongs to no key"),
            Object::EvaluationKeys | Object::Ciphertext => {
                assert_eq!(set.reload(&without).unwrap(), without, "{name}");
                assert_eq!(set.reload(&another).unwrap(), another, "{name}");
            }
            // the checksum of these objects is computed in another way, with the same result
            _ => {
                refused(&without, "has no key identity");
                assert_eq!(set.reload(&another).unwrap(), another, "{name}");
            }
        }
    });
}

#[test]
fn objects_of_another_kind() {
    each(11, |set, name, kind, good| {
        let scheme = peek(good).unwrap().kind.scheme.name();
        for other in KINDS.into_iter().filter(|&other| other != kind) {
            let why = format!("this is a {scheme} {}, not a {scheme} {}", kind.name(), other.name());
            match set.reload_as(other, good, LIMITS) {
                Err(Error::Malformed { offset: 7, reason, .. }) => assert!(reason.contains(&why), "{reason}"),
                read => panic!("{name}: {read:?}"),
            }
        }
    });
}

/// Objects of another scheme, or of other parameters of the same scheme.
#[test]
fn other_schemes_and_parameters() {
    let more: [Box<dyn Objects>; 2] = [
        Box::new(ckks::Set::new(&ckks::n10(), 12)),
        Box::new(heaan::Set::new(&ringjet::heaan::ParamSpec { log_p: 29, ..heaan::tiny() }, 12)),
    ];
    let sets: Vec<_> = small(12).into_iter().chain(more).collect();
    let scheme = |set: &dyn Objects| peek(&set.bytes()[0].1).unwrap().kind.scheme;
    for (i, reader) in sets.iter().enumerate() {
        for writer in sets.iter().enumerate().filter(|(j, _)| *j != i).map(|(_, writer)| writer) {
            let same = scheme(&**reader) == scheme(&**writer);
            for (name, bytes) in writer.bytes() {
                match (reader.reload(&bytes), name) {
                    (Ok(again), "parameters") if same => assert_eq!(again, bytes),
                    (Err(Error::ParameterMismatch { expected, found, .. }), _) if same => {
                        assert_eq!((expected, found), (reader.fingerprint(), writer.fingerprint()));
                    }
                    (Err(Error::Malformed { offset: 6, .. }), _) if !same => {}
                    (other, name) => panic!("{name}: {other:?}"),
                }
            }
        }
        // parameters under a fingerprint that is not theirs
        let forged = with(&reader.bytes()[0].1, 8, &[0; 16]);
        let refused = reader.reload(&forged).unwrap_err();
        assert!(matches!(&refused, Error::ParameterMismatch { found, .. } if *found == "0".repeat(32)), "{refused:?}");
    }
}
