//! Compares the CPU backend's counters with the model's costs of the same program.

use ringjet_cpu::{CpuBackend, KernelCalls, Traffic};
use ringjet_model::{Cost, Policy, Trace, ringjet_parts};

/// Asserts that the model's cost of `trace` on the CPU equals the counters of `cpu`, and returns
/// the cost.
///
/// All words are compared, including those that a cache might hold. Left out is only what both the
/// counters and the model do not count by definition (see [`Traffic`]).
pub fn assert_same(what: &str, cpu: &CpuBackend, trace: &Trace) -> Cost {
    let policy = Policy::Cpu { threads: cpu.threads() };
    let cost = trace.total(|operation, n| ringjet_parts(operation, n, policy));
    let c = cost.calls;
    let calls = KernelCalls {
        ntt: c.ntt,
        intt: c.intt,
        base_conversion: c.base_conversion,
        products: c.products,
        automorphisms: c.automorphisms,
    };
    assert!(calls != KernelCalls::default(), "{what}");
    assert_eq!(calls, cpu.kernel_calls(), "{what}: the model's calls, and the CPU's");
    let traffic = Traffic {
        reads: cost.reads,
        writes: cost.writes,
        key_reads: cost.key_reads,
        plain_reads: cost.plain_reads,
        near_reads: cost.near_reads,
        near_writes: cost.near_writes,
    };
    assert_eq!(traffic, cpu.traffic(), "{what}: the model's traffic, and the CPU's");
    let tree = trace.tree(|operation, n| ringjet_parts(operation, n, policy));
    assert_eq!(tree.cost, Cost { launches: tree.cost.launches, ..cost }, "{what}: the sum of the tree");
    cost
}
