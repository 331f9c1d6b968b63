//! A parameter set with its keys and one encrypted vector, ready to bootstrap repeatedly.

use std::io::{self, Write};
use std::time::Instant;

use poulpy_ckks::api::{
    CKKSAllOpsTmpBytes, CKKSBootstrappingCIOps, CKKSBootstrappingOps, CKKSDecryptOps, CKKSEncodingHostOps,
    CKKSEncryptOps,
};
use poulpy_ckks::layouts::{
    BootstrappingContextPrepared, BootstrappingKeySet, CKKSCiphertextAlloc, CKKSCiphertextOwned, CKKSPlaintextAlloc,
    EvalModRing,
};
use poulpy_ckks::presets::bootstrapping::BootstrappingPreset;
use poulpy_ckks::{CKKSInfos, GLWEPlaintextMeta, Scale, SetCKKSInfos, SlotsKind};
use poulpy_core::api::{GLWESecretPreparedFactory, GLWESecretSampling};
use poulpy_core::layouts::{BackendGLWESecret, BackendGLWESecretPrepared, GLWESecretAlloc, LWEInfos, SetK};
use poulpy_hal::api::{ScratchOwnedAlloc, ScratchOwnedBorrow};
use poulpy_hal::layouts::{Backend, Module, ScratchOwned, WriterTo};
use poulpy_hal::source::Source;
use rand::{Rng, RngExt, SeedableRng};
use rand_chacha::ChaCha20Rng;

#[cfg(not(target_feature = "avx512ifma"))]
use poulpy_cpu_avx::{NTT4x30Avx as Boot, NTT4x30CIAvx as Real};
#[cfg(target_feature = "avx512ifma")]
use poulpy_cpu_avx512::{NTT3x42CIIfma as Real, NTT3x42Ifma as Boot};

/// What the library calls the code that runs.
#[cfg(target_feature = "avx512ifma")]
pub const BACKEND: &str = "ifma";
#[cfg(not(target_feature = "avx512ifma"))]
pub const BACKEND: &str = "avx2";

/// Failures of one bootstrap have at most the probability 2^-128, as in the library's own benchmarks.
const FAILURE_BITS: usize = 128;
/// Bits above the scale that a decrypted plaintext keeps.
const PLAINTEXT_BITS: usize = 8;

/// The set with the largest limbs that this processor's code can take, as the library's own
/// benchmarks run it.
pub fn at_largest_radix(preset: &BootstrappingPreset) -> BootstrappingPreset {
    let largest = preset.max_backend_base2k::<Boot, Real>(FAILURE_BITS);
    if largest >= preset.base2k() {
        preset.with_backend_base2k::<Boot, Real>(FAILURE_BITS)
    } else {
        preset.with_base2k(largest).and_then(|p| p.with_dsizes(7, 1))
    }
    .expect("the set has keys at this radix")
}

type Bootstrap = Box<dyn FnMut(&Module<Boot>, &mut CKKSCiphertextOwned<Boot>, &CKKSCiphertextOwned<Boot>)>;

pub struct Run {
    preset: BootstrappingPreset,
    module: Module<Boot>,
    scratch: ScratchOwned<Boot>,
    secret: BackendGLWESecretPrepared<Boot>,
    input: CKKSCiphertextOwned<Boot>,
    output: CKKSCiphertextOwned<Boot>,
    bootstrap: Bootstrap,
    /// The encrypted vector: both parts uniform in [-1, 1].
    pub values: Vec<(f64, f64)>,
    pub keys: usize,
    /// Bytes of the library's serialized form of all keys.
    pub key_bytes: usize,
    /// Bits of the widest key under the dense secret: log2 QP.
    pub widest_key: usize,
    pub keygen_s: f64,
    pub setup_s: f64,
}

impl Run {
    pub fn new(preset: &BootstrappingPreset, seed: u64) -> Self {
        let mut rng = ChaCha20Rng::seed_from_u64(seed);
        let values =
            (0..preset.n() / 2).map(|_| (rng.random_range(-1.0..=1.0), rng.random_range(-1.0..=1.0))).collect();
        let real = preset.plan().eval_mod_ring() != EvalModRing::Standard;
        // The conversions to the ring of real slots have twice the degree.
        let module = Module::<Boot>::new(if real { 2 * preset.n() } else { preset.n() } as u64);
        let (raw, secret) = dense_secret(&module, preset, &mut source(&mut rng));
        let made =
            if real { setup_real(&module, preset, &raw, &mut rng) } else { setup(&module, preset, &raw, &mut rng) };
        let scratch = ScratchOwned::<Boot>::alloc(client_bytes(&module, preset));
        let input = module.ckks_ciphertext_alloc_from_glwe_infos(&preset.input_layout());
        let output = module.ckks_ciphertext_alloc_from_glwe_infos(&preset.bootstrap_layout());
        let mut run = Self {
            preset: preset.clone(),
            module,
            scratch,
            secret,
            input,
            output,
            bootstrap: made.bootstrap,
            values,
            keys: made.keys,
            key_bytes: made.key_bytes,
            widest_key: widest_key(preset),
            keygen_s: made.keygen_s,
            setup_s: made.setup_s,
        };
        run.encrypt(&mut rng);
        run
    }

    fn encrypt(&mut self, rng: &mut impl Rng) {
        let layout = self.preset.input_layout();
        let mut plain = self.module.ckks_plaintext_alloc_from_slots(self.values.len(), layout.base2k(), layout.k());
        plain.set_meta(layout.meta());
        let (re, im): (Vec<f64>, Vec<f64>) = self.values.iter().copied().unzip();
        let scratch = &mut self.scratch;
        self.module.ckks_encode_slots_host_into(&mut plain, &re, &im, &mut scratch.borrow()).expect("encodes");
        let (mut noise, mut mask) = (source(rng), source(rng));
        self.module
            .ckks_encrypt_sk(&mut self.input, &plain, &self.secret, &mut noise, &mut mask, &mut scratch.borrow())
            .expect("encrypts");
    }

    pub fn bootstrap(&mut self) {
        // The bootstrap narrows its output, which must have the full width before.
        self.output.set_k(self.preset.bootstrap_k().into());
        (self.bootstrap)(&self.module, &mut self.output, &self.input);
    }

    pub fn decrypted_input(&mut self) -> Vec<(f64, f64)> {
        decrypt(&self.module, &self.secret, &self.input, self.values.len(), &mut self.scratch)
    }

    pub fn decrypted_output(&mut self) -> Vec<(f64, f64)> {
        assert_eq!(self.output.k().as_usize(), self.preset.output_k(), "the width that the set promises");
        assert_eq!(self.output.log_delta(), self.preset.log_delta(), "the scale of the input");
        decrypt(&self.module, &self.secret, &self.output, self.values.len(), &mut self.scratch)
    }
}

fn decrypt(
    module: &Module<Boot>,
    secret: &BackendGLWESecretPrepared<Boot>,
    ct: &CKKSCiphertextOwned<Boot>,
    slots: usize,
    scratch: &mut ScratchOwned<Boot>,
) -> Vec<(f64, f64)> {
    let width = ct.log_delta() + ct.log_budget().min(PLAINTEXT_BITS);
    let mut plain = module.ckks_plaintext_alloc_from_slots(slots, ct.base2k(), width.into());
    plain.set_meta(GLWEPlaintextMeta { scale: Scale::Log(ct.log_delta()), slots: SlotsKind::Complex, log_sparsity: 0 });
    module.ckks_decrypt(&mut plain, ct, secret, &mut scratch.borrow()).expect("decrypts");
    let (mut re, mut im) = (vec![0.0; slots], vec![0.0; slots]);
    module.ckks_decode_slots_host_into(&plain, &mut re, &mut im, &mut scratch.borrow()).expect("decodes");
    re.into_iter().zip(im).collect()
}

fn source(rng: &mut impl Rng) -> Source {
    let mut seed = [0; 32];
    rng.fill_bytes(&mut seed);
    Source::new(seed)
}

fn dense_secret(
    module: &Module<Boot>,
    preset: &BootstrappingPreset,
    source: &mut Source,
) -> (BackendGLWESecret<Boot>, BackendGLWESecretPrepared<Boot>) {
    let layout = preset.bootstrap_layout().glwe_layout;
    let mut raw = module.glwe_secret_alloc_from_infos(&layout);
    module.glwe_secret_fill_ternary_hw(&mut raw, preset.dense_secret_hamming_weight(), source);
    let mut prepared = module.glwe_secret_prepared_alloc_from_infos(&layout);
    module.glwe_secret_prepare(&mut prepared, &raw);
    (raw, prepared)
}

/// Bytes of scratch for keys, encryption and decryption.
fn client_bytes(module: &Module<Boot>, preset: &BootstrappingPreset) -> usize {
    let (layout, keys, coeffs) =
        (preset.bootstrap_layout(), preset.keys_layout(), preset.plan().eval_mod().coeffs_meta);
    let mut spec = layout;
    spec.glwe_layout.k = (coeffs.log_delta() + coeffs.log_budget()).into();
    spec.meta.scale = Scale::Log(coeffs.log_delta());
    let bytes = |key| module.ckks_all_ops_with_atk_tmp_bytes(&layout, &spec, &keys.tensor_key, key);
    keys.rotation_key_layouts().iter().map(bytes).max().expect("a bootstrap has rotation keys")
}

fn widest_key(preset: &BootstrappingPreset) -> usize {
    let keys = preset.keys_layout();
    let rotations = keys.rotation_keys.values().map(|key| key.k().as_usize());
    rotations.chain([keys.tensor_key.k().as_usize()]).max().expect("a bootstrap has keys")
}

struct Made {
    bootstrap: Bootstrap,
    keys: usize,
    key_bytes: usize,
    keygen_s: f64,
    setup_s: f64,
}

/// Counts the bytes that are written.
struct Counter(usize);

impl Write for Counter {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.0 += bytes.len();
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

type Keys = BootstrappingKeySet<<Boot as Backend>::OwnedBuf, <Boot as Backend>::ZnxWord>;

/// Number and bytes of all keys.
fn size(keys: &Keys) -> (usize, usize) {
    let mut all: Vec<&dyn Serialized> = vec![&keys.tensor_key];
    all.extend(keys.rotation_keys.values().map(|k| k as &dyn Serialized));
    all.extend(keys.first_factor_keys.values().map(|k| k as &dyn Serialized));
    if let Some((to_sparse, to_dense)) = &keys.encapsulation_keys {
        all.push(to_sparse);
        all.extend(to_dense.iter().map(|k| k as &dyn Serialized));
    }
    if let Some((trace, embed)) = &keys.conversion_keys {
        all.extend([trace as &dyn Serialized, embed]);
    }
    (all.len(), all.iter().map(|key| key.bytes()).sum())
}

trait Serialized {
    fn bytes(&self) -> usize;
}

impl<K: WriterTo> Serialized for K {
    fn bytes(&self) -> usize {
        let mut counter = Counter(0);
        self.write_to(&mut counter).expect("counting does not fail");
        counter.0
    }
}

fn setup(
    module: &Module<Boot>,
    preset: &BootstrappingPreset,
    secret: &BackendGLWESecret<Boot>,
    rng: &mut impl Rng,
) -> Made {
    let (plan, layout) = (preset.plan(), preset.keys_layout());
    let alloc = ScratchOwned::<Boot>::alloc;
    let (mut sparse, mut noise, mut mask) = (source(rng), source(rng), source(rng));
    let start = Instant::now();
    let mut scratch = alloc(client_bytes(module, preset));
    let keys = plan
        .generate_keys(module, secret, layout, &mut sparse, &mut noise, &mut mask, &mut scratch.borrow())
        .expect("keys");
    let keygen_s = start.elapsed().as_secs_f64();
    let (count, key_bytes) = size(&keys);

    let start = Instant::now();
    let bytes =
        BootstrappingContextPrepared::<Boot, f64>::compile_unprepared_tmp_bytes(module, plan).expect("a valid plan");
    let unprepared = BootstrappingContextPrepared::<Boot, f64>::compile_unprepared(
        module,
        preset.base2k().into(),
        plan,
        &mut alloc(bytes).borrow(),
    )
    .expect("a valid plan");
    let bytes = unprepared.prepare_tmp_bytes(module);
    let context = unprepared.prepare(module, &mut alloc(bytes).borrow()).expect("a valid plan");
    let keys = keys.transfer_and_prepare(module, &mut alloc(layout.prepare_tmp_bytes(module)).borrow());
    let bytes = module.ckks_bootstrap_tmp_bytes(&preset.bootstrap_layout(), &preset.input_layout(), &context, layout);
    let mut scratch = alloc(bytes);
    let bootstrap: Bootstrap = Box::new(move |module, output, input| {
        module.ckks_bootstrap(output, input, &context, &keys, &mut scratch.borrow()).expect("bootstraps");
    });
    Made { bootstrap, keys: count, key_bytes, keygen_s, setup_s: start.elapsed().as_secs_f64() }
}

/// [`setup`] of a set that evaluates the modular reduction in the ring of real slots.
fn setup_real(
    module: &Module<Boot>,
    preset: &BootstrappingPreset,
    secret: &BackendGLWESecret<Boot>,
    rng: &mut impl Rng,
) -> Made {
    let (plan, layout) = (preset.plan(), preset.keys_layout());
    let ring = Module::<Real>::new(preset.n() as u64);
    let (alloc, alloc_real) = (ScratchOwned::<Boot>::alloc, ScratchOwned::<Real>::alloc);
    let (mut sparse, mut noise, mut mask) = (source(rng), source(rng), source(rng));
    let start = Instant::now();
    let (bytes, real) = layout.generate_ci_tmp_bytes(module, &ring);
    let (mut scratch, mut scratch_real) = (alloc(bytes), alloc_real(real));
    let (arena, arena_real) = (&mut scratch.borrow(), &mut scratch_real.borrow());
    let keys = plan
        .generate_keys_ci(module, &ring, secret, layout, &mut sparse, &mut noise, &mut mask, arena, arena_real)
        .expect("keys");
    let keygen_s = start.elapsed().as_secs_f64();
    let (count, key_bytes) = size(&keys);

    let start = Instant::now();
    let base2k = preset.base2k().into();
    let (bytes, real) = BootstrappingContextPrepared::<Boot, f64>::compile_ci_unprepared_tmp_bytes(module, &ring, plan)
        .expect("a valid plan");
    let (mut scratch, mut scratch_real) = (alloc(bytes), alloc_real(real));
    let (arena, arena_real) = (&mut scratch.borrow(), &mut scratch_real.borrow());
    let unprepared = BootstrappingContextPrepared::<Boot, f64>::compile_ci_unprepared(
        module, &ring, base2k, plan, arena, arena_real,
    )
    .expect("a valid plan");
    let bytes = unprepared.prepare_tmp_bytes(module);
    let context = unprepared.prepare(module, &mut alloc(bytes).borrow()).expect("a valid plan");
    let (bytes, real) = layout.prepare_ci_tmp_bytes(module, &ring);
    let keys = keys
        .transfer_and_prepare_ci(module, &ring, &mut alloc(bytes).borrow(), &mut alloc_real(real).borrow())
        .expect("keys");
    let (bytes, real) =
        module.ckks_bootstrap_ci_tmp_bytes(&ring, &preset.bootstrap_layout(), &preset.input_layout(), &context, layout);
    let (mut scratch, mut scratch_real) = (alloc(bytes), alloc_real(real));
    let bootstrap: Bootstrap = Box::new(move |module, output, input| {
        let (arena, arena_real) = (&mut scratch.borrow(), &mut scratch_real.borrow());
        module.ckks_bootstrap_ci_into(&ring, output, input, &context, &keys, arena, arena_real).expect("bootstraps");
    });
    Made { bootstrap, keys: count, key_bytes, keygen_s, setup_s: start.elapsed().as_secs_f64() }
}
