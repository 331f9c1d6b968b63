//! The times of the steps of a scheme on one thread, for a profile.
//!
//! [`Context::scope`](crate::rlwe::Context::scope) names the steps. Where nobody watches the thread, a step costs one
//! look at a thread-local variable.

use std::cell::RefCell;
use std::collections::BTreeSet;
use std::time::Instant;

/// A step that a watched computation went through.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Step {
    /// The step's name.
    pub name: &'static str,
    /// How many steps enclose it.
    pub depth: usize,
    /// When it began.
    pub start: Instant,
    /// When it ended, with everything below it.
    pub end: Instant,
}

/// The steps of a watched computation.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Steps {
    /// The steps that are enclosed by fewer steps than was asked for, in the order in which they began.
    pub timed: Vec<Step>,
    /// The names of all steps, at any depth.
    pub names: BTreeSet<&'static str>,
}

struct Watch {
    /// Steps below this depth are not timed.
    depth: usize,
    /// For each open step its number in `steps.timed`, if it is timed.
    open: Vec<Option<usize>>,
    steps: Steps,
}

thread_local! {
    static WATCH: RefCell<Option<Watch>> = const { RefCell::new(None) };
}

/// Calls `work`, and returns its result with the steps that it went through on this thread. Those that fewer
/// than `depth` steps enclose are timed: 0 times none. While a step is timed, the thread waits for its backend
/// at the end of the step, so that work that the backend has queued counts for the step that asked for it.
/// Steps of a watched computation within `work` are not seen.
pub fn watched<T>(depth: usize, work: impl FnOnce() -> T) -> (T, Steps) {
    /// Gives the thread its former watch back, after a panic as well.
    struct Restore(Option<Watch>);
    impl Drop for Restore {
        fn drop(&mut self) {
            WATCH.set(self.0.take());
        }
    }
    let _restore = Restore(WATCH.replace(Some(Watch { depth, open: vec![], steps: Steps::default() })));
    let made = work();
    let steps = WATCH.take().map_or_else(Steps::default, |watch| watch.steps);
    (made, steps)
}

/// Begins a step, and says whether the thread is watched: then [`leave`] must follow.
pub(crate) fn enter(name: &'static str) -> bool {
    WATCH.with_borrow_mut(|watch| {
        let Some(watch) = watch else { return false };
        let depth = watch.open.len();
        let timed = (depth < watch.depth).then_some(watch.steps.timed.len());
        if timed.is_some() {
            let now = Instant::now();
            watch.steps.timed.push(Step { name, depth, start: now, end: now });
        }
        watch.steps.names.insert(name);
        watch.open.push(timed);
        true
    })
}

/// Ends the step that was entered last. `wait` is called before the end of a timed step.
pub(crate) fn leave(wait: impl FnOnce()) {
    let last = WATCH.with_borrow_mut(|watch| watch.as_mut()?.open.pop()?);
    let Some(number) = last else { return };
    wait();
    WATCH.with_borrow_mut(|watch| {
        if let Some(step) = watch.as_mut().and_then(|watch| watch.steps.timed.get_mut(number)) {
            step.end = Instant::now();
        }
    });
}

#[cfg(test)]
mod tests {
    use super::*;

    fn step(name: &'static str, waits: &mut usize, inside: impl FnOnce(&mut usize)) {
        let is_watched = enter(name);
        inside(waits);
        if is_watched {
            leave(|| *waits += 1);
        }
    }

    fn work(waits: &mut usize) -> u32 {
        step("Mult", waits, |waits| {
            step("Tensor", waits, |_| ());
            step("Relinearize", waits, |waits| step("Encode", waits, |_| ()));
        });
        step("Add", waits, |_| ());
        7
    }

    #[test]
    fn steps_nest_and_are_timed_down_to_the_depth() {
        let mut waits = 0;
        let (made, steps) = watched(2, || work(&mut waits));
        let found: Vec<_> = steps.timed.iter().map(|s| (s.name, s.depth)).collect();
        assert_eq!((made, found), (7, vec![("Mult", 0), ("Tensor", 1), ("Relinearize", 1), ("Add", 0)]));
        assert_eq!(steps.names, BTreeSet::from(["Add", "Encode", "Mult", "Relinearize", "Tensor"]));
        // a timed step waits for the backend, and lies within the step that encloses it
        assert_eq!(waits, 4);
        let [mult, tensor, relinearize, add] = &steps.timed[..] else { panic!("four steps") };
        assert!(mult.start <= tensor.start && tensor.end <= relinearize.start && relinearize.end <= mult.end);
        assert!(mult.end <= add.start);
        assert_eq!(watched(0, || work(&mut 0)).1.timed, []);
    }

    #[test]
    fn a_thread_that_is_not_watched_keeps_nothing() {
        let mut waits = 0;
        assert_eq!((work(&mut waits), waits, enter("Add")), (7, 0, false));
        let failed = std::panic::catch_unwind(|| watched(1, || panic!("a step that fails")));
        assert!(failed.is_err() && !enter("Add"));
        // other threads are not watched
        let (other, steps) = watched(1, || std::thread::spawn(|| enter("Add")).join().unwrap());
        assert_eq!((other, steps), (false, Steps::default()));
    }
}
