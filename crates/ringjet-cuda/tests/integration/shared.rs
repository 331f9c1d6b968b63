//! Conversions that need more shared memory than every GPU gives a block.

use ringjet_backend::Backend;
use ringjet_backend::plan::ModUpPlan;
use ringjet_cpu::{CpuBackend, CpuConfig};
use ringjet_cuda::CudaBackend;
use ringjet_math::{Basis, prime::ntt_primes};

use crate::large_rings::residues;

/// A digit of 20 limbs and one of one limb, extended by two special primes.
pub fn digits(b: &dyn Backend) -> Vec<u64> {
    const LOG_N: u32 = 10;
    let primes = ntt_primes(LOG_N, 50, 23, &[]).unwrap();
    let basis = |of: &[u64]| Basis::new(LOG_N, of).unwrap();
    let (special, chain) = (basis(&primes[..2]), basis(&primes[2..]));
    let up = ModUpPlan::new(&special, &chain, 20);
    let (limbs, n) = (up.beta() * up.extended.len(), chain.n());
    let (x, mut digits) = (residues(b, &chain, 1, 7), b.alloc(limbs, n).unwrap());
    b.mod_up(digits.view_mut(up.beta()), x.view(1), &up).unwrap();
    let mut words = vec![0; limbs * n];
    b.download(&digits, 0, &mut words).unwrap();
    words
}

#[test]
fn conversions_of_many_limbs_take_one_launch_where_shared_memory_has_room() {
    let expected = digits(&CpuBackend::new(CpuConfig::default()).unwrap());
    // The conversion needs 200 KB. Without them it is followed by a launch for the columns.
    for (shared, launches) in [(227, 5), (163, 6), (48, 6)] {
        let b = CudaBackend::emulated_with_shared(shared << 10);
        assert!(digits(&b) == expected, "{shared} KB");
        assert_eq!(b.launches(), launches, "{shared} KB");
    }
}

#[test]
fn conversions_are_split_into_as_many_blocks_as_a_device_has_use_for() {
    let expected = digits(&CpuBackend::new(CpuConfig::default()).unwrap());
    // Two conversions, one with 22 outputs, of which a block computes two at least.
    for (multiprocessors, blocks) in [(1, 2), (7, 6), (132, 22)] {
        let b = CudaBackend::emulated_with_multiprocessors(multiprocessors);
        b.record_traffic(true);
        assert!(digits(&b) == expected, "{multiprocessors} multiprocessors");
        let launches = b.take_traffic();
        let conversion = launches.iter().find(|t| t.kernel.starts_with("convert_columns")).unwrap();
        assert_eq!(conversion.blocks, [1, blocks, 1], "{multiprocessors} multiprocessors");
    }
}
