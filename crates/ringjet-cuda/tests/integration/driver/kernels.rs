//! How the kernels get to the GPU: compiled by NVRTC, from the cache of compiled kernels, or from
//! the embedded PTX.

use std::fs;
use std::path::PathBuf;
use std::sync::atomic::{AtomicU32, Ordering};

use ringjet_backend::Backend;
use ringjet_cuda::{Compiled, Compiler, CudaBackend, Unavailable, compile_kernels, discover, store_kernels};
use ringjet_math::{Basis, prime};

use super::{assert_unavailable, open, words};
use crate::fake_driver::{Fake, FakeMachine, PLAIN, cache, run, with};
use crate::shared;

#[test]
fn no_compiler() {
    run(FakeMachine { compiler: false, ..PLAIN }, |fake| {
        computes_from_ptx(fake);
    });
}

#[test]
fn a_compiler_that_is_forbidden() {
    run(with(&[("RINGJET_DISABLE_NVRTC", "1")]), |fake| {
        computes_from_ptx(fake);
    });
}

#[test]
fn a_compiler_older_than_the_device() {
    run(with(&[("RINGJET_FAKE_NVRTC", "120"), ("RINGJET_FAKE_CAPABILITY", "100")]), |fake| {
        computes_from_ptx(fake);
    });
}

/// Asserts that the driver compiles the embedded PTX, and that the self-test and a transform
/// compute correctly with it.
fn computes_from_ptx(fake: &Fake) {
    assert_eq!(discover(0).unwrap().compiler, Compiler::Driver);
    let b = open();
    let basis = Basis::new(10, &prime::ntt_primes(10, 50, 2, &[]).unwrap()).unwrap();
    let mut x = b.alloc(2, 1 << 10).unwrap();
    let data: Vec<u64> = (0..2 << 10).collect();
    b.upload(&mut x, 0, &data).unwrap();
    b.ntt(x.view_mut(1), &basis).unwrap();
    assert_eq!(words(&b, &x), transformed(&basis, &data));
    assert_eq!((fake.compilations(), fake.counts().images, files()), (0, 1, vec![]));
}

/// The transform of `data`, computed by this machine's processor.
fn transformed(basis: &Basis, data: &[u64]) -> Vec<u64> {
    let mut x = data.to_vec();
    for (prime, row) in basis.primes().iter().zip(x.chunks_exact_mut(basis.n())) {
        prime.table().forward(row);
    }
    x
}

/// The driver refuses the PTX. So it is the PTX that is loaded without a compiler.
#[test]
fn ptx_that_the_driver_refuses() {
    run(FakeMachine { compiler: false, ..with(&[("RINGJET_FAKE_REFUSE", ".target sm_80")]) }, |fake| {
        assert_eq!(discover(0).unwrap().compiler, Compiler::Driver);
        let why = CudaBackend::open(0).unwrap_err();
        assert!(why.to_string().contains("CUDA_ERROR_INVALID_IMAGE"), "{why}");
        assert_eq!(fake.counts().images, 0);
    });
}

#[test]
fn no_compiler_for_other_kernels() {
    let folder = kernels_with("// changed\n");
    let settings = [("RINGJET_KERNEL_DIR", folder.to_str().unwrap())];
    run(FakeMachine { compiler: false, ..with(&settings) }, |_| assert_unavailable(0, Unavailable::NoCompiler));
    let _ = fs::remove_dir_all(folder);
}

#[test]
fn no_compiler_for_an_old_device() {
    run(FakeMachine { compiler: false, ..with(&[("RINGJET_FAKE_CAPABILITY", "75")]) }, |_| {
        let why = discover(0).unwrap_err();
        let Unavailable::OldDevice { name, what } = &why else { panic!("{why:?}") };
        assert!(name == "Fake GPU 0" && what.starts_with("compute capability 8.0, "), "{why}");
        assert_unavailable(0, why);
    });
}

/// The embedded PTX never replaces other kernels.
#[test]
fn a_compiler_too_old_for_other_kernels() {
    let folder = kernels_with("// changed\n");
    let kernels = ("RINGJET_KERNEL_DIR", folder.to_str().unwrap());
    run(with(&[("RINGJET_FAKE_NVRTC", "120"), ("RINGJET_FAKE_CAPABILITY", "100"), kernels]), |_| {
        assert_eq!(discover(0).unwrap().compiler, Compiler::Nvrtc { major: 12, minor: 0 });
        let log = "invalid value for --gpu-architecture".to_owned();
        assert_eq!(CudaBackend::open(0).err(), Some(Unavailable::Compilation { architecture: "sm_100".into(), log }));
    });
    let _ = fs::remove_dir_all(folder);
}

/// Kernels may have the shared memory that the device offers a block, be it more than 48 KB or not.
#[test]
fn kernels_with_much_shared_memory() {
    run(PLAIN, |_| computes_digits(5));
}

#[test]
fn kernels_with_little_shared_memory() {
    run(with(&[("RINGJET_FAKE_SHARED", "49152")]), |_| computes_digits(6));
}

/// Asserts that digits of many limbs are right and take this many launches.
fn computes_digits(launches: u64) {
    let (b, expected) = (open(), shared::digits(&CudaBackend::emulated()));
    let before = b.launches();
    assert!(shared::digits(&b) == expected);
    assert_eq!(b.launches() - before, launches);
}

#[test]
fn a_device_that_refuses_shared_memory() {
    run(PLAIN, |fake| {
        fake.refuse("cuFuncSetAttribute", 1);
        let Err(why) = CudaBackend::open(0) else { panic!() };
        assert!(why.to_string().contains("CUDA_ERROR_INVALID_VALUE"), "{why}");
    });
}

#[test]
fn kernels_that_the_driver_refuses() {
    run(with(&[("RINGJET_FAKE_REFUSE", "entry ringjet_products")]), |fake| {
        let Err(why) = CudaBackend::open(0) else { panic!() };
        assert!(why.to_string().contains("CUDA_ERROR_INVALID_IMAGE"), "{why}");
        assert_eq!(fake.counts().images, 0);
    });
}

/// Makes a folder with a copy of the kernels and appends `more` to one file.
fn kernels_with(more: &str) -> PathBuf {
    static NEXT: AtomicU32 = AtomicU32::new(0);
    let name = format!("kernels-{}-{}", std::process::id(), NEXT.fetch_add(1, Ordering::Relaxed));
    let folder = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join(name);
    fs::create_dir_all(&folder).unwrap();
    let kernels = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("kernels");
    for file in fs::read_dir(kernels).unwrap().map(Result::unwrap) {
        let mut bytes = fs::read(file.path()).unwrap();
        if file.file_name() == "ntt.cuh" {
            bytes.extend_from_slice(more.as_bytes());
        }
        fs::write(folder.join(file.file_name()), bytes).unwrap();
    }
    folder
}

#[test]
fn kernels_that_do_not_compile() {
    let folder = kernels_with("#error not today\n");
    run(with(&[("RINGJET_KERNEL_DIR", folder.to_str().unwrap())]), |_| {
        let log = "#error not today".to_owned();
        assert_eq!(CudaBackend::open(0).err(), Some(Unavailable::Compilation { architecture: "sm_90".into(), log }));
        assert_eq!(files(), Vec::<String>::new());
    });
    let _ = fs::remove_dir_all(folder);
}

/// Sorted names of the files in the cache.
pub fn files() -> Vec<String> {
    let Ok(folder) = fs::read_dir(cache()) else { return vec![] };
    let mut names: Vec<String> = folder.map(|f| f.unwrap().file_name().into_string().unwrap()).collect();
    names.sort();
    names
}

#[test]
fn kernels_are_compiled_once() {
    run(PLAIN, |fake| {
        for _ in 0..3 {
            drop(open());
        }
        assert_eq!((fake.compilations(), fake.counts().images, files().len()), (1, 3, 1));
        // Damaged files are compiled and cached again: shortened ones, and ones with a changed byte
        // in the code, the magic or the hash.
        let file = cache().join(&files()[0]);
        let whole = fs::read(&file).unwrap();
        let changed = |i: usize| whole.iter().enumerate().map(|(k, b)| b ^ u8::from(k == i)).collect::<Vec<u8>>();
        let broken = [whole[..whole.len() / 2].to_vec(), vec![], changed(whole.len() - 1), changed(7), changed(9)];
        for (i, bytes) in broken.iter().enumerate() {
            fs::write(&file, bytes).unwrap();
            drop(open());
            assert_eq!(fake.compilations(), 2 + i as u64);
            assert_eq!(fs::read(&file).unwrap(), whole);
        }
        // Another version of the compiler, or none, uses the same file.
        for (variable, value) in [("RINGJET_FAKE_NVRTC", "131"), ("RINGJET_DISABLE_NVRTC", "1")] {
            // SAFETY: no other thread of this process reads or writes the environment.
            unsafe { std::env::set_var(variable, value) };
            assert_eq!(discover(0).unwrap().compiler, Compiler::Stored { major: 13, minor: 0 });
            drop(open());
            assert_eq!((fake.compilations(), files().len()), (1 + broken.len() as u64, 1));
        }
    });
}

/// Machine code that was compiled elsewhere is used where NVRTC is missing. Code for another
/// architecture or of another source is not.
#[test]
fn compiled_elsewhere() {
    run(FakeMachine { compiler: false, ..PLAIN }, |fake| {
        let compiled = Compiled { code: b"\x7fELF of a real compiler".to_vec(), version: (13, 0) };
        store_kernels(&cache(), "sm_80", &compiled).unwrap();
        assert_eq!(discover(0).unwrap().compiler, Compiler::Driver);
        let path = store_kernels(&cache(), "sm_90", &compiled).unwrap();
        assert_eq!(discover(0).unwrap().compiler, Compiler::Stored { major: 13, minor: 0 });
        drop(open());
        assert_eq!(fake.counts().images, 1);
        let mut bytes = fs::read(&path).unwrap();
        bytes[9] ^= 1; // the hash
        fs::write(&path, bytes).unwrap();
        assert_eq!(discover(0).unwrap().compiler, Compiler::Driver);
        assert!(matches!(compile_kernels("sm_90"), Err(Unavailable::NoCompiler)));
    });
}

/// What the compiler makes without a GPU is what a GPU is opened with.
#[test]
fn compiled_beforehand() {
    run(PLAIN, |fake| {
        store_kernels(&cache(), "sm_90", &compile_kernels("sm_90").unwrap()).unwrap();
        drop(open());
        assert_eq!((fake.compilations(), fake.counts().images, files().len()), (1, 1, 1));
    });
}

#[test]
fn a_cache_that_cannot_be_written_to() {
    run(with(&[("RINGJET_CACHE_DIR", "/dev/null/cache")]), |fake| {
        for times in 1..3 {
            drop(open());
            assert_eq!(fake.compilations(), times);
        }
    });
}
