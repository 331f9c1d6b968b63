//! What was asked of a [`crate::CountingBackend`], as a tree of the scheme's steps.

use std::collections::{BTreeMap, HashMap};

use serde::Serialize;

use crate::{Cost, Operation};

/// Calls of one shape in one scope.
#[derive(Debug, Clone)]
pub struct Called {
    /// Index of the scope in [`Trace::scopes`].
    pub scope: usize,
    /// What was called.
    pub operation: Operation,
    /// Ring degree.
    pub n: usize,
    /// How often.
    pub count: u64,
}

/// A step of the scheme: all times that it was entered from the same step.
#[derive(Debug, Clone)]
pub struct Step {
    /// Its name.
    pub name: &'static str,
    /// Index of the step around it; the first step is the whole.
    pub parent: Option<usize>,
    /// How often it was entered.
    pub entered: u64,
}

/// Everything that was asked for.
#[derive(Debug, Clone)]
pub struct Trace {
    /// The steps, each after the one around it.
    pub scopes: Vec<Step>,
    /// The calls.
    pub calls: Vec<Called>,
    /// The keys that were used, by Galois element, 0 being relinearisation; each with the most limbs of an extended basis
    /// (special primes included) at which it was. Those of ModRaise are not among them.
    pub keys: BTreeMap<u32, usize>,
    /// Most bytes of buffers that were there at a time.
    pub peak_bytes: u64,
    /// Bytes of the buffers that are there now.
    pub resident_bytes: u64,
    children: HashMap<(usize, &'static str), usize>,
    known: HashMap<(usize, Operation, usize), usize>,
    current: usize,
}

impl Default for Trace {
    fn default() -> Self {
        Self {
            scopes: vec![Step { name: "Program", parent: None, entered: 1 }],
            calls: vec![],
            keys: BTreeMap::new(),
            peak_bytes: 0,
            resident_bytes: 0,
            children: HashMap::new(),
            known: HashMap::new(),
            current: 0,
        }
    }
}

impl Trace {
    pub(crate) fn enter(&mut self, name: &'static str) {
        let next = self.scopes.len();
        let at = *self.children.entry((self.current, name)).or_insert(next);
        if at == next {
            self.scopes.push(Step { name, parent: Some(self.current), entered: 0 });
        }
        self.scopes[at].entered += 1;
        self.current = at;
    }

    pub(crate) fn leave(&mut self) {
        self.current = self.scopes[self.current].parent.unwrap_or(0);
    }

    pub(crate) fn call(&mut self, operation: Operation, n: usize) {
        let key = (self.current, operation, n);
        if let Some(&at) = self.known.get(&key) {
            self.calls[at].count += 1;
            return;
        }
        self.calls.push(Called { scope: key.0, operation: key.1.clone(), n, count: 1 });
        self.known.insert(key, self.calls.len() - 1);
    }

    pub(crate) fn key(&mut self, galois: u32, limbs: usize) {
        if self.scopes[self.current].name != "ModRaise" {
            let most = self.keys.entry(galois).or_default();
            *most = limbs.max(*most);
        }
    }

    /// Whether a step of this name was entered.
    pub fn has(&self, name: &str) -> bool {
        self.scopes.iter().any(|s| s.name == name)
    }

    pub(crate) fn allocated(&mut self, bytes: u64) {
        self.resident_bytes += bytes;
        self.peak_bytes = self.peak_bytes.max(self.resident_bytes);
    }

    pub(crate) fn freed(&mut self, bytes: u64) {
        self.resident_bytes -= bytes;
    }

    /// What was asked for from now on, with the buffers that are there.
    pub(crate) fn restart(&mut self) -> Trace {
        let resident_bytes = self.resident_bytes;
        std::mem::replace(self, Self { resident_bytes, peak_bytes: resident_bytes, ..Self::default() })
    }

    /// The cost of everything, by `cost`.
    pub fn total(&self, cost: impl Fn(&Operation, usize) -> Vec<Part>) -> Cost {
        self.calls.iter().map(|c| cost(&c.operation, c.n).into_iter().map(|p| p.cost).sum::<Cost>() * c.count).sum()
    }

    /// The names of a scope and those around it, from the outermost, without the whole program.
    pub fn path(&self, mut scope: usize) -> Vec<&'static str> {
        let mut path = vec![];
        while let Some(parent) = self.scopes[scope].parent {
            path.push(self.scopes[scope].name);
            scope = parent;
        }
        path.reverse();
        path
    }

    /// The tree of steps with their costs, by `price`, down to the parts of single calls.
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
        // from the last to the first: a step comes after the one around it
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

/// A part of a call, and what it costs.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Part {
    /// Its name.
    pub name: &'static str,
    /// Its cost.
    pub cost: Cost,
    /// Its seconds on a device, 0 where none is chosen.
    pub seconds: f64,
}

/// A step, a call or a part of one, with what it costs altogether.
#[derive(Debug, Clone, Serialize)]
pub struct Node {
    /// Its name.
    pub name: &'static str,
    /// How often it occurs.
    pub count: u64,
    /// What all of its occurrences cost, with everything below.
    pub cost: Cost,
    /// Seconds of all of its occurrences on a device, 0 where none is chosen.
    pub seconds: f64,
    /// What it is made of, the most expensive in words first.
    pub children: Vec<Node>,
}

impl Node {
    fn new(name: &'static str, count: u64) -> Self {
        Self { name, count, cost: Cost::default(), seconds: 0.0, children: vec![] }
    }

    /// Adds calls of the same name together, whatever their shapes.
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

    /// The node at the end of a path of names, from this one's children on.
    pub fn find(&self, path: &[&str]) -> Option<&Node> {
        match path {
            [] => Some(self),
            [name, rest @ ..] => self.children.iter().find(|c| c.name == *name)?.find(rest),
        }
    }
}
