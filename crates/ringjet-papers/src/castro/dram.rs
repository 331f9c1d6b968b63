//! Reads from one channel of DDR4 memory with open pages: the simulator for Table X of de
//! Castro et al. (ePrint 2021/1636).
//!
//! A bank has one open row. A read of another row waits until the open row is closed (precharge)
//! and the other one is opened (activation). Bursts of one group of banks are further apart than
//! bursts of different groups. The controller looks at a window of the oldest requests and issues
//! one command a cycle: the command that can go first, a read before an activation before a
//! precharge, and then the oldest. A row stays open while the window holds a read of it. At each
//! refresh all rows are closed, and no command is issued until it is over.

use std::collections::VecDeque;

/// Groups of banks in a chip of 8 data lines.
const GROUPS: usize = 4;
/// Banks in a group.
const BANKS: usize = 4;

/// Timings of a channel of 64 bits, in cycles of its clock.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Timing {
    /// Nanoseconds of a cycle.
    pub cycle_ns: f64,
    /// tRCD: from an activation to a read.
    pub rcd: i64,
    /// tRP: from a precharge to an activation.
    pub rp: i64,
    /// tRAS: from an activation to a precharge.
    pub ras: i64,
    /// tRTP: from a read to a precharge.
    pub rtp: i64,
    /// tCL: from a read to its data.
    pub cl: i64,
    /// Cycles of a burst: eight transfers of 8 bytes, two transfers a cycle.
    pub burst: i64,
    /// tCCD_S: between reads of different groups of banks.
    pub ccd_s: i64,
    /// tCCD_L: between reads of one group of banks.
    pub ccd_l: i64,
    /// tRRD_S: between activations in different groups of banks.
    pub rrd_s: i64,
    /// tRRD_L: between activations in one group of banks.
    pub rrd_l: i64,
    /// tFAW: at most four activations start in this time.
    pub faw: i64,
    /// tREFI: from one refresh to the next.
    pub refi: i64,
    /// tRFC: from a refresh to the next activation.
    pub rfc: i64,
}

impl Timing {
    /// DDR4-2400 with chips of 4 Gbit and 8 data lines, 19.2 GB/s (JESD79-4, speed bin 2400T).
    /// Refreshes are 7.8 us apart and take 260 ns.
    pub const DDR4_2400: Self = Self {
        cycle_ns: 1.0 / 1.2,
        rcd: 17,
        rp: 17,
        ras: 39,
        rtp: 9,
        cl: 17,
        burst: 4,
        ccd_s: 4,
        ccd_l: 6,
        rrd_s: 4,
        rrd_l: 6,
        faw: 26,
        refi: 9360,
        rfc: 312,
    };
}

/// Where a burst lies. Its column within the row does not matter for the time.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Place {
    /// The group of banks, below 4.
    pub group: usize,
    /// The bank in its group, below 4.
    pub bank: usize,
    /// The row of the bank.
    pub row: usize,
}

impl Place {
    fn index(self) -> usize {
        self.group * BANKS + self.bank
    }
}

/// What a sequence of reads took.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Reads {
    /// Cycles up to the end of the last burst.
    pub cycles: i64,
    /// Rows that were opened.
    pub activations: u64,
}

/// Long before the first command.
const NEVER: i64 = -1000;

#[derive(Clone, Copy)]
struct Bank {
    row: Option<usize>,
    activated: i64,
    precharged: i64,
    read: i64,
}

/// The order of commands that can be issued in the same cycle.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Command {
    Read,
    Activate,
    Precharge,
}

struct Channel<'a> {
    timing: &'a Timing,
    clock: i64,
    banks: [Bank; GROUPS * BANKS],
    /// The last reads: of each group, and of all.
    read: ([i64; GROUPS], i64),
    /// The last activations: of each group, and the last four of all, oldest first.
    activated: ([i64; GROUPS], [i64; 4]),
    activations: u64,
    /// The cycle in which the next refresh is due.
    refresh: i64,
}

/// Reads the bursts at `places`, with a window of `window` requests (at least 1).
pub fn read(timing: &Timing, window: usize, places: impl IntoIterator<Item = Place>) -> Reads {
    let mut places = places.into_iter();
    let mut waiting: VecDeque<Place> = places.by_ref().take(window.max(1)).collect();
    let closed = Bank { row: None, activated: NEVER, precharged: NEVER, read: NEVER };
    let mut channel = Channel {
        timing,
        clock: 0,
        banks: [closed; GROUPS * BANKS],
        read: ([NEVER; GROUPS], NEVER),
        activated: ([NEVER; GROUPS], [NEVER; 4]),
        activations: 0,
        refresh: timing.refi,
    };
    while let Some((at, command, i)) = channel.next(&waiting) {
        if at >= channel.refresh {
            channel.refresh();
            continue;
        }
        channel.issue(at, command, waiting[i]);
        if command == Command::Read {
            waiting.remove(i);
            waiting.extend(places.next());
        }
    }
    let cycles = if channel.activations == 0 { 0 } else { channel.read.1 + timing.cl + timing.burst };
    Reads { cycles, activations: channel.activations }
}

impl Channel<'_> {
    /// The next command: its cycle, and the index of its request. `None` if nothing waits.
    fn next(&self, waiting: &VecDeque<Place>) -> Option<(i64, Command, usize)> {
        let mut wanted = [false; GROUPS * BANKS];
        for place in waiting {
            wanted[place.index()] |= self.banks[place.index()].row == Some(place.row);
        }
        let command = |(i, place): (usize, &Place)| {
            let command = match self.banks[place.index()].row {
                Some(row) if row == place.row => Command::Read,
                None => Command::Activate,
                Some(_) if wanted[place.index()] => return None,
                Some(_) => Command::Precharge,
            };
            Some((self.earliest(command, *place), command, i))
        };
        waiting.iter().enumerate().filter_map(command).min()
    }

    /// The first cycle in which a command is allowed.
    fn earliest(&self, command: Command, place: Place) -> i64 {
        let (t, bank) = (self.timing, &self.banks[place.index()]);
        let after = match command {
            Command::Read => {
                [bank.activated + t.rcd, self.read.0[place.group] + t.ccd_l, self.read.1 + t.ccd_s, self.clock]
            }
            Command::Activate => [
                bank.precharged + t.rp,
                self.activated.0[place.group] + t.rrd_l,
                self.activated.1[3] + t.rrd_s,
                self.activated.1[0] + t.faw,
            ],
            Command::Precharge => [bank.activated + t.ras, bank.read + t.rtp, self.clock, self.clock],
        };
        after.into_iter().fold(self.clock, i64::max)
    }

    /// Closes all rows and refreshes: a precharge of all banks as soon as each bank allows it, then
    /// the refresh.
    fn refresh(&mut self) {
        let t = self.timing;
        let open = self.banks.iter().filter(|bank| bank.row.is_some());
        let closed = open.map(|bank| (bank.activated + t.ras).max(bank.read + t.rtp).max(self.clock) + t.rp);
        let begin = closed.fold(self.refresh, i64::max);
        for bank in &mut self.banks {
            bank.row = None;
        }
        self.clock = begin + t.rfc;
        self.refresh += t.refi;
    }

    fn issue(&mut self, at: i64, command: Command, place: Place) {
        let bank = &mut self.banks[place.index()];
        match command {
            Command::Read => {
                bank.read = at;
                self.read.0[place.group] = at;
                self.read.1 = at;
            }
            Command::Activate => {
                (bank.row, bank.activated) = (Some(place.row), at);
                self.activated.0[place.group] = at;
                self.activated.1.rotate_left(1);
                self.activated.1[3] = at;
                self.activations += 1;
            }
            Command::Precharge => (bank.row, bank.precharged) = (None, at),
        }
        self.clock = at + 1;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(group: usize, bank: usize, row: usize) -> Place {
        Place { group, bank, row }
    }

    /// Cycles and activations, with the window of all requests.
    fn took(places: &[Place]) -> (i64, u64) {
        let found = read(&Timing::DDR4_2400, places.len(), places.iter().copied());
        (found.cycles, found.activations)
    }

    /// Data come 17 + 4 cycles after the last read.
    #[test]
    fn small_patterns_take_the_cycles_of_the_data_sheet() {
        assert_eq!(took(&[]), (0, 0));
        // activation 0, read 17
        assert_eq!(took(&[at(0, 0, 5)]), (38, 1));
        // reads of one row: 17, 23
        assert_eq!(took(&[at(0, 0, 5), at(0, 0, 5)]), (44, 1));
        // two groups: activations 0, 4; reads 17, 21
        assert_eq!(took(&[at(0, 0, 5), at(1, 0, 5)]), (42, 2));
        // two banks of a group: activations 0, 6; reads 17, 23
        assert_eq!(took(&[at(0, 0, 5), at(0, 1, 5)]), (44, 2));
        // two rows of a bank: read 17, precharge 39, activation 56, read 73
        assert_eq!(took(&[at(0, 0, 5), at(0, 0, 6)]), (94, 2));
        // five banks: activations 0, 4, 8, 12, and the fifth when tFAW is over, at 26; read 43
        let five: Vec<Place> = (0..5).map(|i| at(i % 4, i / 4, 0)).collect();
        assert_eq!(took(&five), (64, 5));
        // five reads of a row end at 41; then precharge 50, activation 67, read 84
        let mut long = vec![at(2, 3, 1); 5];
        long.push(at(2, 3, 2));
        assert_eq!(took(&long), (105, 2));
    }

    /// A read of an open row every 6 cycles from 17 on, until the refresh at 9360: 1558 reads, the last
    /// one at 9359. Its row closes 9 cycles later and 17 after that the refresh begins, at 9385. It
    /// ends at 9697; then activation, and a read at 9714.
    #[test]
    fn a_refresh_closes_rows_and_takes_its_time() {
        let row = vec![at(0, 0, 5); 1558];
        assert_eq!(took(&row), (9359 + 21, 1));
        assert_eq!(took(&[row, vec![at(0, 0, 5)]].concat()), (9714 + 21, 2));
    }

    #[test]
    fn the_window_brings_reads_of_an_open_row_together() {
        let turns = [at(0, 0, 1), at(0, 0, 2), at(0, 0, 1)];
        // the row is opened once, read at 17 and 23; the other row is read at 73
        assert_eq!(took(&turns), (94, 2));
        // in order: reads at 17, 73 and 129
        assert_eq!(read(&Timing::DDR4_2400, 1, turns), Reads { cycles: 150, activations: 3 });
    }
}
