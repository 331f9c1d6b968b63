//! Cycles among the modules of a crate.

use std::collections::{BTreeMap, BTreeSet, VecDeque};

use super::tree::{Arrow, Name};

/// For each group of modules that all depend on each other, directly or not, a shortest cycle.
pub fn circles(arrows: &BTreeSet<Arrow>) -> Vec<Vec<&Arrow>> {
    let mut out: BTreeMap<&Name, Vec<&Arrow>> = BTreeMap::new();
    for arrow in arrows {
        out.entry(&arrow.from).or_default().push(arrow);
    }
    let (mut found, mut done) = (vec![], BTreeSet::new());
    for &start in out.keys() {
        if done.contains(start) {
            continue;
        }
        if let Some(circle) = shortest(start, &out) {
            let reached = reached(start, &out);
            // all modules that `start` reaches and that reach `start`
            done.extend(reached.iter().filter(|m| self::reached(m, &out).contains(start)).copied());
            found.push(circle);
        }
    }
    found
}

type Out<'a> = BTreeMap<&'a Name, Vec<&'a Arrow>>;

fn reached<'a>(start: &Name, out: &Out<'a>) -> BTreeSet<&'a Name> {
    let mut all = BTreeSet::new();
    let mut next: Vec<&Name> = out.get(start).into_iter().flatten().map(|a| &a.to).collect();
    while let Some(module) = next.pop() {
        if all.insert(module) {
            next.extend(out.get(module).into_iter().flatten().map(|a| &a.to));
        }
    }
    all
}

fn shortest<'a>(start: &Name, out: &Out<'a>) -> Option<Vec<&'a Arrow>> {
    let mut ways: VecDeque<Vec<&Arrow>> = out.get(start)?.iter().map(|a| vec![*a]).collect();
    let mut seen = BTreeSet::new();
    while let Some(way) = ways.pop_front() {
        let last = way.last()?;
        if last.to == *start {
            return Some(way);
        }
        if seen.insert(&last.to) {
            let further = out.get(&last.to).into_iter().flatten();
            ways.extend(further.map(|a| [&way[..], &[*a]].concat()));
        }
    }
    None
}
