//! The CPU backend's counters and the model's costs of the same program, side by side.

use ringjet_cpu::{CpuBackend, KernelCalls, Traffic};
use ringjet_model::{Cost, Policy, Trace, own_parts};

/// The program's costs on the CPU, of the calls in `trace`, are what `cpu` has counted. Returns
/// them.
///
/// Every word counts: the model leaves nothing out that a cache might hold, but what both leave out
/// by their definitions ([`Traffic`]).
pub fn assert_same(what: &str, cpu: &CpuBackend, trace: &Trace) -> Cost {
    let policy = Policy::Cpu { threads: cpu.threads() };
    let cost = trace.total(|operation, n| own_parts(operation, n, policy));
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
    let tree = trace.tree(|operation, n| own_parts(operation, n, policy));
    assert_eq!(tree.cost, Cost { launches: tree.cost.launches, ..cost }, "{what}: the sum of the tree");
    cost
}
