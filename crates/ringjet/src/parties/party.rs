//! What one party keeps: its pieces of the secret, what others committed to, and the answers that it gave.

use std::collections::BTreeMap;
use std::fmt;
use std::path::Path;
use std::sync::{Mutex, MutexGuard};

use sha2::{Digest, Sha256};
use zeroize::Zeroizing;

use super::file::PartyFile;
use super::record::{Record, put_seeds, read_seeds};
use super::spec::Spec;
use crate::host::lock;
use crate::rng::Seed;
use crate::wire::{self, CHECKSUM_LEN, Field, HEADER_LEN, Header, Input, Kind, Limits, Object, VERSION};
use crate::{Error, KeyId, Result};

/// The maximum bytes of a party, most of which are its point, where pieces are dealt.
const MOST_BYTES: u64 = 1 << 27;

/// The maximum bytes of a hello.
const MOST_HELLO_BYTES: u64 = 1 << 16;

/// A party: its pieces of the secret, and its record of the session. It is wiped when it is dropped, prints
/// nothing, and no type that goes to a server can hold it.
///
/// With a file, every change is on the disk before anything that follows from it leaves the party. So a party
/// whose process was killed goes on where it was, and never answers a ciphertext in two ways.
pub struct Party {
    spec: Spec,
    agreed: [u8; 32],
    me: usize,
    /// What this party adds to the randomness of the session.
    random: [u8; 32],
    /// The seeds of the pieces of which this party is the first holder.
    drawn: BTreeMap<usize, Seed>,
    record: Mutex<Record>,
    file: Option<PartyFile>,
}

impl Party {
    /// The party `name` of `spec`, with seeds from the operating system, in memory only: whoever drops it loses
    /// its pieces. Fails with [`Error::Argument`] for a name that is not in the spec; [`Error::Rng`].
    pub fn new(spec: Spec, name: &str) -> Result<Self> {
        Self::from_seed(spec, name, &Seed::from_os()?)
    }

    /// Like [`Party::new`], with everything derived from `seed`: for reproducible tests.
    /// Fails with [`Error::Argument`] for a name that is not in the spec.
    pub fn from_seed(spec: Spec, name: &str, seed: &Seed) -> Result<Self> {
        let (me, agreed) = (spec.number(name)?, spec.digest()?);
        let seed = seed.bind(b"ringjet party", &[&agreed[..], &(me as u64).to_le_bytes()].concat());
        let pieces = spec.layout().drawn_by(me);
        let drawn: BTreeMap<usize, Seed> =
            pieces.map(|piece| (piece, seed.derive(b"ringjet piece seed", piece as u64))).collect();
        let random = *seed.derive_public(b"ringjet party random", 0).as_bytes();
        let record = Record { randoms: [(me, random)].into(), seeds: drawn.clone(), ..Record::default() };
        Ok(Self { spec, agreed, me, random, drawn, record: Mutex::new(record), file: None })
    }

    /// The party `name` of `spec` in the file `path`: a new party, or where the file is there the one that it
    /// holds. The file is for its owner alone, and locked as long as the party lives.
    ///
    /// # Errors
    /// [`Error::Argument`] for a file that holds a party of another spec or name; [`Error::Io`] for one that
    /// another process has open, or that cannot be written; [`Error::Malformed`] for a damaged one.
    pub fn open(spec: Spec, name: &str, path: &Path, limits: Limits) -> Result<Self> {
        let file = PartyFile::lock(path)?;
        let Some(bytes) = file.read(MOST_BYTES)? else {
            let mut made = Self::new(spec, name)?;
            file.create(&made.to_secret_bytes()?)?;
            made.file = Some(file);
            return Ok(made);
        };
        let found = Self::from_secret_bytes(&bytes, limits)?;
        if found.spec != spec || found.name() != name {
            let value = format!("a file of {} with other agreements or under another name", found.name());
            return Err(Error::argument("path", value, format!("the file of {name}, or none yet")));
        }
        Ok(Self { file: Some(file), ..found })
    }

    /// The party in the file `path`. Fails as [`Party::open`] does, and with [`Error::Io`] where there is no file.
    pub fn load(path: &Path, limits: Limits) -> Result<Self> {
        let file = PartyFile::lock(path)?;
        let bytes = file.read(MOST_BYTES)?.ok_or_else(|| file.refusal("there is no such file"))?;
        Ok(Self { file: Some(file), ..Self::from_secret_bytes(&bytes, limits)? })
    }

    /// What the parties agreed on.
    pub fn spec(&self) -> &Spec {
        &self.spec
    }

    /// The name of this party.
    pub fn name(&self) -> &str {
        &self.spec.names()[self.me]
    }

    pub(super) fn me(&self) -> usize {
        self.me
    }

    /// SHA-256 of what the parties agreed on.
    pub(super) fn agreed(&self) -> &[u8; 32] {
        &self.agreed
    }

    /// How many ciphertexts this party has answered.
    pub fn answers_given(&self) -> usize {
        self.record().answers.len()
    }

    /// The identity of the session, which is that of its secret. Fails with [`Error::PartyMissing`] before the
    /// hellos of all others have come.
    pub fn session_id(&self) -> Result<KeyId> {
        let common = self.common()?;
        Ok(KeyId::from_bytes(std::array::from_fn(|i| common[i])))
    }

    /// The randomness that all parties have in common. Fails as [`Party::session_id`] does.
    pub(super) fn common(&self) -> Result<[u8; 32]> {
        let record = self.record();
        self.expect_hellos(&record)?;
        Ok(self.joint(&record))
    }

    fn joint(&self, record: &Record) -> [u8; 32] {
        let mut hash = Sha256::new_with_prefix(b"ringjet session\0");
        hash.update(self.agreed);
        record.randoms.values().for_each(|random| hash.update(random));
        hash.finalize().into()
    }

    fn expect_hellos(&self, record: &Record) -> Result<()> {
        let layout = self.spec.layout();
        let absent: Vec<usize> = (0..layout.parties()).filter(|i| !record.randoms.contains_key(i)).collect();
        if absent.is_empty() {
            return Ok(());
        }
        let pieces = layout.held_by(self.me).filter(|piece| !record.seeds.contains_key(piece)).collect();
        Err(Error::PartyMissing { what: "hello", pieces, parties: self.spec.named(absent) })
    }

    pub(super) fn record(&self) -> MutexGuard<'_, Record> {
        lock(&self.record)
    }

    /// The seeds of the pieces that this party holds.
    pub(super) fn seeds(&self) -> BTreeMap<usize, Seed> {
        self.record().seeds.clone()
    }

    /// Changes the record: a change is in memory only once it is on the disk, and a refused change is in neither.
    pub(super) fn change<T>(&self, change: impl FnOnce(&mut Record) -> Result<T>) -> Result<T> {
        let mut record = self.record();
        let mut changed = record.clone();
        let made = change(&mut changed)?;
        if let (Some(file), false) = (&self.file, changed.is(&record)) {
            let bytes = self.bytes_of(&changed)?;
            if bytes.len() as u64 > MOST_BYTES {
                return Err(file.refusal(format!("{} bytes, where at most {MOST_BYTES} are read", bytes.len())));
            }
            file.replace(&bytes)?;
        }
        *record = changed;
        Ok(made)
    }

    /// What this party sends to each other party first, in private: with each name the bytes for that party. They
    /// hold seeds of pieces of the secret. The same bytes come again when it is called again.
    pub fn hello(&self) -> Result<Vec<(String, Zeroizing<Vec<u8>>)>> {
        let layout = self.spec.layout();
        let others = (0..layout.parties()).filter(|&to| to != self.me);
        let one = |to: usize| {
            let mut body = Zeroizing::new(Vec::with_capacity(256 + 33 * layout.pieces()));
            body.extend_from_slice(&self.agreed);
            body.extend_from_slice(&[self.me as u8, to as u8]);
            body.extend_from_slice(&self.random);
            put_seeds(&mut body, self.drawn.iter().filter(|&(&piece, _)| layout.holds(to, piece)));
            Ok((self.spec.names()[to].clone(), self.sealed(Object::PartyHello, KeyId::ANY, &body)))
        };
        others.map(one).collect()
    }

    /// Takes the hellos of other parties, in any order; those that came before may come again.
    ///
    /// # Errors
    /// [`Error::PartyMissing`] until all have come, with the names of the others: what came is kept.
    /// [`Error::TranscriptMismatch`] for a party that agreed on something else, or said something else before;
    /// [`Error::Argument`] for a hello to somebody else; [`Error::ParameterMismatch`], [`Error::Malformed`] and
    /// the other errors of loaders.
    pub fn receive(&self, hellos: &[impl AsRef<[u8]>]) -> Result<()> {
        let all: Vec<Hello> = hellos.iter().map(|bytes| self.read_hello(bytes.as_ref())).collect::<Result<_>>()?;
        self.change(|record| all.into_iter().try_for_each(|hello| self.take(record, hello)))?;
        self.expect_hellos(&self.record())
    }

    fn take(&self, record: &mut Record, hello: Hello) -> Result<()> {
        let known = record.randoms.get(&hello.from).copied();
        let other = |(piece, seed): (&usize, &Seed)| {
            record.seeds.get(piece).is_some_and(|known| known.expose() != seed.expose())
        };
        if hello.seeds.iter().any(other) || known.is_some_and(|known| known != hello.random) {
            return Err(Error::TranscriptMismatch {
                what: "hello",
                party: self.spec.names()[hello.from].clone(),
                expected: "what that party said before".into(),
                found: "something else".into(),
            });
        }
        record.randoms.insert(hello.from, hello.random);
        record.seeds.extend(hello.seeds);
        Ok(())
    }

    fn read_hello(&self, bytes: &[u8]) -> Result<Hello> {
        let (_, mut r) = self.opened(Object::PartyHello, bytes, MOST_HELLO_BYTES)?;
        let (agreed, here) = (r.array::<32>()?, r.offset());
        let [from, to] = r.array::<2>()?.map(usize::from);
        let layout = self.spec.layout();
        if from >= layout.parties() || to >= layout.parties() || from == to {
            return Err(r.malformed_at(here, format!("a hello from party {from} to party {to}")));
        }
        let name = |i: usize| self.spec.names()[i].clone();
        if agreed != self.agreed {
            let [expected, found] = [&self.agreed, &agreed].map(|digest| format!("agreement {}", hex(digest)));
            return Err(Error::TranscriptMismatch { what: "hello", party: name(from), expected, found });
        }
        if to != self.me || from == self.me {
            let value = format!("a hello of {} to {}", name(from), name(to));
            return Err(Error::argument("hellos", value, format!("one to {} of another party", self.name())));
        }
        let (random, here) = (r.array()?, r.offset());
        let seeds = read_seeds(&mut r)?;
        r.expect_remaining(0)?;
        if !seeds.keys().copied().eq(layout.drawn_by(from).filter(|&piece| layout.holds(to, piece))) {
            return Err(r.malformed_at(here, "seeds of other pieces than those that this party draws"));
        }
        Ok(Hello { from, random, seeds })
    }

    /// The bytes of the party: whoever has them has its pieces of the secret. [`Party::open`] keeps them in a file.
    pub fn to_secret_bytes(&self) -> Result<Zeroizing<Vec<u8>>> {
        self.bytes_of(&self.record())
    }

    fn bytes_of(&self, record: &Record) -> Result<Zeroizing<Vec<u8>>> {
        // of the final size from the start: a vector that grows leaves copies behind
        let mut spec = vec![];
        self.spec.put(&mut spec)?;
        let size = spec.len() + 64 + 40 * self.drawn.len() + record.most_bytes();
        let mut body = Zeroizing::new(Vec::with_capacity(size));
        body.extend_from_slice(&spec);
        body.push(self.me as u8);
        body.extend_from_slice(&self.random);
        put_seeds(&mut body, self.drawn.iter());
        record.put(&mut body)?;
        let complete = self.expect_hellos(record).is_ok();
        let joint = self.joint(record);
        let key = if complete { KeyId::from_bytes(std::array::from_fn(|i| joint[i])) } else { KeyId::ANY };
        Ok(self.sealed(Object::Party, key, &body))
    }

    /// Reads what [`Party::to_secret_bytes`] wrote. A copy of a party must not answer beside the first one: neither
    /// would know what the other answered.
    ///
    /// # Errors
    /// [`Error::Malformed`], [`Error::OldVersion`], [`Error::NewerVersion`], [`Error::TooManyBytes`], and what
    /// [`Spec::new`] and the parameters refuse.
    pub fn from_secret_bytes(bytes: &[u8], limits: Limits) -> Result<Self> {
        let scheme = wire::peek(bytes)?.kind.scheme;
        let kind = Kind { scheme, object: Object::Party };
        let (header, mut r) = wire::open_any(kind, bytes, limits.max_bytes.unwrap_or(MOST_BYTES), |_| Ok(()))?;
        let spec = Spec::read(&mut r, limits)?;
        if spec.params().wire_scheme() != scheme || spec.params().fingerprint() != &header.fingerprint {
            return Err(r.malformed_at(6, "the scheme or the fingerprint is not that of its parameters"));
        }
        let (agreed, here) = (spec.digest()?, r.offset());
        let me = usize::from(u8::read(&mut r)?);
        let layout = spec.layout().clone();
        if me >= layout.parties() {
            return Err(r.malformed_at(here, format!("party {me} of {}", layout.parties())));
        }
        let (random, here) = (r.array()?, r.offset());
        let drawn = read_seeds(&mut r)?;
        if !drawn.keys().copied().eq(layout.drawn_by(me)) {
            return Err(r.malformed_at(here, "seeds of other pieces than those that this party draws"));
        }
        let (here, record) = (r.offset(), Record::read(&mut r, &layout, spec.threshold(), me)?);
        if record.randoms.get(&me) != Some(&random) {
            return Err(r.malformed_at(here, "other randomness than that of this party"));
        }
        r.expect_remaining(0)?;
        let made = Self { spec, agreed, me, random, drawn, record: Mutex::new(record), file: None };
        if header.key != made.session_id().unwrap_or(KeyId::ANY) {
            return Err(r.malformed_at(32, "the identity of another session"));
        }
        Ok(made)
    }

    /// An object of this party's parameters with this body.
    pub(super) fn sealed(&self, object: Object, key: KeyId, body: &[u8]) -> Zeroizing<Vec<u8>> {
        let params = self.spec.params();
        let (kind, bytes) = (Kind { scheme: params.wire_scheme(), object }, wire::total(body.len()) as u64);
        let header = Header { kind, version: VERSION, fingerprint: *params.fingerprint(), bytes, key };
        let mut out = Zeroizing::new(Vec::with_capacity(bytes as usize));
        out.extend_from_slice(&header.encode());
        out.extend_from_slice(body);
        let checksum = if object.is_secret() { wire::crc32(&out) } else { crc32fast::hash(&out) };
        out.extend_from_slice(&checksum.to_le_bytes());
        out
    }

    /// Checks an object of this party's parameters, and returns its key and a reader of its body.
    pub(super) fn opened<'a>(&self, object: Object, bytes: &'a [u8], limit: u64) -> Result<(KeyId, wire::Reader<'a>)> {
        let params = self.spec.params();
        let (expected, kind) = (params.fingerprint_hex(), Kind { scheme: params.wire_scheme(), object });
        let (header, r) = wire::open_any(kind, bytes, limit, |header| {
            let found = header.fingerprint_hex();
            let mismatch = Error::ParameterMismatch { what: object.name(), expected, found };
            if header.fingerprint == *params.fingerprint() { Ok(()) } else { Err(mismatch) }
        })?;
        Ok((header.key, r))
    }
}

/// The bytes of an object that are not its body.
pub(super) const FRAME: usize = HEADER_LEN + CHECKSUM_LEN;

/// A hello that was read.
struct Hello {
    from: usize,
    random: [u8; 32],
    seeds: BTreeMap<usize, Seed>,
}

/// The first bytes of a digest as text.
pub(super) fn hex(digest: &[u8; 32]) -> String {
    digest[..8].iter().map(|byte| format!("{byte:02x}")).collect()
}

impl fmt::Debug for Party {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (names, threshold) = (self.spec.names().join(", "), self.spec.threshold());
        write!(f, "Party({:?} of {names}, any {threshold} decrypt, not shown)", self.name())
    }
}
