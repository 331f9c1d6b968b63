//! Work dealt out to threads.

/// Does the work of each part on a thread of its own, the first part on this one, and waits for all.
///
/// Threads are started anew each time: some ten microseconds, next to functions of milliseconds.
pub fn each<T: Send>(parts: Vec<T>, work: impl Fn(T) + Sync) {
    let work = &work;
    std::thread::scope(|scope| {
        let mut parts = parts.into_iter();
        let first = parts.next();
        for part in parts {
            scope.spawn(move || work(part));
        }
        first.into_iter().for_each(work);
    });
}
