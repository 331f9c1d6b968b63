//! Mistakes of programs, which the emulator names. The program is `emulator/probe.c`.

use ringjet_pim::{DpuSet, Fault, FaultKind, Hardware, Host, PimError, Version};

use crate::support::hardware;

const MRAM: u64 = 0x0800_0000;

fn probe(count: u32, hardware: Hardware) -> DpuSet {
    let mut dpus = DpuSet::new(&Host::emulator(), count, hardware).unwrap();
    dpus.load("probe").unwrap();
    dpus.broadcast(0, &[0, 0]).unwrap();
    dpus
}

/// DPU 2 of 3 makes a mistake in tasklet 5.
fn fault(mistake: u32) -> Fault {
    let mut dpus = probe(3, hardware(16));
    dpus.launch().unwrap();
    dpus.write(2, 0, &[mistake, 5]).unwrap();
    let PimError::Fault(fault) = dpus.launch().unwrap_err() else { panic!("mistake {mistake}") };
    assert_eq!(fault.dpu, 2);
    assert_eq!(fault.tasklet, if mistake == 13 { 0 } else { 5 });
    // the DPU works again after a fault
    dpus.broadcast(0, &[0, 0]).unwrap();
    dpus.launch().unwrap();
    fault
}

#[test]
fn transfers_are_checked() {
    let expected = [
        (1, FaultKind::MramRange, MRAM + (64 << 20) - 8, 16),
        (2, FaultKind::MramRange, MRAM - 8, 8),
        (3, FaultKind::MramAlignment, MRAM + 12, 8),
        (4, FaultKind::WramAlignment, MRAM, 8),
        (5, FaultKind::TransferSize, MRAM, 12),
        (6, FaultKind::TransferSize, MRAM, 2056),
        (7, FaultKind::TransferSize, MRAM, 0),
        (8, FaultKind::WramRange, MRAM, 16),
        (9, FaultKind::WramRange, MRAM, 16),
        (10, FaultKind::WramRange, MRAM, 8),
    ];
    for (mistake, kind, address, bytes) in expected {
        let found = fault(mistake);
        assert_eq!((found.kind, found.address, found.bytes), (kind, address, bytes), "mistake {mistake}");
    }
    let text = "DPU 2, tasklet 5: a transfer of 8 bytes at MRAM address 0x800000c, which is no multiple of 8";
    assert_eq!(fault(3).to_string(), text);
}

#[test]
fn stacks_and_heaps_are_limited() {
    let found = fault(11);
    assert_eq!((found.kind, found.bytes), (FaultKind::HeapFull, 60000));
    assert!(found.limit < 63488 - 16 * 1024 && found.limit > 63488 - 16 * 1024 - 200, "{found}");
    let found = fault(12);
    assert_eq!((found.kind, found.limit), (FaultKind::StackOverflow, 1024));
    // a larger stack has room for the same calls
    let mut dpus = probe(1, Hardware { stack_bytes: 3072, ..Hardware::default() });
    dpus.broadcast(0, &[12, 5]).unwrap();
    dpus.launch().unwrap();
}

#[test]
fn barriers_and_mutexes_are_checked() {
    let found = fault(13);
    assert_eq!((found.kind, found.bytes, found.limit), (FaultKind::BarrierNotReached, 15, 16));
    assert_eq!(found.to_string(), "DPU 2, tasklet 0: waits at a barrier that only 15 of 16 tasklets reach");
    assert_eq!(fault(15).kind, FaultKind::MutexNotHeld);
    let found = fault(16);
    assert_eq!((found.kind, found.limit), (FaultKind::TooManyMutexes, 64));
    let found = fault(17);
    assert_eq!((found.kind, found.bytes, found.limit), (FaultKind::BarrierCount, 17, 16));
    // alone on its DPU: with others, these wait at a barrier
    let mut dpus = probe(1, hardware(1));
    dpus.broadcast(0, &[14, 0]).unwrap();
    let PimError::Fault(found) = dpus.launch().unwrap_err() else { panic!() };
    assert_eq!(found.kind, FaultKind::MutexDeadlock);
}

#[test]
fn versions_have_limits() {
    for (version, most, wram) in [(Version::V1A, 24, 65536), (Version::V1B, 16, 63488)] {
        probe(1, Hardware { version, tasklets: most, stack_bytes: 1024 }).launch().unwrap();
        let many = Hardware { version, tasklets: most + 1, stack_bytes: 1024 };
        let PimError::Fault(found) = probe(1, many).launch().unwrap_err() else { panic!() };
        assert_eq!((found.kind, found.bytes, found.limit), (FaultKind::TooManyTasklets, most + 1, u64::from(most)));
        let large = Hardware { version, tasklets: 16, stack_bytes: 4096 };
        let PimError::Fault(found) = probe(1, large).launch().unwrap_err() else { panic!() };
        assert_eq!((found.kind, found.limit), (FaultKind::WramFull, wram));
        assert!(found.bytes >= 65536 && found.bytes < 65800, "{found}");
    }
    // 24 tasklets on version v1A: the program itself has buffers for 16 (STATUS_TOO_MANY_TASKLETS)
}

/// What the probe leaves in `result` is read as the command that was refused: none was, so it is
/// checked through cycles alone.
#[test]
fn mutexes_clocks_and_the_end_of_mram_work() {
    let mut dpus = probe(1, hardware(16));
    dpus.broadcast(0, &[20, 3]).unwrap();
    // 1000 instructions of one tasklet and the counter's own 2, in multiples of 16 cycles
    let cycles = dpus.launch().unwrap();
    assert_eq!(cycles, [11 * 1002 / 16 * 16]);
    dpus.broadcast(0, &[21, 3]).unwrap();
    dpus.launch().unwrap();
    let mut words = [0; 4];
    dpus.read(0, (16 << 20) - 4, &mut words).unwrap();
    assert_eq!(words, [7, 0, 0x5566_7788, 0x1122_3344]);
    dpus.broadcast(0, &[18, 0]).unwrap();
    dpus.launch().unwrap();
    let profile = dpus.profile(0).unwrap().unwrap();
    // 160 critical sections one after the other, each with a transfer of 65 cycles
    assert!(profile.cycles > 160 * 65 && profile.instructions < 2000, "{profile:?}");
}

#[test]
fn thousands_of_dpus_need_little_memory() {
    let mut dpus = DpuSet::new(&Host::emulator(), 2220, Hardware::default()).unwrap();
    assert_eq!(dpus.count(), 2220);
    dpus.load("probe").unwrap();
    dpus.broadcast(0, &[0, 0]).unwrap();
    dpus.write(2219, 0, &[15, 1]).unwrap();
    let PimError::Fault(found) = dpus.launch().unwrap_err() else { panic!() };
    assert_eq!((found.dpu, found.tasklet), (2219, 1));
    let rows: Vec<Vec<u32>> = (0..2220).map(|i| vec![i, i + 1]).collect();
    dpus.scatter(1000, &rows).unwrap();
    let mut back = vec![vec![0; 2]; 2220];
    dpus.gather(1000, &mut back).unwrap();
    assert_eq!(back, rows);
    let resident = std::fs::read_to_string("/proc/self/statm").unwrap();
    let pages: u64 = resident.split_whitespace().nth(1).unwrap().parse().unwrap();
    assert!(pages * 4096 < 1 << 30, "{pages} pages");
}

#[test]
fn calls_of_the_host_are_checked() {
    let emulator = Host::emulator();
    let error = DpuSet::new(&emulator, 0, Hardware::default()).unwrap_err();
    assert_eq!(error.to_string(), "dpu_alloc failed with error 4 (DPU_ERR_ALLOCATION)");
    let mut dpus = DpuSet::new(&emulator, 2, Hardware::default()).unwrap();
    assert!(matches!(dpus.launch(), Err(PimError::Call { function: "dpu_launch", code: 5, .. })));
    let error = dpus.load("final").unwrap_err().to_string();
    assert!(error.starts_with("no program \"final\"; there are initial, "), "{error}");
    assert_eq!(dpus.write(2, 0, &[0, 0]), Err(PimError::NoSuchDpu { dpu: 2, count: 2 }));
    assert_eq!(dpus.write(1, 1, &[0, 0]), Err(PimError::OddTransfer { offset: 1, words: 2 }));
    assert_eq!(dpus.write(1, 0, &[0]), Err(PimError::OddTransfer { offset: 0, words: 1 }));
    let beyond = dpus.write(1, (1 << 24) - 2, &[0; 4]);
    assert!(matches!(beyond, Err(PimError::Call { name: "DPU_ERR_INVALID_MRAM_ACCESS", .. })));
    assert_eq!(dpus.scatter(0, &[[0, 0]]), Err(PimError::Rows { rows: 1, count: 2, words: 2 }));
    assert!(matches!(dpus.scatter(0, &[vec![0, 0], vec![0]]), Err(PimError::Rows { .. })));
}
