//! Divides work among threads.

/// Runs `work` on each part, the first part on this thread and each other part on its own thread,
/// and waits for all.
///
/// The threads are started anew at each call. That takes about ten microseconds, and the functions
/// take milliseconds.
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
