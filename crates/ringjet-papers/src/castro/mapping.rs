//! Addresses of a polynomial in memory: Figure 3 and Table X of de Castro et al. (ePrint
//! 2021/1636).
//!
//! A burst has 64 bytes: 8 slots of a limb. A row has 128 bursts. The published figure counts in
//! bits of slots and does not say where the 3 bits within a burst are.

use super::dram::{Place, Reads, Timing, read};
use crate::row::Row;

/// Binary logarithm of the slots of a burst.
const BURST_BITS: u32 = 3;
/// Binary logarithm of the bursts of a row.
const COLUMN_BITS: u32 = 7;
/// Binary logarithms of the groups of banks, and of the banks of a group.
const GROUP_BITS: u32 = 2;
const BANK_BITS: u32 = 2;
/// Binary logarithm of the residues of a limb, and the number of limbs.
const LOG_N: u32 = 17;
const LIMBS: usize = 35;

/// Requests that the controller may reorder. The source does not state its controller.
const WINDOW: usize = 32;

/// Bursts of a limb that are read together when data is read slot by slot: 24 slots. The source
/// does not state it. This number gives its baseline; pieces of 4 or 2 bursts take 7.5 or 13.8 ms.
const PIECE: usize = 3;

/// Where bursts of limbs lie.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Mapping {
    /// Limbs follow each other. From the lowest bits on: column, group, bank, row.
    Baseline,
    /// Each limb lies in one bank, and consecutive limbs in different groups and banks.
    Optimized,
}

/// The order in which a polynomial is read.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Access {
    /// Limb by limb: transforms.
    LimbWise,
    /// The same slots of all limbs together: base conversions.
    SlotWise,
}

impl Mapping {
    /// The place of the burst `burst` of a limb.
    fn place(self, limb: usize, burst: usize) -> Place {
        let low = |x: usize, bits: u32| x & ((1 << bits) - 1);
        let bursts = LOG_N - BURST_BITS;
        let (banks, row) = match self {
            Self::Baseline => {
                let above = (limb << bursts | burst) >> COLUMN_BITS;
                (above, above >> (GROUP_BITS + BANK_BITS))
            }
            Self::Optimized => {
                let upper = limb >> (GROUP_BITS + BANK_BITS);
                (limb, upper << (bursts - COLUMN_BITS) | burst >> COLUMN_BITS)
            }
        };
        Place { group: low(banks, GROUP_BITS), bank: low(banks >> GROUP_BITS, BANK_BITS), row }
    }

    /// Reads 35 limbs of 2^17 residues: 36.7 MB.
    pub fn read(self, access: Access, timing: &Timing) -> Reads {
        let bursts = 1 << (LOG_N - BURST_BITS);
        let piece = match access {
            Access::LimbWise => bursts,
            Access::SlotWise => PIECE,
        };
        let places = (0..bursts).step_by(piece).flat_map(|from| {
            (0..LIMBS).flat_map(move |limb| (from..bursts.min(from + piece)).map(move |burst| self.place(limb, burst)))
        });
        read(timing, WINDOW, places)
    }
}

/// The time of [`Mapping::read`] in milliseconds.
fn milliseconds(mapping: Mapping, access: Access) -> f64 {
    let timing = Timing::DDR4_2400;
    mapping.read(access, &timing).cycles as f64 * timing.cycle_ns / 1e6
}

/// Table X: milliseconds to read 35 limbs.
pub(super) fn transfer_times() -> Vec<Row> {
    let peak = (LIMBS << (LOG_N - BURST_BITS)) as f64 * Timing::DDR4_2400.burst as f64;
    let peak = peak * Timing::DDR4_2400.cycle_ns / 1e6;
    let baseline = "a single bank, as the text has it, needs 3.12 ms: here limbs go over all banks, and the window \
                    brings two groups of banks together";
    let fitted = "24 slots of a limb at a time, a number that the source does not state: it is chosen by this entry";
    let optimized = "one bank at a time: 6 cycles between bursts of a group of banks, and rows are opened one by one";
    let parallel = "the same 24 slots";
    let all = [
        ("Baseline", Mapping::Baseline, [(2.3, baseline), (9.2, fitted)], 11.5),
        ("Optimized", Mapping::Optimized, [(2.5, optimized), (2.2, parallel)], 4.7),
    ];
    let mut rows = vec![Row::new("all bursts one after the other", "ms", Some(peak), Some(1.9))];
    let mut totals = [0.0; 2];
    for ((name, mapping, [limb, slot], total), sum) in all.into_iter().zip(&mut totals) {
        let found = [Access::LimbWise, Access::SlotWise].map(|access| milliseconds(mapping, access));
        *sum = found.iter().sum();
        rows.push(Row::new(format!("{name}, limb-wise"), "ms", Some(found[0]), Some(limb.0)).note(limb.1));
        rows.push(Row::new(format!("{name}, slot-wise"), "ms", Some(found[1]), Some(slot.0)).note(slot.1));
        rows.push(Row::new(format!("{name}, total"), "ms", Some(*sum), Some(total)));
    }
    rows.push(Row::new("baseline / optimized, total", "times", Some(totals[0] / totals[1]), Some(2.4)));
    rows
}

/// Figure 3: the bits of an address.
pub(super) fn address_bits() -> Vec<Row> {
    let (columns, banks) = (BURST_BITS + COLUMN_BITS, GROUP_BITS + BANK_BITS);
    let limbs = LIMBS.next_power_of_two().ilog2();
    let all = [
        ("Baseline, slots (lowest bits)", LOG_N, 17, None),
        ("Baseline, limbs (next bits)", limbs, 6, None),
        (
            "Optimized, slots: column",
            columns,
            7,
            Some("the 3 bits within a burst belong to the column; only then does a limb fill whole rows"),
        ),
        ("Optimized, slots: row", LOG_N - columns, 10, Some("the other 7 of the slot's 17 bits")),
        (
            "Optimized, limbs: group, bank and rank",
            banks,
            4,
            Some("one rank: 4 groups of 4 banks, as chips of 8 data lines have"),
        ),
        ("Optimized, limbs: row", limbs - banks, 2, None),
    ];
    (all.into_iter())
        .map(|(entry, model, paper, note)| {
            let row = Row::new(entry, "bits", Some(f64::from(model)), Some(f64::from(paper)));
            note.map_or(row.clone(), |note| row.note(note))
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn limbs_lie_where_figure_3_puts_them() {
        let place = |mapping: Mapping, limb, burst| {
            let p = mapping.place(limb, burst);
            (p.group, p.bank, p.row)
        };
        let baseline = |limb, burst| place(Mapping::Baseline, limb, burst);
        // 128 bursts fill a row, 16 rows of all banks are one row further; a limb has 8 of them
        assert_eq!([baseline(0, 127), baseline(0, 128), baseline(0, 512)], [(0, 0, 0), (1, 0, 0), (0, 1, 0)]);
        assert_eq!([baseline(0, 2048), baseline(1, 0), baseline(34, 16383)], [(0, 0, 1), (0, 0, 8), (3, 3, 279)]);
        let optimized = |limb, burst| place(Mapping::Optimized, limb, burst);
        // a limb has 128 rows of one bank
        assert_eq!([optimized(0, 127), optimized(0, 128), optimized(0, 16383)], [(0, 0, 0), (0, 0, 1), (0, 0, 127)]);
        assert_eq!([optimized(1, 0), optimized(4, 0), optimized(16, 0)], [(1, 0, 0), (0, 1, 0), (0, 0, 128)]);
        assert_eq!(optimized(34, 130), (2, 0, 257));
    }

    /// Rows that each order has to open if no refresh closes them, and the published times within a
    /// quarter.
    #[test]
    fn table_x_is_within_a_quarter_of_the_published_times() {
        let without = Timing { refi: i64::MAX, ..Timing::DDR4_2400 };
        let opened = |mapping: Mapping, access| mapping.read(access, &without).activations;
        let rows = (LIMBS * 128) as u64;
        assert_eq!(opened(Mapping::Baseline, Access::LimbWise), rows);
        assert_eq!(opened(Mapping::Optimized, Access::LimbWise), rows);
        let slots = opened(Mapping::Baseline, Access::SlotWise);
        // a row for each piece, or one row less where a piece reaches into the next row
        let pieces = (LIMBS * (1usize << 14).div_ceil(PIECE)) as u64;
        assert!(slots >= pieces && slots <= pieces + rows, "{slots}, {pieces}");
        for row in transfer_times() {
            println!("{}: {:?} ({:?})", row.entry, row.model, row.paper);
            assert!(row.deviation.is_some_and(|d| d.abs() < 0.25), "{row:?}");
        }
    }
}
