//! The half that talks to NVIDIA's libraries, on libraries that behave as badly as those may (`fake_driver/machine.h`).

use std::fs;
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};

use crate::fake_driver::{Fake, Machine, PLAIN, cache, run, run_without, with};
use ringjet_backend::conformance::{BigShape, Chain, Options};
use ringjet_backend::{Backend, BackendError, Buf, conformance};
use ringjet_cpu::{CpuBackend, CpuConfig};
use ringjet_cuda::{Compiler, CudaBackend, Unavailable, discover};
use ringjet_math::{Basis, prime};

use crate::program;

/// A word that nothing else makes.
const WORD: u64 = 0x0123_4567_89ab_cdef;

/// More than both halves of the memory through which copies go: 3 MiWords and some.
const MANY: usize = (3 << 20) + 1000;

fn open() -> CudaBackend {
    CudaBackend::open(0).unwrap()
}

fn holding(b: &CudaBackend, words: &[u64]) -> Buf {
    let mut buf = b.alloc(words.len(), 1).unwrap();
    b.upload(&mut buf, 0, words).unwrap();
    buf
}

fn words(b: &CudaBackend, buf: &Buf) -> Vec<u64> {
    let mut out = vec![0; buf.limbs() * buf.n()];
    b.download(buf, 0, &mut out).unwrap();
    out
}

fn conforms(seed: &str, log_ns: Vec<u32>) {
    let small = Options {
        log_ns,
        seed: 3,
        bases: vec![vec![50, 61]],
        chains: vec![Chain { p: vec![60, 50], q: vec![60, 50, 40], alpha: 2 }],
        bigs: vec![BigShape { bits: [60, 120], shift: 60, prime: 50, most_log_n: 11 }],
    };
    let b = open();
    assert_eq!(b.id().name(), "cuda");
    let report = conformance::run(&b, &small).unwrap_or_else(|e| panic!("seed {seed}: {e}"));
    assert!(report.checks > 500, "{report}");
}

#[test]
fn conforms_when_all_is_done_as_late_as_possible() {
    run(PLAIN, |fake| {
        conforms("none", vec![3, 10]);
        let counts = fake.counts();
        assert!(counts.launches > 500 && counts.images == 1, "{counts:?}");
    });
}

#[test]
fn conforms_when_it_is_done_at_any_time() {
    run(with(&[("RINGJET_FAKE_SEED", "7")]), |_| conforms("7", vec![4, 9]));
}

/// Every shape, done at any time.
#[test]
#[ignore = "a minute"]
fn conforms_in_full() {
    run(with(&[("RINGJET_FAKE_SEED", "1")]), |_| {
        let options = Options { log_ns: vec![3, 4, 5], ..Options::default() };
        conformance::run(&open(), &options).unwrap_or_else(|e| panic!("{e}"));
    });
}

#[test]
fn copies_of_any_length_arrive() {
    run(PLAIN, |fake| {
        let b = open();
        let lengths = [0, 1, 8192, 8193, 1 << 20, (1 << 20) + 1, 2 << 20, MANY];
        for length in lengths {
            let data: Vec<u64> = (0..length as u64).map(|i| i * i + 1).collect();
            let (one, two) = (holding(&b, &data), holding(&b, &data[..length / 2]));
            assert!(fake.counts().queued > 0 || length == 0);
            assert!(words(&b, &one) == data && words(&b, &two) == data[..length / 2], "{length}");
        }
        // parts
        let mut buf = holding(&b, &vec![7; MANY]);
        b.upload(&mut buf, 5, &vec![8; MANY - 10]).unwrap();
        let mut out = vec![0; MANY - 8];
        b.download(&buf, 4, &mut out).unwrap();
        assert!(out[0] == 7 && out[MANY - 9] == 7 && out[1..MANY - 9].iter().all(|&w| w == 8));
    });
}

/// Neither [`discover`] nor [`CudaBackend::open`] finds a GPU, for the same reason.
fn refuses(ordinal: usize, why: Unavailable) {
    assert_eq!(discover(ordinal), Err(why.clone()));
    assert_eq!(CudaBackend::open(ordinal).err(), Some(why));
}

#[test]
fn no_driver() {
    run_without(Machine { driver: false, ..PLAIN }, || refuses(0, Unavailable::NoDriver));
}

#[test]
fn no_compiler() {
    run(Machine { compiler: false, ..PLAIN }, |fake| {
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

/// The driver gets the embedded PTX, and computes with it: the self-test, and then a transform.
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

/// By this machine's processor.
fn transformed(basis: &Basis, data: &[u64]) -> Vec<u64> {
    let mut x = data.to_vec();
    for (prime, row) in basis.primes().iter().zip(x.chunks_exact_mut(basis.n())) {
        prime.table().forward(row);
    }
    x
}

/// It is the PTX that the driver loads, not something else.
#[test]
fn ptx_that_the_driver_refuses() {
    run(Machine { compiler: false, ..with(&[("RINGJET_FAKE_REFUSE", ".target sm_80")]) }, |fake| {
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
    run(Machine { compiler: false, ..with(&settings) }, |_| refuses(0, Unavailable::NoCompiler));
    let _ = fs::remove_dir_all(folder);
}

#[test]
fn no_compiler_for_an_old_device() {
    run(Machine { compiler: false, ..with(&[("RINGJET_FAKE_CAPABILITY", "75")]) }, |_| {
        let why = discover(0).unwrap_err();
        let Unavailable::OldDevice { name, what } = &why else { panic!("{why:?}") };
        assert!(name == "Fake GPU 0" && what.starts_with("compute capability 8.0, "), "{why}");
        refuses(0, why);
    });
}

/// Kernels that are not the embedded ones are not replaced by those.
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

#[test]
fn an_old_driver() {
    let machine = with(&[("RINGJET_FAKE_DRIVER", "11080")]);
    run(machine, |_| refuses(0, Unavailable::OldDriver { found: 11080, needed: 12000 }));
}

#[test]
fn no_device() {
    run(with(&[("RINGJET_FAKE_DEVICES", "0")]), |_| refuses(0, Unavailable::NoDevice { found: 0, wanted: 0 }));
}

#[test]
fn too_few_devices() {
    run(with(&[("RINGJET_FAKE_DEVICES", "2")]), |_| {
        refuses(2, Unavailable::NoDevice { found: 2, wanted: 2 });
        refuses(usize::MAX, Unavailable::NoDevice { found: 2, wanted: usize::MAX });
    });
}

#[test]
fn a_device_without_memory_pools() {
    let why = || Unavailable::OldDevice { name: "Fake GPU 0".into(), what: "memory pools" };
    run(with(&[("RINGJET_FAKE_POOLS", "0")]), |_| refuses(0, why()));
}

#[test]
fn a_driver_that_does_not_start() {
    run(with(&[("RINGJET_FAKE_INIT", "803")]), |_| {
        let why = discover(0).unwrap_err();
        assert!(why.to_string().contains("CUDA_ERROR_SYSTEM_DRIVER_MISMATCH"), "{why}");
        refuses(0, why);
    });
}

#[test]
fn what_is_found_is_described() {
    let machine =
        with(&[("RINGJET_FAKE_CAPABILITY", "103"), ("RINGJET_FAKE_BYTES", "123456789"), ("RINGJET_FAKE_RATIO", "64")]);
    run(machine, |fake| {
        let gpu = discover(0).unwrap();
        assert_eq!(
            (gpu.name.as_str(), gpu.capability, gpu.bytes, gpu.driver, gpu.single_to_double),
            ("Fake GPU 0", (10, 3), 123456789, 13000, 64)
        );
        assert_eq!((fake.compilations(), fake.counts().contexts), (0, 0));
        drop(open());
        assert!(files()[0].starts_with("kernels-sm_103-"), "{:?}", files());
    });
}

/// A kernel that does nothing is found out before anybody computes with it.
#[test]
fn a_device_that_computes_wrongly() {
    run(with(&[("RINGJET_FAKE_SKIP", "ringjet_mul")]), |fake| {
        let Err(Unavailable::Wrong { name, what, found, expected, .. }) = CudaBackend::open(0) else { panic!() };
        assert_eq!((name.as_str(), what), ("Fake GPU 0", "a product of polynomials"));
        assert_ne!(found, expected);
        assert_eq!(fake.counts().taken, 0);
    });
}

#[test]
fn kernels_that_the_driver_refuses() {
    run(with(&[("RINGJET_FAKE_REFUSE", "entry ringjet_mul")]), |fake| {
        let Err(why) = CudaBackend::open(0) else { panic!() };
        assert!(why.to_string().contains("CUDA_ERROR_INVALID_IMAGE"), "{why}");
        assert_eq!(fake.counts().images, 0);
    });
}

/// A folder of its own with the kernels, and `more` at the end of one file.
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

/// Names of the files in the cache, in order.
fn files() -> Vec<String> {
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
        // a file that is not whole, one with another byte, one of another form: compiled again, and kept again
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
        // another compiler, another file
        // SAFETY: no other thread of this process reads or writes the environment.
        unsafe { std::env::set_var("RINGJET_FAKE_NVRTC", "131") };
        drop(open());
        assert_eq!((fake.compilations(), files().len()), (2 + broken.len() as u64, 2));
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

/// Of 64 MiB somebody takes all.
#[test]
fn out_of_memory_says_how_much_there_was() {
    let total = 1 << 26;
    run(with(&[("RINGJET_FAKE_BYTES", "67108864")]), |fake| {
        let b = open();
        let before = fake.counts();
        let n = 1 << 12;
        let mut taken: Vec<Buf> = vec![];
        let refused = loop {
            match b.alloc(100, n) {
                Ok(buf) => taken.push(buf),
                Err(e) => break e,
            }
        };
        assert_eq!(taken.len(), total / (8 * 100 * n));
        let room = total - taken.len() * 8 * 100 * n;
        let BackendError::OutOfMemory { backend, bytes, free } = refused.clone() else { panic!("{refused}") };
        assert_eq!((backend.as_str(), bytes), ("cuda", 8 * 100 * n));
        // the constants of the self-test made room
        assert_eq!(free, Some(room), "{refused}");
        assert_eq!(fake.counts().taken_bytes as usize, total - room);
        assert!(refused.to_string().contains(&format!("{bytes} bytes wanted, {room} are free")), "{refused}");
        // what does not fit takes nothing, and what fits is still taken
        let rest = b.alloc(room / (8 * n), n).unwrap();
        assert!(matches!(b.alloc(usize::MAX, 8), Err(BackendError::OutOfMemory { bytes: usize::MAX, .. })));
        assert!(matches!(b.alloc(1 << 40, 1), Err(BackendError::OutOfMemory { bytes: 0x800_0000_0000, .. })));
        // memory given back in other pieces is cut anew
        drop((taken, rest));
        let one = b.alloc(total / (8 * n) - 1, n).unwrap();
        drop(one);
        assert!(fake.counts().taken_bytes <= before.taken_bytes);
        assert!(fake.counts().reserved_bytes > 0, "freed memory stays with the pool");
    });
}

/// A transform that has no room for its roots.
#[test]
fn an_operation_without_room_takes_nothing() {
    run(with(&[("RINGJET_FAKE_BYTES", "4194304")]), |fake| {
        let (limbs, n) = (4, 1 << 12);
        let basis = Basis::new(12, &prime::ntt_primes(12, 50, limbs, &[]).unwrap()).unwrap();
        let b = open();
        let mut x = b.alloc(limbs, n).unwrap();
        b.upload(&mut x, 0, &vec![1; limbs * n]).unwrap();
        let most = b.alloc(123, n).unwrap();
        for _ in 0..2 {
            let refused = b.ntt(x.view_mut(1), &basis);
            assert!(matches!(refused, Err(BackendError::OutOfMemory { .. })), "{refused:?}");
            assert_eq!(fake.counts().taken_bytes, 8 * 127 * n as u64);
        }
        drop(most);
        b.ntt(x.view_mut(1), &basis).unwrap();
        b.intt(x.view_mut(1), &basis).unwrap();
        assert_eq!(words(&b, &x), vec![1; limbs * n]);
    });
}

#[test]
fn no_room_to_start_is_an_error() {
    run(with(&[("RINGJET_FAKE_BYTES", "1000")]), |_| {
        let Err(why) = CudaBackend::open(0) else { panic!() };
        assert!(why.to_string().contains("out of memory on cuda"), "{why}");
    });
}

#[test]
fn two_devices_keep_apart() {
    run(with(&[("RINGJET_FAKE_DEVICES", "2")]), |fake| {
        let (one, two) = (open(), CudaBackend::open(1).unwrap());
        assert_eq!((one.id().name(), two.id().name()), ("cuda", "cuda:1"));
        let (a, mut c) = (holding(&one, &[1, 2, 3]), holding(&two, &[4, 5, 6]));
        let wrong = |op: &'static str, expected: &str, found: &str| BackendError::WrongOwner {
            op,
            expected: expected.into(),
            found: found.into(),
        };
        assert_eq!(two.copy(c.view_mut(1), a.view(1)), Err(wrong("copy", "cuda:1", "cuda")));
        assert_eq!(one.upload(&mut c, 0, &[7, 8, 9]), Err(wrong("upload", "cuda", "cuda:1")));
        assert_eq!(two.download(&a, 0, &mut [0; 3]), Err(wrong("download", "cuda:1", "cuda")));
        // in turn, on one thread, which has no context in between
        for _ in 0..3 {
            assert_eq!(fake.depth(), 0);
            assert_eq!((words(&one, &a), words(&two, &c)), (vec![1, 2, 3], vec![4, 5, 6]));
        }
        // one of them goes, while its buffer lives on
        drop(one);
        drop(a);
        assert_eq!((words(&two, &c), fake.counts().contexts), (vec![4, 5, 6], 1));
        // a second one on the same device is another one as well
        let again = CudaBackend::open(1).unwrap();
        assert!(matches!(
            again.copy(c.view_mut(1), holding(&again, &[1, 1, 1]).view(1)),
            Err(BackendError::WrongOwner { .. })
        ));
        drop(c);
        drop(two);
        assert_eq!(words(&again, &holding(&again, &[9])), [9]);
    });
}

/// The pool is the process's: what it has kept for one backend is nobody's when that is gone.
#[test]
fn kept_memory_goes_with_its_backend() {
    run(PLAIN, |fake| {
        let (one, two) = (open(), open());
        drop(one.alloc(1 << 20, 4).unwrap());
        one.sync().unwrap();
        assert!(fake.counts().reserved_bytes > 1 << 25);
        drop(one);
        assert!(fake.counts().reserved_bytes < 1 << 20, "{:?}", fake.counts());
        assert_eq!(words(&two, &holding(&two, &[5])), [5]);
    });
}

/// What is uploaded into buffers marked secret is nowhere once the copy is done but in the buffer, and not there when it is
/// given back.
#[test]
fn secrets_are_wiped() {
    run(PLAIN, |fake| {
        wipes(fake);
    });
}

#[test]
fn secrets_are_wiped_at_any_time() {
    run(with(&[("RINGJET_FAKE_SEED", "5")]), |fake| {
        wipes(fake);
    });
}

fn wipes(fake: &Fake) {
    let b = open();
    fake.watch(WORD);
    for length in [1, 8192, 8193, MANY] {
        let data = vec![WORD; length];
        let mut buf = b.alloc(length, 1).unwrap().into_secret();
        b.upload(&mut buf, 0, &data).unwrap();
        b.sync().unwrap();
        let counts = fake.counts();
        let elsewhere = (counts.pinned_watched, counts.driver_watched);
        assert_eq!((counts.device_watched, elsewhere), (length as u64, (0, 0)), "{length}");
        assert!(words(&b, &buf) == data);
        assert_eq!(fake.counts().pinned_watched, 0, "{length}");
        drop(buf);
        b.sync().unwrap();
        let counts = fake.counts();
        assert_eq!((counts.device_watched, counts.freed_watched), (0, 0), "{length}");
    }
    // what is no secret is not wiped: the counters count
    drop(holding(&b, &[WORD; 10]));
    drop(holding(&b, &vec![WORD; 10000]));
    b.sync().unwrap();
    let counts = fake.counts();
    assert_eq!((counts.freed_watched, counts.pinned_watched, counts.driver_watched), (10010, 10000, 10));
}

/// Wherever a copy in pieces fails, nothing of it stays in pinned memory, and the next copies arrive.
#[test]
fn copies_that_fail_leave_nothing_behind() {
    run(PLAIN, |fake| {
        let b = open();
        fake.watch(WORD);
        let (data, mut out) = (vec![WORD; MANY], vec![0; MANY]);
        let mut buf = b.alloc(MANY, 1).unwrap().into_secret();
        let refused = |result: Result<(), BackendError>, what: &str| {
            let Err(BackendError::Device { message, .. }) = result else { panic!("{what}: {result:?}") };
            assert!(message.contains("CUDA_ERROR_INVALID_VALUE"), "{what}: {message}");
            let counts = fake.counts();
            assert_eq!((counts.pinned_watched, counts.queued), (0, 0), "{what}");
        };
        for after in 0..3 {
            for function in ["cuEventSynchronize", "cuMemcpyHtoDAsync_v2", "cuMemsetD8Async", "cuEventRecord"] {
                fake.refuse(function, after);
                refused(b.upload(&mut buf, 0, &data), &format!("upload, {function} {after}"));
            }
            b.upload(&mut buf, 0, &data).unwrap();
            for function in ["cuMemcpyDtoHAsync_v2", "cuEventRecord", "cuEventSynchronize"] {
                fake.refuse(function, after);
                refused(b.download(&buf, 0, &mut out), &format!("download, {function} {after}"));
            }
            out.fill(0);
            b.download(&buf, 0, &mut out).unwrap();
            assert!(out == data, "{after}");
        }
    });
}

/// An illegal access, which only shows later, and after which nothing works.
#[test]
fn a_device_that_fails_says_so_and_is_given_back() {
    run(PLAIN, |fake| {
        let b = open();
        let mut buf = holding(&b, &[1, 2, 3]);
        b.sync().unwrap();
        fake.fail(700);
        b.upload(&mut buf, 0, &[4, 5, 6]).unwrap();
        let failed = |result: Result<(), BackendError>| {
            let Err(BackendError::Device { backend, message }) = result else { panic!("{result:?}") };
            assert_eq!(backend, "cuda");
            assert!(message.starts_with("Fake GPU 0: ") && message.contains("CUDA_ERROR_ILLEGAL_ADDRESS"), "{message}");
        };
        failed(b.sync());
        failed(b.download(&buf, 0, &mut [0; 3]));
        failed(b.upload(&mut buf, 0, &[1; 3]));
        failed(b.alloc(1, 1).map(drop));
        let mut x = vec![0; MANY];
        failed(b.download(&buf, 0, &mut x[..3]));
        drop(buf);
        drop(b);
        // the context went, and with it the failure
        assert_eq!(fake.counts().contexts, 0);
        let b = open();
        assert_eq!(words(&b, &holding(&b, &[5])), [5]);
    });
}

/// Programs at the same time on one device, each with its own keys and its own evaluator: the processor's bytes.
#[test]
fn evaluators_share_a_device() {
    run(with(&[("RINGJET_FAKE_SEED", "13")]), |_| {
        let cpu = Arc::new(CpuBackend::new(CpuConfig { threads: 1, path: None }).unwrap());
        let params = program::parameters(9, 50).unwrap();
        let expected = program::bytes(&params, cpu).unwrap();
        let b = Arc::new(open());
        let each = || {
            std::thread::spawn({
                let (b, params) = (Arc::clone(&b), params.clone());
                move || program::bytes(&params, b).unwrap()
            })
        };
        let threads: Vec<_> = (0..3).map(|_| each()).collect();
        for t in threads {
            assert!(t.join().unwrap() == expected);
        }
    });
}

/// Several threads with one device: the staging memory, the constants and the queue are theirs together.
#[test]
fn threads_share_a_device() {
    run(with(&[("RINGJET_FAKE_SEED", "11")]), |fake| {
        let b = Arc::new(open());
        let basis = Arc::new(Basis::new(10, &prime::ntt_primes(10, 50, 3, &[]).unwrap()).unwrap());
        let work = |t: u64| {
            let (b, basis) = (Arc::clone(&b), Arc::clone(&basis));
            std::thread::spawn(move || {
                for round in 0..4 {
                    let words_of = |i: u64| (i * i + 1000 * t + round) % (1 << 40);
                    let data: Vec<u64> = (0..3 << 10).map(words_of).collect();
                    let long: Vec<u64> = (0..(1 << 20) + 5000).map(words_of).collect();
                    let mut x = b.alloc(3, 1 << 10).unwrap();
                    b.upload(&mut x, 0, &data).unwrap();
                    b.ntt(x.view_mut(1), &basis).unwrap();
                    let y = holding(&b, &long);
                    b.intt(x.view_mut(1), &basis).unwrap();
                    assert!(words(&b, &x) == data && words(&b, &y) == long, "thread {t}, round {round}");
                }
            })
        };
        let threads: Vec<_> = (0..4).map(work).collect();
        threads.into_iter().for_each(|t| t.join().unwrap());
        // and none of them is the one that ends it
        let counts = fake.counts();
        std::thread::spawn(move || drop(b)).join().unwrap();
        assert_eq!(counts.contexts, 1);
    });
}
