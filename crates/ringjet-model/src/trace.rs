//! The calls of a [`crate::CountingBackend`], as a tree of the scheme's steps.

use std::collections::{BTreeMap, HashMap};

use serde::Serialize;

use crate::ringjet_costs::parts;
use crate::{Cost, Operation, Part, Policy};

/// Modular operations in the time of reading or writing a word, about.
const NEAR: u64 = 3;

/// The same for words of keys and plaintexts, which come from main memory. With it the moving sums that
/// `ringjet bench program` times fastest have the least work.
const FAR: u64 = 12;

/// Steps that prepare matrices, which are kept for later calls.
const SET_UP: [&str; 2] = ["BootstrapMatrices", "Encode"];

/// Calls of one shape in one scope.
#[derive(Debug, Clone)]
pub struct Called {
    /// Index of the scope in [`Trace::scopes`].
    pub scope: usize,
    /// The call.
    pub operation: Operation,
    /// Ring degree.
    pub n: usize,
    /// The number of such calls.
    pub count: u64,
}

/// A step of the scheme. All entries from the same enclosing step are counted in one `Step`.
#[derive(Debug, Clone)]
pub struct Step {
    /// The step's name.
    pub name: &'static str,
    /// Index of the enclosing step; `None` for the first step, which is the whole program.
    pub parent: Option<usize>,
    /// How often the step was entered.
    pub entered: u64,
}

/// All calls of a program.
#[derive(Debug, Clone)]
pub struct Trace {
    /// The steps; each comes after the step that encloses it.
    pub scopes: Vec<Step>,
    /// The calls, without repetitions.
    pub calls: Vec<Called>,
    /// The keys that were used, by Galois element; 0 is the relinearisation key. The value is the
    /// largest number of limbs at which the key was used: of the extended basis, including special
    /// primes, or with HEAAN words per coefficient. Keys of ModRaise are not included.
    pub keys: BTreeMap<u32, usize>,
    /// The largest number of bytes in buffers at a time.
    pub peak_bytes: u64,
    /// Bytes of the live buffers.
    pub resident_bytes: u64,
    /// As `keys`, by scope and Galois element.
    key_uses: BTreeMap<(usize, u32), usize>,
    children: HashMap<(usize, &'static str), usize>,
    known: HashMap<(usize, Operation, usize), usize>,
    current: usize,
    /// For each of `calls` its work on one thread.
    work_of: Vec<u64>,
    /// See [`ringjet_backend::Meter::work`].
    work: u64,
    /// For each of `scopes` whether it is or lies in a step of `SET_UP`.
    sets_up: Vec<bool>,
}

impl Default for Trace {
    fn default() -> Self {
        Self {
            scopes: vec![Step { name: "Program", parent: None, entered: 1 }],
            calls: vec![],
            keys: BTreeMap::new(),
            peak_bytes: 0,
            resident_bytes: 0,
            key_uses: BTreeMap::new(),
            children: HashMap::new(),
            known: HashMap::new(),
            current: 0,
            work_of: vec![],
            work: 0,
            sets_up: vec![false],
        }
    }
}

impl Trace {
    pub(crate) fn enter(&mut self, name: &'static str) {
        let next = self.scopes.len();
        let at = *self.children.entry((self.current, name)).or_insert(next);
        if at == next {
            self.scopes.push(Step { name, parent: Some(self.current), entered: 0 });
            self.sets_up.push(self.sets_up[self.current] || SET_UP.contains(&name));
        }
        self.scopes[at].entered += 1;
        self.current = at;
    }

    pub(crate) fn leave(&mut self) {
        self.current = self.scopes[self.current].parent.unwrap_or(0);
    }

    pub(crate) fn call(&mut self, operation: Operation, n: usize) {
        self.calls_of(operation, n, 1);
    }

    pub(crate) fn work(&self) -> u64 {
        self.work
    }

    fn calls_of(&mut self, operation: Operation, n: usize, count: u64) {
        let key = (self.current, operation, n);
        let next = self.calls.len();
        let at = self.known.get(&key).copied().unwrap_or(next);
        if at == next {
            let cost: Cost = parts(&key.1, n, Policy::Cpu { threads: 1 }).into_iter().map(|p| p.cost).sum();
            self.work_of
                .push(cost.ops() + NEAR * (cost.reads + cost.writes) + FAR * (cost.key_reads + cost.plain_reads));
            self.calls.push(Called { scope: key.0, operation: key.1.clone(), n, count: 0 });
            self.known.insert(key, next);
        }
        self.calls[at].count += count;
        if !self.sets_up[self.current] {
            self.work += self.work_of[at] * count;
        }
    }

    pub(crate) fn key(&mut self, galois: u32, limbs: usize) {
        if self.scopes[self.current].name != "ModRaise" {
            let uses = self.key_uses.entry((self.current, galois)).or_default();
            for most in [self.keys.entry(galois).or_default(), uses] {
                *most = limbs.max(*most);
            }
        }
    }

    /// Whether a step of this name was entered.
    pub fn has(&self, name: &str) -> bool {
        self.entered(name) > 0
    }

    /// How often steps of this name were entered.
    pub fn entered(&self, name: &str) -> u64 {
        self.scopes.iter().filter(|s| s.name == name).map(|s| s.entered).sum()
    }

    /// [`Trace::keys`], restricted to uses outside of all steps of this name.
    pub fn keys_outside(&self, name: &str) -> BTreeMap<u32, usize> {
        let inside = self.inside(name);
        let mut keys = BTreeMap::new();
        for (&(_, galois), &limbs) in self.key_uses.iter().filter(|((scope, _), _)| !inside[*scope]) {
            let most = keys.entry(galois).or_default();
            *most = limbs.max(*most);
        }
        keys
    }

    /// Splits the trace: calls outside of all steps of this name, and calls inside of them. Keys
    /// and bytes are in both results.
    pub fn apart(&self, name: &str) -> (Trace, Trace) {
        let inside = self.inside(name);
        let part = |of: bool| {
            let mut part = Self {
                keys: self.keys.clone(),
                peak_bytes: self.peak_bytes,
                resident_bytes: self.resident_bytes,
                ..Self::default()
            };
            let mut places = vec![0; self.scopes.len()];
            for (i, step) in self.scopes.iter().enumerate().skip(1).filter(|(i, _)| inside[*i] == of) {
                // the outermost step of the inner part becomes a child of its whole program
                part.current = step.parent.filter(|&p| inside[p] == of).map_or(0, |p| places[p]);
                part.enter(step.name);
                places[i] = part.current;
                part.scopes[part.current].entered += step.entered - 1;
            }
            for called in self.calls.iter().filter(|c| inside[c.scope] == of) {
                part.current = places[called.scope];
                part.calls_of(called.operation.clone(), called.n, called.count);
            }
            for (&(scope, galois), &limbs) in self.key_uses.iter().filter(|((scope, _), _)| inside[*scope] == of) {
                part.key_uses.insert((places[scope], galois), limbs);
            }
            part.current = 0;
            part
        };
        (part(false), part(true))
    }

    /// For each step, whether it has this name or lies inside a step of this name.
    fn inside(&self, name: &str) -> Vec<bool> {
        let mut inside = Vec::with_capacity(self.scopes.len());
        for step in &self.scopes {
            inside.push(step.name == name || step.parent.is_some_and(|p| inside[p]));
        }
        inside
    }

    pub(crate) fn allocated(&mut self, bytes: u64) {
        self.resident_bytes += bytes;
        self.peak_bytes = self.peak_bytes.max(self.resident_bytes);
    }

    pub(crate) fn freed(&mut self, bytes: u64) {
        self.resident_bytes -= bytes;
    }

    /// Starts a new trace with the live buffers and returns the old one.
    pub(crate) fn restart(&mut self) -> Trace {
        let resident_bytes = self.resident_bytes;
        std::mem::replace(self, Self { resident_bytes, peak_bytes: resident_bytes, ..Self::default() })
    }

    /// Adds the calls of `other`, its steps and its uses of keys. The memory in use is that of the trace which
    /// used more.
    pub fn add(&mut self, other: &Self) {
        let mut places = vec![0; other.scopes.len()];
        for (i, step) in other.scopes.iter().enumerate().skip(1) {
            self.current = step.parent.map_or(0, |parent| places[parent]);
            self.enter(step.name);
            places[i] = self.current;
            self.scopes[self.current].entered += step.entered - 1;
        }
        for called in &other.calls {
            self.current = places[called.scope];
            self.calls_of(called.operation.clone(), called.n, called.count);
        }
        for (&(scope, galois), &limbs) in &other.key_uses {
            for most in
                [self.keys.entry(galois).or_default(), self.key_uses.entry((places[scope], galois)).or_default()]
            {
                *most = limbs.max(*most);
            }
        }
        self.current = 0;
        self.peak_bytes = self.peak_bytes.max(other.peak_bytes);
        self.resident_bytes = self.resident_bytes.max(other.resident_bytes);
    }

    /// The cost of all calls, priced by `cost`.
    pub fn total(&self, cost: impl Fn(&Operation, usize) -> Vec<Part>) -> Cost {
        self.calls.iter().map(|c| cost(&c.operation, c.n).into_iter().map(|p| p.cost).sum::<Cost>() * c.count).sum()
    }

    /// The names of a scope and its enclosing steps, outermost first, without the whole program.
    pub fn path(&self, mut scope: usize) -> Vec<&'static str> {
        let mut path = vec![];
        while let Some(parent) = self.scopes[scope].parent {
            path.push(self.scopes[scope].name);
            scope = parent;
        }
        path.reverse();
        path
    }

    /// The tree of steps with costs by `price`, down to the parts of single calls.
    pub fn tree(&self, price: impl Fn(&Operation, usize) -> Vec<Part>) -> Node {
        let mut nodes: Vec<Node> = self.scopes.iter().map(|s| Node::new(s.name, s.entered)).collect();
        for called in &self.calls {
            let (parts, times) = (price(&called.operation, called.n), called.count as f64);
            let mut node = Node::new(called.operation.name(), called.count);
            node.cost = parts.iter().map(|p| p.cost).sum::<Cost>() * called.count;
            node.seconds = parts.iter().map(|p| p.seconds).sum::<f64>() * times;
            if parts.len() > 1 {
                let node_of = |p: Part| Node {
                    cost: p.cost * called.count,
                    seconds: p.seconds * times,
                    ..Node::new(p.name, called.count)
                };
                node.children = parts.into_iter().map(node_of).collect();
            }
            nodes[called.scope].add(node);
        }
        // from the last step to the first: a step comes after the one that encloses it
        while let Some(mut node) = nodes.pop() {
            node.cost = node.children.iter().map(|c| c.cost).sum();
            node.seconds = node.children.iter().map(|c| c.seconds).sum();
            match self.scopes[nodes.len()].parent {
                Some(parent) => nodes[parent].children.push(node),
                None => {
                    node.in_order();
                    return node;
                }
            }
        }
        Node::new("Program", 0)
    }
}

/// A step, a call or a part of a call, with its total cost.
#[derive(Debug, Clone, Serialize)]
pub struct Node {
    /// The node's name.
    pub name: &'static str,
    /// How often it occurs.
    pub count: u64,
    /// The cost of all occurrences, including everything below.
    pub cost: Cost,
    /// The time of all occurrences on a device in seconds; 0 without a device.
    pub seconds: f64,
    /// The children, sorted by their numbers of words, largest first.
    pub children: Vec<Node>,
}

impl Node {
    fn new(name: &'static str, count: u64) -> Self {
        Self { name, count, cost: Cost::default(), seconds: 0.0, children: vec![] }
    }

    /// Adds a child. Calls of the same name are summed up, whatever their shapes.
    fn add(&mut self, node: Node) {
        match self.children.iter_mut().find(|c| c.name == node.name) {
            None => self.children.push(node),
            Some(same) => {
                same.count += node.count;
                same.cost += node.cost;
                same.seconds += node.seconds;
                node.children.into_iter().for_each(|c| same.add(c));
            }
        }
    }

    fn in_order(&mut self) {
        self.children.sort_by_key(|c| std::cmp::Reverse(c.cost.words()));
        self.children.iter_mut().for_each(Self::in_order);
    }

    /// The node at the end of a path of names, which starts below this node.
    pub fn find(&self, path: &[&str]) -> Option<&Node> {
        match path {
            [] => Some(self),
            [name, rest @ ..] => self.children.iter().find(|c| c.name == *name)?.find(rest),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Program { Ntt x2, Mult { Ntt, key 5 }, Boot { Make { Ntt x3 }, Mult { Ntt, keys 5 and 25 } } }, Boot entered twice.
    fn trace() -> Trace {
        let (mut trace, ntt) = (Trace::default(), Operation::Ntt { limbs: 1 });
        trace.allocated(100);
        trace.calls_of(ntt.clone(), 16, 2);
        trace.enter("Mult");
        trace.call(ntt.clone(), 16);
        trace.key(5, 3);
        trace.leave();
        for _ in 0..2 {
            trace.enter("Boot");
            trace.enter("Make");
            trace.calls_of(ntt.clone(), 16, 3);
            trace.leave();
            trace.enter("Mult");
            trace.call(ntt.clone(), 16);
            trace.key(5, 7);
            trace.key(25, 4);
            trace.leave();
            trace.leave();
        }
        trace
    }

    fn calls(trace: &Trace) -> u64 {
        trace.calls.iter().map(|c| c.count).sum()
    }

    #[test]
    fn a_step_is_taken_out_with_all_that_is_below_it() {
        let trace = trace();
        assert_eq!((trace.entered("Boot"), trace.entered("Mult"), trace.has("Other")), (2, 3, false));
        let (outside, inside) = trace.apart("Make");
        assert_eq!((calls(&outside), calls(&inside), calls(&trace)), (5, 6, 11));
        let names = |trace: &Trace| trace.scopes.iter().map(|s| (s.name, s.parent, s.entered)).collect::<Vec<_>>();
        let boot = [("Program", None, 1), ("Mult", Some(0), 1), ("Boot", Some(0), 2), ("Mult", Some(2), 2)];
        assert_eq!(names(&outside), boot);
        assert_eq!(names(&inside), [("Program", None, 1), ("Make", Some(0), 2)]);
        assert_eq!((outside.peak_bytes, inside.resident_bytes), (100, 100));
        // a step belongs to one part together with everything inside it
        let (outside, inside) = trace.apart("Boot");
        assert_eq!((calls(&outside), calls(&inside)), (3, 8));
        assert_eq!(inside.entered("Make"), 2);
        assert_eq!(inside.keys_outside("Boot"), BTreeMap::new());
    }

    #[test]
    fn traces_that_are_added_up_are_one_trace() {
        let (one, mut two) = (trace(), Trace::default());
        two.add(&one);
        assert_eq!(calls(&two), 11);
        two.add(&one);
        assert_eq!((calls(&two), two.entered("Boot"), two.entered("Mult")), (22, 4, 6));
        // the same calls in the same steps, so there is nothing new but the counts
        assert_eq!((two.scopes.len(), two.calls.len()), (one.scopes.len(), one.calls.len()));
        assert_eq!((&two.keys, two.keys_outside("Boot")), (&one.keys, one.keys_outside("Boot")));
        assert_eq!((two.work(), two.peak_bytes), (2 * one.work(), 100));
    }

    #[test]
    fn keys_are_known_by_where_they_were_used() {
        let trace = trace();
        assert_eq!(trace.keys, BTreeMap::from([(5, 7), (25, 4)]));
        assert_eq!(trace.keys_outside("Boot"), BTreeMap::from([(5, 3)]));
        assert_eq!(trace.keys_outside("Nothing"), trace.keys);
    }
}
